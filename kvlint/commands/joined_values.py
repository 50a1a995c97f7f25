# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Completion of values behind an ``=``, such as ``--select=KV1``.

click asks for the value, but offers it without the option in front, where a shell wants
the whole word; and bash gives it the ``=`` as a word of its own.
"""

from __future__ import annotations

import os
from glob import escape, iglob

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)


class _Joined(ShellComplete):
    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        option, equals, value = incomplete.partition("=")
        found = super().get_completions(args, incomplete)
        if not (option.startswith("--") and equals):
            return found
        return [
            CompletionItem(f"{option}={text}", help=each.help)
            for each in found
            for text in _values(each, value)
        ]


class _Bash(_Joined, BashComplete):
    def get_completion_args(self) -> tuple[list[str], str]:
        args, incomplete = super().get_completion_args()
        apart = [
            index
            for index, word in enumerate(args)
            if word == "=" and index and args[index - 1].startswith("--")
        ]
        return [x for at, x in enumerate(args) if at not in apart], incomplete


class _Zsh(_Joined, ZshComplete):
    pass


class _Fish(_Joined, FishComplete):
    pass


def _values(item: CompletionItem, begun: str) -> list[str]:
    """The values that an item stands for; a shell would look for files itself."""
    if item.type not in {"file", "dir"}:
        return [item.value]
    found = sorted(iglob(f"{escape(begun)}*"))
    folders = [f"{each}{os.sep}" for each in found if os.path.isdir(each)]
    files = [each for each in found if not os.path.isdir(each)]
    return folders if item.type == "dir" else folders + files


def register() -> None:
    """Let click complete so."""
    for each in (_Bash, _Zsh, _Fish):
        add_completion_class(each)
