# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Reads what a function makes of several specs, from its text."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import lru_cache

import libcst as cst

from kvlint.model.answering.answers import ONE_SPEC, OTHER, How, Kind, Value
from kvlint.model.merging.mappings import Mappings
from kvlint.model.merging.merge_tests import (
    class_names,
    demands,
    note_comparison,
    refused,
)
from kvlint.model.merging.merge_values import (
    BUILT,
    EACH,
    SpecExpressions,
    attributes_read,
    makes_set,
    reader,
)
from kvlint.model.merging.merges import EVERYTHING, OWN_CLASS, Build, Merge
from kvlint.model.nodes import children
from kvlint.model.syntax import dotted, ends_with_raise, last_part, text_of

_BUILTINS = frozenset(
    {"all", "any", "bool", "dict", "enumerate", "filter", "format", "frozenset"}
    | {"getattr", "hasattr", "hash", "id", "isinstance", "iter", "len", "list", "map"}
    | {"max", "min", "next", "print", "repr", "reversed", "set", "sorted", "str"}
    | {"sum", "tuple", "type", "vars", "zip"}
)
_NEUTRAL = _BUILTINS | frozenset(
    {"cast", "combinations", "copy", "deepcopy", "pairwise", "product"}
    | {"debug", "info", "info_once", "warning", "warning_once"}
)
"""Functions that compare nothing with anything."""


@lru_cache(maxsize=1024)
def read_merge(
    function: cst.FunctionDef, specs: str, constructors: frozenset[str]
) -> Merge:
    """Return what a function does with the specs that it is given.

    It is read from top to bottom as if every statement ran: what any branch compares
    counts as compared.

    Args:
        function: The function.
        specs: The parameter that holds the specs.
        constructors: Names of classes that are known to be specs.
    """
    reader = _Reader(specs, constructors)
    reader.look(function.body)
    return reader.merge


class _Reader:
    def __init__(self, specs: str, constructors: Collection[str]) -> None:
        self.merge = Merge(specs)
        self._constructors = constructors
        self._values = SpecExpressions(specs)
        self._mappings = Mappings(self._values.field_texts)
        self._bases: dict[str, str] = {}
        self._each: list[str] = []

    def look(self, node: cst.CSTNode) -> None:
        match node:
            case cst.Assign(targets=targets, value=value):
                self.look(value)
                for each in targets:
                    self._assign(each.target, value)
                return
            case (
                cst.AnnAssign(target=target, value=value)
                | cst.NamedExpr(target=target, value=value)
            ) if value is not None:
                self.look(value)
                self._assign(target, value)
                return
            case cst.For(target=target, iter=iterated):
                self.look(iterated)
                self._values.bind_loop(target, iterated)
                with self._going_through(target, iterated):
                    self.look(node.body)
                return
            case cst.SetComp() | cst.ListComp() | cst.GeneratorExp():
                self._comprehension(node.for_in)
                with self._going_through(node.for_in.target, node.for_in.iter):
                    self.look(node.elt)
                return
            case cst.DictComp():
                self._comprehension(node.for_in)
                self.look(node.value)
                return
            case cst.Assert(test=test):
                self.merge.demands += demands(self._values, test)
            case cst.If(test=test) if ends_with_raise(node.body):
                self.merge.raises = True
                self.merge.demands += refused(self._values, test)
            case cst.Return(value=cst.BaseExpression() as value):
                if (self._result(value) or self._values.value(value)) == ONE_SPEC:
                    self.merge.copied = value
            case cst.FunctionDef(name=cst.Name(value=name)):
                self.look(node.body)
                self._values.readers[name] = reader(self._values, node)
                return
            case cst.Comparison():
                note_comparison(self.merge, self._values, node)
            case cst.Call():
                self._call(node)
        if isinstance(node, cst.BaseExpression) and not isinstance(node, cst.Name):
            self._note_first(node)
        for child in children(node):
            self.look(child)

    def _comprehension(self, loop: cst.CompFor) -> None:
        self.look(loop.iter)
        self._values.bind_loop(loop.target, loop.iter)
        for condition in loop.ifs:
            self.look(condition.test)
        if loop.inner_for_in is not None:
            self._comprehension(loop.inner_for_in)

    @contextmanager
    def _going_through(
        self, target: cst.BaseExpression, over: cst.BaseExpression
    ) -> Iterator[None]:
        """Know that a target is each spec in turn, while a loop is read."""
        before = list(self._each)
        if self._values.value(over).kind in {Kind.SPECS, Kind.PAIRS}:
            last = (
                target.elements[-1].value if isinstance(target, cst.Tuple) else target
            )
            self._each.append(dotted(last) or "")
        yield
        self._each = before

    # What names stand for.

    def _assign(self, target: cst.BaseExpression, value: cst.BaseExpression) -> None:
        name = dotted(target)
        if isinstance(target, cst.Subscript):
            self._mappings.add(target, value)
        elif isinstance(target, cst.Tuple | cst.List):
            self._unpack(target, value)
        elif name is not None:
            texts = self._values.field_texts(value)
            if texts is not None:
                self._values.texts[name] = texts
            self._mappings.assign(name, value)
            if makes_set(value):
                self._values.sets.add(name)
            by = self._merged_by(value) if isinstance(value, cst.Call) else None
            self._bases[name] = "" if by is None or by[0] == "super" else by[0]
            found = self._result(value) or self._values.value(value)
            self._values.locals[name] = found
            self._note_first(target)

    def _result(self, node: cst.BaseExpression) -> Value | None:
        """What a constructor, another merge or ``replace`` gives."""
        if not isinstance(node, cst.Call):
            return None
        if self._class_built(node) is not None:
            return BUILT
        if self._merged_by(node) is not None:
            return EACH
        if last_part(node.func) in {"replace", "deepcopy", "copy"} and node.args:
            copied = node.args[0].value
            return self._result(copied) or self._values.value(copied)
        return None

    def _unpack(self, target: cst.Tuple | cst.List, value: cst.BaseExpression) -> None:
        found = self._values.value(value)
        if found.kind is Kind.ANSWERS and len(target.elements) == 1:
            self.merge.agreed |= found.attributes  # unpacking fails if there are more
        if found.kind is Kind.SPECS:
            for index, each in enumerate(target.elements):
                name = dotted(each.value) or ""
                one = EACH if index else ONE_SPEC
                is_rest = isinstance(each, cst.StarredElement)
                self._values.locals[name] = found if is_rest else one
                self._note_first(each.value)

    def _note_first(self, node: cst.BaseExpression) -> None:
        if not self.merge.first and self._values.value(node) == ONE_SPEC:
            self.merge.first = cst.Module([]).code_for_node(node)

    # Calls.

    def _call(self, node: cst.Call) -> None:
        built, by = self._class_built(node), self._merged_by(node)
        values = [each.value for each in node.args]
        if built is not None:
            if not self._is_of_each(node):
                self.merge.builds.append(self._build(node, built))
        elif by is not None:
            self.merge.merged_by.append(by)
        elif self._changes(node, values):
            return
        elif last_part(node.func) in {"isinstance", "issubclass"} and len(values) == 2:
            self.merge.tested |= set(class_names(values[1]))
        elif last_part(node.func) not in _NEUTRAL:
            self._hand_over(node, [self._values.value(each) for each in values])

    def _changes(self, node: cst.Call, values: list[cst.BaseExpression]) -> bool:
        """Note what a call changes of a spec or of a mapping, if it does."""
        last = last_part(node.func)
        if last == "update" and isinstance(node.func, cst.Attribute):
            self._mappings.forget(node.func.value)
            return True
        if not values or last not in {"replace", "setattr", "__setattr__"}:
            return False
        found = self._result(values[0]) or self._values.value(values[0])
        if found.kind is Kind.ONE and last == "replace":
            for argument in node.args[1:]:
                self.merge.changed |= self._keywords(argument)
                self._note_taken(argument)
        elif found.kind is Kind.ONE and len(values) == 3:
            self.merge.changed.add(text_of(values[1]) or EVERYTHING)
        return True

    def _note_taken(self, argument: cst.Arg) -> None:
        """Note a field that is set to what the first spec has."""
        found = self._values.value(argument.value)
        is_lone = found.kind is Kind.ANSWER and found.how is How.ONE
        if argument.keyword is not None and is_lone and len(found.names) == 1:
            for name in found.names:
                self.merge.changed_firsts[name] = argument.value

    def _is_of_each(self, node: cst.Call) -> bool:
        """Whether a call makes one of each spec, in a loop: that merges nothing."""
        owners = [
            dotted(each.value.value)
            for each in node.args
            if isinstance(each.value, cst.Attribute)
        ]
        return any(owner in self._each for owner in owners)

    def _whole(self, node: cst.BaseExpression) -> str:
        """The class of what another merge made, if a mapping is all its fields."""
        match node:
            case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=name))]) if (
                last_part(func) in {"vars", "asdict"}
            ):
                return self._bases.get(name, "")
            case cst.Attribute(
                value=cst.Name(value=name), attr=cst.Name(value="__dict__")
            ):
                return self._bases.get(name, "")
        return ""

    def _keywords(self, argument: cst.Arg) -> set[str]:
        if argument.keyword is not None:
            return {argument.keyword.value}
        entries = self._mappings.entries(argument.value)
        return {EVERYTHING} if entries is None else set(entries)

    def _hand_over(self, node: cst.Call, kinds: list[Value]) -> None:
        """Take what a function is given as compared, if it can compare it."""
        owner = OTHER
        if isinstance(node.func, cst.Attribute):
            owner = self._values.value(node.func.value)
        if any(each.kind is Kind.SPECS for each in kinds):
            self.merge.helpers.append(dotted(node.func) or "")
        if sum(each.kind is Kind.ONE for each in [*kinds, owner]) > 1:
            self.merge.agreed.add(EVERYTHING)
        for each in kinds:
            if each.kind is Kind.ANSWERS:
                self.merge.agreed |= each.attributes

    def _class_built(self, node: cst.Call) -> str | None:
        """The class that a call constructs, as it is written."""
        if self._values.names_own_class(node.func):
            return OWN_CLASS
        name = dotted(node.func)
        is_known = name is not None and name.rpartition(".")[2] in self._constructors
        return name if is_known else None

    def _merged_by(self, node: cst.Call) -> tuple[str, str] | None:
        """Whose merge a call asks, and which: of a base, of a class by its name."""
        if not isinstance(node.func, cst.Attribute):
            return None
        values = [self._values.value(each.value) for each in node.args]
        if not any(each.kind is Kind.SPECS for each in values):
            return None
        owner, method = node.func.value, node.func.attr.value
        if isinstance(owner, cst.Call) and dotted(owner.func) == "super":
            return "super", method
        name = dotted(owner) or ""
        is_class = name.rpartition(".")[2] in self._constructors
        return (name, method) if is_class else None

    def _build(self, node: cst.Call, built: str) -> Build:
        given: dict[str, cst.BaseExpression] = {}
        positionals, is_open = 0, False
        whole: list[str] = []
        for argument in node.args:
            if argument.keyword is not None:
                given[argument.keyword.value] = argument.value
            elif argument.star == "**" and self._whole(argument.value):
                whole.append(self._whole(argument.value))
            elif argument.star == "**":
                entries = self._mappings.entries(argument.value)
                is_open |= entries is None
                given |= entries or {}
            else:
                is_open |= bool(argument.star)
                positionals += 1
        firsts: set[str] = set()
        arbitrary: dict[str, str] = {}
        for value in given.values():
            found = self._values.value(value)
            if found.kind is Kind.ANSWER and len(found.names) == 1:
                if found.how is How.ONE:
                    firsts |= found.names
                elif found.how is How.ARBITRARY:
                    arbitrary |= dict.fromkeys(found.names, _gathered_in(value))
        kept = {
            name
            for name, value in given.items()
            if name in attributes_read(self._values, value)
        }
        return Build(
            node,
            built,
            given,
            positionals,
            is_open,
            frozenset(kept),
            frozenset(firsts),
            arbitrary,
            tuple(whole),
        )


def _gathered_in(node: cst.BaseExpression) -> str:
    """The name of the set that a value is taken from; empty if it has none."""
    match node:
        case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value="pop"))):
            return dotted(owner) or ""
        case cst.Call(args=[cst.Arg(value=cst.Call(args=[only])), *_]):
            return dotted(only.value) or ""
    return ""
