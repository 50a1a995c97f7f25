# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Overrides of what earlier releases had: KV403."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from damage.givers import Givers
from damage.mutants import Mutant
from damage.trees import Class, Function, Release, decorators, is_abstract, names_in

# What vLLM 0.29.0 gave another name, and the names from which the new one's answer is
# worked out: who speaks of one of them knows of the change.
_RENAMED = {
    "storage_block_size": ("num_states", "tokens_per_state"),
    "compress_ratio": ("tokens_per_state",),
    "get_num_layer_tuples": ("get_max_layers_per_page_size",),
}


def mutants(release: Release, earlier: Release) -> Iterator[Mutant]:
    """Yield overrides of what classes had in an earlier release and have no more.

    Excluded: private names; what raises at most; names that the release still reads
    anywhere, for nothing tells that vLLM does not ask a spec for them; classes
    that speak of the new name, or are given it.

    Args:
        release: The release.
        earlier: The earlier one.
    """
    givers = Givers(release)
    read = {
        node.attr
        for module in release.modules
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    for spec in release.specs:
        above = list(release.above(spec))
        known = {name for x in (spec, *above) for name in (*x.members, *x.fields)}
        for name, (owner, node) in _had(earlier, above).items():
            if name in known or name in read or name.startswith("_"):
                continue
            if isinstance(node, Function) and is_abstract(node):
                continue
            new = _RENAMED.get(name, ())
            if names_in(spec.node) & set(new) or any(
                name in release.field_names(spec) and not givers.ignores(spec, name)
                for name in new
            ):
                continue
            yield _overridden(spec, owner, node)


def _had(
    earlier: Release, above: list[Class]
) -> dict[str, tuple[Class, ast.FunctionDef | ast.AnnAssign]]:
    """What the classes above one had, as the earlier release defines it."""
    found: dict[str, tuple[Class, ast.FunctionDef | ast.AnnAssign]] = {}
    for now in above:
        then = earlier.by_name.get(now.name)
        if then is None or then not in earlier.specs:
            continue
        for each in (then, *earlier.above(then)):
            defined: list[tuple[str, ast.FunctionDef | ast.AnnAssign]]
            defined = [*each.members.items(), *each.fields.items()]
            for name, node in defined:
                if not {"staticmethod", "classmethod"} & set(_decorated(node)):
                    found.setdefault(name, (each, node))
    return found


def _decorated(node: ast.FunctionDef | ast.AnnAssign) -> list[str]:
    return decorators(node) if isinstance(node, ast.FunctionDef) else []


def _overridden(
    spec: Class, owner: Class, node: ast.FunctionDef | ast.AnnAssign
) -> Mutant:
    """The earlier release's own text, at the end of a class."""
    text = owner.module.content[slice(*owner.module.lines(node)[:2])].decode()
    at = spec.module.zone(spec.node)[1]
    name = node.name if isinstance(node, ast.FunctionDef) else ast.unparse(node.target)
    return Mutant(
        "override of what an earlier release had",
        ("KV403",),
        spec.module.path,
        ((at, at, "\n\n" + text.rstrip("\n")),),
        f"{spec.name}.{name}",
        spec.module.zone(spec.node),
    )
