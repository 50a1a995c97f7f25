# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Damage to specs of which all fields are passed to another class: KV204."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from damage.making import mended, mutant_of
from damage.mutants import Mutant
from damage.trees import Class, Function, Module, Release, called, names_in

_NEW = "lanes_of_layer"


def mutants(release: Release) -> Iterator[Mutant]:
    """Yield damages around each function that makes one class of another's fields."""
    copiers = {
        function.name
        for _, function in release.functions
        if _unpacks_fields(function) and len(function.args.args) > 1
    }
    for module, function in release.functions:
        table = _table(release, function)
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and called(node) in copiers and table:
                yield from _kept(release, module, function, node, table)
                yield from _grown(release, node, table)
                yield from _widened(release, module, function, node, table)


def _unpacks_fields(function: Function) -> bool:
    return any(called(each) == "fields" for each in ast.walk(function)) and any(
        isinstance(each, ast.Call)
        and isinstance(each.func, ast.Name)
        and each.func.id in {x.arg for x in function.args.args}
        and any(keyword.arg is None for keyword in each.keywords)
        for each in ast.walk(function)
    )


def _table(release: Release, function: Function) -> dict[Class, tuple[Class, ast.expr]]:
    """What is made of which class, as a dictionary of the function has it."""
    found = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                names = [ast.unparse(each) for each in (key, value) if each is not None]
                classes = [release.by_name.get(name) for name in names]
                if len(classes) == 2 and None not in classes:
                    found[classes[0]] = classes[1], value
    return found  # type: ignore[return-value]


def _dropped(node: ast.Call) -> list[ast.Constant]:
    """The names of fields that a call leaves out."""
    return [
        each
        for keyword in node.keywords
        for each in ast.walk(keyword.value)
        if isinstance(each, ast.Constant)
        and isinstance(each.value, str)
        and isinstance(keyword.value, (ast.Tuple, ast.List, ast.Set))
    ]


def _lacks(release: Release, source: Class, target: Class, known: set[str]) -> set[str]:
    """The fields with which a copy fails."""
    return {*release.field_names(source)} - {*release.field_names(target)} - known


def _kept(
    release: Release,
    module: Module,
    function: Function,
    node: ast.Call,
    table: dict[Class, tuple[Class, ast.expr]],
) -> Iterator[Mutant]:
    """A field is no longer left out.

    Excluded: fields that no class has which another is made of, or both have.
    """
    dropped = _dropped(node)
    for each in dropped:
        name = str(each.value)
        if any(name in _lacks(release, x, y, set()) for x, (y, _) in table.items()):
            edits = [module.without(each)]
            if len(dropped) == 1:
                edits = [module.span(each), _comma(module, each)]
            kind = "field no longer left out of a copy"
            mutant = mutant_of(kind, "KV204", module, function, name, *edits)
            yield replace(mutant, fixed=True)


def _comma(module: Module, node: ast.expr) -> tuple[int, int, str]:
    """The edit that takes the comma behind the only name away."""
    end = module.span(node)[1]
    after = module.content.index(b",", end)
    return after, after + 1, ""


def _grown(
    release: Release, node: ast.Call, table: dict[Class, tuple[Class, ast.expr]]
) -> Iterator[Mutant]:
    """A class of which another is made, or one below it, gets a field.

    Excluded: the class itself is what is made, or that is below it and has the field.
    """
    for source in release.specs:
        line = [source, *release.above(source)]
        nearest = next((each for each in line if each in table), None)
        if nearest is None or source in [x := table[nearest][0], *release.above(x)]:
            continue
        at = source.module.zone(source.node)[1]
        yield Mutant(
            "new field of a class that is made into another",
            ("KV204",),
            source.module.path,
            ((at, at, f"\n\n    {_NEW}: int = 0"),),
            f"{source.name}: {_NEW}",
            source.module.zone(source.node),
            apart=source.name,
            kin=frozenset(each.name for each in release.above(source)),
        )


def _widened(
    release: Release,
    module: Module,
    function: Function,
    node: ast.Call,
    table: dict[Class, tuple[Class, ast.expr]],
) -> Iterator[Mutant]:
    """The class that is made becomes the one above it.

    Excluded: where that takes all the same fields.
    """
    known = {str(each.value) for each in _dropped(node)}
    known |= {each.arg for each in node.keywords if each.arg is not None}
    for source, (target, written) in table.items():
        for above in release.above(target):
            lacks = _lacks(release, source, above, known)
            if lacks - _lacks(release, source, target, known):
                yield mutant_of(
                    "copy into a wider class",
                    "KV204",
                    module,
                    function,
                    f"{source.name} into {above.name}",
                    *module.put(written, above.name),
                )


def leaves_out(text: bytes, mutant: Mutant) -> bool:
    """Return whether a mended text leaves the damaged field out of the copy again.

    Args:
        text: Of the file.
        mutant: The damage.
    """
    functions, name = mended(text, mutant)
    return any(
        name in {str(x.value) for x in _dropped(each)}
        for function in functions
        for each in ast.walk(function)
        if isinstance(each, ast.Call) and "fields" not in names_in(each)
    )
