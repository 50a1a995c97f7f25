# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Outputs: pure functions from a report to text, one module per format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from kvlint.output import concise, full, github, json

if TYPE_CHECKING:
    from kvlint.output.view import View
    from kvlint.reports import Report

FORMATS: Mapping[str, Callable[[Report, View], str]] = MappingProxyType(
    {
        "full": full.render,
        "concise": concise.render,
        "json": json.render,
        "github": github.render,
    }
)
