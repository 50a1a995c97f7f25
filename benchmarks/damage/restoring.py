# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Whether a fix gives back what a damage took."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from types import ModuleType

from damage.asserting import raises
from damage.mutants import Mutant
from damage.retyping import leaves_out
from damage.running import agrees, composed, run
from damage.trees import MANAGER, decorators

_RUN = frozenset({"KV101", "KV102", "KV103", "KV104", "KV201", "KV202", "KV210"})
_released = cache(run)


def is_restored(mutant: Mutant, before: bytes, mended: bytes) -> bool:
    """Return whether a mended file answers as the released one did.

    Composites and merges are run, with stand-ins for what is not at hand. Where layers
    differ they may fail instead. All else has to be the same text again, but for the
    order of what has none.

    Args:
        mutant: The damage.
        before: The file's bytes as released.
        mended: The file's bytes after damage and fix.
    """
    owner, _, member = mutant.symbol.partition(":")[0].rpartition(".")
    if mutant.rules[0] == "KV105":
        return _copies(mutant, run(mended))
    if mutant.kind.startswith("new member"):
        return _asks(mutant, run(mended))
    if mutant.rules[0] == "KV204":
        return leaves_out(mended, mutant)
    if mutant.rules[0] == "KV210" and member != "merge":
        return raises(mended, mutant)
    if mutant.rules[0] == "KV404":
        return _takes_again(before, mended, owner)
    if _RUN & set(mutant.rules):
        return agrees(_released(before), run(mended), owner, member)
    return _said(before, mutant) == _said(mended, mutant)


def _copies(mutant: Mutant, module: ModuleType) -> bool:
    """Whether a copied composite holds copied specs."""
    copier, _, owner = mutant.symbol.partition(" for ")
    copied = getattr(composed(module, owner, (3, 3)), copier)(5)
    layers = copied.kv_cache_specs.values()
    is_set = getattr(copied, copier.removeprefix("copy_with_new_")) == 5
    return is_set and {each.block_size for each in layers} == {5}


def _asks(mutant: Mutant, module: ModuleType) -> bool:
    """Whether the new member is asked of all layers, and fails where they differ."""
    owner = mutant.symbol.partition(" for ")[2]
    if composed(module, owner, (3, 3)).rows_per_lane() != 3:
        return False
    try:
        composed(module, owner, (3, 4)).rows_per_lane()
    except (AssertionError, ValueError):
        return True
    return False


def _takes_again(before: bytes, mended: bytes, owner: str) -> bool:
    """Whether a manager takes, and hands on, what it did; beside that what it has to.

    As released, one of vLLM's does not take all that it is given.
    """
    (taken, passed), (now, passes) = (_handed(x, owner) for x in (before, mended))
    new = now - taken
    is_more = {name: value for name, value in passes.items() if name not in new}
    return taken <= now and is_more == passed and passes.keys() - passed.keys() == new


def _handed(text: bytes, owner: str) -> tuple[set[str], dict[str, str]]:
    """What a manager's constructor takes, and what it hands to the base's.

    The base's says which name an argument has that is passed by position.
    """
    makers = {
        node.name: each
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
        for each in node.body
        if isinstance(each, ast.FunctionDef) and each.name == "__init__"
    }
    names = [each.arg for each in makers[MANAGER].args.args[1:]]
    given = makers[owner].args
    taken = {each.arg for each in (*given.args, *given.kwonlyargs)}
    passed: dict[str, str] = {}
    for call in ast.walk(makers[owner]):
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "super().__init__":
            passed |= dict(zip(names, map(ast.unparse, call.args), strict=False))
            passed |= {str(x.arg): ast.unparse(x.value) for x in call.keywords}
    return taken, passed


def _said(text: bytes, mutant: Mutant) -> list[object]:
    """What a class, or a member of one, says, without the order of what has none."""
    owner, _, member = mutant.symbol.partition(":")[0].rpartition(".")
    found: list[object] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef) and node.name == (owner or member):
            found += _members(node, member) if owner else [_header(node, mutant)]
    return found


def _header(node: ast.ClassDef, mutant: Mutant) -> tuple[object, ...]:
    # Unless that is what was lost, a fix has it as the class above does whether fields
    # may be passed by position too.
    options = [
        sorted(
            ast.unparse(each)
            for each in getattr(decorator, "keywords", ())
            if each.arg != "kw_only" or each.arg in mutant.kind
        )
        for decorator in node.decorator_list
    ]
    return decorators(node), options, [ast.unparse(each) for each in node.bases]


def _members(node: ast.ClassDef, member: str) -> Iterator[object]:
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == member:
            body = Counter(ast.dump(statement) for statement in each.body)
            yield decorators(each), _parameters(each), body
        elif isinstance(each, ast.AnnAssign) and ast.unparse(each.target) == member:
            yield ast.unparse(each)


def _parameters(node: ast.FunctionDef) -> list[object]:
    """Names and places; a fix writes annotations as the base has them."""
    given = node.args
    return [
        [each.arg for each in given.args],
        sorted(each.arg for each in given.kwonlyargs),
        len(given.defaults),
        sum(each is not None for each in given.kw_defaults),
    ]
