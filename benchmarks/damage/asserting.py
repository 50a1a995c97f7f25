# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Damage that lets an assertion alone say that a set holds one value: KV210."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from damage.making import mended, mutant_of
from damage.mutants import Mutant
from damage.trees import Class, Function, Module, Release, called

_TAKEN = ("{}.pop()", "next(iter({}))", "list({})[0]")
_SIZE = re.compile(r"len\((\w+)\) (?:!= 1|> 1|>= 2)$")


def mutants(release: Release) -> Iterator[Mutant]:
    """Yield damages to what makes sure of one value in a release."""
    for spec in release.specs:
        merge = spec.members.get("merge")
        for call in ast.walk(merge) if merge is not None else ():
            if isinstance(call, ast.Call) and called(call) == "cls":
                assert merge is not None
                yield from _gathered(spec, merge, call)
    for module, function in release.functions:
        yield from _raised(module, function)
        yield from _unpacked(module, function)


def _gathered(spec: Class, merge: Function, call: ast.Call) -> Iterator[Mutant]:
    """What was the first spec's is gathered of all, asserted and taken."""
    module, specs = spec.module, merge.args.args[1].arg
    statement = next(
        each for each in merge.body if any(x is call for x in ast.walk(each))
    )
    start = module.lines(statement)[0]
    margin = " " * statement.col_offset
    values = [x for x in call.keywords if ast.unparse(x.value) == f"{specs}[0].{x.arg}"]
    for index, keyword in enumerate(values):
        found = f"all_of_{keyword.arg}"
        lines = (
            f"{margin}{found} = {{spec.{keyword.arg} for spec in {specs}}}\n"
            f"{margin}assert len({found}) == 1\n"
        )
        taken = _TAKEN[index % len(_TAKEN)].format(found)
        yield Mutant(
            "first's value in a merge gathered, asserted and taken",
            ("KV210",),
            module.path,
            ((start, start, lines), *module.put(keyword.value, taken)),
            f"{spec.name}.merge: {keyword.arg}",
            module.zone(merge),
            fixed=True,
        )


def _sets(function: Function) -> set[str]:
    """Names that are bound once, to a set."""
    bound: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            bound.setdefault(node.targets[0].id, []).append(node.value)
    return {
        name
        for name, (first, *more) in bound.items()
        if not more and (isinstance(first, (ast.Set, ast.SetComp)) or _is_call(first))
    }


def _is_call(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and called(node) in {"set", "frozenset"}


def _is_taken(function: Function, name: str) -> bool:
    text = ast.unparse(function)
    return any(each.format(name) in text for each in _TAKEN)


def _raised(module: Module, function: Function) -> Iterator[Mutant]:
    """An error becomes an assertion.

    Only of a set whose value is taken; excluded: sets whose size is asked twice.
    """
    sets = _sets(function)
    for node in ast.walk(function):
        if not isinstance(node, ast.If) or node.orelse:
            continue
        asked = _SIZE.match(ast.unparse(node.test))
        if asked is None or asked[1] not in sets or not _is_taken(function, asked[1]):
            continue
        if ast.unparse(function).count(f"len({asked[1]})") > 1:
            continue
        if len(node.body) == 1 and isinstance(node.body[0], ast.Raise):
            yield replace(
                mutant_of(
                    "error became an assertion",
                    "KV210",
                    module,
                    function,
                    asked[1],
                    *module.put(node, f"assert len({asked[1]}) == 1"),
                ),
                fixed=True,
            )


def _unpacked(module: Module, function: Function) -> Iterator[Mutant]:
    """What unpacks the only value of a set asserts that there is one, and takes it.

    Excluded: sets whose size is asked already.
    """
    sets = _sets(function)
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Name):
            continue
        target, name = node.targets[0], node.value.id
        if not isinstance(target, (ast.Tuple, ast.List)) or len(target.elts) != 1:
            continue
        if name not in sets or f"len({name})" in ast.unparse(function):
            continue
        margin = " " * node.col_offset
        for taken in _TAKEN:
            only = ast.unparse(target.elts[0])
            text = f"assert len({name}) == 1\n{margin}{only} = {taken.format(name)}"
            yield replace(
                mutant_of(
                    "unpacking of a set became an assertion and a take",
                    "KV210",
                    module,
                    function,
                    name,
                    *module.put(node, text),
                ),
                fixed=True,
            )


def raises(text: bytes, mutant: Mutant) -> bool:
    """Return whether a mended function raises where a set holds several values.

    Args:
        text: Of the file.
        mutant: The damage.
    """
    functions, name = mended(text, mutant)
    return any(
        f"if len({name}) != 1:" in said and f"assert len({name})" not in said
        for said in map(ast.unparse, functions)
    )
