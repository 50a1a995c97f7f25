# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Damage to code that goes by the class of a spec: KV306 and KV307."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from damage.making import mutant_of
from damage.mutants import Mutant
from damage.trees import Class, Function, Module, Release, called


def mutants(release: Release) -> Iterator[Mutant]:
    """Yield damages to what asks for the class of a spec in a release."""
    managed = _managers(release)
    for module, function in release.functions:
        yield from _ladders(release, module, function)
        yield from _exact(release, managed, module, function)


def _ladders(release: Release, module: Module, function: Function) -> Iterator[Mutant]:
    """Two branches that return change places, so that the base comes first."""
    for block in ast.walk(function):
        body = getattr(block, "body", None)
        if not isinstance(body, list):
            continue
        for one, other in zip(body, body[1:], strict=False):
            tests = [_test(release, each) for each in (one, other)]
            if None in tests or tests[0][0] != tests[1][0]:  # type: ignore[index]
                continue
            first, second = tests[0][1], tests[1][1]  # type: ignore[index]
            if second not in release.above(first):
                continue
            texts = [module.text(each) for each in (one, other)]
            yield mutant_of(
                "base tested before the class below it",
                "KV307",
                module,
                function,
                first.name,
                *module.put(one, texts[1]),
                *module.put(other, texts[0]),
            )


def _test(release: Release, node: ast.stmt) -> tuple[str, Class] | None:
    """Whose class a branch tests that returns, and for which class."""
    if not isinstance(node, ast.If) or node.orelse or called(node.test) != "isinstance":
        return None
    if not isinstance(node.body[-1], ast.Return | ast.Raise | ast.Continue):
        return None
    assert isinstance(node.test, ast.Call)
    subject, kind = map(ast.unparse, node.test.args)
    spec = release.by_name.get(kind)
    return None if spec is None or spec not in release.specs else (subject, spec)


def _exact(
    release: Release, managed: dict[str, str], module: Module, function: Function
) -> Iterator[Mutant]:
    """A filter asks for the very class.

    Only a lone test with ``if`` of which the other way is silent: no ``else``, nothing
    raised, returned or logged. Excluded: classes with none below them that the same
    manager serves; composites; functions that test for a class below, or for this one
    once more; a body that only gives names other values, for then what is left out has
    those that stood there before.
    """
    for node in ast.walk(function):
        if not isinstance(node, ast.If) or node.orelse:
            continue
        if called(node.test) != "isinstance" or not isinstance(node.test, ast.Call):
            continue
        subject, kind = map(ast.unparse, node.test.args)
        spec = release.by_name.get(kind)
        if spec is None or spec not in release.specs or spec.holders:
            continue
        if any(isinstance(x, ast.Return | ast.Raise) for x in ast.walk(node)):
            continue
        if all(
            isinstance(each, ast.Assign)
            and all(isinstance(x, ast.Name | ast.Attribute) for x in each.targets)
            and ast.unparse(each.targets[0]) != subject
            for each in node.body
        ):
            continue
        below = [x for x in release.below(spec.name) if x is not spec]
        own = managed.get(kind)
        if not any(own == managed.get(x.name, own) is not None for x in below):
            continue
        text = ast.unparse(function)
        tests = text.count(f"isinstance({subject}, {kind})")
        if tests > 1 or any(x.name in text for x in below):
            continue
        yield mutant_of(
            "`isinstance` became a test for the very class",
            "KV306",
            module,
            function,
            kind,
            *module.put(node.test, f"type({subject}) is {kind}"),
        )


def _managers(release: Release) -> dict[str, str]:
    """By the name of a spec class the manager that is registered for it."""
    found = {}
    for node in release.calls:
        if called(node) == "register":
            values = [*node.args, *(each.value for each in node.keywords)]
            if len(values) > 1:
                found[ast.unparse(values[0])] = ast.unparse(values[1])
    return found
