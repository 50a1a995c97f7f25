# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A project that builds on vLLM: which of its classes derive from vLLM's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kvlint.contracts.facts import ClassFacts
from kvlint.contracts.lineage import simple
from kvlint.guards.guards import Guards
from kvlint.guards.installed import Installed
from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.resolution import Meaning, Resolver, Unresolved
from kvlint.model.scopes import ImportedName, Scope
from kvlint.model.workspace import Workspace
from kvlint.specs.candidates import Candidates
from kvlint.uses.following.meanings import Named
from kvlint.vocabulary import GROUP_ATTRIBUTE

_PACKAGE = "vllm."


@dataclass(frozen=True, eq=False)
class OwnClass:
    """A class of the project below one of vLLM's.

    Attributes:
        spec: The class.
        chain: Itself and its ancestors in the project, nearest first.
        bases: Names of the vLLM classes that the chain ends in, nearest first.
    """

    spec: SpecClass
    chain: tuple[SpecClass, ...]
    bases: tuple[str, ...]

    def defines(self, name: str) -> bool:
        """Return whether the project itself defines a member or field of it."""
        return any(name in each.members or name in each.fields for each in self.chain)


class PlugIn:
    """The files of a project, and its classes below vLLM's.

    Args:
        files: The files to look at.
        root: The project's folder.
        known: vLLM's classes by name, of all releases that matter.
        installed: The release whose code counts, where conditions ask for it.

    Attributes:
        guards: Tells what that release runs.
    """

    def __init__(
        self,
        files: Sequence[Path],
        root: Path,
        known: Mapping[str, ClassFacts],
        installed: Installed,
    ) -> None:
        """Find the classes; parse only files that may define some."""
        self.workspace = Workspace([root, root / "src"])
        is_own = frozenset(files).__contains__
        self.guards = Guards(self.workspace, installed, is_own)
        self.workspace.judge = self.guards
        self.resolver = Resolver(self.workspace)
        self._known = known
        self._tails = {
            f"/{each.module.replace('.', '/')}.py" for each in known.values()
        }
        self.own: dict[SpecClass, OwnClass] = {}
        self.files = [each for each in files if not self._is_upstream(each)]
        self._find(self.files)

    def _find(self, files: Sequence[Path]) -> None:
        names, searched = set(self._known), set[str]()
        parsed: dict[Path, SpecFile] = {}
        while fresh := names - searched:
            searched |= fresh
            candidates = Candidates(fresh)
            for path in files:
                content = self.workspace.content(path)
                if path not in parsed and candidates.may_define(content):
                    file = self.workspace.file(path)
                    if file is not None:
                        parsed[path] = file
            for _, file in sorted(parsed.items()):
                for each in file.classes:
                    own = self._own(each)
                    if own is not None and each not in self.own:
                        self.own[each] = own
                        names.add(each.name)

    def _own(
        self, spec: SpecClass, below: frozenset[SpecClass] = frozenset()
    ) -> OwnClass | None:
        if spec in self.own or spec in below:
            return self.own.get(spec)
        chain, bases = [spec], list[str]()
        for name in spec.bases:
            for base in self.named(name, spec.scope, spec.file) if name else ():
                if isinstance(base, str):
                    bases.append(base)
                elif inner := self._own(base, below | {spec}):
                    chain += inner.chain
                    bases += inner.bases
        if not bases:
            return None
        return OwnClass(spec, tuple(dict.fromkeys(chain)), tuple(dict.fromkeys(bases)))

    def named(self, name: str, scope: Scope, file: SpecFile) -> Iterator[Named]:
        """Yield the classes that a name of a file may mean.

        Args:
            name: As written.
            scope: Where it is read.
            file: Its file.
        """
        for meaning in self.resolver.resolve(name, scope, file):
            found = self._class(meaning)
            if found is not None:
                yield found

    def meaning(self, name: str, scope: Scope, file: SpecFile) -> Named | None:
        """Return the class of vLLM, or below one, that a name means."""
        for each in self.named(name, scope, file):
            if isinstance(each, str) or each in self.own:
                return each
        return None

    def imported(
        self, binding: ImportedName, rest: str, file: SpecFile
    ) -> Named | None:
        """Return the class of vLLM that a function's own import gives."""
        if binding.level:
            return None
        parts = [binding.module, binding.name, rest]
        return self.upstream(".".join(filter(None, parts)))

    def owner(self, spec: SpecClass) -> Named | None:
        """Return the project's class below one of vLLM's that a statement makes."""
        return spec if spec in self.own else None

    def upstream(self, dotted: str) -> str | None:
        """Return the class of vLLM that an absolute name means."""
        name = simple(dotted)
        return name if dotted.startswith(_PACKAGE) and name in self._known else None

    def _class(self, meaning: Meaning) -> Named | None:
        if isinstance(meaning, Unresolved):
            return self.upstream(meaning.name)
        if not isinstance(meaning, SpecClass):
            return None
        if self._is_upstream(meaning.file.path):
            return meaning.name if meaning.name in self._known else None
        return meaning

    def _is_upstream(self, path: Path) -> bool:
        text = path.as_posix()
        return any(text.endswith(each) for each in self._tails)

    def mentioning(self, pattern: re.Pattern[bytes]) -> Iterator[SpecFile]:
        """Yield the files that speak of specs and contain a pattern, parsed.

        Those that define classes below vLLM's are always among them.
        """
        speaks = [each.encode() for each in (*self._known, GROUP_ATTRIBUTE)]
        speaks += [each.name.encode() for each in self.own]
        defining = {each.file.path for each in self.own}
        for path in self.files:
            content = self.workspace.content(path)
            if path in defining or (
                any(each in content for each in speaks) and pattern.search(content)
            ):
                file = self.workspace.file(path)
                if file is not None:
                    yield file
