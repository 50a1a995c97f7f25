# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Registrations: what joins spec classes to the managers that serve them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path

import libcst as cst

from kvlint.findings import Place
from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.resolution import Meaning


class Way(StrEnum):
    """How a manager is chosen."""

    REGISTRY = "registry"
    MAP = "map"
    ROLE = "role"


@dataclass(frozen=True, eq=False)
class Named:
    """A name in a registration.

    Attributes:
        name: As written.
        node: Where.
        file: In which file.
        resolve: Looks the name up.
    """

    name: str
    node: cst.CSTNode
    file: SpecFile
    resolve: Callable[[str], Sequence[Meaning]]

    @cached_property
    def meanings(self) -> Sequence[Meaning]:
        """What it may mean; nothing for what is no name."""
        return self.resolve(self.name) if self.name else ()

    @property
    def found(self) -> SpecClass | None:
        """The class, if it is known."""
        classes = (each for each in self.meanings if isinstance(each, SpecClass))
        return next(classes, None)

    @property
    def class_name(self) -> str:
        """What the class is called where it is defined, as far as that is known."""
        return self.name.rpartition(".")[2] if self.found is None else self.found.name

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.file.place(self.node)


@dataclass(frozen=True, eq=False)
class Registration:
    """A manager chosen for a spec class, or for the role of a group.

    Attributes:
        way: By what it is chosen.
        store: The registry, or the dictionary, or what decorates a class.
        spec: The class that is served; None for a role.
        manager: Its manager.
        base: The class that groups are formed by, if it is named.
        node: The whole of it.
    """

    way: Way
    store: Named
    spec: Named | None
    manager: Named
    base: Named | None
    node: cst.CSTNode

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.store.file.place(self.node)

    @property
    def named(self) -> list[Named]:
        """The classes that it names."""
        parts = (self.spec, self.manager, self.base)
        return [each for each in parts if each is not None]


@dataclass
class Registrations:
    """Registrations, and what is no more than the trace of one.

    Attributes:
        known: Those that can be read.
        unread: Files with others: computed, or made through parameters.
    """

    known: list[Registration] = field(default_factory=list)
    unread: set[Path] = field(default_factory=set)
