# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which keywords a call passes, and why a call fails."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import libcst as cst
import pytest

from kvlint.model.merging.keywords import Passed, passed
from kvlint.model.nodes import calls
from kvlint.model.reading import read_file
from kvlint.model.refusals import Why, refusals
from kvlint.sources import decode_source

CALLS = {
    "g(1, a=1, b=2)": Passed(("a", "b")),
    "g(**rest)": Passed(),
    "g(a=1, **unknown)": Passed(("a",), is_open=True),
    "g(**{'a': 1}, **dict(b=2))": Passed(("a", "b")),
    "g(**{**x, 'a': 1})": Passed(is_open=True),
    "g(**f())": Passed(is_open=True),
    "more = {'a': 1}\ng(**more)": Passed(("a",)),
    "more: dict = {'a': 1}\nmore['b'] = 2\ng(**more)": Passed(("a", "b")),
    "more = dict(a=1)\nif x:\n    more['b'] = 2\ng(**more)": Passed(("a",), ("b",)),
    "if x:\n    more = {'a': 1}\nelse:\n    more = {}\ng(**more)": Passed((), ("a",)),
    "more = {'a': 1}\nmore.update(x)\ng(**more)": Passed(("a",), is_open=True),
    "more = {'a': 1}\nmore[x] = 1\ng(**more)": Passed(("a",), is_open=True),
    "more = {'a': 1}\nmore |= x\ng(**more)": Passed(("a",), is_open=True),
    "more = {'a': 1}\nfill(more)\ng(**more)": Passed(("a",), is_open=True),
    "more = {'a': 1}\nmore.get('a')\ng(**more)": Passed(("a",)),
    "more = make()\ng(**more)": Passed(is_open=True),
    "rest['a'] = 1\ng(**rest)": Passed(("a",)),
    "if x:\n    rest['a'] = 1\ng(**rest)": Passed((), ("a",)),
    "rest.pop('a', None)\ng(b=1, **rest)": Passed(("b",), (), ("a",)),
    "rest['a'] = 1\ndel rest['a']\ng(**rest)": Passed((), ("a",), ("a",)),
}


@pytest.mark.parametrize("body", CALLS)
def test_what_a_call_passes(body: str) -> None:
    text = "def f(x, unknown, **rest):\n" + textwrap.indent(body, "    ")
    (function,) = cst.parse_module(text).body
    assert isinstance(function, cst.FunctionDef)
    *_, call = (
        each
        for each in calls(function)
        if isinstance(each.func, cst.Name) and each.func.value == "g"
    )
    assert passed(call, function, "rest") == CALLS[body]


PARAMETERS = [
    "",
    "a",
    "a, b",
    "a, b, c",
    "a, c, b=0",
    "a=0, b=0",
    "a, /, b",
    "a, b, /",
    "*, a, b",
    "a, *, b",
    "a, *, b=0, c",
    "*a, b",
    "*a, **b",
    "a, **c",
    "b, **c",
    "a, /, **b",
    "b, /, **c",
]


@pytest.mark.parametrize("parameters", PARAMETERS)
@pytest.mark.parametrize("positionals", [0, 1, 2])
@pytest.mark.parametrize("keywords", [(), ("a",), ("b",), ("a", "b"), ("b", "c")])
def test_refusals_agree_with_python(
    parameters: str, positionals: int, keywords: tuple[str, ...]
) -> None:
    text = f"class A:\n    def f(self, {parameters}): ..."
    (owner,) = read_file(decode_source(Path("a.py"), text.encode())).classes
    names: dict[str, Any] = {}
    exec(f"def f({parameters}): ...", names)
    try:
        names["f"](*range(positionals), **dict.fromkeys(keywords, 0))
        works = True
    except TypeError:
        works = False
    found = refusals(owner.members["f"].parameters, positionals, keywords)
    assert (found == []) == works


def test_what_may_be_passed_is_not_missed() -> None:
    text = "class A:\n    def f(self, a, b): ..."
    (owner,) = read_file(decode_source(Path("a.py"), text.encode())).classes
    parameters = owner.members["f"].parameters
    assert [each.why for each in refusals(parameters, 1, ())] == [Why.NOT_PASSED]
    assert refusals(parameters, 1, (), ["b"]) == []
    assert refusals(parameters, 1, (), None) == []
