# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The fix that lets a constructor take a keyword and hand it to its base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import libcst as cst

from kvlint.findings import Edit, Fix
from kvlint.mending.bodies import line_start
from kvlint.mending.documents import SOFT, Group, Indent
from kvlint.mending.expressions import items
from kvlint.mending.holders import UnwritableError
from kvlint.mending.layout import render
from kvlint.mending.overrides import adapt_signature
from kvlint.mending.requests import style_of
from kvlint.model.classes import Member, Parameter, SpecFile
from kvlint.model.nodes import calls
from kvlint.model.refusals import Refusal, Why
from kvlint.model.signatures import Departure, Difference
from kvlint.specs.hierarchy import Hierarchy


def pass_on(
    hierarchy: Hierarchy, constructor: Member, refusals: Sequence[Refusal]
) -> Fix:
    """Return the fix that lets a constructor take keywords and pass them on.

    Args:
        hierarchy: The managers.
        constructor: The constructor.
        refusals: Why the call of it fails.

    Raises:
        UnwritableError: No text is sure to be right; the message says why.
    """
    for each in refusals:
        if each.why is not Why.NOT_TAKEN:
            raise UnwritableError("what it should take is for you to decide")
    names = [each.name for each in refusals]
    bases = [
        found
        for each in hierarchy.mro(constructor.owner)[1:]
        if (found := each.members.get(constructor.name)) is not None
    ]
    base = next((each for each in bases if _takes(each, names)), None)
    if base is None:
        raise UnwritableError("no base of it takes them all")
    missing = [Difference(Departure.MISSING, name) for name in names]
    fix = adapt_signature(hierarchy.resolver, constructor, base, missing)
    calls_of_base = _super_calls(constructor)
    edits = [_edit(constructor, each, bases[0], names) for each in calls_of_base]
    listed = ", ".join(f"`{name}`" for name in names)
    title = f"Let `{constructor.owner.name}` take {listed}"
    if edits:
        title += " and pass it on" if len(names) == 1 else " and pass them on"
    return replace(fix, title=title, edits=tuple(sorted([*fix.edits, *edits])))


def _takes(base: Member, names: Sequence[str]) -> bool:
    return {*names} <= {each.name for each in base.parameters}


def _super_calls(constructor: Member) -> list[cst.Call]:
    """The calls of the next constructor.

    Raises:
        UnwritableError: Another one is called in its stead.
    """
    function = constructor.function
    assert function is not None
    found = []
    for each in calls(function.body):
        match each.func:
            case cst.Attribute(value=receiver, attr=cst.Name(value="__init__")):
                match receiver:
                    case cst.Call(func=cst.Name(value="super"), args=[]):
                        found.append(each)
                    case _:
                        raise UnwritableError("it calls its base by name")
    return found


def _edit(
    constructor: Member, call: cst.Call, base: Member, names: Sequence[str]
) -> Edit:
    """The edit that hands keywords to a call of the base."""
    if any(each.star for each in call.args):
        raise UnwritableError("what it passes to its base is not written out")
    positional = [each.value for each in call.args if each.keyword is None]
    keywords = {each.keyword.value: each for each in call.args if each.keyword}
    if keywords.keys() & {*names}:
        raise UnwritableError("it passes something else of that name to its base")
    ordered = [
        x for x in base.parameters if x.kind in {"positional", "positional-only"}
    ]
    added = []
    places = {each.name: number for number, each in enumerate(ordered)}
    values: list[cst.BaseExpression] = list(positional)
    for name in sorted(names, key=lambda each: places.get(each, len(ordered))):
        if places.get(name, len(ordered)) < len(values):
            values.insert(places[name], cst.Name(name))
        else:
            added.append(f"{name}={name}")
    if len(values) > len(positional):
        _require_order(values, ordered)
    module = constructor.owner.file.tree.module
    arguments = [
        *map(module.code_for_node, values),
        *(f"{name}={module.code_for_node(x.value)}" for name, x in keywords.items()),
        *added,
    ]
    return _written(constructor.owner.file, constructor, call, arguments)


def _require_order(
    values: Sequence[cst.BaseExpression], parameters: Sequence[Parameter]
) -> None:
    """What is passed by position must meet the parameter of its name."""
    taken = [each.name for each in parameters]
    passed = [each.value if isinstance(each, cst.Name) else "" for each in values]
    if passed != taken[: len(passed)]:
        raise UnwritableError("what it passes by position has other names")


def _written(
    file: SpecFile, constructor: Member, call: cst.Call, arguments: Sequence[str]
) -> Edit:
    text, span = file.tree.source.text, file.span(call)
    if "#" in text[span.start : span.end]:
        raise UnwritableError("a comment stands in the call of its base")
    line_end = text.find("\n", span.end)
    behind = text[span.end : line_end if line_end >= 0 else len(text)]
    if behind.strip() or any("\n" in each for each in arguments):
        raise UnwritableError("the call of its base is not written plainly")
    line = text[line_start(text, span.start) : span.start]
    indent = line[: len(line) - len(line.lstrip())]
    is_expanded = bool(call.args) and isinstance(call.args[-1].comma, cst.Comma)
    inside = Group(items(arguments), broken=is_expanded)
    doc = (
        f"{line.lstrip()}super().__init__",
        Group(("(", Indent((SOFT, inside)), SOFT, ")"), broken=is_expanded),
    )
    written = render(doc, style_of(constructor.owner), indent)
    return Edit(span.start, span.end, written[len(line) :].rstrip("\n"))
