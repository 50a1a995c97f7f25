# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a shell may complete where kvlint alone knows the words."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


def rules(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the rules that begin so, by their codes, or by their names if need be."""
    from kvlint import catalogue

    spoken = incomplete.casefold()
    names = catalogue.names()
    return [
        *(
            CompletionItem(code, help=name)
            for code, name in names.items()
            if code.casefold().startswith(spoken)
        ),
        *(
            CompletionItem(name, help=code)
            for code, name in names.items()
            if spoken and name.startswith(spoken)
        ),
    ]


def rule_list(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return what may stand in a list of rules, after what it holds so far."""
    before, comma, last = incomplete.rpartition(",")
    chosen = before.split(",")
    items = rules(ctx, param, last)
    if "all".startswith(last.casefold()):
        items.append(CompletionItem("ALL", help="every rule"))
    return [
        CompletionItem(f"{before}{comma}{each.value}", help=each.help)
        for each in items
        if each.value not in chosen
    ]


def releases(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the releases of vLLM that kvlint knows, the newest first."""
    from kvlint.contracts import bundle

    fitting = (x for x in reversed(bundle.releases()) if x.startswith(incomplete))
    return [CompletionItem(each) for each in fitting]


def releases_or_trees(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return releases, and let the shell offer files and folders."""
    files = CompletionItem(incomplete, type="file")
    return [files, *releases(ctx, param, incomplete)]
