# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Whether an override takes every call of its base, beside what Python says."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvlint.model.classes import Member, Parameter
from kvlint.model.reading import read_file
from kvlint.model.signatures import (
    Departure,
    Difference,
    differences,
    has_plain_decorators,
)
from kvlint.sources import decode_source


def member(text: str) -> Member:
    """Return the member of a class body."""
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    source = decode_source(Path("specs.py"), f"class Spec:\n{lines}".encode())
    (found,) = read_file(source).classes[0].members.values()
    return found


def parameters(text: str) -> tuple[Parameter, ...]:
    return member(f"def m(self, {text}): ...").parameters


def found(override: str, base: str) -> list[tuple[str, str, str, bool]]:
    return [
        (each.departure.name, each.name, each.other, each.fails_always)
        for each in differences(parameters(override), parameters(base))
    ]


@pytest.mark.parametrize(
    ("base", "override"),
    [
        ("", ""),
        ("config, length", "config, length"),
        ("config, length", "config: 'VllmConfig', length: int"),
        ("config, length", "config, length=0"),
        ("config", "config, length=0"),
        ("config", "config, *, length=0"),
        ("config", "config, *args, **kwargs"),
        ("config, length", "*args, **kwargs"),
        ("config, length", "config, *args, **kwargs"),
        ("*, length", "length"),
        ("*, length", "*, length"),
        ("*, length", "**kwargs"),
        ("*, length", "*, length, more=0"),
        ("config, /", "other, /"),
        ("config, /", "other"),
        ("config, /", "*args"),
        ("config, /, length", "other, length"),
        ("config=None", "other=None, **kwargs"),
        ("*args, **kwargs", "config, length"),
        ("config, **kwargs", "config, *, length"),
        ("config, *args", "config, length"),
        ("*args, **kwargs", ""),
    ],
)
def test_no_difference(base: str, override: str) -> None:
    assert found(override, base) == []


@pytest.mark.parametrize(
    ("base", "override", "expected"),
    [
        ("config, length", "config", [("MISSING", "length", "", True)]),
        ("config, length", "length", [("MISSING", "config", "", True)]),
        ("config, length=0", "config", [("MISSING", "length", "", False)]),
        ("config, *, length", "config", [("MISSING", "length", "", True)]),
        ("config, /", "", [("MISSING", "config", "", True)]),
        ("config", "other", [("RENAMED", "config", "other", False)]),
        ("config", "_config", [("RENAMED", "config", "_config", False)]),
        ("config", "other, **kwargs", [("RENAMED", "config", "other", False)]),
        (
            "config, length",
            "c, n",
            [("RENAMED", "config", "c", False), ("RENAMED", "length", "n", False)],
        ),
        ("config", "config, length", [("FURTHER", "length", "", True)]),
        ("config", "length, config", [("FURTHER", "length", "", True)]),
        ("config", "config, *, length", [("FURTHER", "length", "", True)]),
        ("config, *args", "config, *, length", [("FURTHER", "length", "", True)]),
        ("**kwargs", "length, /", [("FURTHER", "length", "", True)]),
        ("length=0", "length", [("REQUIRED", "length", "length", False)]),
        ("*, length=0", "*, length", [("REQUIRED", "length", "length", False)]),
        ("length", "*, length", [("BY_KEYWORD", "length", "", False)]),
        ("length", "**kwargs", [("BY_KEYWORD", "length", "", False)]),
        ("length, /", "*, length", [("BY_KEYWORD", "length", "", True)]),
        ("length", "length, /", [("BY_POSITION", "length", "", False)]),
        ("length", "*args", [("BY_POSITION", "length", "", False)]),
        ("*, length", "length, /", [("BY_POSITION", "length", "", True)]),
        (
            "config, length",
            "length, config",
            [("REORDERED", "config", "length", False)],
        ),
        (
            "config, length",
            "config, more=0, length=0",
            [("INSERTED", "more", "length", False)],
        ),
        (
            "config, length",
            "settings, more",
            [
                ("RENAMED", "config", "settings", False),
                ("RENAMED", "length", "more", False),
            ],
        ),
        (
            "config, length=0",
            "settings",
            [
                ("RENAMED", "config", "settings", False),
                ("MISSING", "length", "", False),
            ],
        ),
        (
            "config=None",
            "settings",
            [
                ("RENAMED", "config", "settings", False),
                ("REQUIRED", "config", "settings", False),
            ],
        ),
        (
            "config, *, length",
            "length, config",
            [("INSERTED", "length", "config", False)],
        ),
        (
            "config, *, length",
            "config, *, size",
            [("MISSING", "length", "", True), ("FURTHER", "size", "", True)],
        ),
    ],
)
def test_differences(
    base: str, override: str, expected: list[tuple[str, str, str, bool]]
) -> None:
    assert found(override, base) == expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def m(self): ...", []),
        ("def m(self, config): ...", ["config"]),
        ("def m(self, /, config): ...", ["config"]),
        ("def m(*args, **kwargs): ...", ["args", "kwargs"]),
        ("@classmethod\ndef m(cls, specs): ...", ["specs"]),
        ("@staticmethod\ndef m(): ...", []),
        ("@staticmethod\ndef m(specs, more): ...", ["specs", "more"]),
        ("@staticmethod\ndef m(specs, /, more): ...", ["specs", "more"]),
        ("m = 3", []),
    ],
)
def test_what_callers_see(text: str, names: list[str]) -> None:
    assert [each.name for each in member(text).parameters] == names


@pytest.mark.parametrize(
    ("decorators", "plain"),
    [
        ("", True),
        ("@property\n", True),
        ("@typing.override\n@classmethod\n", True),
        ("@functools.lru_cache(maxsize=1)\n", True),
        ("@torch.inference_mode()\n", True),
        ("@with_config\n", False),
        ("@classmethod\n@with_config\n", False),
        ("@decorators[0]\n", False),
    ],
)
def test_decorators(decorators: str, plain: bool) -> None:
    assert has_plain_decorators(member(f"{decorators}def m(self): ...")) is plain


@st.composite
def signatures(draw: st.DrawFn, variable: bool = False) -> str:
    """A list of parameters that Python accepts."""
    names = draw(st.permutations(["a", "b", "c", "d"]))[: draw(st.integers(0, 3))]
    cuts = sorted(draw(st.integers(0, len(names))) for _ in range(2))
    by_position = names[: cuts[1]]
    first_default = draw(st.integers(0, len(by_position)))
    parts = []
    for number, name in enumerate(by_position):
        parts.append(name if number < first_default else f"{name}=0")
        if number + 1 == cuts[0]:
            parts.append("/")
    takes_more = variable and draw(st.booleans())
    by_keyword = names[cuts[1] :]
    if takes_more:
        parts.append("*args")
    elif by_keyword:
        parts.append("*")
    parts += [name + draw(st.sampled_from(["", "=0"])) for name in by_keyword]
    if variable and draw(st.booleans()):
        parts.append("**kwargs")
    return ", ".join(parts)


def function(text: str) -> Callable[..., dict[str, object]]:
    """A function that gives what its parameters got."""
    scope: dict[str, Callable[..., dict[str, object]]] = {}
    exec(f"def m({text}): return locals()", scope)
    return scope["m"]


def calls(base: inspect.Signature) -> Iterator[tuple[list[str], dict[str, str]]]:
    """Every call that a signature takes; each value is its parameter's name."""
    positional = [
        each for each in base.parameters.values() if each.kind < each.VAR_POSITIONAL
    ]
    for count in range(len(positional) + 1):
        rest = [each for each in base.parameters.values()][count:]
        choices = [
            [
                *([True] if each.kind != each.POSITIONAL_ONLY else []),
                *([False] if each.default is not each.empty else []),
            ]
            for each in rest
        ]
        for given_by_name in product(*choices):
            names = [
                each.name
                for each, is_given in zip(rest, given_by_name, strict=True)
                if is_given
            ]
            yield (
                [each.name for each in positional[:count]],
                {name: name for name in names},
            )


def succeeds(
    override: Callable[..., dict[str, object]],
    base: inspect.Signature,
    arguments: list[str],
    keywords: dict[str, str],
) -> bool:
    """Whether a call goes through, and every value comes where it belongs."""
    try:
        got = override(*arguments, **keywords)
    except TypeError:
        return False
    for name, value in got.items():
        if value == name or not isinstance(value, str):
            continue  # defaults, *args and **kwargs are no strings
        named = {
            each.name
            for each in base.parameters.values()
            if each.kind is not each.POSITIONAL_ONLY
        }
        is_free = value not in named or value not in got
        if name in named or not is_free:
            return False
    return True


@settings(max_examples=300, deadline=None)
@given(signatures(), signatures(variable=True))
def test_python_agrees(base: str, override: str) -> None:
    known, asked = inspect.signature(function(base)), function(override)
    outcomes = [
        succeeds(asked, known, arguments, keywords)
        for arguments, keywords in calls(known)
    ]
    told = differences(parameters(override), parameters(base))
    assert all(outcomes) == (not told), told
    if any(each.fails_always for each in told):
        assert not any(outcomes), told


def test_a_difference_is_plain_data() -> None:
    one = Difference(Departure.MISSING, "length", fails_always=True)
    assert one == Difference(Departure.MISSING, "length", "", True)
