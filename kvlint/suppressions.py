# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Comments that silence findings: ``# kvlint: ignore[KV101] reason``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kvlint.findings import Edit, Finding, Fix, Safety, Severity
from kvlint.settings import nearest
from kvlint.sources import Source, nests_too_deep

if TYPE_CHECKING:
    import libcst

UNUSED = "KV901"
MALFORMED = "KV902"
_UNSUPPRESSIBLE = frozenset({"KV900", UNUSED, MALFORMED})
_GRAMMAR = "write `# kvlint: ignore[CODE] reason`"

_MENTION = re.compile(rb"kvlint[ \t]*:", re.IGNORECASE)
# A comment may hold several directives, such as `# noqa: E501  # kvlint: ignore[...] x`.
# A reason may speak of `#123`.
_DIRECTIVE = re.compile(
    r"(?:^|(?<=\s))\#\s*kvlint\s*:\s*(?P<word>[^\s\[#]*)\s*"
    r"(?P<rest>(?:(?!\s\#\s*[^\W\d]).)*)",
    re.IGNORECASE | re.VERBOSE,
)
_CODES = re.compile(r"\[([^\]]*)\]")
_CODE = re.compile(r"[^\s,](?:[^,]*[^\s,])?")


@dataclass(frozen=True, slots=True)
class Code:
    """A code or a name in the brackets of a comment.

    Attributes:
        text: As it is written.
        start: Offset in the file's text.
        end: One past its last character.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment that wants to silence findings.

    Attributes:
        line: The line that it is on.
        start: Offset in the file's text of its ``#``.
        end: One past its last character.
        codes: What it wants to silence; none if it is malformed.
        mistake: What is wrong with it, whatever the codes may be.
    """

    line: int
    start: int
    end: int
    codes: tuple[Code, ...] = ()
    mistake: str = ""


def mentions(content: bytes) -> bool:
    """Return whether a file may hold a suppression: worth parsing to find out."""
    # Without regard to case a search is slow: see first that there is such a word.
    return b"kvlint" in content.lower() and _MENTION.search(content) is not None


def find_comments(
    source: Source, module: libcst.Module | None = None
) -> tuple[Suppression, ...]:
    """Return the suppressions in a file, in order.

    Args:
        source: The file.
        module: Its tree, if it has been parsed before.

    Returns:
        Those in real comments; none if the file does not parse.
    """
    if not mentions(source.content):
        return ()
    return tuple(
        suppression
        for start, comment in sorted(_comments(source, module))
        for suppression in directives(source, start, comment)
    )


def apply(
    findings: Sequence[Finding],
    sources: Mapping[Path, Source],
    checked: Iterable[Path],
    *,
    known: Mapping[str, str],
    selects: Callable[[str, Path], bool],
    modules: Mapping[Path, libcst.Module] | None = None,
) -> list[Finding]:
    """Return findings without the silenced ones, and with those about the comments.

    Args:
        findings: What the checks found.
        sources: Every checked file that ``mentions`` suppressions; others need not be.
        checked: The files that were checked: only their comments can be unused.
        known: The name of each rule by its code.
        selects: Whether a rule counts in a file. A comment for one that does not count
            is not unused: nobody looked.
        modules: The trees of files that have been parsed before.
    """
    by_name = {name: code for code, name in known.items()}
    at: dict[tuple[Path, str, int], list[Finding]] = {}
    for finding in findings:
        for line in {finding.place.line, *finding.suppressible_lines}:
            at.setdefault((finding.place.path, finding.code, line), []).append(finding)
    silenced: set[int] = set()
    added: list[Finding] = []
    for path in dict.fromkeys(checked):
        source = sources.get(path)
        if source is None:
            continue
        for comment in find_comments(source, (modules or {}).get(path)):
            mistake = comment.mistake or _unknown(comment.codes, known, by_name)
            if mistake:
                if selects(MALFORMED, path):
                    added.append(_finding(MALFORMED, source, comment, mistake))
                continue
            unused = []
            for each in comment.codes:
                code = by_name.get(each.text, each.text)
                found = at.get((path, code, comment.line), [])
                silenced.update(map(id, found))
                if not found and selects(code, path):
                    unused.append(each)
            if unused and selects(UNUSED, path):
                added.append(_unused(source, comment, unused))
    return [each for each in findings if id(each) not in silenced] + added


def _comments(
    source: Source, module: libcst.Module | None
) -> Iterator[tuple[int, str]]:
    """Yield the offset and text of each comment."""
    import libcst
    from libcst.metadata import MetadataWrapper, PositionProvider

    if module is None and nests_too_deep(source.text):
        return
    try:
        module = module or libcst.parse_module(source.text)
        # A tree fresh from the parser holds no node twice, so it need not be copied.
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        positions = wrapper.resolve(PositionProvider)
    except (libcst.ParserSyntaxError, RecursionError):
        return
    for node, position in positions.items():
        if isinstance(node, libcst.Comment):
            line = source.line_starts[position.start.line - 1]
            offset = line + position.start.column
            # libcst 1.9 loses a form feed after a block, and counts on without it.
            if source.text.startswith(node.value, offset):
                yield offset, node.value


def can_be_silenced(code: str) -> bool:
    """Return whether a comment can silence findings of a rule."""
    return code not in _UNSUPPRESSIBLE


def directives(source: Source, start: int, comment: str) -> Iterator[Suppression]:
    """Yield what the directives in a comment say.

    Args:
        source: The file.
        start: Offset in its text of the comment.
        comment: The comment.
    """
    for match in _DIRECTIVE.finditer(comment):
        if comment[: match.start()].count("`") % 2:
            continue  # it is quoted: the comment only speaks of directives
        text = match[0].rstrip()
        begin, end = start + match.start(), start + match.start() + len(text)
        line = source.place(begin, begin).line
        word, rest = match["word"], match["rest"]
        brackets = _CODES.match(rest)
        codes = tuple(
            Code(each[0], *(start + match.start("rest") + 1 + at for at in each.span()))
            for each in _CODE.finditer(brackets[1] if brackets else "")
        )
        if word.casefold() != "ignore":
            meant = (
                f'unknown word "{word}" after `kvlint:`' if word else "it says nothing"
            )
            mistake = f"{meant}; {_GRAMMAR}"
        elif rest.startswith("[") and not brackets:
            mistake = f"its bracket is not closed; {_GRAMMAR}"
        elif not codes:
            mistake = f"it names no rule; {_GRAMMAR}"
        elif not (brackets and re.search(r"\w", rest[brackets.end() :])):
            mistake = f"it gives no reason; {_GRAMMAR}"
        else:
            yield Suppression(line, begin, end, codes)
            continue
        yield Suppression(line, begin, end, (), mistake)


def _unknown(
    codes: Iterable[Code], known: Mapping[str, str], by_name: Mapping[str, str]
) -> str:
    """Return what is wrong with codes, or nothing."""
    mistakes = []
    for each in codes:
        if by_name.get(each.text, each.text) in _UNSUPPRESSIBLE:
            mistakes.append(f"{each.text} cannot be silenced by a comment")
        elif each.text not in known and each.text not in by_name:
            names = [name for pair in known.items() for name in pair]
            meant = nearest(
                each.text,
                [
                    name
                    for name in names
                    if by_name.get(name, name) not in _UNSUPPRESSIBLE
                ],
            )
            mistakes.append(f'unknown rule "{each.text}"' + (meant and f", {meant}"))
    return "; ".join(mistakes)


def _unused(source: Source, comment: Suppression, unused: Sequence[Code]) -> Finding:
    """Return the finding about codes for which nothing is reported."""
    kept = [each.text for each in comment.codes if each not in unused]
    listed = " and ".join(dict.fromkeys(each.text for each in unused))
    if kept:
        first, last = comment.codes[0], comment.codes[-1]
        edit = Edit(first.start, last.end, ", ".join(kept))
        fix = Fix(Safety.SAFE, f"Remove {listed} from the comment", (edit,))
    else:
        edit = Edit(*_extent(source, comment), "")
        fix = Fix(Safety.SAFE, "Remove the unused comment", (edit,))
    message = f"nothing is reported on this line for {listed}; remove it"
    return _finding(UNUSED, source, comment, message, fix)


def _extent(source: Source, comment: Suppression) -> tuple[int, int]:
    """Return what goes with a comment: blanks around it, or the whole of its line."""
    text, start, end = source.text, comment.start, comment.end
    first = source.line_starts[comment.line - 1]
    starts = source.line_starts
    after = starts[comment.line] if comment.line < len(starts) else len(text)
    code, others = text[first:start], text[end:after]
    if others.strip():
        return start, end + len(others) - len(others.lstrip())
    if code.strip():
        return first + len(code.rstrip()), end + len(others) - len(others.lstrip(" \t"))
    return first, after


def _finding(
    code: str, source: Source, comment: Suppression, what: str, fix: Fix | None = None
) -> Finding:
    place = source.place(comment.start, comment.end)
    return Finding(code, Severity.WARNING, _MESSAGES[code] + what, place, "", fix=fix)


_MESSAGES = {
    UNUSED: "unused suppression: ",
    MALFORMED: "malformed suppression, it silences nothing: ",
}
