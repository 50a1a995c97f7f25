# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The register of checks: ``@check("KV101")``."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar

from kvlint.findings import Finding

Check: TypeAlias = Callable[[Any], Iterator[Finding]]
_Check = TypeVar("_Check", bound=Check)
_registered: dict[str, Check] = {}


def check(code: str) -> Callable[[_Check], _Check]:
    """Register the decorated generator function as the check of a rule.

    Args:
        code: The rule's code, such as ``KV101``.

    Raises:
        ValueError: The code has a check already.
    """

    def register(function: _Check) -> _Check:
        other = _registered.setdefault(code, function)
        if other is not function:
            raise ValueError(
                f"{code} is registered twice: {other.__module__} and "
                f"{function.__module__}"
            )
        return function

    return register


def checks() -> Mapping[str, Check]:
    """Return every check by its code, in order; each is imported when it is asked for.

    A module of ``kvlint.checks`` is named after its rule: ``kv101_undelegated_member``.
    """
    package = importlib.import_module("kvlint.checks")
    modules = pkgutil.iter_modules(package.__path__, "kvlint.checks.")
    return _Checks({_code(each.name): each.name for each in modules})


class _Checks(Mapping[str, Check]):
    """Checks by their codes."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = dict(sorted(modules.items()))

    def __getitem__(self, code: str) -> Check:
        importlib.import_module(self._modules[code])
        return _registered[code]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


def _code(module: str) -> str:
    return module.rpartition(".")[2].partition("_")[0].upper()
