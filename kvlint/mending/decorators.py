# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Fixes that make a class a dataclass like those above it."""

from __future__ import annotations

import libcst as cst

from kvlint.codestyle import code_style
from kvlint.faults.dataclass_faults import DataclassFault, Fault
from kvlint.findings import Edit, Fix, Safety
from kvlint.mending.bodies import line_start
from kvlint.mending.holders import UnwritableError
from kvlint.mending.imports import import_edits
from kvlint.mending.names import name_from_dataclasses
from kvlint.model.classes import SpecFile
from kvlint.model.dataclass_options import DataclassOptions, dataclass_options
from kvlint.model.syntax import dotted

_MUTABLE = cst.List | cst.Dict | cst.Set | cst.ListComp | cst.DictComp | cst.SetComp
_MAKERS = frozenset({"list", "dict", "set", "defaultdict", "OrderedDict", "Counter"})


def repair_decorator(fault: DataclassFault) -> Fix:
    """Return the fix that makes a class a dataclass like those above it.

    Raises:
        UnwritableError: No text is sure to be right; the message says why.
    """
    if fault.fault in {Fault.UNDECORATED, Fault.REDEFAULTED}:
        return _decorated(fault)
    options = dataclass_options(fault.spec)
    assert options is not None
    file = fault.spec.file
    match fault.fault:
        case Fault.UNFROZEN:
            edit, what = _with_option(file, options, "frozen", first=True), "frozen"
        case Fault.UNEQUAL:
            edit, what = _without_option(file, options, "eq"), "compared by its fields"
        case _:
            edit = _with_option(file, options, "kw_only", first=False)
            what = "keyword-only"
    title = f"Make `{fault.spec.name}` {what}"
    return Fix(Safety.UNSAFE, title, (edit,))


def wanted_options(fault: DataclassFault) -> str:
    """Return what a class's decorator should say, in parentheses if it is anything."""
    chosen = ["frozen=True"] * fault.frozen + ["kw_only=True"] * fault.kw_only
    return f"({', '.join(chosen)})" if chosen else ""


def _decorated(fault: DataclassFault) -> Fix:
    spec, file = fault.spec, fault.spec.file
    for field in fault.fields:
        value = field.default
        maker = dotted(value.func) if isinstance(value, cst.Call) else None
        if isinstance(value, _MUTABLE) or maker in _MAKERS:
            raise UnwritableError(
                f"the default of `{field.name}` would have to be a `default_factory`"
            )
    name, needed = name_from_dataclasses("dataclass", file)
    text = file.tree.source.text
    header = text.rindex("class", 0, file.span(spec.node.name).start)
    start = line_start(text, header)
    line = f"{text[start:header]}@{name}{wanted_options(fault)}\n"
    length = code_style(file.path, text).line_length
    edits = [Edit(start, start, line), *import_edits(file, needed, length)]
    title = f"Make `{spec.name}` a dataclass"
    return Fix(Safety.UNSAFE, title, tuple(sorted(edits)))


def _with_option(
    file: SpecFile, options: DataclassOptions, name: str, *, first: bool
) -> Edit:
    """The edit that sets an option, behind or before the others."""
    if name in options.given:
        span = file.span(options.given[name])
        return Edit(span.start, span.end, "True")
    node = options.decorator.decorator
    if not isinstance(node, cst.Call):
        end = file.span(node).end
        return Edit(end, end, f"({name}=True)")
    if not node.args:
        span = file.span(node)
        return Edit(file.span(node.func).end, span.end, f"({name}=True)")
    if first:
        start = file.span(node.args[0]).start
        return Edit(start, start, f"{name}=True, ")
    end = file.span(node.args[-1].value).end
    return Edit(end, end, f", {name}=True")


def _without_option(file: SpecFile, options: DataclassOptions, name: str) -> Edit:
    """The edit that takes an option out, with the comma on one side of it."""
    node = options.decorator.decorator
    assert isinstance(node, cst.Call)
    names = [x.keyword.value if x.keyword is not None else "" for x in node.args]
    at = names.index(name)
    if at + 1 < len(names):
        end = file.span(node.args[at + 1]).start
        return Edit(file.span(node.args[at]).start, end, "")
    end = file.span(node.args[at].value).end
    if at:
        return Edit(file.span(node.args[at - 1].value).end, end, "")
    span = file.span(node)
    return Edit(file.span(node.func).end, span.end, "")
