# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The document of a rule, as somebody reads it beside a finding."""

from __future__ import annotations

import re

from kvlint.catalogue import Rule

_METADATA = re.compile(r"\A# [^\n]*\n+```toml\n.*?^```\n+", re.MULTILINE | re.DOTALL)
_FIRST = re.compile(r"^## [^\n]*\n+(.+?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^\]]+)\]\([^):]+\.md(?:#[^)]*)?\)")


def body(rule: Rule) -> str:
    """Return a rule's document without its title and metadata.

    Of links to other documents only the words are left: elsewhere they lead nowhere.
    """
    return _LINK.sub(r"\1", _METADATA.sub("", rule.text)).strip() + "\n"


def gist(rule: Rule) -> str:
    """Return on one line what a rule checks: the first paragraph if it is one."""
    match = _FIRST.search(body(rule))
    if match is None or match[1].startswith("- "):
        return f"{rule.summary}."
    return " ".join(match[1].split())
