# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The fix that lets a copy of all fields leave more of them out."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from kvlint.codestyle import code_style
from kvlint.findings import Edit, Fix, Safety
from kvlint.mending.holders import UnwritableError
from kvlint.mending.layout import Style, columns
from kvlint.project import Project
from kvlint.specs.spec_fields import constructor_fields
from kvlint.uses.retypes import Retype, Unfit


def extend_drop_list(project: Project, retype: Retype, found: Sequence[Unfit]) -> Fix:
    """Return the fix that leaves out the fields which the new class lacks.

    Args:
        project: The run's project.
        retype: The call.
        found: The classes for whose specs it fails.

    Raises:
        UnwritableError: No text is sure to be right; the message says why.
    """
    names = list(dict.fromkeys(name for each in found for name in each.fields))
    if retype.call is None or not retype.keyword:
        raise UnwritableError("the fields are chosen where they are copied")
    call, function = retype.call
    if not function.is_exact:
        raise UnwritableError("libcst does not give the function back unchanged")
    given = next(
        (
            each.value
            for each in call.args
            if each.keyword is not None and each.keyword.value == retype.keyword
        ),
        None,
    )
    if not isinstance(given, cst.Tuple | cst.List | cst.Set):
        raise UnwritableError(f"the call has no list of names in `{retype.keyword}`")
    last = given.elements[-1].value if given.elements else None
    if last is None:
        raise UnwritableError(f"the list of names in `{retype.keyword}` is empty")
    for name in names:
        keeper = _keeper(project, retype, name)
        if keeper:
            raise UnwritableError(f"`{keeper}` takes `{name}` and would lose it")
    path, text = function.source.path, function.source.text
    layout = code_style(path, text)
    added = [f"{layout.quote}{name}{layout.quote}" for name in names]
    end = function.span(last).end
    inside = re.split(r"[)\]}]", text[end:], maxsplit=1)[0]
    start = text.rfind("\n", 0, end) + 1
    is_spread = "\n" in inside
    if is_spread:
        margin = text[start : function.span(last).start]
        new = "".join(f",\n{margin}{each}" for each in added)
    else:
        new = "".join(f", {each}" for each in added)
        tail = text[end:].partition("\n")[0].lstrip(",")
        line = text[start:end] + new + tail
        if columns(line, Style(layout.line_length)) > layout.line_length:
            raise UnwritableError("the line would become too long")
    stop = end + (inside.startswith(",") and not is_spread)
    title = f"Leave {', '.join(f'`{name}`' for name in names)} out too"
    return Fix(Safety.UNSAFE, title, (Edit(end, stop, new),), is_exact=True)


def _keeper(project: Project, retype: Retype, name: str) -> str:
    """A class that is made with a field which others do not take; empty if none is."""
    hierarchy = project.contract.hierarchy
    for source, target in retype.targets.items():
        if all(
            name in constructor_fields(hierarchy, each) for each in (source, target)
        ):
            return target.name
    return ""
