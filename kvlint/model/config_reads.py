# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a member reads off its arguments, above all vLLM's configuration."""

from __future__ import annotations

from functools import lru_cache

import libcst as cst

from kvlint.model.classes import Member
from kvlint.model.nodes import walk
from kvlint.model.syntax import text_of


@lru_cache(maxsize=1024)
def config_reads(member: Member) -> frozenset[str]:
    """Return the attributes that a body reads off anything but its instance."""
    found: set[str] = set()
    if member.function is None:
        return frozenset()
    for node in walk(member.function.body):
        match node:
            case cst.Attribute(value=cst.Name(owner), attr=cst.Name(name)):
                if owner != member.self_name:
                    found.add(name)
            case cst.Attribute(value=cst.Attribute(), attr=cst.Name(name)):
                found.add(name)
            case cst.Call(func=cst.Name("getattr"), args=[_, name, *_]):
                found.add(text_of(name.value) or "")
    return frozenset(found - {""})
