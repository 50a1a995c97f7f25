# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Damage to code that reads the specs of groups: KV301 to KV304 and KV308 to KV312."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from damage.mutants import Mutant
from damage.trees import Function, Module, Release, called, names_in

_COMPOSITE = "UniformTypeKVCacheSpecs"
# Code of the worker process, which sees composites, and that of the planner, as far as
# it is given finished groups. vLLM's `generate_scheduler_kv_cache_config` takes them
# away for all others.
_WORKER = "v1/worker/"
_PLANNER = re.compile(r"v1/core/kv_cache_(?:utils|planning)\.py$")
_PLANS, _FORMS = "get_kv_cache_configs", re.compile("get_\\w*kv_cache_groups")
# What is asked at the head of a loop over groups, and who must object.
_INSERTED = {
    "isinstance of a group's spec added": (
        "KV301",
        "if not isinstance({group}.kv_cache_spec, {layer}):\n    continue",
    ),
    "first spec of a composite let out": (
        "KV302",
        """if isinstance({group}.kv_cache_spec, {composite}):
    first = next(iter({group}.kv_cache_spec.kv_cache_specs.values()))
    self.damaged = first.kv_quant_mode""",
    ),
    "page of a group counted per layer": (
        "KV308",
        "damaged = {group}.kv_cache_spec.page_size_bytes * len({group}.layer_names)",
    ),
    "default for what a composite lacks": (
        "KV309",
        'damaged = getattr({group}.kv_cache_spec, "sliding_window", None)',
    ),
    "layer's field read off a group's spec": (
        "KV312",
        "damaged = {group}.kv_cache_spec.num_kv_heads",
    ),
    "group's spec made a key": (
        "KV311",
        "damaged = {{{group}.kv_cache_spec: {group}}}",
    ),
}


def mutants(release: Release) -> Iterator[Mutant]:
    """Yield damages to the readers of groups of a release."""
    planning = _planning(release)
    for module, function in release.functions:
        yield from _widths(module, function)
        path = module.path.as_posix()
        if _WORKER in path or _PLANNER.search(path) and function.name in planning:
            yield from _unwrapping(module, function)
            yield from _inserted(module, function)


def _planning(release: Release) -> set[str]:
    """The planner's functions that are given finished groups, by who calls whom.

    Those that form groups, and what they call, know which have become composites.
    """
    known = {
        function.name: function
        for module, function in release.functions
        if _PLANNER.search(module.path.as_posix())
    }
    found, pending = set(), [_PLANS]
    while pending:
        name = pending.pop()
        if name in known and name not in found and not _FORMS.fullmatch(name):
            found.add(name)
            pending += map(called, ast.walk(known[name]))
    return found


def _mutant(
    kind: str,
    rule: str,
    module: Module,
    function: Function,
    *edits: tuple[int, int, str],
) -> Mutant:
    where = f"{module.path.stem}.{function.name}"
    zone = module.zone(function)
    return Mutant(kind, (rule,), module.path, edits, where, zone, apart=where)


def _unwrapping(module: Module, function: Function) -> Iterator[Mutant]:
    """A test no longer looks into the composite.

    Excluded: what is not read off a group by name in this function, for then the text
    does not say whose spec it is.
    """
    groups = {
        ast.unparse(node.targets[0])
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "kv_cache_spec"
        and re.search("group", ast.unparse(node.value.value))
    }
    for node in ast.walk(function):
        if called(node) in {"all", "any"} and isinstance(node, ast.Call):
            inner = node.args[0] if node.args else None
            if not isinstance(inner, ast.GeneratorExp) or len(inner.generators) != 1:
                continue
            over, test = inner.generators[0].iter, inner.elt
            if called(over) != "iter_layer_specs" or called(test) != "isinstance":
                continue
            assert isinstance(over, ast.Call) and isinstance(test, ast.Call)
            new = (
                f"isinstance({ast.unparse(over.args[0])}, {ast.unparse(test.args[1])})"
            )
            yield _mutant(
                "test of all layers became one of the group",
                "KV301",
                module,
                function,
                *module.put(node, new),
            )
        elif called(node) == "is_full_attention_spec" and isinstance(node, ast.Call):
            new = f"isinstance({ast.unparse(node.args[0])}, FullAttentionSpec)"
            yield _mutant(
                "test of all layers became one of the group",
                "KV301",
                module,
                function,
                *module.put(node, new),
            )
        elif isinstance(node, ast.If) and not node.orelse and len(node.body) == 1:
            asked, only = ast.unparse(node.test), node.body[0]
            name = re.match(rf"isinstance\((\w+), {_COMPOSITE}\)$", asked)
            if name is None or not isinstance(only, ast.Assign):
                continue
            is_it = ast.unparse(only.targets[0]) == name[1] and name[1] in groups
            if is_it and _tested_after(function, node, name[1]):
                yield _mutant(
                    "unwrapping of a group's spec dropped",
                    "KV301",
                    module,
                    function,
                    module.lines(node),
                )


def _tested_after(function: Function, node: ast.If, name: str) -> bool:
    return any(
        called(each) == "isinstance"
        and isinstance(each, ast.Call)
        and each.lineno > node.lineno
        and ast.unparse(each.args[0]) == name
        and _COMPOSITE not in names_in(each)
        for each in ast.walk(function)
    )


def _inserted(module: Module, function: Function) -> Iterator[Mutant]:
    """Excluded: loops over something that is not called groups.

    Nor is a test added where a loop tests the group's spec for that class already.
    """
    imported = {
        alias.asname or alias.name
        for node in module.tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for node in ast.walk(function):
        if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name):
            continue
        if not ast.unparse(node.iter).endswith(".kv_cache_groups"):
            continue
        names = {"group": node.target.id, "composite": _COMPOSITE}
        layers = sorted(
            name for name in imported if name in {"FullAttentionSpec", "AttentionSpec"}
        )
        start = module.lines(node.body[0])[0]
        margin = " " * node.body[0].col_offset
        for kind, (rule, text) in _INSERTED.items():
            if "{layer}" in text and (
                not layers or f".kv_cache_spec, {layers[0]})" in ast.unparse(node)
            ):
                continue
            if "{composite}" in text and _COMPOSITE not in imported:
                continue
            if "self." in text and not (
                function.args.args and function.args.args[0].arg == "self"
            ):
                continue
            new = text.format(**names, layer=(layers or [""])[0])
            lines = "".join(f"{margin}{line}\n" for line in new.split("\n"))
            yield _mutant(kind, rule, module, function, (start, start, lines))


def _widths(module: Module, function: Function) -> Iterator[Mutant]:
    """Excluded: specs, which answer by division themselves; warm-up and dummy runs.

    Nor are widths divided that the same function rounds up to an alignment.
    """
    if module.path.name == "kv_cache_interface.py" or "warm" in function.name:
        return
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        if called(node) == "max_num_blocks_per_req" and not any(
            called(each) == "get_block_table_width" for each in ast.walk(function)
        ):
            assert isinstance(node.func, ast.Attribute)
            spec = ast.unparse(node.func.value)
            new = f"cdiv({ast.unparse(node.args[1])}, {spec}.block_size)"
            yield _mutant(
                "width divided by hand",
                "KV303",
                module,
                function,
                *module.put(node, new),
            )
        if called(node) == "get_block_table_width":
            for keyword in node.keywords:
                if keyword.arg == "token_alignment" and "spec" in ast.unparse(
                    keyword.value
                ):
                    yield _mutant(
                        "spec's alignment not passed",
                        "KV304",
                        module,
                        function,
                        module.without(keyword),
                    )
