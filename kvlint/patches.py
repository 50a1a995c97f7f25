# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where code patches vLLM's spec classes, or puts others in their place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kvlint.contract import Contract
from kvlint.findings import Place
from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.references import Values
from kvlint.model.workspace import Workspace
from kvlint.model.writes import Sameness, Write, find_writes

_VLLM = "vllm"
_DESCRIBING = frozenset({"__annotations__", "__doc__", "__module__", "__qualname__"})


@dataclass(frozen=True)
class Patch:
    """An assignment to a spec class's name in vLLM, or to a member of one.

    Attributes:
        spec: The class that vLLM defines.
        member: The member; empty if another class takes the class's place.
        module: The module of vLLM in which it does.
        place: What assigns.
    """

    spec: SpecClass
    member: str
    module: str
    place: Place

    @property
    def symbol(self) -> str:
        """``Class`` or ``Class.member``."""
        return f"{self.spec.name}.{self.member}" if self.member else self.spec.name

    @property
    def is_at_home(self) -> bool:
        """Whether the module is the one that defines the class, where pickle looks."""
        home = self.spec.file.path.with_suffix("").parts
        module = tuple(self.module.split("."))
        return home[-len(module) :] == module


def find_patches(
    contract: Contract,
    workspace: Workspace,
    files: Iterable[Path],
    specs: Iterable[SpecClass],
) -> Iterator[Patch]:
    """Yield the patches that files make for good, whatever calls them.

    Args:
        contract: Knows what the classes have.
        workspace: Reads the files.
        files: Where to look; only those that may patch a class are parsed.
        specs: vLLM's spec classes.
    """
    named = {each.name: each for each in specs if not each.is_nested}
    may_patch = _QuickLook(named)
    finder = _Finder(contract, named)
    for path in files:
        if named and may_patch.at(workspace.content(path)):
            file = workspace.file(path)
            if file is not None:
                yield from finder.patches(file)


class _QuickLook:
    """Tells which files are worth parsing; decides no verdict."""

    def __init__(self, names: Iterable[str]) -> None:
        spec = rb"\b(?:" + b"|".join(name.encode() for name in names) + rb")\b"
        self._named = re.compile(spec)
        self._direct = re.compile(
            spec + rb"(?:\s*\.\s*\w+)?\s*(?:,|:[^=\n]*)?=(?!=)"
            rb"|\b(?:set|del)attr\s*\(|\bvars\s*\(|__[sd]\w+attr__\s*\(|__dict__"
            rb"|\bdel\b[^\n]*" + spec
        )
        self._alias = re.compile(
            spec + rb"\s+as\s+(\w+)"
            rb"|(\w+)\s*=\s*[^=\n]*" + spec + rb"|\bfor\s+(\w+)[^:]*" + spec
        )

    def at(self, content: bytes) -> bool:
        if not self._named.search(content):
            return False
        if self._direct.search(content):
            return True
        aliases = {name for each in self._alias.findall(content) for name in each}
        aliases -= {b""}
        assigned = rb"^[ \t]*(?:" + b"|".join(aliases) + rb")\s*\.\s*\w+\s*[:=](?!=)"
        return bool(aliases and re.search(assigned, content, re.M))


class _Finder:
    def __init__(self, contract: Contract, named: dict[str, SpecClass]) -> None:
        self._contract = contract
        self._named = named

    def patches(self, file: SpecFile) -> Iterator[Patch]:
        for write in find_writes(file):
            owner, _, name = write.target.rpartition(".")
            if any(self._fails(each, file) for each in write.conditions):
                continue
            spec, member = self._named.get(name), ""
            if spec is None or not _is_in_vllm(owner):
                spec, member = self._class(owner, file), name
            if spec is None or self._is_itself(write, spec, member, file):
                continue
            if member and not self._has(spec, member):
                continue
            module = "" if member else owner
            yield Patch(spec, member, module, file.place(write.node))

    def _class(self, name: str, file: SpecFile) -> SpecClass | None:
        """The class of vLLM that a dotted name means."""
        module, _, last = name.rpartition(".")
        if _is_in_vllm(module):
            return self._named.get(last)
        if not module:
            return None
        # It may be imported by way of a module of the project's own.
        for each in self._contract.hierarchy.resolver.absolute(name, file):
            if isinstance(each, SpecClass) and self._named.get(each.name) is each:
                return each
        return None

    def _is_itself(
        self, write: Write, spec: SpecClass, member: str, file: SpecFile
    ) -> bool:
        """Whether what is put there is what vLLM has there."""
        for each in write.values:
            if isinstance(each, str):
                owner, _, last = each.rpartition(".")
                if member and last == member and self._class(owner, file) is spec:
                    return True
                if not member and self._class(each, file) is spec:
                    return True
        return False

    def _has(self, spec: SpecClass, name: str) -> bool:
        """Whether a class has a member, so that a patch changes what is there."""
        if name.startswith("__") and name.endswith("__"):
            return name not in _DESCRIBING
        return self._contract.definition(spec, name) is not None

    def _fails(self, condition: Sameness, file: SpecFile) -> bool:
        """Whether the release at hand never meets a condition on members."""
        sides = [self._definitions(x, file) for x in (condition.left, condition.right)]
        if not all(len(each) == 1 for each in sides):
            return False
        return (sides[0] == sides[1]) is not condition.is_wanted

    def _definitions(self, values: Values, file: SpecFile) -> set[object]:
        found = set[object]()
        for each in values:
            if isinstance(each, str):
                owner, _, name = each.rpartition(".")
                spec = self._class(owner, file)
                found.add(self._contract.definition(spec, name) if spec else None)
        return found - {None}


def _is_in_vllm(name: str) -> bool:
    return name == _VLLM or name.startswith(f"{_VLLM}.")
