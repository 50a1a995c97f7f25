# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Damage to merges: KV201 to KV203."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from damage.givers import Givers
from damage.mutants import Mutant
from damage.trees import BASE, Class, Function, Release, called, names_in


def mutants(release: Release) -> Iterator[Mutant]:
    """Yield damages to each merge of a release that names the fields."""
    givers = Givers(release)
    for spec in release.specs:
        merge = spec.members.get("merge")
        if merge is None or spec.name == BASE:
            continue
        for call in ast.walk(merge):
            if isinstance(call, ast.Call) and called(call) == "cls" and call.keywords:
                yield from _dropped(release, givers, spec, merge, call)
                yield from _taken(givers, spec, merge, call)
        yield from _unasserted(givers, spec, merge)
        yield from _widened(release, spec, merge)
        yield from _removed(release, givers, spec, merge)


def compared_after(release: Release, merge: Function) -> set[str]:
    """The fields that a loop over a class's fields compares in what was merged.

    A merge that loses one of them fails where it matters, and the planner takes that
    for a no; nothing is lost in silence.
    """
    found: set[str] = set()
    for call in ast.walk(merge):
        if called(call) == "fields" and isinstance(call, ast.Call) and call.args:
            looped = release.by_name.get(ast.unparse(call.args[0]))
            if looped is not None:
                found |= set(release.field_names(looped))
    return found


def _dropped(
    release: Release, givers: Givers, spec: Class, merge: Function, call: ast.Call
) -> Iterator[Mutant]:
    module, fields = spec.module, release.field_names(spec)
    compared = compared_after(release, merge)
    for keyword in call.keywords:
        name = keyword.arg
        if name is None or name not in fields:
            continue
        if fields[name].value is not None and (
            givers.ignores(spec, name) or name in compared
        ):
            continue
        yield Mutant(
            "keyword of a merge dropped",
            ("KV201",),
            module.path,
            (module.without(keyword),),
            f"{spec.name}.merge: {name}",
            module.zone(merge),
            fixed=True,
        )


def _taken(
    givers: Givers, spec: Class, merge: Function, call: ast.Call
) -> Iterator[Mutant]:
    """A value that is made of all specs is taken of the first."""
    module, specs = spec.module, merge.args.args[1].arg
    for keyword in call.keywords:
        name = keyword.arg
        if name is None or givers.ignores(spec, name):
            continue
        if called(keyword.value) not in {"any", "all", "max", "min"}:
            continue
        yield Mutant(
            "combination in a merge became the first's",
            ("KV202",),
            module.path,
            module.put(keyword.value, f"{specs}[0].{name}"),
            f"{spec.name}.merge: {name}",
            module.zone(merge),
        )


def _unasserted(givers: Givers, spec: Class, merge: Function) -> Iterator[Mutant]:
    """What says that specs agree in one field is taken away.

    Excluded: fields that specs differ in nowhere in this release; loops that compare a
    field as well.
    """
    module = spec.module
    release = givers.release
    compared = compared_after(release, merge)
    sets = {
        target.id: statement.value
        for statement in merge.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    for statement in merge.body:
        if not isinstance(statement, ast.Assert):
            continue
        test = statement.test
        parts = test.values if isinstance(test, ast.BoolOp) else [test]
        for index, part in enumerate(parts):
            if not ast.unparse(part).startswith("len("):
                continue
            spoken = names_in(part)
            inside = [sets[name] for name in spoken if name in sets] or [part]
            names = names_in(inside) & set(release.field_names(spec))
            if (
                not names
                or names <= compared
                or any(givers.ignores(spec, x) for x in names)
            ):
                continue
            if len(parts) == 1:
                edit = module.lines(statement)
            elif index:
                before, (_, end, _) = (
                    module.span(parts[index - 1])[1],
                    module.span(part),
                )
                edit = before, end, ""
            else:
                (start, _, _), after = module.span(part), module.span(parts[1])[0]
                edit = start, after, ""
            yield Mutant(
                "comparison in a merge dropped",
                ("KV202",),
                module.path,
                (edit,),
                f"{spec.name}.merge: {', '.join(sorted(names))}",
                module.zone(merge),
            )
    for statement in merge.body:
        if isinstance(statement, ast.For) and "fields" in names_in(statement):
            yield Mutant(
                "comparison of all fields in a merge dropped",
                ("KV202",),
                module.path,
                (module.lines(statement),),
                f"{spec.name}.merge",
                module.zone(merge),
            )


def _widened(release: Release, spec: Class, merge: Function) -> Iterator[Mutant]:
    """The class that a merge insists on becomes the one above it.

    Excluded: where the class adds no field, so that there is nothing to lose.
    """
    if not spec.fields or not spec.bases:
        return
    for call in ast.walk(merge):
        if called(call) != "isinstance" or not isinstance(call, ast.Call):
            continue
        if ast.unparse(call.args[1]) != spec.name:
            continue
        yield Mutant(
            "merge accepts a wider class",
            ("KV203",),
            spec.module.path,
            spec.module.put(call.args[1], spec.bases[0]),
            f"{spec.name}.merge",
            spec.module.zone(merge),
        )


def _removed(
    release: Release, givers: Givers, spec: Class, merge: Function
) -> Iterator[Mutant]:
    """A class inherits a merge that does not know its fields.

    Excluded: where the merge above copies whole specs, or where no field that the class
    adds is given a value by anybody.
    """
    above = release.inherited(spec, "merge")
    if above is None or not any(called(each) == "cls" for each in ast.walk(above[1])):
        return
    added = [
        name
        for name, node in spec.fields.items()
        if name not in release.field_names(above[0])
        and (node.value is None or not givers.ignores(spec, name))
    ]
    if added:
        yield Mutant(
            "merge removed",
            ("KV201",),
            spec.module.path,
            (spec.module.lines(merge),),
            f"{spec.name}.merge",
            spec.module.zone(spec.node),
        )
