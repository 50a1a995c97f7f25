# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The fix that asks all layers of a group instead of the group's spec."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from kvlint.codestyle import code_style
from kvlint.findings import Edit, Fix, Safety
from kvlint.mending.holders import UnwritableError
from kvlint.mending.spreading import spread
from kvlint.model.groups.subjects import place_of
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted
from kvlint.project import Project
from kvlint.uses.group_uses import GroupUse
from kvlint.vocabulary import LAYER_SPECS


def ask_layers(project: Project, use: GroupUse) -> Fix:
    """Return the fix that makes a test ask every layer of a group.

    Args:
        project: The project.
        use: The test.

    Raises:
        UnwritableError: No text is sure to be right; the message says why.
    """
    function, test = use.function, use.event.node
    text = function.source.text
    if LAYER_SPECS not in project.vllm.names():
        raise UnwritableError(f"this vLLM has no `{LAYER_SPECS}`")
    if not function.is_exact:
        raise UnwritableError("libcst does not give the function back unchanged")
    if not isinstance(test, cst.Call) or dotted(test.func) != "isinstance":
        raise UnwritableError("only `isinstance` can ask the layers instead")
    old, asked = (function.code(each.value) for each in test.args)
    span = function.span(test)
    if "\n" in text[span.start : span.end] or isinstance(
        test.args[0].value, cst.NamedExpr
    ):
        raise UnwritableError("the test takes several lines, or names its subject")
    read = next(_read_as_layer(project, use), None)
    if read is not None:
        raise UnwritableError(
            f"`{read}` is read off the group's spec, and a composite does not have it"
        )
    name = "layer_spec" if re.match(r"spec\b", old) else "spec"
    parts = f"isinstance({name}, {asked})", f"for {name} in {LAYER_SPECS}({old})"
    most = code_style(function.source.path, text).line_length
    edits = spread(text, span, "all", parts, most)
    if LAYER_SPECS not in text[: function.extent[0]]:
        edits.append(_import(text, use.event.names[0], most))
    title = f"Ask every layer of the group through `{LAYER_SPECS}`"
    return Fix(Safety.UNSAFE, title, tuple(edits), is_exact=True)


def _read_as_layer(project: Project, use: GroupUse) -> Iterator[str]:
    """What the function reads off the subject though composites do not have it."""
    place = place_of(use.event.subject)
    for node in walk(use.function.node):
        if isinstance(node, cst.Attribute) and place_of(node.value) == place:
            name = node.attr.value
            if not all(
                project.contract.definition(each, name)
                for each in project.contract.composites
            ):
                yield name


def _import(text: str, beside: str, most: int) -> Edit:
    """The import, at the end of the statement that imports what is tested for."""
    pattern = re.compile(
        r"^from[ \t]+vllm\.v1\.kv_cache_interface[ \t]+import[ \t]*"
        rf"(?:\((?P<many>[^()#]*\b{beside}\b[^()#]*)\)"
        rf"|(?P<few>[^\n(#]*\b{beside}\b[^\n(#\\]*)$)",
        re.M,
    )
    found = pattern.search(text)
    if found is None:
        raise UnwritableError(f"`{beside}` is not imported where `{LAYER_SPECS}` is")
    if found["few"] is not None:
        few = found["few"].rstrip()
        end = found.start("few") + len(few)
        if end - found.start() + len(f", {LAYER_SPECS}") <= most:
            return Edit(end, end, f", {LAYER_SPECS}")
        every = [*(each.strip() for each in few.split(",")), LAYER_SPECS]
        listed = "".join(f"    {each},\n" for each in every)
        return Edit(found.start("few"), end, f"(\n{listed})")
    many = found["many"]
    end = found.start("many") + len(many.rstrip().rstrip(","))
    margin = re.search(r"\n([ \t]+)\w", many)
    between = f",\n{margin[1]}" if margin is not None else ", "
    return Edit(end, end, f"{between}{LAYER_SPECS}")
