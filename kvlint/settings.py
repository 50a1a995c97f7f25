# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What people write in a configuration, turned into values; mistakes are gathered."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from kvlint.findings import Severity
from kvlint.patterns import compiled

Agreement = Literal["assert", "raise"]

EVERY_RULE = "KV"
_ALL = "ALL"
VERIFY = "verify"
"""The key of what only ``verify`` needs to know."""
KEYS = (
    "select",
    "ignore",
    "per-file-ignores",
    "exclude",
    "roots",
    "vllm-path",
    "vllm-version",
    "agreement",
    "fail-on",
    "check-tests",
    "preview",
    "wrapped-paths",
    "unwrapped-paths",
    "baseline",
)
_KINDS = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "an array",
    dict: "a table",
}


def tools(content: bytes) -> Mapping[str, Any]:
    """Return the ``[tool]`` table of a TOML file.

    Args:
        content: The file.

    Raises:
        ValueError: It is no TOML.
    """
    import tomllib

    try:
        found = tomllib.loads(content.decode("utf-8")).get("tool")
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    return found if isinstance(found, dict) else {}


class Reader:
    """Turns what people wrote into values, and gathers the mistakes.

    Args:
        known: The name of each rule by its code.

    Attributes:
        values: What a file says, by the names of the attributes of ``Config``.
        mistakes: A line for each.
    """

    def __init__(self, known: Mapping[str, str]) -> None:
        """Begin with nothing."""
        self.known = known
        self.by_name = {name: code for code, name in known.items()}
        self.values: dict[str, Any] = {}
        self.mistakes: list[str] = []

    def add(self, where: str, mistake: str) -> None:
        """Note a mistake: where it is, and what."""
        self.mistakes.append(f"{where}: {mistake}")

    def read(self, path: Path, *, required: bool) -> None:
        """Read a file's ``[tool.kvlint]`` table into ``values``."""
        try:
            table = tools(path.read_bytes()).get("kvlint", None if required else {})
        except OSError as error:
            return self.add(f"{path}", f"cannot read: {error.strerror}")
        except ValueError as error:
            return self.add(f"{path}", f"not valid TOML: {error}")
        if table is None:
            return self.add(f"{path}", "has no [tool.kvlint] table")
        if not isinstance(table, dict):
            return self.add(f"{path}: tool.kvlint", f"must be a table, not {_a(table)}")
        folder = Path(os.path.abspath(path)).parent
        for key, value in table.items():
            where = f"{path}: tool.kvlint.{key}"
            if key == VERIFY:
                self.values["recipes"] = self.recipes(value, where)
            elif key not in KEYS:
                self.add(where, f"no such key; {_meant(key, (*KEYS, VERIFY))}")
            else:
                self.values[key.replace("-", "_")] = self.value(
                    key, value, folder, where
                )
        return None

    def value(self, key: str, value: Any, folder: Path, where: str) -> Any:
        """Return the value of a key, or something of no account after a mistake."""
        match key:
            case "select" | "ignore":
                return self.codes(self.texts(value, where), where)
            case "vllm-version":
                listed = value if isinstance(value, list) else [value]
                return self.versions(self.texts(listed, where), where)
            case "exclude" | "wrapped-paths" | "unwrapped-paths":
                return self.patterns(self.texts(value, where), where)
            case "roots":
                return self.classes(self.texts(value, where), where)
            case "per-file-ignores" if isinstance(value, dict):
                return tuple(
                    (each, self.codes(self.texts(codes, at), at))
                    for pattern, codes in value.items()
                    for at in [f'{where}."{pattern}"']
                    for each in self.patterns([pattern], where)
                )
            case "per-file-ignores":
                self.add(where, f"must be a table, not {_a(value)}")
            case "check-tests" | "preview" if isinstance(value, bool):
                return value
            case "check-tests" | "preview":
                self.add(where, f"must be true or false, not {_a(value)}")
            case _ if not isinstance(value, str):
                self.add(where, f"must be a string, not {_a(value)}")
            case "baseline":
                return folder / os.path.expanduser(value)
            case "vllm-path":
                return self.folder(folder, Path(value), where)
            case "agreement":
                return self.choice(value, ["assert", "raise"], where)
            case _:
                return self.severity(value, where)
        return None

    def recipes(self, value: Any, where: str) -> Mapping[str, Any]:
        """Return the values that ``verify`` tries, by class and field.

        A string is an expression; other values, and those in an array, are themselves.
        """
        if not isinstance(value, dict):
            self.add(where, f"must be a table, not {_a(value)}")
            return {}
        for each in value.keys() - {"recipes"}:
            self.add(f"{where}.{each}", f"no such key; {_meant(each, ['recipes'])}")
        where, found = f"{where}.recipes", value.get("recipes", {})
        if not isinstance(found, dict):
            self.add(where, f"must be a table, not {_a(found)}")
            return {}
        recipes: dict[str, dict[str, tuple[Any, ...]]] = {}
        for name, fields in found.items():
            if not isinstance(fields, dict):
                self.add(f'{where}."{name}"', f"must be a table, not {_a(fields)}")
                continue
            recipes[name] = {
                field: tuple(map(_recipe, each if isinstance(each, list) else [each]))
                for field, each in fields.items()
            }
        return recipes

    def texts(self, value: Any, where: str) -> list[str]:
        """Return the strings of an array."""
        if not isinstance(value, list):
            self.add(where, f"must be an array of strings, not {_a(value)}")
            return []
        for each in value:
            if not isinstance(each, str):
                self.add(where, f"must be an array of strings, but holds {_a(each)}")
        return [each for each in value if isinstance(each, str)]

    def codes(self, words: Iterable[str], where: str) -> tuple[str, ...]:
        """Return codes, or beginnings of codes, for codes, names and beginnings."""
        found = []
        for word in words:
            if word == _ALL:
                found.append(EVERY_RULE)
            elif word in self.by_name:
                found.append(self.by_name[word])
            elif word and any(code.startswith(word) for code in self.known):
                found.append(word)
            else:
                names = [*self.known, *self.by_name, _ALL]
                self.add(where, f'unknown rule "{word}"; {_meant(word, names)}')
        return tuple(dict.fromkeys(found))

    def patterns(self, texts: Iterable[str], where: str) -> tuple[str, ...]:
        """Return patterns of paths that mean something."""
        found = []
        for text in texts:
            if _matches_something(text.removeprefix("!")):
                found.append(text)
            else:
                self.add(where, f'"{text}" is no pattern of files')
        return tuple(found)

    def classes(self, texts: Iterable[str], where: str) -> tuple[str, ...]:
        """Return dotted names of classes."""
        found = []
        for text in texts:
            parts = text.split(".")
            if len(parts) > 1 and all(map(str.isidentifier, parts)):
                found.append(text)
            else:
                self.add(where, f'"{text}" must be a dotted name: package.module.Class')
        return tuple(found)

    def versions(self, texts: Iterable[str], where: str) -> tuple[str, ...]:
        """Return versions and specifiers of versions."""
        from packaging.specifiers import InvalidSpecifier, SpecifierSet
        from packaging.version import InvalidVersion, Version

        found = []
        for text in texts:
            try:
                Version(text)
            except InvalidVersion:
                try:
                    SpecifierSet(text)
                except InvalidSpecifier:
                    what = 'neither a version nor a specifier such as ">=0.29,<0.34"'
                    self.add(where, f'"{text}" is {what}')
                    continue
            found.append(text)
        return tuple(found)

    def folder(self, base: Path, path: Path, where: str) -> Path | None:
        """Return a folder that must exist."""
        folder = Path(os.path.abspath(base / os.path.expanduser(path)))
        if folder.is_dir():
            return folder
        self.add(where, f'no such folder: "{folder}"')
        return None

    def choice(self, value: str, choices: Sequence[str], where: str) -> str | None:
        """Return a word that must be one of a few."""
        if value in choices:
            return value
        listed = " or ".join(f'"{each}"' for each in choices)
        meant = nearest(value, choices)
        self.add(where, f'must be {listed}, not "{value}"' + (meant and f"; {meant}"))
        return None

    def severity(self, value: str, where: str) -> Severity | None:
        """Return a severity by its name."""
        return Severity(value) if self.choice(value, [*Severity], where) else None


def _recipe(value: Any) -> Any:
    """Return a value as the interpreter that makes specs reads it."""
    return {"~": "expression", "text": value} if isinstance(value, str) else value


def _a(value: object) -> str:
    """Return what kind of TOML value something is, with its article."""
    return _KINDS.get(type(value), "a date")


def _matches_something(pattern: str) -> bool:
    """Return whether a pattern is neither empty nor a comment nor malformed."""
    if not {"\\", "[", "#"} & {*pattern}:
        return bool(pattern.strip("!/ "))  # no pathspec is needed to see that
    try:
        return any(each.include is not None for each in compiled(pattern).patterns)
    except ValueError:
        return False


def nearest(word: str, names: Collection[str]) -> str:
    """Return ``did you mean ...?`` with the nearest name; nothing if none is near."""
    import difflib

    folded = {name.casefold(): name for name in names}
    close = difflib.get_close_matches(word.casefold(), folded, 1)
    return f'did you mean "{folded[close[0]]}"?' if close else ""


def _meant(word: str, names: Collection[str]) -> str:
    """Return the nearest name, or all names if none is near."""
    return nearest(word, names) or "known: " + ", ".join(names)
