# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Damage to code that looks for groups and for layers in them: KV305 and KV310."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from damage.making import mutant_of
from damage.mutants import Mutant
from damage.trees import Class, Function, Module, Release, called

_WORKER = "v1/worker/"
_SHARING = {"add_kv_sharing_layers_to_kv_cache_groups", "init_attn_backend"}
_COMPOSITE = "UniformTypeKVCacheSpecs"
_LOOKUPS = {
    "composite asked for each name of a group": """\
for group_at_hand in {groups}:
    for name_at_hand in group_at_hand.layer_names:
        spec_at_hand = group_at_hand.kv_cache_spec
        if isinstance(spec_at_hand, {composite}):
            spec_at_hand = spec_at_hand.kv_cache_specs[name_at_hand]
        print(spec_at_hand)
""",
    "composite asked for all names of a group": """\
for group_at_hand in {groups}:
    spec_at_hand = group_at_hand.kv_cache_spec
    if isinstance(spec_at_hand, {composite}):
        print([spec_at_hand.kv_cache_specs[x] for x in group_at_hand.layer_names])
""",
}
_SEARCHES = {
    "search that assigns 0 first": """\
index_at_hand = 0
for index, each in enumerate({groups}):
    if isinstance(each.kv_cache_spec, {layer}):
        index_at_hand = index
        break
print(index_at_hand)
""",
    "search that takes the first group": """\
group_at_hand = {groups}[0]
for each in {groups}:
    if isinstance(each.kv_cache_spec, {layer}):
        group_at_hand = each
        break
print(group_at_hand)
""",
    "search with a default of 0": """\
index_at_hand = next(
    (
        index
        for index, each in enumerate({groups})
        if isinstance(each.kv_cache_spec, {layer})
    ),
    0,
)
print(index_at_hand)
""",
    "search that returns 0": """\
def index_at_hand() -> int:
    for index, each in enumerate({groups}):
        if isinstance(each.kv_cache_spec, {layer}):
            return index
    return 0
print(index_at_hand())
""",
}


def mutants(release: Release) -> Iterator[Mutant]:
    """Yield damages to what searches groups, and to what runs after sharing layers."""
    for module, function in release.functions:
        yield from _unfound(module, function)
        yield from _unknown(module, function)
        if _WORKER in module.path.as_posix():
            yield from _searches(module, function)
    for owner in release.all_classes:
        yield from _after_in_class(owner)
    for module, function in release.functions:
        yield from _after_calls(module, function)


def _indented(text: str, margin: int) -> str:
    return "".join(f"{' ' * margin}{x}\n" for x in text.splitlines())


def _imported(module: Module) -> set[str]:
    return {
        alias.asname or alias.name
        for node in module.tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _groups(function: Function) -> str:
    """What a function calls the groups of a configuration that it is given."""
    given = {each.arg for each in function.args.args}
    text = ast.unparse(function)
    for name in ("kv_cache_config", "self.kv_cache_config"):
        is_given = name in given or f"{name}.kv_cache_groups" in text
        if is_given and (name in given or "self" in given):
            return f"{name}.kv_cache_groups"
    return "kv_cache_groups" if "kv_cache_groups" in given else ""


def _looks(
    module: Module, function: Function, at: int, margin: int, groups: str
) -> Iterator[Mutant]:
    """Excluded: files that do not import the composite's class."""
    if _COMPOSITE not in _imported(module):
        return
    for kind, text in _LOOKUPS.items():
        new = _indented(text.format(groups=groups, composite=_COMPOSITE), margin)
        edit = at, at, new
        yield mutant_of(kind, "KV305", module, function, groups, edit)


def _adding(function: Function, names: set[str]) -> ast.stmt | None:
    """The statement of a function itself that adds layers which share a cache."""
    for statement in function.body:
        if any(called(node) in names for node in ast.walk(statement)):
            return statement
    return None


def _after_calls(module: Module, function: Function) -> Iterator[Mutant]:
    """Behind what adds layers, in the same function."""
    statement = _adding(function, _SHARING)
    groups = _groups(function)
    if statement is None or not groups or isinstance(statement, ast.Return):
        return
    at = module.lines(statement)[1]
    yield from _looks(module, function, at, statement.col_offset, groups)


def _called_in(statements: list[ast.stmt]) -> set[str]:
    return {called(node) for each in statements for node in ast.walk(each)}


def _after_in_class(owner: Class) -> Iterator[Mutant]:
    """In the methods that a class calls after layers were added.

    Excluded: methods that it calls before as well.
    """
    adders = set(_SHARING)
    adders |= {n for n, x in owner.members.items() if _adding(x, _SHARING) is not None}
    after: set[str] = set()
    for function in owner.members.values():
        statement = _adding(function, adders)
        if statement is None:
            continue
        index = function.body.index(statement)
        later = {
            called(x) for each in function.body[index + 1 :] for x in ast.walk(each)
        }
        sooner = {called(x) for each in function.body[:index] for x in ast.walk(each)}
        after |= later - sooner
    for name in sorted(after & set(owner.members) - adders):
        function = owner.members[name]
        groups = _groups(function)
        first = function.body[1 if ast.get_docstring(function) is not None else 0]
        if groups:
            at = owner.module.lines(first)[0]
            yield from _looks(owner.module, function, at, first.col_offset, groups)


def _searches(module: Module, function: Function) -> Iterator[Mutant]:
    """Before each loop over groups. Excluded: files that import no class of layers."""
    layers = sorted(_imported(module) & {"FullAttentionSpec", "AttentionSpec"})
    for node in ast.walk(function):
        if not isinstance(node, ast.For) or not layers:
            continue
        groups = ast.unparse(node.iter)
        if not groups.endswith(".kv_cache_groups"):
            continue
        start = module.lines(node)[0]
        for kind, text in _SEARCHES.items():
            new = text.format(groups=groups, layer=layers[0])
            edit = start, start, _indented(new, node.col_offset)
            yield mutant_of(kind, "KV310", module, function, groups, edit)


def _unfound(module: Module, function: Function) -> Iterator[Mutant]:
    """The error, or the None, with which a search for a kind ends becomes 0.

    Excluded: schedulers and their managers, which see no composites.
    """
    if re.search(r"scheduler|manager", module.path.as_posix()):
        return
    for block in ast.walk(function):
        body = getattr(block, "body", None)
        if not isinstance(body, list):
            continue
        for loop, end in zip(body, body[1:], strict=False):
            if not isinstance(loop, ast.For) or not _seeks(loop):
                continue
            if isinstance(end, ast.Raise) or (
                isinstance(end, ast.Return) and ast.unparse(end.value or end) == "None"
            ):
                yield mutant_of(
                    "end of a search became the first group",
                    "KV310",
                    module,
                    function,
                    ast.unparse(loop.iter),
                    *module.put(end, "return 0"),
                )


def _seeks(loop: ast.For) -> bool:
    """Whether a loop returns the number of a group of some kind."""
    return (
        called(loop.iter) == "enumerate"
        and "group" in ast.unparse(loop.iter)
        and isinstance(loop.target, ast.Tuple)
        and any(
            isinstance(each, ast.If)
            and "kv_cache_spec" in ast.unparse(each.test)
            and any(
                isinstance(x, ast.Return)
                and ast.unparse(x.value or x) == ast.unparse(loop.target.elts[0])
                for x in each.body
            )
            for each in loop.body
        )
    )


def _unknown(module: Module, function: Function) -> Iterator[Mutant]:
    """A layer that is in no group gets the first one.

    Excluded: mappings that the file asks whether they have a layer.
    """
    for node in ast.walk(function):
        if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
            continue
        mapping, key = ast.unparse(node.value), ast.unparse(node.slice)
        if not re.search(r"layer\w*_to_\w*(?:gid|group_(?:id|idx|index))$", mapping):
            continue
        if not re.fullmatch(r"\w*layer\w*", key):
            continue
        if f" in {mapping}".encode() in module.content:
            continue
        yield mutant_of(
            "group of a layer looked up with 0 as the default",
            "KV310",
            module,
            function,
            mapping,
            *module.put(node, f"{mapping}.get({key}, 0)"),
        )
