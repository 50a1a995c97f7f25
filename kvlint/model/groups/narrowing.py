# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a test tells of a group's spec, and of the process that the code runs in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import libcst as cst

from kvlint.model.class_tests.type_tests import class_of, exact_test, no_meaning
from kvlint.model.groups.subjects import Environment, Kind, Names, place_of
from kvlint.model.syntax import class_names, dotted, text_of
from kvlint.vocabulary import CONNECTOR_ROLES

_SAYS = {cst.Is: True, cst.Equal: True, cst.IsNot: False, cst.NotEqual: False}


@dataclass(frozen=True)
class Narrowing(ABC):
    """Takes tests into account in an environment of names.

    Attributes:
        names: Tells composites.
    """

    names: Names

    @abstractmethod
    def kind(self, node: cst.BaseExpression, env: Environment) -> Kind:
        """Return what an expression is."""

    def refine(self, test: cst.CSTNode, env: Environment, *, truth: bool) -> None:
        """Take into account that a test came out true, or false."""
        match test:
            case cst.UnaryOperation(operator=cst.Not(), expression=inner):
                self.refine(inner, env, truth=not truth)
            case cst.BooleanOperation(left=left, operator=operator, right=right):
                if isinstance(operator, cst.And) == truth:
                    self.refine(left, env, truth=truth)
                    self.refine(right, env, truth=truth)
                else:
                    one, other = dict(env), dict(env)
                    self.refine(left, one, truth=truth)
                    self.refine(right, other, truth=truth)
                    env.update(one.items() & other.items())
            case cst.Call(func=cst.Name(value="isinstance" | "hasattr"), args=args):
                if len(args) == 2:
                    named = self.names_composite(args[1].value)
                    self._exclude(args[0].value, env, unless=named == truth)
            case cst.Call(func=cst.Name(value="issubclass"), args=[first, second]):
                if (of := class_of(first.value)) is not None:
                    named = self.names_composite(second.value)
                    self._exclude(of.subject, env, unless=named == truth)
            case cst.Comparison():
                found = exact_test(test, {}, no_meaning)
                if found is not None:
                    named = self.asked_for_composite(test) is not None
                    asked = truth == found.holds
                    self._exclude(found.subject, env, unless=named == asked)

    def refine_class(
        self,
        subject: cst.BaseExpression,
        tested: cst.BaseExpression,
        env: Environment,
        *,
        truth: bool,
    ) -> None:
        """Take into account that something is, or is not, of a class."""
        self._exclude(subject, env, unless=self.names_composite(tested) == truth)

    def asked_for_composite(self, node: cst.Comparison) -> cst.BaseExpression | None:
        """Return what a comparison of classes, or their names, asks to be composite."""
        found = exact_test(node, {}, no_meaning)
        if found is None or self.names.composites.isdisjoint(_lasts(found.classes)):
            return None
        return found.subject

    def names_composite(self, node: cst.BaseExpression) -> bool:
        """Return whether an attribute's name, or one of some classes, tells one."""
        text = text_of(node)
        if text is not None:
            return text in self.names.holders or text in self.names.firsts
        return not self.names.composites.isdisjoint(_lasts(class_names(node)))

    def _exclude(
        self, subject: cst.BaseExpression, env: Environment, *, unless: bool
    ) -> None:
        name = place_of(subject)
        if name is not None and not unless and self.kind(subject, env).is_raw:
            env[name] = Kind.OTHER


def _lasts(classes: list[str] | tuple[str, ...]) -> set[str]:
    return {each.rpartition(".")[2] for each in classes}


def runs_in_scheduler(test: cst.BaseExpression, *, truth: bool) -> bool:
    """Return whether what stands behind a test is run by the scheduler alone.

    Args:
        test: The condition: what it asks about a connector's role counts.
        truth: How it came out.
    """
    match test:
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            return runs_in_scheduler(inner, truth=not truth)
        case cst.BooleanOperation(left=left, operator=operator, right=right):
            sides = [runs_in_scheduler(x, truth=truth) for x in (left, right)]
            return any(sides) if isinstance(operator, cst.And) == truth else all(sides)
        case cst.Comparison(comparisons=[cst.ComparisonTarget(operator, right)]):
            says = _SAYS.get(type(operator))
            roles = [of_scheduler(x) for x in (test.left, right)]
            role = next((each for each in roles if each is not None), None)
            return says is not None and role is not None and role == (says == truth)
    return False


def of_scheduler(role: cst.BaseExpression) -> bool | None:
    """Return whether an expression is the scheduler's role, None if it is no role."""
    head, _, last = (dotted(role) or "").rpartition(".")
    if head.rpartition(".")[2] != CONNECTOR_ROLES:
        return None
    return last == "SCHEDULER"
