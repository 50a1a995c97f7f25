# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Copies of all fields of a spec into another class."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import libcst as cst

from kvlint.findings import Place
from kvlint.model.calls import closing
from kvlint.model.class_tests.class_lookups import class_lookup
from kvlint.model.classes import SpecClass
from kvlint.model.functions import FunctionIndex, FunctionText
from kvlint.model.merging.copiers import Copier, copier
from kvlint.model.merging.field_copies import FieldCopy, field_copies, names_in
from kvlint.model.syntax import dotted
from kvlint.model.values.knowledge import Occasion, occasions
from kvlint.model.values.known import text
from kvlint.model.workspace import Workspace
from kvlint.specs.hierarchy import Hierarchy
from kvlint.specs.spec_fields import constructor_fields
from kvlint.specs.spec_names import SpecNames

_UNPACKS = re.compile(r"\*\*")
_ENUMERATES = re.compile(r"\bfields\(|\basdict\(|\bvars\(|\.__dict__\b")
_CALLED = re.compile(r"([\w.]+)\((?:[^()]|\([^()]*\))*$")
_FARTHEST = 1000
_NEEDLES = (b"fields(", b"asdict(", b"vars(", b".__dict__")
"""What a file holds that copies all fields: a quick look that decides nothing."""


@dataclass(frozen=True)
class Retype:
    """A call that makes a spec of all fields of a spec of another class.

    Attributes:
        targets: The class that is made of each class.
        below: Whether specs of classes below are taken too, by the nearest class.
        dropped: Fields that are left out.
        function: The function around it.
        what: What copies: the name of the helper, or of the class that is made.
        place: Where it stands.
        call: The call and the function that it stands in; None for one of vLLM's of
            which the sources are not at hand.
        keyword: The keyword that says what is left out; empty if there is none.
    """

    targets: Mapping[SpecClass, SpecClass]
    below: bool
    dropped: frozenset[str]
    function: str
    what: str
    place: Place
    call: tuple[cst.Call, FunctionText] | None = None
    keyword: str = ""


@dataclass(frozen=True)
class Unfit:
    """A class whose specs cannot be made into another class.

    Attributes:
        source: The class.
        target: What is to be made of it.
        fields: Its fields that the target lacks.
        is_named: The code names the class, not one above it.
    """

    source: SpecClass
    target: SpecClass
    fields: tuple[str, ...]
    is_named: bool


def unfit(hierarchy: Hierarchy, retype: Retype) -> Iterator[Unfit]:
    """Yield the classes for whose specs a retyping call raises a ``TypeError``.

    Args:
        hierarchy: The spec classes.
        retype: The call.
    """
    for spec in hierarchy.specs:
        order = hierarchy.mro(spec) if retype.below else (spec,)
        nearest = next((each for each in order if each in retype.targets), None)
        if nearest is None:
            continue
        target = retype.targets[nearest]
        if any("__init__" in each.members for each in hierarchy.mro(target)):
            continue
        taken = constructor_fields(hierarchy, target)
        missing = tuple(
            name
            for name in constructor_fields(hierarchy, spec)
            if name not in taken and name not in retype.dropped
        )
        if missing:
            yield Unfit(spec, target, missing, spec is nearest)


def find_retypes(
    workspace: Workspace, names: SpecNames, files: Iterable[Path]
) -> list[Retype]:
    """Return the copies of all fields of specs into other classes.

    Args:
        workspace: Reads the files; only functions that need it are parsed.
        names: Tells which class a name means.
        files: Where to look.
    """
    return list(_Search(workspace, names, list(files)).found())


def _unpacked(workspace: Workspace, path: Path) -> list[tuple[int, str]]:
    """Where fields may be unpacked in a call, and what is called."""
    content = workspace.content(path)
    if b"**" not in content or not any(each in content for each in _NEEDLES):
        return []
    text, found = workspace.source(path).text, []
    for match in _UNPACKS.finditer(text):
        near = max(0, match.start() - _FARTHEST), match.start()
        if not _ENUMERATES.search(text, near[0], match.start() + _FARTHEST):
            continue
        head = _CALLED.search(text, *near)
        if head is None or text.endswith(("def ", "class "), 0, head.start()):
            continue
        found.append((match.start(), head[1]))
    return found


@dataclass(frozen=True)
class _Search:
    workspace: Workspace
    names: SpecNames
    files: list[Path]

    def found(self) -> Iterator[Retype]:
        helpers: list[Copier] = []
        for path in self.files:
            for function in self._copying(path):
                for copy in field_copies(function.node):
                    helper = copier(function, copy)
                    if helper is not None:
                        helpers.append(helper)
                    else:
                        yield from self._written_out(function, copy)
        for helper in helpers:
            yield from self._calls(helper)

    def _copying(self, path: Path) -> list[FunctionText]:
        """The functions of a file that may copy fields into a spec."""
        unpacked = self.workspace.known(
            path, "unpacked", partial(_unpacked, self.workspace, path)
        )
        places = [at for at, name in unpacked if self._may_be_spec(name)]
        functions = self.workspace.functions(path) if places else None
        if functions is None:
            return []
        return functions.around(
            each for each in places if self._is_copier(functions, each)
        )

    def _may_be_spec(self, name: str) -> bool:
        """Whether what is called may be a spec class, or a parameter."""
        return self.names.is_known(name) or name.isidentifier()

    def _is_copier(self, functions: FunctionIndex, unpacked: int) -> bool:
        """Whether they do, and the function around goes through the fields."""
        text = functions.source.text
        head = _CALLED.search(text, max(0, unpacked - _FARTHEST), unpacked)
        assert head is not None
        name, is_spec = head[1], self.names.is_known(head[1])
        bounds = functions.bounds(unpacked)
        if bounds is None or not _ENUMERATES.search(text, *bounds):
            return False
        opened = text.find("(", bounds[0])
        parameters = text[opened : closing(text, opened)]
        return is_spec or bool(re.search(rf"\b{name}\s*[,:)=]", parameters))

    def _written_out(self, function: FunctionText, copy: FieldCopy) -> Iterator[Retype]:
        """A copy into a class that is named where the fields are copied."""
        if copy.drops:
            return
        for occasion in occasions(function.node, function.class_name):
            if occasion.call is copy.call:
                source = cst.parse_expression(copy.source)
                yield from self._retype(
                    function, occasion, source, copy.call.func, copy.dropped
                )

    def _calls(self, helper: Copier) -> Iterator[Retype]:
        name = helper.function.name.value
        needle = name.encode()
        pattern = re.compile(rf"{name}\s*\(")
        for path in self.files:
            if needle not in self.workspace.content(path):
                continue
            functions = self.workspace.functions(path)
            if functions is None or not self._means(name, path, helper):
                continue
            places = pattern.finditer(functions.source.text)
            for function in functions.around(each.start() for each in places):
                for occasion in occasions(function.node, function.class_name):
                    called = (dotted(occasion.call.func) or "").rpartition(".")[2]
                    if called == name:
                        yield from self._helped(function, occasion, helper)

    def _means(self, name: str, path: Path, helper: Copier) -> bool:
        """Whether a name in a file is the helper's, as far as imports tell."""
        return path == helper.path or self.names.is_imported(name, path)

    def _helped(
        self, function: FunctionText, occasion: Occasion, helper: Copier
    ) -> Iterator[Retype]:
        source = helper.argument(occasion.call, helper.source)
        target = helper.argument(occasion.call, helper.target)
        dropped: frozenset[str] | None = helper.default
        if helper.drop:
            given = helper.argument(occasion.call, helper.drop)
            if given is not None:
                dropped = names_in(given)
        if source is None or target is None or dropped is None:
            return
        yield from self._retype(
            function, occasion, source, target, dropped | helper.dropped, helper
        )

    def _retype(
        self,
        function: FunctionText,
        occasion: Occasion,
        source: cst.BaseExpression,
        target: cst.BaseExpression,
        dropped: frozenset[str],
        helper: Copier | None = None,
    ) -> Iterator[Retype]:
        path, call = function.source.path, occasion.call
        made = self.names.spec(dotted(target) or "", path)
        below = True
        if made is not None:
            known = occasion.of(source)
            sources = () if known is None else known.classes
            below = known is not None and known.is_tested
            specs = [self.names.spec(each, path) for each in sources]
            targets = {each: made for each in specs if each is not None}
        else:
            lookup = class_lookup(function.node, target)
            if lookup is None:
                return
            below = lookup.by_order
            targets = self._table(function, lookup.table, call)
        if targets:
            what = helper.function.name.value if helper else text(target)
            owner = f"{function.class_name}." if function.class_name else ""
            yield Retype(
                targets,
                below,
                dropped,
                owner + function.node.name.value,
                what,
                function.place(call.func),
                (call, function),
                helper.drop if helper else "",
            )

    def _table(
        self, function: FunctionText, name: str, call: cst.Call
    ) -> dict[SpecClass, SpecClass]:
        """The classes in a dictionary, which a variable of the file holds."""
        path, written = function.source.path, function.source.text
        before = function.span(call).start
        found: dict[SpecClass, SpecClass] = {}
        pattern = re.compile(rf"{re.escape(name)}\s*(?::[^=\n]+)?=\s*(?=\{{)")
        for match in pattern.finditer(written):
            if match.end() > before and found:
                break
            if written[match.start() - 1 : match.start()].isidentifier():
                continue
            found = self._entries(written, match.end(), path)
        return found

    def _entries(
        self, written: str, opened: int, path: Path
    ) -> dict[SpecClass, SpecClass]:
        end = closing(written, opened)
        try:
            node = ast.parse(written[opened:end], mode="eval").body
        except (SyntaxError, ValueError):
            return {}
        found = {}
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                pair = [
                    self.names.spec(ast.unparse(each), path)
                    for each in (key, value)
                    if each is not None
                ]
                if len(pair) == 2 and pair[0] is not None and pair[1] is not None:
                    found[pair[0]] = pair[1]
        return found
