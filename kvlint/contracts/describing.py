# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""From the model of a class to the facts about it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from pathlib import Path

import libcst as cst

from kvlint.contracts.facts import (
    ClassFacts,
    DecoratorFacts,
    FieldFacts,
    MemberFacts,
    ParameterFacts,
    Spot,
)
from kvlint.contracts.making import MergeFacts, UniformFacts
from kvlint.findings import Place
from kvlint.model.answering.agreements import compared_attributes, is_builder
from kvlint.model.answering.bodies import body_facts, literal_text
from kvlint.model.classes import Field, Member, SpecClass
from kvlint.model.merging.uniform_tests import read_uniform_tests
from kvlint.model.nodes import walk
from kvlint.model.sizes.derivations import Derivation, derivation
from kvlint.model.sizes.sizing import sizing
from kvlint.model.syntax import dotted
from kvlint.model.values.settings import ANYTHING, find_settings
from kvlint.uses.merging import Merges
from kvlint.vocabulary import SIZING, UNIFORM_TESTS


class Describer:
    """Turns classes of one tree into facts.

    Args:
        folder: What paths are relative to.
        merges: The merges of its spec classes.
    """

    def __init__(self, folder: Path, merges: Merges) -> None:
        """Hold the folder."""
        self._folder, self._merges = folder, merges

    def spot(self, place: Place) -> Spot:
        """Return a place as it is called in facts."""
        return Spot(
            place.path.relative_to(self._folder).as_posix(),
            place.line,
            place.column,
            place.end_line,
            place.end_column,
        )

    def module(self, path: Path) -> str:
        """Return the dotted name of a file's module."""
        parts = path.relative_to(self._folder).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def class_facts(
        self,
        spec: SpecClass,
        role: str,
        gives_one: Callable[[str], bool] = lambda name: False,
    ) -> ClassFacts:
        """Return the facts about a class.

        Args:
            spec: The class.
            role: What it is to the contract.
            gives_one: Tells, for a composite, whether a member gives a spec in it.
        """
        annotations: dict[cst.CSTNode, cst.BaseExpression] = {
            node.target: node.annotation.annotation
            for node in walk(spec.node.body)
            if isinstance(node, cst.AnnAssign)
        }
        fields = [self._field(each, annotations) for each in spec.fields.values()]
        members = [
            self._member(each, role, gives_one(each.name))
            for each in spec.members.values()
        ]
        return ClassFacts(
            name=spec.name,
            module=self.module(spec.file.path),
            bases=tuple(
                dotted_name or one_line(argument.value)
                for dotted_name, argument in zip(spec.bases, _bases(spec), strict=True)
            ),
            decorators=tuple(map(_decorator, spec.node.decorators)),
            role=role,
            fields=tuple(sorted(fields, key=_order)),
            members=tuple(sorted(members, key=_order)),
            spot=self.spot(spec.place),
        )

    def _field(
        self, field: Field, annotations: Mapping[cst.CSTNode, cst.BaseExpression]
    ) -> FieldFacts:
        options = _field_options(field.default)
        default = field.default
        if options is not None:
            default = options.pop("default", None)
        return FieldFacts(
            name=field.name,
            type=one_line(annotations[field.node]),
            has_default=field.has_default,
            default=None if default is None else one_line(default),
            options={key: one_line(value) for key, value in (options or {}).items()},
            spot=self.spot(field.place),
        )

    def _member(self, member: Member, role: str, gives_one: bool) -> MemberFacts:
        facts, function = body_facts(member), member.function
        sets: list[str] = []
        compared: frozenset[str] = frozenset()
        derived = Derivation()
        if function is not None:
            settings = find_settings(function, member.self_name)
            sets = list(dict.fromkeys(each.name for each in settings))
            if facts.replaced is not None and not facts.lets_self_out:
                sets = [name for name in sets if name != ANYTHING]  # a copy is set
            if member.name == "__post_init__":
                derived = derivation(member)
            if is_builder(member) and role in SPEC_ROLES:
                compared = compared_attributes(function)
        return MemberFacts(
            name=member.name,
            kind=str(member.kind),
            is_async=function is not None and function.asynchronous is not None,
            parameters=_parameters(member),
            returns=None if member.returns is None else one_line(member.returns),
            decorators=member.decorators,
            is_abstract=facts.is_abstract,
            only_raises=facts.only_raises,
            constant=facts.constant,
            reads=tuple(sorted(facts.reads)),
            lets_self_out=facts.lets_self_out,
            supers=tuple(sorted(facts.supers)),
            replaced=None if facts.replaced is None else tuple(sorted(facts.replaced)),
            sets=tuple(sets),
            compared=tuple(sorted(compared)),
            gives_one=gives_one,
            spot=self.spot(member.place),
            derives=tuple(sorted(derived.sets)),
            fills=tuple(sorted(derived.fills)),
            derived_from=tuple(sorted(derived.reads)),
            merge=self._merge(member) if role in SPEC_ROLES else None,
            sized_by=_sized_by(member) if role in SPEC_ROLES else (),
            uniform=_uniform(member) if role in SPEC_ROLES else (),
        )

    def _merge(self, member: Member) -> MergeFacts | None:
        found = self._merges.read(member)
        if found is None:
            return None
        merge, given = found.merge, self._merges.given(found)
        return MergeFacts(
            specs=merge.specs,
            given=None if given is None else tuple(sorted(given)),
            agreed=tuple(sorted(self._merges.agreed(found, member.owner))),
            verified=tuple(sorted(merge.verified)),
            changed=tuple(sorted(merge.changed)),
            merged_by=tuple(f"{owner}.{method}" for owner, method in merge.merged_by),
        )


def _uniform(member: Member) -> tuple[UniformFacts, ...]:
    if member.name not in UNIFORM_TESTS or member.function is None:
        return ()
    return tuple(
        UniformFacts(
            each.asked,
            each.admits,
            each.is_exact,
            tuple(sorted(each.compared)),
            each.asks_base,
        )
        for each in read_uniform_tests(member.function)
    )


SPEC_ROLES = frozenset({"root", "spec", "composite"})


def one_line(node: cst.BaseExpression) -> str:
    """Return an expression's text as it is written, but on one line."""
    text = cst.Module([]).code_for_node(node)
    if "\n" not in text and "\r" not in text:
        return text
    try:
        return ast.unparse(ast.parse(f"({text}\n)", mode="eval"))
    except SyntaxError:  # newer than this Python
        return " ".join(line.partition("#")[0].strip() for line in text.splitlines())


def _sized_by(member: Member) -> tuple[str, ...]:
    if member.name not in SIZING or member.function is None:
        return ()
    found = sizing(member)
    names = [f"self.{each}" for each in found.fields]
    names += [f"super.{each}" for each in found.supers]
    names += [*found.others, *([ANYTHING] if found.is_open else ())]
    return tuple(sorted(names))


def _order(facts: FieldFacts | MemberFacts) -> tuple[int, int]:
    return facts.spot.line, facts.spot.column


def _bases(spec: SpecClass) -> list[cst.Arg]:
    return [argument for argument in spec.node.bases if not argument.star]


def _decorator(node: cst.Decorator) -> DecoratorFacts:
    called = node.decorator
    options: dict[str, str] = {}
    while isinstance(called, cst.Call):
        for argument in called.args:
            text = literal_text(argument.value)
            if argument.keyword is not None and text is not None:
                options[argument.keyword.value] = text
        called = called.func
    return DecoratorFacts(dotted(called) or "", options)


def _field_options(
    default: cst.BaseExpression | None,
) -> dict[str, cst.BaseExpression] | None:
    """The keywords of ``field(...)``, None for any other value."""
    if not isinstance(default, cst.Call):
        return None
    if (dotted(default.func) or "").rpartition(".")[2] != "field":
        return None
    return {
        argument.keyword.value: argument.value
        for argument in default.args
        if argument.keyword is not None
    }


def _parameters(member: Member) -> tuple[ParameterFacts, ...]:
    return tuple(
        ParameterFacts(
            each.name,
            each.kind,
            None if each.annotation is None else one_line(each.annotation),
            None if each.default is None else one_line(each.default),
        )
        for each in member.parameters
    )
