# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Strategies that write modules of composite specs, in the shapes people write."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

# By how a composite says what it holds: the specs in it, and how to hold several.
HOLDERS = {
    "{held}: dict[str, {spec}]": ("self.{held}.values()", "dict"),
    "{held}: typing.Dict[str, '{spec}']": ("self.{held}.values()", "dict"),
    "{held}: Mapping[str, {spec}]": ("self.{held}.values()", "dict"),
    "{held}: list[{spec}]": ("self.{held}", "list"),
    "{held}: tuple[{spec}, ...]": ("self.{held}", "tuple"),
    "{held}: Sequence[{spec}]": ("self.{held}", "tuple"),
    "{held}: list['{spec}']": ("self.{held}", "list"),
    "{held}: 'list[{spec}]'": ("self.{held}", "list"),
    "{held}: Optional[list[{spec}]]": ("self.{held}", "list"),
    "{held}: Held": ("self.{held}.values()", "dict"),
    "{held}: dict[str, list[{spec}]]": (
        "[x for xs in self.{held}.values() for x in xs]",
        "nested",
    ),
    "def __init__(self, of: dict[str, {spec}]):\n    self.{held} = list(of.values())": (
        "self.{held}",
        "list",
    ),
    "def __init__(self, *of: {spec}):\n    self.{held} = of": ("self.{held}", "tuple"),
    "def __init__(self, **of: {spec}):\n    self.{held} = of": (
        "self.{held}.values()",
        "dict",
    ),
    "def __init__(self, a: {spec}, *of: {spec}):\n    self.{held} = [a, *of]": (
        "self.{held}",
        "list",
    ),
}
IMPORTS = {
    "from vllm.v1.kv_cache_interface import KVCacheSpec": "KVCacheSpec",
    "from vllm.v1.kv_cache_interface import KVCacheSpec as Base  # the root": "Base",
    "from vllm.v1.kv_cache_interface import (\n  KVCacheSpec,  # a\n)": "KVCacheSpec",
    "import vllm.v1.kv_cache_interface": "vllm.v1.kv_cache_interface.KVCacheSpec",
    "import vllm.v1.kv_cache_interface as kvi": "kvi.KVCacheSpec",
    "from vllm.v1 import kv_cache_interface; x = 1": "kv_cache_interface.KVCacheSpec",
}
BODIES = {
    "missing": "",
    "first": "return next(iter({all})).max_num_blocks_per_req(cfg, n)",
    "first in a loop": "for s in {all}:\n    return s.max_num_blocks_per_req(cfg, n)",
    "largest": "return max(s.max_num_blocks_per_req(cfg, n) for s in {all})",
    "commented": "# by hand\nreturn (  # opened\n    n // 16  # exact\n)  # closed",
    "two statements": "m = n; return -(-m // 16)",
    "right": (
        "found = {{s.max_num_blocks_per_req(cfg, n) for s in {all}}}\n"
        "assert len(found) == 1\nreturn found.pop()"
    ),
}
DECORATORS = [
    "",
    "@dataclass",
    "@dataclass(frozen=True)",
    "@dataclass(\n    frozen=True,\n)",
]
INDENTS = ["    ", "  ", "\t", "   "]
NESTINGS = {
    "": [],
    "a condition": ["if True:"],
    "a function": ["def scope():"],
    "a class": ["class Outer:"],
    "both": ["if True:  # always", "class Outer:"],
}
NOISE = [
    "",
    "# a comment",
    "X = 'a # no comment'",
    "\f",
    "pass;",
    "Y = [  # open\n    1]",
]
CODINGS = {
    "utf-8": "",
    "latin-1": "# -*- coding: latin-1 -*-",
    "cp1252": "# vim: set fileencoding=cp1252 :",
    "gbk": "# coding: gbk",
}


@dataclass(frozen=True)
class SpecModule:
    """A module.

    Attributes:
        content: Its bytes.
        path: The classes and functions around the composite, and its own name.
        held: The field that holds specs.
        kind: What makes a value of it: ``dict``, ``list``, ``tuple`` or ``nested``.
        body: What is wrong with the composite.
    """

    content: bytes
    path: tuple[str, ...]
    held: str
    kind: str
    body: str


@st.composite
def spec_modules(draw: st.DrawFn) -> SpecModule:
    """Modules with one composite, most of which are at fault."""
    pick = st.sampled_from
    holding, (everything, kind) = draw(pick(sorted(HOLDERS.items())))
    statement, base = draw(pick(sorted(IMPORTS.items())))
    body = draw(pick(sorted(BODIES)))
    held = draw(pick(["layers", "kv_cache_specs", "specs", "answers", "spec", "x"]))
    indent = draw(pick(INDENTS))
    nesting = NESTINGS[draw(pick(sorted(NESTINGS)))]
    noise = [draw(pick(NOISE)) for _ in range(4)]
    lines = [
        draw(pick(DECORATORS)),
        f"class Pack({base}):{draw(pick(['', '  # Pack']))}",
    ]
    inside = [noise[0]] if draw(st.booleans()) else []
    inside += [holding.format(held=held, spec=base), noise[1]]
    if BODIES[body]:
        text = BODIES[body].format(all=everything.format(held=held))
        inside += ["def max_num_blocks_per_req(self, cfg, n):"]
        inside += _indented(text.split("\n"), indent)
    if draw(st.booleans()):
        inside += [noise[2], "@property", "# between", "def other(self): return 1  # 1"]
    lines += _indented(inside, indent)
    if nesting and nesting[-1].startswith("def"):
        lines += ["return Pack"]
    for opener in reversed(nesting):
        lines = [opener, *_indented(lines, indent)]
    coding = draw(pick(sorted(CODINGS)))
    head = [CODINGS[coding]] * bool(CODINGS[coding])
    head += draw(
        pick([[], ['"""A docstring."""'], ["from __future__ import annotations"]])
    )
    head += ["import typing", "from collections.abc import Mapping, Sequence"]
    head += ["from dataclasses import dataclass", "from typing import Optional"]
    head += [statement, f"Held = dict[str, {base}]", noise[3]]
    foot = draw(pick([[], ["", "# the end"], ["Z = 1  # z"], ["", "", ""]]))
    comment = {"latin-1": "é", "cp1252": "“x”", "gbk": "缓存"}.get(coding, "😀 é")
    text = "\n".join([*head, f"# {comment}", *lines, *foot])
    text += draw(pick(["\n", "", "\n\n"]))
    newline = draw(pick(["\n", "\r\n"]))
    has_bom = coding == "utf-8" and draw(st.booleans())
    content = text.replace("\n", newline).encode("utf-8-sig" if has_bom else coding)
    openers = (each.split()[1].strip("():") for each in nesting if each[0] in "dc")
    return SpecModule(content, (*openers, "Pack"), held, kind, body)


def _indented(lines: list[str], indent: str) -> list[str]:
    text = "\n".join(lines)
    return [indent + each if each.strip() else each for each in text.split("\n")]
