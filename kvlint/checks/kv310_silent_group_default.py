# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV310: a search for a group of some kind that takes the first if there is none."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.type_sites import (
    TypeSites,
    asks_for_membership,
    is_read,
    makes_sure_of_layers,
)
from kvlint.findings import Finding, Place, Related, Severity
from kvlint.model.functions import FunctionText
from kvlint.model.groups.group_searches import GroupSearch, group_searches
from kvlint.project import Project
from kvlint.registry import check


@check("KV310")
def silent_group_default(project: Project) -> Iterator[Finding]:
    """Yield the searches for a group that end with the first one in silence."""
    sites = TypeSites(project)
    sees = project.grouping.sees_composites
    for function in sites.group_searches():
        for each in group_searches(function.node):
            are_specs = all(
                sites.is_spec(name, function.source.path) for name in each.classes
            )
            text = function.source.text
            if not are_specs or not is_read(each.target, text):
                continue
            if each.test is None:
                is_silent = not asks_for_membership(each.mapping, text)
            elif each.is_by_layer:
                is_silent = not makes_sure_of_layers(text)
            else:
                is_silent = sees(function.source.path, function.class_name)
            if is_silent:
                yield _finding(function, each)


def _finding(function: FunctionText, search: GroupSearch) -> Finding:
    default = function.place(search.default)
    if search.test is None:
        message = (
            "a layer that is in no group gets the first one in silence: subscript the "
            "mapping, or test for None"
        )
        return _at(function, message, function.place(search.node))
    missing = "has the layer" if search.is_by_layer else "is of the kind"
    message = (
        f"where no group {missing} that is sought, the first one is taken in silence: "
        "raise instead, or end with None and test for it"
    )
    sought = Related(function.place(search.test), "what is sought")
    return _at(function, message, default, sought)


def _at(
    function: FunctionText, message: str, place: Place, *related: Related
) -> Finding:
    return Finding(
        "KV310",
        Severity.WARNING,
        f"`{function.symbol}`: {message}",
        place,
        function.symbol,
        related=related,
    )
