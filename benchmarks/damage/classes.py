# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Damage to spec classes themselves: KV207 to KV209 and KV211 to KV214."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from damage.givers import Givers
from damage.mutants import Mutant
from damage.trees import (
    BASE,
    Class,
    Function,
    Release,
    decorators,
    is_abstract,
    names_in,
)

_SIZES = (
    "max_memory_usage_bytes",
    "max_num_blocks_per_req",
    "max_admission_blocks_per_request",
)


def mutants(release: Release) -> Iterator[Mutant]:
    """Yield damages to the spec classes of a release."""
    givers = Givers(release)
    for spec in release.specs:
        yield from _post_init(release, spec)
        yield from _dataclass(release, spec)
        yield from _padding(release, givers, spec)
        yield from _uniformity(release, givers, spec)
        yield from _tuples(spec)
        yield from _sharding(release, spec)
    yield from _enums(release)


def _post_init(release: Release, spec: Class) -> Iterator[Mutant]:
    """Excluded: what stands above does nothing, or raises at most."""
    own = spec.members.get("__post_init__")
    above = release.inherited(spec, "__post_init__")
    if own is None or above is None or is_abstract(above[1]):
        return
    for statement in own.body:
        if isinstance(statement, ast.Expr) and "super" in names_in(statement):
            yield Mutant(
                "`super().__post_init__()` dropped",
                ("KV208",),
                spec.module.path,
                spec.module.put(statement, "pass")
                if len(own.body) == 1
                else (spec.module.lines(statement),),
                f"{spec.name}.__post_init__",
                spec.module.zone(own),
                fixed=True,
            )


def _dataclass(release: Release, spec: Class) -> Iterator[Mutant]:
    module, node = spec.module, spec.node
    for decorator in node.decorator_list:
        text = module.text(decorator)
        if not text.startswith("dataclass"):
            continue

        damage = partial(_decorated, release, spec, decorator)
        if spec.name == BASE:
            continue  # what is no dataclass any more is no spec class to begin with
        if spec.fields:
            yield damage("`@dataclass` dropped", None)
        if "frozen=True" in text:
            # Python refuses it, but when the module is imported, not before.
            yield damage("`frozen=True` dropped", _options(text, "frozen=True", ""))
        if spec.fields and "eq=" not in text:
            yield damage("`eq=False` said", _options(text, "", "eq=False"))
        if "kw_only=True" in text and _needs_keywords(release, spec):
            yield damage("`kw_only=True` dropped", _options(text, "kw_only=True", ""))


def _decorated(
    release: Release, spec: Class, decorator: ast.expr, kind: str, new: str | None
) -> Mutant:
    start, end, _ = spec.module.span(decorator)
    edit = (start - 1, end, "") if new is None else (start, end, new)
    return Mutant(
        kind,
        ("KV209",),
        spec.module.path,
        (edit,),
        spec.name,
        spec.module.zone(spec.node),
        fixed=True,
        apart=spec.name,
        kin=release.lineage(spec),
    )


def _options(text: str, gone: str, new: str) -> str:
    inside = text.partition("(")[2].rstrip(")")
    options = [each.strip() for each in inside.split(",") if each.strip()]
    options = [each for each in options if each != gone] + [new] * bool(new)
    return f"dataclass({', '.join(options)})"


def _needs_keywords(release: Release, spec: Class) -> bool:
    """Whether a class adds a field without a default below one with a default.

    Otherwise the order of its fields is right without ``kw_only`` too.
    """
    defaults = [
        name
        for base in release.above(spec)
        for name, node in base.fields.items()
        if node.value is not None and not _is_keyword_only(base, node)
    ]
    for name, node in spec.fields.items():
        if node.value is not None and "kw_only=True" not in ast.unparse(node):
            defaults.append(name)
        elif node.value is None and defaults:
            return True
    return False


def _is_keyword_only(spec: Class, node: ast.AnnAssign) -> bool:
    header = " ".join(ast.unparse(each) for each in spec.node.decorator_list)
    return "kw_only=True" in header or "kw_only=True" in ast.unparse(node)


def _padding(release: Release, givers: Givers, spec: Class) -> Iterator[Mutant]:
    """A page size that no longer asks for padding.

    Excluded: classes whose padding nobody sets.
    """
    own = spec.members.get("page_size_bytes")
    if own is None or "page_size_padded" not in release.field_names(spec):
        return
    for statement in own.body:
        if isinstance(statement, ast.If) and "page_size_padded" in names_in(statement):
            yield Mutant(
                "padding of a page ignored",
                ("KV211",),
                spec.module.path,
                (spec.module.lines(statement),),
                f"{spec.name}.page_size_bytes",
                spec.module.zone(own),
            )


def _uniformity(release: Release, givers: Givers, spec: Class) -> Iterator[Mutant]:
    """A field that decides over blocks is no longer compared.

    Excluded: fields that no sizing member reads, for they do not decide; fields that
    nobody gives where layers are made.
    """
    test = spec.members.get("is_uniform_with_collection")
    if test is None:
        return
    fields = release.field_names(spec)
    counting = _counting(release, spec)
    for node in ast.walk(test):
        if not isinstance(node, ast.BoolOp) or not isinstance(node.op, ast.And):
            continue
        for index, part in enumerate(node.values):
            names = names_in(part) & set(fields)
            if not isinstance(part, ast.Compare) or len(names) != 1:
                continue
            (name,) = names
            if name not in counting or givers.ignores(spec, name, changes=False):
                continue
            before = spec.module.span(node.values[index - 1])[1]
            edit = before, spec.module.span(part)[1], ""
            yield Mutant(
                "field not compared among layers of a group",
                ("KV212",),
                spec.module.path,
                (edit,),
                f"{spec.name}.is_uniform_with_collection: {name}",
                spec.module.zone(spec.node),
                spoken=frozenset(each.name for each in release.below(spec.name)),
            )


def _counting(release: Release, spec: Class) -> set[str]:
    """What the sizing members of a class read, through what they call."""
    found: set[str] = set()
    lineage = [spec, *release.above(spec)]
    pending = list(_SIZES)
    while pending:
        name = pending.pop()
        for each in lineage:
            member = each.members.get(name)
            if member is None:
                continue
            for read in names_in(member) - found:
                found.add(read)
                if "size_bytes" not in read:
                    pending.append(read)
            break
    return found


def _tuples(spec: Class) -> Iterator[Mutant]:
    for name, node in spec.fields.items():
        text = spec.module.text(node.annotation)
        if re.match(r"tuple\[.*, \.\.\.\]$", text):
            yield Mutant(
                "`...` of a tuple dropped",
                ("KV213",),
                spec.module.path,
                spec.module.put(node.annotation, text.removesuffix(", ...]") + "]"),
                f"{spec.name}.{name}",
                spec.module.zone(node),
                fixed=True,
                apart=name,
            )


def _enums(release: Release) -> Iterator[Mutant]:
    """A member of an enum that specs carry gets the value of the one before."""
    said = " ".join(
        ast.unparse(node.annotation)
        for spec in release.specs
        for node in spec.fields.values()
    )
    for enum in release.all_classes:
        if not any("Enum" in base for base in enum.bases):
            continue
        if not re.search(rf"\b{enum.name}\b", said):
            continue
        members = [
            each
            for each in enum.node.body
            if isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant)
        ]
        for before, node in zip(members, members[1:], strict=False):
            yield Mutant(
                "value of an enum's member repeated",
                ("KV214",),
                enum.module.path,
                enum.module.put(node.value, enum.module.text(before.value)),
                f"{enum.name}.{ast.unparse(node.targets[0])}",
                enum.module.zone(node),
                apart=enum.name,
            )


def _sharding(release: Release, spec: Class) -> Iterator[Mutant]:
    """One of two sizes that go together is no longer overridden.

    Only where both are in the class, the other one divides by the ranks of context
    parallelism or counts speculative blocks, and what is inherited instead does not.
    Excluded: what is inherited raises, which is loud.
    """
    for name in _SIZES[:2]:
        own, other = spec.members.get(name), _other(release, spec, name)
        above = release.inherited(spec, name)
        if own is None or other is None or above is None or is_abstract(above[1]):
            continue
        for word in ("context_parallel", "speculative"):
            texts = [ast.unparse(each) for each in (own, other, above[1])]
            if [word in each for each in texts] == [True, True, False]:
                yield Mutant(
                    "one of two sizes removed",
                    ("KV207",),
                    spec.module.path,
                    (spec.module.lines(own),),
                    f"{spec.name}.{name}: {word}",
                    spec.module.zone(spec.node),
                    spoken=frozenset(each.name for each in release.below(spec.name)),
                )


def _other(release: Release, spec: Class, name: str) -> Function | None:
    other = _SIZES[1 - _SIZES.index(name)]
    for each in release.below(spec.name):
        if other in each.members and not decorators(each.members[other]):
            return each.members[other]
    return None
