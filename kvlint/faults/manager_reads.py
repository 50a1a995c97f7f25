# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which fields managers read off the specs that they serve."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import libcst as cst

from kvlint.findings import Place
from kvlint.model.blocks import block_end
from kvlint.model.classes import SpecClass
from kvlint.model.nodes import walk
from kvlint.model.syntax import dotted, text_of
from kvlint.project import Project
from kvlint.uses.builds import is_called_spec

_READS = re.compile(
    r"(?i:specs?)\d*(?:\[[^]\n]*\])?\s*(?:\.\s*(\w+)|,\s*[\"'](\w+)[\"'])"
)


@dataclass(frozen=True)
class ManagerRead:
    """A manager's read of a field.

    Attributes:
        manager: The manager.
        place: Where it, or a manager above it, reads the field.
    """

    manager: SpecClass
    place: Place


class ManagerReads:
    """Looks through the managers of a project.

    Args:
        project: The project.
    """

    def __init__(self, project: Project) -> None:
        """Begin with nothing read."""
        self._project = project
        self._offsets: dict[Path, Mapping[str, list[int]]] = {}

    def read(self, spec: SpecClass, field: str) -> ManagerRead | None:
        """Return the read of a field by the manager of a class of specs.

        Args:
            spec: The class.
            field: The field's name.
        """
        order = self._project.contract.hierarchy.mro(spec)
        chosen = next(
            (self._served[x.name] for x in order if x.name in self._served), ""
        )
        for manager in self._managers.get(chosen, ()):
            for each in self._project.serving.hierarchy.mro(manager):
                place = self._read_in(each, field)
                if place is not None:
                    return ManagerRead(manager, place)
        return None

    @cached_property
    def _served(self) -> dict[str, str]:
        services = reversed(self._project.serving.services)
        return {each.spec: each.manager for each in services}

    @cached_property
    def _managers(self) -> dict[str, list[SpecClass]]:
        found = defaultdict(list)
        for each in self._project.serving.managers:
            found[each.name].append(each)
        return found

    def _read_in(self, manager: SpecClass, field: str) -> Place | None:
        """Where a manager's own methods read a field off something called a spec."""
        path = manager.file.path
        functions = self._project.workspace.functions(path)
        if functions is None:
            return None
        text = functions.source.text
        if path not in self._offsets:
            self._offsets[path] = _offsets(text)
        offsets = self._offsets[path].get(field)
        if not offsets:
            return None
        header = re.search(rf"^class[ \t]+{re.escape(manager.name)}\b", text, re.M)
        if header is None:
            return None
        start, end = header.start(), block_end(text, header.start(), 0)
        for function in functions.around(x for x in offsets if start < x < end):
            for node in walk(function.node.body):
                if _reads(node, field):
                    return function.place(node)
        return None


def _offsets(text: str) -> Mapping[str, list[int]]:
    """Where names may be read off specs: a quick look that decides nothing."""
    found = defaultdict(list)
    for each in _READS.finditer(text):
        found[each[1] or each[2]].append(each.start())
    return found


def _reads(node: cst.CSTNode, field: str) -> bool:
    match node:
        case cst.Attribute(value=owner, attr=cst.Name(value=attribute)):
            return attribute == field and is_called_spec(dotted(owner) or "")
        case cst.Call(func=cst.Name("getattr"), args=[owner, attribute, *_]):
            is_spec = is_called_spec(dotted(owner.value) or "")
            return is_spec and text_of(attribute.value) == field
    return False
