# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The catalogue: one Markdown document per rule in ``rules/``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from kvlint.errors import KvlintError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_FILE = re.compile(r"(KV\d{3})-([a-z0-9]+(?:-[a-z0-9]+)*)\.md")
_TITLE = re.compile(r"# (KV\d{3}) `([^`]+)`")
_METADATA = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PREVIEW = re.compile(rb'^stage = "preview"$', re.MULTILINE)
FIXES = ("safe", "unsafe", "none")
_KEYS = ("summary", "fix", "since", "vllm")


@dataclass(frozen=True)
class Rule:
    """A rule as its document promises it.

    Attributes:
        code: Such as ``KV101``.
        name: Such as ``undelegated-member``.
        summary: One sentence: what it finds.
        fix: ``safe``, ``unsafe`` or ``none``.
        since: The release of kvlint that brought it.
        vllm: The releases of vLLM that it concerns, such as ``>=0.11``.
        text: The whole document.
        stage: ``stable``, or ``preview``: off unless asked for.
    """

    code: str
    name: str
    summary: str
    fix: str
    since: str
    vllm: str
    text: str
    stage: str = "stable"


def root() -> Traversable:
    """The folder of rule documents: inside the wheel, or beside the package."""
    from importlib.resources import files

    packaged = files("kvlint") / "rules"
    return packaged if packaged.is_dir() else Path(__file__).parents[1] / "rules"


@cache
def names() -> Mapping[str, str]:
    """Return the name of each rule by its code, from the file names alone.

    Raises:
        KvlintError: There is no document: an installation without its data.
    """
    return MappingProxyType({code: match[2] for code, match in _documents().items()})


@cache
def previews() -> frozenset[str]:
    """Return the codes of the rules that are off unless asked for.

    Raises:
        KvlintError: There is no document: an installation without its data.
    """
    folder = root()
    return frozenset(
        code
        for code, match in _documents().items()
        if _PREVIEW.search((folder / match[0]).read_bytes())
    )


@cache
def rules() -> Mapping[str, Rule]:
    """Return every rule by its code, in order of the codes.

    Raises:
        KvlintError: There is no document, or one is malformed.
    """
    folder = root()
    return MappingProxyType(
        {
            code: parse(match[0], (folder / match[0]).read_text(encoding="utf-8"))
            for code, match in _documents().items()
        }
    )


def find(code_or_name: str) -> Rule:
    """Return a rule by its code or its name, in any case.

    Args:
        code_or_name: Such as ``KV101`` or ``undelegated-member``.

    Raises:
        KvlintError: There is no such rule; the message proposes the nearest.
    """
    known = {key: code for code, name in names().items() for key in (code, name)}
    spoken = {key.lower(): key for key in known}
    wanted = code_or_name.strip().lower()
    if wanted in spoken:
        return rules()[known[spoken[wanted]]]
    import difflib

    nearest = difflib.get_close_matches(wanted, spoken, n=1)
    hint = (
        f"did you mean `{spoken[nearest[0]]}`?"
        if nearest
        else "`kvlint rules` lists them"
    )
    raise KvlintError(f"no rule `{code_or_name}`; {hint}")


def find_all(words: Iterable[str]) -> list[Rule]:
    """Return rules by their codes, their names, or what their codes begin with.

    Args:
        words: Such as ``KV101``, ``undelegated-member`` or ``KV1``, in any case.

    Returns:
        In the order of the words, each once.

    Raises:
        KvlintError: A word means none.
    """
    found: dict[str, Rule] = {}
    for word in words:
        beginning = word.strip().upper()
        codes = [code for code in names() if beginning and code.startswith(beginning)]
        chosen = [rules()[code] for code in codes] or [find(word)]
        found |= {each.code: each for each in chosen}
    return [*found.values()]


def parse(file_name: str, text: str) -> Rule:
    """Return the rule that a document describes.

    Args:
        file_name: The name of its file, for messages and to compare with its title.
        text: The document.

    Raises:
        KvlintError: The title or the metadata are not as they must be.
    """
    import tomllib

    title = _TITLE.fullmatch(text.partition("\n")[0].rstrip())
    if title is None or f"{title[1]}-{title[2]}.md" != file_name:
        raise KvlintError(
            f"rules/{file_name}: the first line must be the code and the name that "
            "the file is called by: # KV101 `undelegated-member`"
        )
    fence = _METADATA.search(text)
    try:
        found = tomllib.loads(fence[1]) if fence else {}
    except tomllib.TOMLDecodeError as error:
        raise KvlintError(f"rules/{file_name}: metadata: {error}") from error
    if sorted({*found} - {"stage"}) != sorted(_KEYS) or not all(
        isinstance(value, str) for value in found.values()
    ):
        raise KvlintError(
            f"rules/{file_name}: the first toml fence must give the strings "
            f"{', '.join(_KEYS)}, perhaps stage, and no others; it gives "
            f"{', '.join(found) or 'none'}"
        )
    if found.get("stage", "preview") != "preview":
        raise KvlintError(
            f'rules/{file_name}: stage must be "preview" or left out, '
            f"not {found['stage']!r}"
        )
    if found["fix"] not in FIXES:
        raise KvlintError(
            f"rules/{file_name}: fix must be one of {', '.join(FIXES)}, "
            f"not {found['fix']!r}"
        )
    return Rule(title[1], title[2], text=text, **found)


def _documents() -> dict[str, re.Match[str]]:
    """Return the matched file names by code, in order."""
    folder = root()
    found = {}
    if folder.is_dir():
        for match in filter(None, (_FILE.fullmatch(x.name) for x in folder.iterdir())):
            if match[1] in found:
                raise KvlintError(f"rules/: two documents for {match[1]}")
            found[match[1]] = match
    if not found:
        raise KvlintError(
            f"{folder}: no rule documents; this installation of kvlint is incomplete, "
            "please install it again"
        )
    return dict(sorted(found.items()))
