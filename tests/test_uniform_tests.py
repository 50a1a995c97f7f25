# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is asked of layers that are to share a group."""

from __future__ import annotations

import textwrap

import libcst as cst
import pytest

from kvlint.model.merging.uniform_tests import UniformTest, read_uniform_tests


def read(body: str, name: str = "is_uniform_with_collection") -> list[UniformTest]:
    text = f"def {name}(self, specs):\n{textwrap.indent(textwrap.dedent(body), '    ')}"
    function = cst.parse_module(text).body[0]
    assert isinstance(function, cst.FunctionDef)
    return list(read_uniform_tests(function))


def told(body: str) -> tuple[object, ...]:
    (only,) = read(body)
    assert only.asked == ()
    return only.admits, only.is_exact, sorted(only.compared), only.asks_base


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "return all(isinstance(x, A) and x.f == self.f for x in specs.values())",
            (("A",), False, ["f"], False),
        ),
        (
            "return all(isinstance(x, (A, m.B | C)) for x in specs)",
            (("A", "m.B", "C"), False, [], False),
        ),
        (
            """
            base = Registry.get_uniform_type_base_spec(self)
            assert base is not None, f"{type(self)}"
            return all(isinstance(x, base) for x in specs.values())
            """,
            (("?",), False, [], False),
        ),
        (
            "return all(isinstance(x, type(self)) for x in specs.values())",
            (("type",), False, [], False),
        ),
        (
            "return all(type(x) is type(self) for x in specs.values())",
            (("type",), True, [], False),
        ),
        (
            "return not any(x.__class__ is not A for x in specs.values())",
            (("A",), True, [], False),
        ),
        (
            """
            if not super().is_uniform_with_collection(specs):
                return False
            return len({x.f for x in specs.values()}) == 1
            """,
            ((), False, ["f"], True),
        ),
        (
            "return A.is_uniform_with_collection(self, specs)",
            ((), False, [], True),
        ),
        (
            "return all((x.f, x.g()) == (self.f, self.g()) for x in specs.values())",
            ((), False, ["f", "g"], False),
        ),
        ("return all(x == self for x in specs.values())", ((), False, ["*"], False)),
        (
            """
            return all(
                getattr(x, f.name) == getattr(self, f.name)
                for x in specs.values()
                for f in self.FIELDS
            )
            """,
            ((), False, ["*"], False),
        ),
    ],
)
def test_one_test(body: str, expected: tuple[object, ...]) -> None:
    assert told(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "return all(alike(x, self) for x in specs.values())",
        "return isinstance(self, A) and all(x.f == self.f for x in specs.values())",
        "return all(x.is_uniform_with_collection(specs) for x in specs.values())",
        "return True",
        "raise NotImplementedError",
    ],
)
def test_what_cannot_be_told(body: str) -> None:
    assert read(body) == []


BRANCHES = """
if len({x.size for x in specs.values()}) > 1:
    return False
one = next(iter(specs.values()))
if isinstance(one, (A, B)):
    return all(isinstance(x, A | B) for x in specs.values())
elif isinstance(one, C):
    return all(isinstance(x, C) and x.f == one.f for x in specs.values())
elif isinstance(one, D):
    return True
else:
    raise NotImplementedError(f"{type(one)}")
"""
CHOICE = """
one = next(iter(specs.values()))
len({x.size for x in specs.values()})
return (
    all(isinstance(x, A | B) for x in specs.values())
    if isinstance(one, (A, B))
    else all(isinstance(x, C) and x.f == one.f for x in specs.values())
    if isinstance(one, C)
    else True
    if isinstance(one, D)
    else None
)
"""


@pytest.mark.parametrize("body", [BRANCHES, CHOICE])
def test_branches_by_the_class_of_the_first(body: str) -> None:
    found = read(body, "is_uniform_type")
    assert [(x.asked, x.admits, sorted(x.compared)) for x in found] == [
        (("A", "B"), ("A", "B"), []),
        (("C",), ("C",), ["f"]),
        (("D",), (), []),
        ((), (), ["size"]),
    ]


def test_a_branch_that_calls_a_helper_hides_all() -> None:
    helped = BRANCHES.replace("return True", "return helper(specs)")
    assert read(helped, "is_uniform_type") == []


def test_what_is_handed_on_to_the_first_spec() -> None:
    body = """
    if len({x.size for x in specs.values()}) > 1:
        return False
    return next(iter(specs.values())).is_uniform_with_collection(specs)
    """
    (only,) = read(body, "is_uniform_type")
    assert (only.admits, sorted(only.compared), only.asks_base) == ((), ["size"], False)
