# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Modules that are not there, stood in for so that imports of them succeed."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any


class _Anything(type):
    """A class that has every attribute, and is called, subscripted or iterated."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return _make(name)

    def __call__(cls, *arguments: Any, **more: Any) -> Any:
        # As a decorator it gives back what it decorates.
        if len(arguments) == 1 and not more and callable(arguments[0]):
            return arguments[0]
        if cls.__dict__.get("_stands_in"):
            return _make(cls.__name__)
        return super().__call__(*arguments, **more)

    def __getitem__(cls, key: Any) -> Any:
        return cls

    def __iter__(cls) -> Iterator[Any]:
        return iter(())

    def __or__(cls, other: Any) -> Any:
        return cls

    def __ror__(cls, other: Any) -> Any:
        return cls


def _make(name: str) -> Any:
    return _Anything(name, (), {"_stands_in": True})


class _Module(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        found = _make(name)
        setattr(self, name, found)
        return found


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules by the first part of their name."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)

    def find_spec(
        self, fullname: str, path: Any, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not any(
            fullname == each or fullname.startswith(each + ".") for each in self._names
        ):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        vars(module)["__version__"] = "0"


def stand_in(names: Sequence[str]) -> None:
    """Let imports of some modules, and of all below them, succeed from now on."""
    sys.meta_path.insert(0, _Finder(names))
