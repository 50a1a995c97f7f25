# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``dataclasses.replace`` in the place of a constructor call that copies a spec."""

from __future__ import annotations

import libcst as cst

from kvlint.codestyle import code_style
from kvlint.faults.rebuilds import Rebuild
from kvlint.findings import Edit, Fix, Safety
from kvlint.mending.bodies import line_start
from kvlint.mending.documents import Doc
from kvlint.mending.expressions import call, written
from kvlint.mending.holders import UnwritableError
from kvlint.mending.imports import import_edits
from kvlint.mending.layout import Style, render
from kvlint.mending.names import name_from_dataclasses
from kvlint.model.nodes import walk
from kvlint.project import Project


def replace_call(project: Project, rebuild: Rebuild) -> Fix:
    """Return the fix that copies a spec as a whole.

    Args:
        project: The run's project.
        rebuild: The constructor call.

    Raises:
        UnwritableError: No text is sure to be right; the message says why.
    """
    function = rebuild.function
    if not rebuild.keeps_class:
        raise UnwritableError("its class may change")
    if any(argument.keyword is None for argument in rebuild.call.args):
        raise UnwritableError("some of its fields are given by position")
    file = project.workspace.file(function.source.path)
    span, text = function.span(rebuild.call), function.source.text
    if file is None or "#" in text[span.start : span.end]:
        raise UnwritableError("a comment stands among its arguments")
    name, imports = name_from_dataclasses("replace", file)
    if _binds(function.node, name.partition(".")[0]):
        raise UnwritableError(f"`{name}` means something else in this function")
    layout = code_style(file.path, text)
    style = Style(layout.line_length, file.tree.module.default_indent, layout.quote)
    begin, end = line_start(text, span.start), _line_end(text, span.end)
    before, behind = text[begin : span.start], text[span.end : end]
    indent = before[: len(before) - len(before.lstrip())]
    arguments: list[Doc] = [rebuild.source]
    for argument in rebuild.call.args:
        field = argument.keyword
        if field is not None and field.value not in rebuild.copied:
            value = cst.Module([]).code_for_node(argument.value)
            arguments.append((f"{field.value}=", written(value, style)))
    doc = (before.lstrip(), call(name, arguments), behind)
    edit = Edit(begin, end, render(doc, style, indent).removesuffix("\n"))
    edits = [edit, *import_edits(file, imports, style.line_length)]
    title = f"Copy `{rebuild.source}` with `{name}`"
    return Fix(Safety.UNSAFE, title, tuple(sorted(edits)))


def _line_end(text: str, offset: int) -> int:
    ends = [each for mark in "\r\n" if (each := text.find(mark, offset)) >= 0]
    return min(ends, default=len(text))


def _binds(function: cst.FunctionDef, name: str) -> bool:
    """Whether a function has a parameter or a variable of a name."""
    return any(
        isinstance(bound, cst.Name) and bound.value == name
        for node in walk(function)
        for bound in (
            getattr(node, "name", None) if isinstance(node, cst.Param) else None,
            getattr(node, "target", None),
        )
    )
