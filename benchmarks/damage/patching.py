# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Patches of vLLM's spec classes by code outside of it: KV408."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from damage.mutants import Mutant
from damage.trees import Module, Release

_HOME = "vllm.v1.kv_cache_interface"
_OWN = """

import {home} as home_at_hand


class SpecAtHand({spec}):
    pass


"""
_SIZE = "property(lambda self: 4096)"
_PATCHES = {
    "class replaced": _OWN + "home_at_hand.{spec} = SpecAtHand",
    "class replaced by setattr": _OWN + 'setattr(home_at_hand, "{spec}", SpecAtHand)',
    "class replaced in vars": _OWN + 'vars(home_at_hand)["{spec}"] = SpecAtHand',
    "class replaced in __dict__": (
        _OWN + 'home_at_hand.__dict__["{spec}"] = SpecAtHand'
    ),
    "classes replaced in a loop": (
        _OWN
        + 'for name_at_hand in ("{spec}",):\n'
        + "    setattr(home_at_hand, name_at_hand, SpecAtHand)"
    ),
    "class deleted": _OWN + "del home_at_hand.{spec}",
    "member patched": "\n\n{spec}.page_size_bytes = " + _SIZE,
    "member patched by setattr": (
        '\n\nsetattr({spec}, "page_size_bytes", ' + _SIZE + ")"
    ),
    "member patched in a loop": (
        "\n\nfor spec_at_hand in ({spec},):\n"
        "    spec_at_hand.page_size_bytes = " + _SIZE
    ),
    "member patched in a function": (
        "\n\ndef patch_at_hand():\n    {spec}.page_size_bytes = " + _SIZE
    ),
    "member patched by another name": (
        "\n\nspec_at_hand = {spec}\nspec_at_hand.page_size_bytes = " + _SIZE
    ),
}


def mutants(release: Release) -> Iterator[Mutant]:
    """Yield patches at the end of each file that imports a spec class of vLLM.

    Excluded: files of tests; classes that are no specs or stand for some.
    """
    for module in release.modules:
        if "test" in module.path.as_posix():
            continue
        for spec in _imported(module)[:1]:
            for kind, text in _PATCHES.items():
                end = len(module.content)
                new = text.format(home=_HOME, spec=spec) + "\n"
                yield Mutant(
                    kind,
                    ("KV408",),
                    module.path,
                    ((end, end, new),),
                    f"{module.path.stem}: {spec}",
                    (end, end),
                    apart=str(module.path),
                )


def _imported(module: Module) -> list[str]:
    """The names of spec classes that a file imports, at its top level."""
    return sorted(
        alias.name
        for node in module.tree.body
        if isinstance(node, ast.ImportFrom) and node.module == _HOME
        for alias in node.names
        if alias.name.endswith("Spec")
        and alias.name != "KVCacheGroupSpec"
        and alias.asname is None
    )
