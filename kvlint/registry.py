# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The register of checks: ``@check("KV101")``."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
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
    """Return every check by its code, in order; imports all of ``kvlint.checks``."""
    package = importlib.import_module("kvlint.checks")
    for module in pkgutil.iter_modules(package.__path__, "kvlint.checks."):
        importlib.import_module(module.name)
    return MappingProxyType(dict(sorted(_registered.items())))
