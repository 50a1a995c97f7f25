# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Damage to overrides, managers and their registration: KV401 to KV405."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import partial

from damage.mutants import Edit, Mutant
from damage.trees import (
    MANAGER,
    Class,
    Function,
    Module,
    Release,
    called,
    decorators,
    is_abstract,
    is_property,
)

_OTHER_KINDS = {"staticmethod", "classmethod", "property", "cached_property"}


def mutants(release: Release) -> Iterator[Mutant]:
    """Yield damages to the overrides and managers of a release."""
    for owner in (*release.specs, *release.managers):
        for name, own in owner.members.items():
            above = release.inherited(owner, name)
            if name.startswith("_") or above is None or is_abstract(own):
                continue
            if set(decorators(own)) - _OTHER_KINDS:
                continue
            kin = release.lineage(owner, name)
            yield from _signature(owner, own, above[1], kin)
            yield from _kind(owner, own, above[1], kin)
    yield from _constructors(release)
    yield from _registrations(release)


def _signature(
    owner: Class, own: Function, base: Function, kin: frozenset[str]
) -> Iterator[Mutant]:
    """Excluded: private methods and constructors; overrides that take anything.

    Nor is a parameter damaged that the base does not have, or may be left out there
    together with what comes behind it.
    """
    if own.args.vararg or own.args.kwarg or is_property(base):
        return
    skipped = 0 if "staticmethod" in decorators(own) else 1
    parameters = [*own.args.args[skipped:], *own.args.kwonlyargs]
    known = {each.arg for each in (*base.args.args, *base.args.kwonlyargs)}
    module = owner.module
    # A fix gives all parameters the names that they have above.
    is_same = [x.arg for x in own.args.args] == [x.arg for x in base.args.args]

    def damage(kind: str, *edits: tuple[int, int, str]) -> Mutant:
        return Mutant(
            kind,
            ("KV401",),
            module.path,
            edits,
            f"{owner.name}.{own.name}",
            module.zone(own),
            fixed=kind in {"parameter removed", "parameter renamed"} and is_same,
            apart=f"{owner.name}.{own.name}",
            kin=kin,
        )

    for each in parameters:
        if each.arg not in known:
            continue
        if own.args.vararg is None and own.args.kwonlyargs == [each]:
            continue  # the bare `*` before it would have to go too
        start, end, _ = module.span(each)
        default = _default(own, each)
        if default is not None:
            end = module.span(default)[1]
        yield damage("parameter removed", _gone(module, start, end))
        new = f"given_{each.arg}"
        uses = [
            (*module.span(node)[:2], new)
            for statement in own.body
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and node.id == each.arg
        ]
        yield damage("parameter renamed", (start, start + len(each.arg), new), *uses)
    if parameters:
        last = parameters[-1]
        end = module.span(_default(own, last) or last)[1]
        required = ", *, spare" if not own.args.kwonlyargs else ", spare"
        yield damage("parameter added", (end, end, required))
    if len(own.args.args) > skipped + 1 and not own.args.defaults:
        one, other = own.args.args[skipped : skipped + 2]
        yield damage(
            "parameters swapped",
            *module.put(one, module.text(other)),
            *module.put(other, module.text(one)),
        )


def _default(own: Function, parameter: ast.arg) -> ast.expr | None:
    arguments = own.args
    defaults: list[ast.expr | None] = [None] * len(arguments.args)
    defaults += arguments.defaults
    positional = defaults[len(arguments.defaults) :]
    parameters = [*arguments.args, *arguments.kwonlyargs]
    return [*positional, *arguments.kw_defaults][parameters.index(parameter)]


def _gone(module: Module, start: int, end: int) -> tuple[int, int, str]:
    """The edit that takes a parameter and a comma away."""
    content = module.content
    after = content[end:].lstrip()
    if after.startswith(b","):
        return start, content.index(b",", end) + 1, ""
    return content.rindex(b",", 0, start), end, ""


def _kind(
    owner: Class, own: Function, base: Function, kin: frozenset[str]
) -> Iterator[Mutant]:
    """Excluded: overrides of which the base is of another kind already."""
    module = owner.module
    first, last = module.lines(own)[:2]
    margin = " " * own.col_offset

    def damage(kind: str, *edits: tuple[int, int, str]) -> Mutant:
        return Mutant(
            kind,
            ("KV402",),
            module.path,
            edits,
            f"{owner.name}.{own.name}",
            (first, last - 1),
            fixed=kind == "`@property` dropped",
            apart=f"{owner.name}.{own.name}",
            kin=kin,
        )

    kinds = set(decorators(own)) & _OTHER_KINDS
    if kinds != set(decorators(base)) & _OTHER_KINDS:
        return
    if is_property(own):
        for decorator in own.decorator_list:
            start, end, _ = module.span(decorator)
            yield damage(
                "`@property` dropped", (start - 1, end + 1 + own.col_offset, "")
            )
    elif not kinds and len(own.args.args) == 1 and not own.args.kwonlyargs:
        yield damage("`@property` added", (first, first, f"{margin}@property\n"))
    elif not kinds and len(own.args.args) > 1:
        # With parameters it cannot be read, but it is one all the same.
        yield damage("`@property` added", (first, first, f"{margin}@property\n"))
    elif kinds == {"classmethod"}:
        decorator = own.decorator_list[0]
        start, end, _ = module.span(decorator)
        yield damage(
            "`@classmethod` dropped", (start - 1, end + 1 + own.col_offset, "")
        )


def _constructors(release: Release) -> Iterator[Mutant]:
    """A manager's constructor drifts from what the factory passes."""
    registered = _registered(release)
    base = release.by_name[MANAGER].members["__init__"]
    always = [each.arg for each in base.args.args[2:]]
    for owner in release.managers:
        own = owner.members.get("__init__")
        served = {each.name for each in release.below(owner.name)} & set(registered)
        if own is None or not served:
            continue
        module = owner.module

        damage = partial(_of_constructor, owner, frozenset(served))
        if own.args.kwarg is not None:
            start, end, _ = module.span(own.args.kwarg)
            star = module.content.rindex(b"**", 0, start)
            yield damage("`**kwargs` of a manager dropped", _gone(module, star, end))
            continue
        for each in own.args.args[2:]:
            if each.arg not in always or _default(own, each) is not None:
                continue
            start, end, _ = module.span(each)
            yield damage("parameter of a manager removed", _gone(module, start, end))
            renamed = start, start + len(each.arg), f"given_{each.arg}"
            yield damage("parameter of a manager renamed", renamed)
            handed = _handed_on(module, own, each.arg)
            if handed is not None:
                kind = "parameter of a manager not known, nor handed on"
                yield damage(kind, _gone(module, start, end), handed)
        last = own.args.args[-1]
        if not own.args.defaults:
            end = module.span(last)[1]
            yield damage("parameter of a manager added", (end, end, ", spare"))


def _handed_on(module: Module, own: Function, name: str) -> Edit | None:
    """The edit by which a parameter is no longer handed to the base.

    None if anything else is done with it as well, or it stands before others there.
    """
    uses = [
        each
        for statement in own.body
        for each in ast.walk(statement)
        if isinstance(each, ast.Name) and each.id == name
    ]
    for call in ast.walk(own):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "super().__init__":
            passed: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
            for index, each in enumerate(passed):
                value = each.value if isinstance(each, ast.keyword) else each
                is_last = not any(x in passed[index + 1 :] for x in call.args)
                if [value] == uses and (is_last or isinstance(each, ast.keyword)):
                    return module.without(each)
    return None


def _of_constructor(
    owner: Class, served: frozenset[str], kind: str, *edits: tuple[int, int, str]
) -> Mutant:
    return Mutant(
        kind,
        ("KV404",),
        owner.module.path,
        edits,
        f"{owner.name}.__init__",
        owner.module.zone(owner.node),
        spoken=served,
        fixed=True,
    )


def _registered(release: Release) -> Counter[str]:
    """What is registered, and how often."""
    return Counter(
        ast.unparse(value)
        for node in release.calls
        if called(node) == "register"
        for value in [*node.args[1:], *(each.value for each in node.keywords)]
    )


def _registrations(release: Release) -> Iterator[Mutant]:
    registered = _registered(release)
    for module, function in release.functions:
        for statement in function.body:
            if isinstance(statement, ast.Expr):
                yield from _registration(release, module, statement, registered)


def _registration(
    release: Release, module: Module, statement: ast.Expr, registered: Counter[str]
) -> Iterator[Mutant]:
    call = statement.value
    if not isinstance(call, ast.Call) or called(call) != "register" or not call.args:
        return
    given = [*call.args, *(each.value for each in call.keywords)]
    spec = ast.unparse(given[0])
    manager = ast.unparse(given[1]) if len(given) > 1 else ""
    if spec not in release.by_name or manager not in release.by_name:
        return
    # Excluded: a manager that was not written for the class, by constructor or name,
    # or that is registered for another class as well, itself or a class below it.
    own = release.by_name[manager].members.get("__init__")
    if sum(registered[each.name] for each in release.below(manager)) > 1:
        return
    is_its = spec.removesuffix("Spec") == manager.removesuffix("Manager") or (
        own is not None
        and own.args.args[1].annotation is not None
        and ast.unparse(own.args.args[1].annotation) == spec
    )
    if is_its:
        yield Mutant(
            "registration removed",
            ("KV405",),
            module.path,
            module.put(statement, "pass"),
            spec,
            module.zone(statement),
            spoken=frozenset({spec}),
        )
