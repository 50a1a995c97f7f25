# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Damage to code that makes specs, copies them, or reads their fields.

KV205, KV206, KV406 and KV407.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from damage.givers import Givers
from damage.mutants import Mutant
from damage.trees import Class, Function, Module, Release, called

_BESIDE = ("KVCacheGroupSpec", "KVCacheTensor", "KVCacheConfig")


def mutants(release: Release) -> Iterator[Mutant]:
    """Yield damages to what makes and reads specs in a release."""
    givers = Givers(release)
    siblings = _siblings(release)
    for module, function in release.functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Call):
                yield from _constructor(release, module, function, node)
                yield from _copy(release, givers, module, function, node)
                yield from _omission(release, siblings, module, function, node)
        yield from _reads(release, module, function)


def mutant_of(
    kind: str,
    rule: str,
    module: Module,
    function: Function,
    what: str,
    *edits: tuple[int, int, str],
) -> Mutant:
    """Return a damage in a function.

    Args:
        kind: What is done.
        rule: Which has to say so.
        module: The file.
        function: Where; a finding counts anywhere in it.
        what: What is damaged.
        *edits: The damage.
    """
    where = f"{module.path.stem}.{function.name}: {what}"
    zone = module.zone(function)
    return Mutant(kind, (rule,), module.path, edits, where, zone, apart=where)


def mended(text: bytes, mutant: Mutant) -> tuple[list[Function], str]:
    """Return the functions of a damaged one's name, and what was damaged in it.

    Args:
        text: The file's, mended.
        mutant: What ``mutant_of`` gave.
    """
    name, _, what = mutant.symbol.partition(".")[2].partition(": ")
    functions = (x for x in ast.walk(ast.parse(text)) if isinstance(x, ast.FunctionDef))
    return [each for each in functions if each.name == name], what


def _made(release: Release, name: str) -> Class | None:
    """The class that is made, if it is a spec or one of those beside them."""
    found = release.by_name.get(name)
    if found is not None and (found in release.specs or name in _BESIDE):
        return found
    return None


def _constructor(
    release: Release, module: Module, function: Function, node: ast.Call
) -> Iterator[Mutant]:
    """Excluded: calls that unpack what is not written out, for it may hold anything."""
    made = _made(release, called(node))
    if made is None or any(isinstance(each, ast.Starred) for each in node.args):
        return
    if any(each.arg is None for each in node.keywords):
        return
    fields = release.field_names(made)
    for keyword in node.keywords:
        name = keyword.arg
        if name is None or name not in fields:
            continue
        start = module.span(keyword)[0]
        edit = start, start + len(name), f"{name}_of_layer"
        kind = "field of a constructor renamed"
        yield mutant_of(kind, "KV406", module, function, name, edit)
        if fields[name].value is None:
            kind = "required field of a constructor dropped"
            edit = module.without(keyword)
            yield mutant_of(kind, "KV406", module, function, name, edit)


def _copy(
    release: Release, givers: Givers, module: Module, function: Function, node: ast.Call
) -> Iterator[Mutant]:
    """A copy by ``replace`` is written out by hand.

    Only of what a parameter's annotation or ``isinstance`` says to be of one class.
    Excluded: classes with no further field that anybody gives, for nothing is lost.
    """
    if called(node) != "replace" or len(node.args) != 1 or not node.keywords:
        return
    if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) not in {
        "dataclasses"
    }:
        return
    subject = ast.unparse(node.args[0])
    spec = _annotated(release, function).get(subject)
    if spec is None:
        return
    fields = release.field_names(spec)
    required = [name for name, each in fields.items() if each.value is None]
    changed = {each.arg for each in node.keywords}
    kept = [name for name in required if name not in changed]
    lost = [
        name
        for name in fields
        if name not in {*required, *changed} and not givers.ignores(spec, name)
    ]
    if len(kept) < 3 or not lost:
        return
    given = [f"{each.arg}={ast.unparse(each.value)}" for each in node.keywords]
    given += [f"{name}={subject}.{name}" for name in kept]
    new = f"{spec.name}({', '.join(given)})"
    yield mutant_of(
        "copy written out by hand",
        "KV205",
        module,
        function,
        spec.name,
        *module.put(node, new),
    )


def _annotated(release: Release, function: Function) -> dict[str, Class]:
    """The parameters that are annotated with a class of specs, and loops over them."""
    found = {}
    for each in (*function.args.args, *function.args.kwonlyargs):
        if each.annotation is not None:
            name = ast.unparse(each.annotation).strip("'\"")
            spec = _made(release, name)
            if spec is not None:
                found[each.arg] = spec
    stored = Counter(
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    return {name: spec for name, spec in found.items() if not stored[name]}


def _siblings(release: Release) -> dict[tuple[str, str], set[str]]:
    """By field and by the text of its value, the files that pass it so."""
    found: dict[tuple[str, str], set[str]] = {}
    for module in release.modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and called(node).endswith("Spec"):
                for each in node.keywords:
                    if isinstance(each.value, ast.Call) and each.arg is not None:
                        key = each.arg, ast.unparse(each.value)
                        found.setdefault(key, set()).add(module.path.as_posix())
    return found


def _omission(
    release: Release,
    siblings: dict[tuple[str, str], set[str]],
    module: Module,
    function: Function,
    node: ast.Call,
) -> Iterator[Mutant]:
    """A builder drops an argument that its siblings work out of what it passes too.

    Only where two calls in other files pass it in the same words, and this call passes
    what it is worked out from as another optional field.
    """
    made = _made(release, called(node))
    if made is None or made not in release.specs:
        return
    fields = release.field_names(made)
    optional = {
        each.arg: ast.unparse(each.value)
        for each in node.keywords
        if each.arg in fields and fields[each.arg].value is not None
    }
    for keyword in node.keywords:
        name, value = keyword.arg, keyword.value
        if name not in optional or not isinstance(value, ast.Call) or not value.args:
            continue
        others = siblings[name, ast.unparse(value)] - {module.path.as_posix()}
        source = ast.unparse(value.args[0])
        if len(others) < 2 or source not in {
            text for field, text in optional.items() if field != name
        }:
            continue
        yield mutant_of(
            "argument of a builder dropped",
            "KV206",
            module,
            function,
            str(name),
            module.without(keyword),
        )


def _reads(release: Release, module: Module, function: Function) -> Iterator[Mutant]:
    """A field or member that is read off a known spec gets a name that nobody has."""
    known = _annotated(release, function)
    if not known:
        return
    seen, tried = set(), _tried(function)
    for node in ast.walk(function):
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        spec = known.get(ast.unparse(node.value))
        if spec is None or node.attr in seen or node.attr.startswith("_"):
            continue
        if node in tried:
            continue
        seen.add(node.attr)
        end = module.span(node)[1]
        yield mutant_of(
            "read of a spec renamed",
            "KV407",
            module,
            function,
            node.attr,
            (end, end, "_of_layer"),
        )


def _tried(function: Function) -> set[ast.AST]:
    """What stands in a ``try``, which may catch the failure."""
    return {
        inner
        for each in ast.walk(function)
        if isinstance(each, ast.Try)
        for statement in each.body
        for inner in ast.walk(statement)
    }
