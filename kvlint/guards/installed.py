# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is known of the vLLM at hand: its release, and what its modules hold."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import libcst as cst

from kvlint.model.classes import Field, SpecFile, bound_names
from kvlint.model.syntax import dotted

_WITHOUT_MEMBERS = frozenset({"ABC", "Enum", "Generic", "Protocol", "object"})
_VERSIONS = frozenset({"vllm.__version__", "vllm.__version_tuple__"})
_REQUIRED = frozenset({"numpy", "torch"})
"""Packages that vLLM cannot be imported without."""


@dataclass(frozen=True)
class ClassNames:
    """A class: its bases as written, and which names it has as attributes itself."""

    bases: tuple[str | None, ...]
    attributes: Mapping[str, bool]


@dataclass(frozen=True)
class ModuleNames:
    """A module: all names that it binds, and its classes as far as they are known."""

    names: frozenset[str]
    classes: Mapping[str, ClassNames]


class Installed:
    """The vLLM at hand.

    Args:
        release: Asks which release it is; None for unknown.
        modules: Asks what is known of its modules, by dotted name.
        sources: Asks for the files that the modules are read from.
    """

    def __init__(
        self,
        release: Callable[[], str | None] = lambda: None,
        modules: Callable[[], Mapping[str, ModuleNames]] = dict,
        sources: Callable[[], Collection[Path]] = tuple,
    ) -> None:
        """Ask nothing yet."""
        self._release, self._modules, self._sources = release, modules, sources
        self._is_read = False

    def was_read_from(self, path: Path) -> bool:
        """Return whether something was told that stands in a file."""
        return self._is_read and path in self._sources()

    @cached_property
    def release(self) -> str | None:
        """The release as ``vllm.__version__`` tells it, None if it is unknown."""
        return self._release()

    @cached_property
    def modules(self) -> Mapping[str, ModuleNames]:
        """What is known of its modules."""
        self._is_read = True
        return self._modules()

    def has_module(self, name: str) -> bool | None:
        """Return whether a module can be imported, None if that is not known."""
        if is_standard(name) or name in _REQUIRED:
            return True
        if self._is_around(name):
            return True
        # A module of specs is no package: there is nothing below it.
        return False if name.rpartition(".")[0] in self.modules else None

    def _is_around(self, name: str) -> bool:
        """Whether a module is a known one, or a package around it."""
        return name == "vllm" or any(
            f"{each}.".startswith(f"{name}.") for each in self.modules
        )

    def knows_attribute(self, name: str) -> bool:
        """Return whether a class that is known has a field or member of a name."""
        return any(
            name in each.attributes
            for module in self.modules.values()
            for each in module.classes.values()
        )

    def has(self, owner: str, name: str) -> bool | None:
        """Return whether a module or class has an attribute, None if not known.

        Args:
            owner: Its dotted name.
            name: The attribute.
        """
        if owner in self.modules:
            names = self.modules[owner].names
            return None if "__getattr__" in names else name in names
        module, _, class_name = owner.rpartition(".")
        if module in self.modules:
            return self._class_has(class_name, name, frozenset())
        is_told = f"{owner}.{name}" in _VERSIONS
        return True if is_told or self._is_around(f"{owner}.{name}") else None

    def _class_has(self, owner: str, name: str, seen: frozenset[str]) -> bool | None:
        known = [each.classes[owner] for each in self._holding(owner)]
        if owner in seen or not known:
            return False if owner in _WITHOUT_MEMBERS else None
        if known[0].attributes.get(name):
            return True
        answers = [
            None if each is None else self._class_has(_last(each), name, seen | {owner})
            for each in known[0].bases
        ]
        if True in answers:
            return True
        is_special = name.startswith("__")
        return None if None in answers or is_special else False

    def _holding(self, name: str) -> list[ModuleNames]:
        return [each for each in self.modules.values() if name in each.classes]


def is_standard(name: str) -> bool:
    """Return whether a dotted name begins with a module that comes with Python."""
    return name.split(".")[0] in sys.stdlib_module_names


def module_names(file: SpecFile) -> ModuleNames:
    """Return the names of a module whose source is at hand."""
    return ModuleNames(
        frozenset(bound_names(file)),
        {
            each.name: ClassNames(
                each.bases,
                dict.fromkeys(each.members, True)
                | {name: _is_attribute(field) for name, field in each.fields.items()},
            )
            for each in file.classes
            if not each.is_nested
        },
    )


def _is_attribute(field: Field) -> bool:
    """Whether the class itself has a field's name: as far as a default is kept."""
    if not isinstance(field.default, cst.Call):
        return field.has_default
    if _last(dotted(field.default.func) or "") != "field":
        return True
    keywords = {each.keyword.value for each in field.default.args if each.keyword}
    return "default" in keywords


def _last(name: str) -> str:
    return name.rpartition(".")[2]
