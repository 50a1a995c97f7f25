# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Constructor calls of spec classes, over the files of a project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kvlint.builds import COPIERS, Build, copies_spec, read_build
from kvlint.errors import KvlintError
from kvlint.hierarchy import Hierarchy
from kvlint.model.calls import TextCall, call_pattern, find_calls
from kvlint.model.classes import SpecClass
from kvlint.spec_names import SpecNames


@dataclass(frozen=True)
class SpecCall:
    """A constructor call, as far as its text tells.

    Attributes:
        path: Its file.
        spec: The class.
        text: The call.
    """

    path: Path
    spec: SpecClass
    text: TextCall


class SpecCalls:
    """Finds constructor calls of specs, each file read once.

    Args:
        hierarchy: The spec classes.
        names: Tells which class a name means.
    """

    def __init__(self, hierarchy: Hierarchy, names: SpecNames) -> None:
        """Begin with nothing read."""
        self._hierarchy, self._names = hierarchy, names
        known = sorted({each.name for each in hierarchy.specs}, key=len, reverse=True)
        self._bytes = call_pattern([*known, *COPIERS])
        self._pattern = re.compile(
            rf"\b({'|'.join([*map(re.escape, known), *COPIERS])})\s*\("
        )
        self._found: dict[Path, list[TextCall]] = {}

    def in_files(self, files: Iterable[Path]) -> Iterator[SpecCall]:
        """Yield the calls in some files, in the order of the text.

        Args:
            files: Where to look.
        """
        for path in files:
            for text in self._texts(path):
                if text.name in COPIERS:
                    continue
                spec = self._names.spec(text.dotted, path)
                if spec is not None:
                    yield SpecCall(path, spec, text)

    def builds(self, files: Iterable[Path]) -> Iterator[Build]:
        """Yield what the calls in some files tell of their fields, and copies of specs.

        Args:
            files: Where to look.
        """
        workspace = self._hierarchy.workspace
        for path in files:
            for text in self._texts(path):
                spec = self._names.spec(text.dotted, path)
                if spec is None and not copies_spec(text):
                    continue
                source = workspace.source(path)
                name = "" if spec is None else spec.name
                yield read_build(name, text, source)

    def _texts(self, path: Path) -> list[TextCall]:
        if path not in self._found:
            self._found[path] = list(self._read(path))
        return self._found[path]

    def _read(self, path: Path) -> Iterator[TextCall]:
        workspace = self._hierarchy.workspace
        if not self._bytes.search(workspace.content(path)):
            return
        try:
            text = workspace.source(path).text
        except KvlintError:
            return
        yield from find_calls(text, self._pattern)
