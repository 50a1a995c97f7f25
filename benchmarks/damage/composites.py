# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Damage to the answers of a composite: KV101 to KV105."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from damage.mutants import Mutant
from damage.trees import (
    BASE,
    Class,
    Function,
    Release,
    decorators,
    is_abstract,
    is_property,
    names_in,
)

_GROUPING = {"merge", "is_uniform_with_collection", "is_uniform_type", "from_specs"}
# How answers are to be combined (vLLM 0.11.2 to 0.33.0), and what is not that.
_COMBINED = {
    "page_size_bytes": ("max", "min"),
    "max_memory_usage_bytes": ("max", "min"),
    "prefix_cacheable": ("any",),
    "prefix_replay_tokens": ("sum", "min"),
}
_AGREED = ("max", "min", "sum")
# These never stand in a composite: what they answer cannot be passed over.
_NEVER_INSIDE = ("EncoderOnly", "HiddenState", "HiSparse")


def mutants(release: Release) -> Iterator[Mutant]:
    """Yield damages to each composite of a release."""
    for composite in release.composites:
        for name, own in composite.members.items():
            asked = _question(release, composite, name, own)
            if asked is not None:
                yield from _member(release, composite, own, asked)
        yield from _mirrors(release, composite)
        yield from _new_members(release, composite)
        yield from _copiers(release, composite)


def _question(
    release: Release, composite: Class, name: str, own: Function
) -> Function | None:
    """The base's definition of a member that layers answer in their own ways.

    Excluded: what is asked of a class or of a group; what no layer answers otherwise
    than the base does, for then nothing can differ.
    """
    base = release.by_name[BASE].members.get(name)
    if base is None or name.startswith("__") or name in _GROUPING:
        return None
    if {"classmethod", "staticmethod"} & set(decorators(own)):
        return None
    answers = [x.members[name] for x in release.layers if name in x.members]
    if all(ast.dump(_core(each)) == ast.dump(_core(base)) for each in answers):
        return None
    return base


def _core(node: Function) -> ast.Module:
    statements = [
        each
        for each in node.body
        if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
    ]
    return ast.Module(statements, [])


def _asks_all(composite: Class, own: Function) -> bool:
    """Whether a member asks more than the first layer as released.

    If it does not, another way to ask one of them is no damage but what is there.
    """
    loops = (ast.For, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)
    return any(isinstance(each, loops) for each in ast.walk(own))


def _member(
    release: Release, composite: Class, own: Function, base: Function
) -> Iterator[Mutant]:
    module = composite.module
    symbol = f"{composite.name}.{own.name}"
    holder = next(iter(composite.holders.values()))
    call = own.name
    if not is_property(own):
        passed = [each.arg for each in own.args.args[1:]]
        call += f"({', '.join(passed)})"

    def damage(kind: str, rules: str, text: str | None, fixed: bool = True) -> Mutant:
        edits = (module.lines(own),) if text is None else module.body(own, text)
        node = composite.node if text is None else own
        return Mutant(
            kind,
            tuple(rules.split()),
            module.path,
            edits,
            symbol,
            module.zone(node),
            fixed=fixed,
        )

    if not is_abstract(base):  # else the lack of it fails loudly
        yield damage("member removed", "KV101", None)
    yield damage("own arithmetic", "KV103", "return self.block_size * 2")
    if not is_abstract(base) and not any(
        isinstance(each, ast.Call) and "super" in names_in(each.func)
        for each in ast.walk(own)
    ):
        # What a constant is, layers may answer too; arithmetic is never theirs.
        yield damage(
            "base asked instead",
            "KV103",
            f"return super().{call}",
        )
    if not _asks_all(composite, own):
        return
    for kind, text in {
        "first layer only": f"return next(iter({holder})).{call}",
        "last layer only": f"return list({holder})[-1].{call}",
        "first layer in a loop": f"for spec in {holder}:\n    return spec.{call}",
        "last layer in a loop": (
            f"answer = None\nfor spec in {holder}:\n    answer = spec.{call}\n"
            "return answer"
        ),
        "any layer of a set": f"return {{spec.{call} for spec in {holder}}}.pop()",
    }.items():
        yield damage(kind, "KV102", text)
    for wrong in _COMBINED.get(own.name, _AGREED):
        yield damage(
            "wrong combination",
            "KV102",
            f"return {wrong}(spec.{call} for spec in {holder})",
        )
    for statement in own.body:
        if isinstance(statement, ast.Assert):
            yield Mutant(
                "agreement not asserted",
                ("KV102",),
                module.path,
                (module.lines(statement),),
                symbol,
                module.zone(own),
                fixed=True,
            )


def _mirrors(release: Release, composite: Class) -> Iterator[Mutant]:
    """What a composite takes over from its layers when it is made."""
    module = composite.module
    made = composite.members.get("__post_init__")
    for node in ast.walk(made) if made is not None else ():
        if not isinstance(node, ast.Expr) or "__setattr__" not in names_in(node):
            continue
        yield Mutant(
            "mirror of a field dropped",
            ("KV104",),
            module.path,
            module.put(node, "pass"),
            f"{composite.name}.__post_init__",
            module.zone(composite.node),
            fixed=True,
        )


def _new_members(release: Release, composite: Class) -> Iterator[Mutant]:
    """A member that vLLM could add: the base has a default, a layer answers."""
    base = release.by_name[BASE]
    for layer in release.layers:
        if layer.name.startswith(_NEVER_INSIDE) or layer.module is not base.module:
            continue
        number = next(
            (
                name
                for name, node in release.field_names(layer).items()
                if ast.unparse(node.annotation) == "int"
            ),
            "block_size",
        )
        text = "\n    def rows_per_lane(self) -> int:\n        return {}\n"
        places = (
            (base, text.format("1")),
            (layer, text.format(f"self.{number} + 1")),
        )
        edits = tuple((*(base.module.zone(x.node)[1],) * 2, new) for x, new in places)
        yield Mutant(
            "new member of the base and a layer",
            ("KV101",),
            base.module.path,
            edits,
            f"{layer.name} for {composite.name}",
            composite.module.zone(composite.node),
            spoken=frozenset({composite.name}),
            fixed=True,
        )


def _copiers(release: Release, composite: Class) -> Iterator[Mutant]:
    """A copier of another field that the base could have."""
    base = release.by_name[BASE]
    copier = base.members.get("copy_with_new_block_size")
    if copier is None:
        return
    for name in base.fields:
        if name == "block_size":
            continue
        text = base.module.content[slice(*base.module.lines(copier)[:2])].decode()
        text = "\n" + text.replace("block_size", name)
        end = base.module.lines(copier)[1]
        yield Mutant(
            "new copier of the base",
            ("KV105",),
            base.module.path,
            ((end, end, text),),
            f"copy_with_new_{name} for {composite.name}",
            composite.module.zone(composite.node),
            spoken=frozenset({composite.name}),
            fixed=True,
        )
