# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Tests of the class of something, and what follows them: KV306, KV307 and KV310."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest
from projects import write_project

from kvlint.model.class_tests.exact_tests import ExactTests
from kvlint.model.class_tests.ladders import Ladders
from kvlint.model.class_tests.type_tests import (
    code_of,
    exact_test,
    instance_test,
    no_meaning,
)
from kvlint.model.groups.group_searches import group_searches
from kvlint.model.named_literals import Literals
from kvlint.model.values.rebinding import depends_on, rebound
from kvlint.model.workspace import Workspace


def function(body: str) -> cst.FunctionDef:
    return cst.ensure_type(
        cst.parse_statement(f"def f(x, groups):\n{body}\n"), cst.FunctionDef
    )


@pytest.mark.parametrize(
    ("text", "subject", "classes", "holds", "is_text"),
    [
        ("isinstance(x, A)", "x", ("A",), True, False),
        ("isinstance(x.y, (A, m.B))", "x.y", ("A", "m.B"), True, False),
        ("isinstance((z := x), A | B)", "z", ("A", "B"), True, False),
        ("isinstance(x, kinds[0])", "x", ("",), True, False),
        ("type(x) is A", "x", ("A",), True, False),
        ("type(x) is not A", "x", ("A",), False, False),
        ("A == type(x.y)", "x.y", ("A",), True, False),
        ("x.__class__ in {A, B}", "x", ("A", "B"), True, False),
        ("type(x) not in frozenset([A])", "x", ("A",), False, False),
        ("type(x) in {A: 1, B: 2}", "x", ("A", "B"), True, False),
        ("type(x).__name__ != 'A'", "x", ("A",), False, True),
        ("x.__class__.__qualname__ in ('A', 'B')", "x", ("A", "B"), True, True),
    ],
)
def test_what_is_tested(
    text: str, subject: str, classes: tuple[str, ...], holds: bool, is_text: bool
) -> None:
    node = cst.parse_expression(text)
    found = instance_test(node) or exact_test(node, {}, no_meaning)
    assert found is not None
    assert (code_of(found.subject), found.classes) == (subject, classes)
    assert (found.holds, found.is_text) == (holds, is_text)


@pytest.mark.parametrize(
    "text",
    [
        "isinstance(x)",
        "issubclass(x, A)",
        "type(x) is type(y)()",
        "type(x) < A",
        "type(x) is A is B",
        "type(x) in kinds",
        "type(x) in (A, *more)",
        "type(x) in {**more}",
        "type(x).__name__ == name",
        "x is A",
        "A in type(x)",
    ],
)
def test_what_is_no_test(text: str) -> None:
    node = cst.parse_expression(text)
    assert instance_test(node) is None
    assert exact_test(node, {}, no_meaning) is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a, (b, *c) = x", {"a", "b", "c"}),
        ("self.spec = x", {"self.spec"}),
        ("specs[0] = x", {"specs"}),
        ("a: int = 1", {"a"}),
        ("a += 1", {"a"}),
        ("for a, b in x: c = 1", {"a", "b", "c"}),
        ("with x as a: pass", {"a"}),
        ("try: pass\nexcept E as a: pass", {"a"}),
        ("f(a := 1)", {"a"}),
        ("import a.b\n", {"a"}),
        ("from m import a as b\n", {"b"}),
        ("del a", {"a"}),
        ("def g(): pass", {"g"}),
        ("match x:\n    case A(y=a) as b: pass", {"a", "b"}),
        ("match x:\n    case [*a]: pass", {"a"}),
        ("match x:\n    case {**a}: pass", {"a"}),
        ("x.y()", set()),
    ],
)
def test_what_is_bound(text: str, names: set[str]) -> None:
    assert rebound(cst.parse_module(text)) == names


def test_what_depends_on_names() -> None:
    assert depends_on("group.kv_cache_spec", {"group"})
    assert depends_on("self.spec.inner", {"self.spec"})
    assert depends_on("specs[index]", {"index"})
    assert not depends_on("self.spec", {"spec"})
    assert not depends_on("group.kv_cache_spec", {"group.kv"})


BELOW = {("B", "A"), ("C", "A"), ("C", "B")}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (" if isinstance(x, A): return 1\n if isinstance(x, B): return 2", [("B", 1)]),
        (" if isinstance(x, A): raise E\n if not isinstance(x, B): return 2", []),
        (" if isinstance(x, A): y = 1\n if isinstance(x, B): return 2", []),
        (" assert not isinstance(x, A)\n if isinstance(x, C): return 2", [("C", 1)]),
        (
            " if not isinstance(x, A):\n  if isinstance(x, B): return 1\n return 2",
            [("B", 1)],
        ),
        (
            (
                " if isinstance(x, A): return 1\n while y:\n"
                "  if isinstance(x, B): return 2"
            ),
            [("B", 1)],
        ),
        (
            (
                " if isinstance(x, A): return 1\n while y:\n"
                "  if isinstance(x, B): return 2\n  x = g()"
            ),
            [],
        ),
        (
            (
                " if isinstance(x, A): return 1\n with y as x:\n"
                "  if isinstance(x, B): return 2"
            ),
            [],
        ),
        (
            " if isinstance(x, A): return 1\n return [isinstance(x, B) for x in y]",
            [],
        ),
        (
            (
                " if isinstance(x, A): return 1\n"
                " return [1 if isinstance(x, B) else 2 for _ in y]"
            ),
            [("B", 1)],
        ),
        (
            (
                " if isinstance(x, A): return 1\n"
                " return [1 if isinstance(x, B) else 2 for x in y]"
            ),
            [],
        ),
        (
            " if isinstance(x, (B, C)): return 1\n if isinstance(x, C): return 2",
            [("C", 1)],
        ),
        (
            (
                " if y:\n  if isinstance(x, A): return 1\n else:\n  z = 1\n"
                " if isinstance(x, B): return 2"
            ),
            [],
        ),
        (
            (
                " if y:\n  if isinstance(x, A): return 1\n else:\n  return 3\n"
                " if isinstance(x, B): return 2"
            ),
            [("B", 1)],
        ),
    ],
)
def test_ladders(body: str, found: list[tuple[str, int]]) -> None:
    ladders = Ladders(lambda name, other: name == other or (name, other) in BELOW)
    ladders.function(function(body))
    assert [
        (" ".join(each.test.classes), len(each.by)) for each in ladders.found
    ] == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (" if type(x) is A: g(x)", ["SKIPPED"]),
        (" if type(x) is A: y = 1", ["OTHERWISE"]),
        (" if type(x) is A: g(x)\n else: h(x)", ["OTHERWISE"]),
        (" if type(x) is A: g(x)\n else: return", []),
        (" if type(x) is A: g(x)\n elif y: h(x)", ["SKIPPED"]),
        (" if type(x) is A: return 1\n return 2", ["OTHERWISE"]),
        (" if type(x) is A: return 1\n return None", []),
        (" if type(x) is A: return 1\n raise E", []),
        (" if type(x) is A: return 1", ["SKIPPED"]),
        (" for x in y:\n  if type(x) != A: continue\n  g(x)", ["SKIPPED"]),
        (" if type(x) is not A: return False, 'no'\n g(x)", []),
        (" if type(x) is not A: return []\n g(x)", []),
        (" if type(x) is not A: g(x)", ["OTHERWISE"]),
        (" if not (type(x) is A): raise E", []),
        (" if not type(x) is A: g(x)", ["OTHERWISE"]),
        (" y = type(x) is A", ["OTHERWISE"]),
        (" return type(x) is A", []),
        (" return 1 if type(x) is A else None", []),
        (" return 1 if type(x) is A else 2", ["OTHERWISE"]),
        (" return [z for z in y if type(z) is A]", ["SKIPPED"]),
        (" return [z for z in y if type(z) is not A]", ["OTHERWISE"]),
        (" return all(type(z) is A for z in y)", []),
        (" return all(z for z in y if type(z) is A)", []),
        (" if any(type(z) is A for z in y): g()", ["SKIPPED"]),
        (" if type(x) is A and x.y: g(x)", []),
        (" if type(x) is A and y: g(x)", ["SKIPPED"]),
        (" assert type(x) is A", []),
        (" g(type(x) is A)", []),
        (" return {A: 1}[type(x)]", ["KEY_ERROR"]),
        (" d = {A: 1}\n return d[type(x)]", ["KEY_ERROR"]),
        (" d = {A: 1}\n return d.get(type(x), 2)", ["OTHERWISE"]),
        (" d = {A: 1}\n return d.get(type(x))", []),
        (" d = {A: 1}\n d[type(x)] = 2", []),
        (" return d[type(x)]", []),
        (" kind = type(x)\n if kind is A: g(x)", ["SKIPPED"]),
        (" name = type(x).__name__\n if name == 'A': g(x)", ["SKIPPED"]),
    ],
)
def test_what_becomes_of_what_is_left_out(body: str, found: list[str]) -> None:
    tests = ExactTests(function(body), no_meaning)
    assert [each.outcome.name for each in tests] == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (
            (
                " for i, g in enumerate(groups):\n"
                "  if isinstance(g.kv_cache_spec, A): return i\n return 0"
            ),
            ["0"],
        ),
        (
            (
                " for g in groups:\n"
                "  if isinstance(g.kv_cache_spec, A): return g.kv_cache_spec\n"
                " return groups[0].kv_cache_spec"
            ),
            ["groups[0].kv_cache_spec"],
        ),
        (
            (
                " for i, g in enumerate(groups):\n"
                "  if isinstance(g.kv_cache_spec, A): return i\n return 1"
            ),
            [],
        ),
        (
            (
                " for g in groups:\n  if isinstance(g.kv_cache_spec, A): return 1\n"
                " return 0"
            ),
            [],
        ),
        (
            (
                " at = 0\n at = 1\n for i, g in enumerate(groups):\n"
                "  if isinstance(g.kv_cache_spec, A): at = i"
            ),
            [],
        ),
        (
            (
                " at = 0\n at, b = g()\n for i, g in enumerate(groups):\n"
                "  if isinstance(g.kv_cache_spec, A): at = i"
            ),
            [],
        ),
        (
            (
                " assert any(isinstance(g.kv_cache_spec, A) for g in groups)\n"
                " for i, g in enumerate(groups):\n"
                "  if isinstance(g.kv_cache_spec, A): return i\n return 0"
            ),
            [],
        ),
        (
            (
                " assert any(isinstance(g.kv_cache_spec, B) for g in groups)\n"
                " for i, g in enumerate(groups):\n"
                "  if isinstance(g.kv_cache_spec, A): return i\n return 0"
            ),
            ["0"],
        ),
        (
            (
                " if not any(is_full_spec(g.kv_cache_spec) for g in groups): return\n"
                " for i, g in enumerate(groups):\n"
                "  if is_full_spec(g.kv_cache_spec): return i\n return 0"
            ),
            [],
        ),
        (" return layer_group_sizes.get(layer_name, 0)", []),
        (" return layer_group_ids.get(layer_name, 0)", ["0"]),
        (" return layer_group_ids.get(layer_name, -1)", []),
        (" return layer_group_ids.get(group_id, 0)", []),
    ],
)
def test_group_searches(body: str, found: list[str]) -> None:
    searches = group_searches(function(body))
    assert [code_of(each.default) for each in searches] == found


def test_named_literals(tmp_path: Path) -> None:
    write_project(
        tmp_path,
        {
            "a.py": "from b import BOTH as KINDS\nimport c\nPAIR = (A, B)\n"
            "GROWN = {A: 1}\nGROWN[B] = 2\nTWICE = [A]\nTWICE = [B]\n"
            "class K:\n    kinds = frozenset({A})\n",
            "b.py": "BOTH: dict = {\n    A: 1,  # one\n    B: 2,\n}\n",
        },
    )
    literals = Literals(Workspace([tmp_path]), tmp_path / "a.py")

    def found(name: str) -> str | None:
        node = literals.find(name)
        return None if node is None else type(node).__name__

    assert [found(x) for x in ("PAIR", "self.kinds")] == ["Tuple", "Call"]
    assert found("KINDS") == "Dict"
    assert [found(x) for x in ("GROWN", "TWICE", "c.PAIR", "none")] == [None] * 4
    assert tmp_path / "b.py" in literals.paths
