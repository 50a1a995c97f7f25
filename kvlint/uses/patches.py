# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where code patches vLLM's spec classes, or puts others in their place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kvlint.findings import Place
from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.references import Values
from kvlint.model.values.writes import Sameness, Write, find_writes
from kvlint.model.workspace import Workspace
from kvlint.specs.contract import Contract

_VLLM = "vllm"
_LEADING = (b"vllm", b"sys", b"importlib", b"import_module")
"""What leads to a module of vLLM without another name."""
_STRETCH = 200
_WORD = re.compile(rb"\w+")
_AS = re.compile(rb"[ \t]+as[ \t]+(\w+)")
_EQUALS = re.compile(
    rb"(?:(\w+)[ \t]*=[ \t]*[(\[{]?|\bfor[ \t]+(\w+)[^:\n]*\bin\s*[(\[{])[\w.,\s]*$"
)
_ASSIGNED = re.compile(rb"(\.\w+)[ \t]*(?:,|:[^=\n]*)?=(?!=)")
_DELETED = re.compile(rb"\bdel\b[^\n]*")
_SETATTR = re.compile(
    rb"(?<![\w.])(?:type\.__)?(?:set|del)attr(?:__)?\s*\(\s*(\w[^,\n]*),\s*"
    rb"(?:[\"'](\w+)[\"'])?"
)
_VARS = re.compile(rb"\bvars\s*\(\s*(\w[\w.]*)\s*\)\s*(?:\[\s*[\"'](\w+)[\"']|[\[.])")
_DICT = re.compile(rb"\b(\w[\w.]*)\.__dict__\s*(?:\[\s*[\"'](\w+)[\"']|[\[.])")
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
    may_patch = QuickLook(named)
    finder = _Finder(contract, named)
    for path in files:
        if named and may_patch.at(workspace.content(path)):
            file = workspace.file(path)
            if file is not None:
                yield from finder.patches(file)


class QuickLook:
    """Tells which files are worth parsing; decides no verdict.

    Args:
        names: Simple names of classes.
    """

    def __init__(self, names: Iterable[str]) -> None:
        """Take the names."""
        self._names = {name.encode() for name in names}

    def at(self, content: bytes) -> bool:
        """Return whether a file may patch one of the classes."""
        present = [each for each in self._names if each in content]
        if not present:
            return False
        known = {*present, *_aliases(present, content)}
        if any(not known.isdisjoint(_words(each)) for each in _targets(content)):
            return True
        return any(
            not known.isdisjoint(_words(owner))
            or (not name or name in known)
            and _may_be_module(_words(owner)[0], content)
            for owner, name in _named_attributes(content)
        )


def _words(text: bytes) -> list[bytes]:
    return _WORD.findall(text)


def _aliases(names: Iterable[bytes], content: bytes) -> Iterator[bytes]:
    """Other names by which a file may know some."""
    for name in names:
        start = content.find(name)
        while start >= 0:
            before = content[max(0, start - _STRETCH) : start]
            start += len(name)
            after = content[start : start + _STRETCH]
            for match in (_AS.match(after), _EQUALS.search(before)):
                yield from filter(None, match.groups()) if match else ()
            start = content.find(name, start)


def _targets(content: bytes) -> Iterator[bytes]:
    """What is assigned to, or deleted, from the beginning of the line."""
    for each in _ASSIGNED.finditer(content):
        yield content[content.rfind(b"\n", 0, each.start()) + 1 : each.end(1)]
    for each in _DELETED.finditer(content):
        yield each[0]


def _named_attributes(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """What has an attribute that is named by a text, and the text if it is at hand."""
    for needle, pattern in (
        (b"attr", _SETATTR),
        (b"vars", _VARS),
        (b"__dict__", _DICT),
    ):
        if needle in content:
            yield from ((each[1], each[2] or b"") for each in pattern.finditer(content))


def _may_be_module(name: bytes, content: bytes) -> bool:
    """Whether a name may be that of a module of vLLM."""
    if name in _LEADING:
        return True
    word = rb"\b" + name + rb"\b"
    ways = (
        rb"\bfrom\s+(?:vllm\b|\.)[\w.]*\s+import\s*(?:[^\n(]*|\([^)]*)" + word,
        rb"\bimport\s+vllm\b[\w.]*\s+as\s+" + word,
        rb"\bfor\b[^\n:]*" + word + rb"[^\n:]*\bin\s*[(\[{]",
        word + rb"\s*=\s*(?:" + b"|".join(_LEADING) + rb")\b",
    )
    return any(re.search(way, content) for way in ways)


class _Finder:
    def __init__(self, contract: Contract, named: dict[str, SpecClass]) -> None:
        self._contract = contract
        self._named = named

    def patches(self, file: SpecFile) -> Iterator[Patch]:
        for write in find_writes(file):
            owner, _, name = write.target.rpartition(".")
            if any(each and self._fails(each, file) for each in write.conditions):
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
