# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Outputs: pure functions from a report to text, one module per format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kvlint.output.view import View
    from kvlint.reports import Report

_NAMES = (
    "full",
    "concise",
    "json",
    "github",
    "sarif",
    "gitlab",
    "junit",
    "rdjson",
)


def _render(name: str, report: Report, view: View) -> str:
    text: str = import_module(f"kvlint.output.{name}").render(report, view)
    return text


FORMATS: Mapping[str, Callable[[Report, View], str]] = MappingProxyType(
    {name: partial(_render, name) for name in _NAMES}
)
"""The formats by name, each of which is imported when it is asked for."""

FOR_PEOPLE = frozenset({"full", "concise"})
TELL_FAILURES = frozenset({"json", "sarif", "junit"})
"""The formats that can say that nothing was checked, and why."""
