# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
from __future__ import annotations

from dataclasses import replace
from textwrap import dedent, indent
from typing import Any

import pytest

from kvlint.mending.delegation import (
    Delegation,
    Holder,
    Mapped,
    One,
    Parameter,
    Places,
    Signature,
    Style,
    body_text,
    member_text,
    mirror_text,
)

WIDTH = Signature(
    "max_num_blocks_per_req",
    (Parameter("vllm_config", annotation="VllmConfig"), Parameter("max_len")),
    "int",
)
COPIER = Signature("copied", (Parameter("size", annotation="int"),), "Self")
SPECS = Holder("kv_cache_specs", Mapped(One()))
COMPOSITE = "UniformTypeKVCacheSpecs"


def delegation(signature: Signature, **other: Any) -> Delegation:
    return Delegation(
        signature, other.pop("holders", (SPECS,)), other.pop("name", COMPOSITE), **other
    )


def body(signature: Signature, **other: Any) -> str:
    text = body_text(delegation(signature, **other), Style(), "    ")
    return indent(dedent(text), "    ").rstrip("\n")


def test_a_whole_member_of_the_seed_fault() -> None:
    signature = replace(
        WIDTH, parameters=(WIDTH.parameters[0], Parameter("max_len", annotation="int"))
    )
    assert member_text(delegation(signature), Style(), "    ") == (
        "    def max_num_blocks_per_req("
        "self, vllm_config: VllmConfig, max_len: int) -> int:\n"
        "        answers = {\n"
        "            spec.max_num_blocks_per_req(vllm_config, max_len)\n"
        "            for spec in self.kv_cache_specs.values()\n"
        "        }\n"
        "        assert len(answers) == 1, (\n"
        '            "The layers of UniformTypeKVCacheSpecs must agree on "\n'
        '            f"max_num_blocks_per_req, got {sorted(answers)}."\n'
        "        )\n"
        "        return next(iter(answers))\n"
    )


ONE = (Holder("inner", One()),)
PLACE = (Holder("pair", Places((None, One()))),)
PROPERTY = Signature("storage", (), "int | None", is_property=True)
UNKNOWN = replace(PROPERTY, returns="KVQuantMode")

BODIES: list[tuple[str, Signature, dict[str, Any], str]] = [
    (
        "one spec answers itself",
        WIDTH,
        {"holders": ONE},
        """
        return self.inner.max_num_blocks_per_req(vllm_config, max_len)
        """,
    ),
    (
        "one place of a tuple, whatever is combined",
        PROPERTY,
        {"holders": PLACE, "combine": "all"},
        """
        return self.pair[1].storage
        """,
    ),
    (
        "hashable answers that do not sort",
        PROPERTY,
        {},
        """
        answers = {spec.storage for spec in self.kv_cache_specs.values()}
        assert len(answers) == 1, (
            "The layers of UniformTypeKVCacheSpecs must agree on storage, "
            f"got {answers}."
        )
        return next(iter(answers))
        """,
    ),
    (
        "answers that may not hash",
        UNKNOWN,
        {},
        """
        answers = [spec.storage for spec in self.kv_cache_specs.values()]
        assert len(answers) > 0 and all(answer == answers[0] for answer in answers), (
            "The layers of UniformTypeKVCacheSpecs must agree on storage, "
            f"got {answers}."
        )
        return answers[0]
        """,
    ),
    (
        "an error that python -O keeps",
        PROPERTY,
        {"agreement": "raise", "name": "Pair"},
        """
        answers = {spec.storage for spec in self.kv_cache_specs.values()}
        if len(answers) != 1:
            raise ValueError(
                f"The layers of Pair must agree on storage, got {answers}."
            )
        return next(iter(answers))
        """,
    ),
    (
        "an error where answers may not hash",
        UNKNOWN,
        {"agreement": "raise", "name": "AttentionPair"},
        """
        answers = [spec.storage for spec in self.kv_cache_specs.values()]
        if len(answers) == 0 or any(answer != answers[0] for answer in answers):
            raise ValueError(
                f"The layers of AttentionPair must agree on storage, got {answers}."
            )
        return answers[0]
        """,
    ),
    (
        "all of them",
        replace(PROPERTY, returns="bool"),
        {"combine": "all"},
        """
        return all(spec.storage for spec in self.kv_cache_specs.values())
        """,
    ),
    (
        "the most pages",
        replace(WIDTH, parameters=WIDTH.parameters[:1]),
        {"combine": "pages"},
        """
        pages = max(
            -(-spec.max_num_blocks_per_req(vllm_config) // spec.page_size_bytes)
            for spec in self.kv_cache_specs.values()
        )
        return pages * self.page_size_bytes
        """,
    ),
    (
        "the pages of one spec",
        Signature("usage"),
        {"combine": "pages", "holders": ONE},
        """
        pages = -(-self.inner.usage() // self.inner.page_size_bytes)
        return pages * self.page_size_bytes
        """,
    ),
    (
        "parameters by their kinds, and locals beside them",
        Signature(
            "m",
            (
                Parameter("spec", "positional-only"),
                Parameter("answers"),
                Parameter("more", "var-positional"),
                Parameter("key", "keyword-only"),
                Parameter("rest", "var-keyword"),
            ),
            "int",
            self_name="this",
        ),
        {"name": "P"},
        """
        layer_answers = {
            layer_spec.m(spec, answers, *more, key=key, **rest)
            for layer_spec in this.kv_cache_specs.values()
        }
        assert len(layer_answers) == 1, (
            f"The layers of P must agree on m, got {sorted(layer_answers)}."
        )
        return next(iter(layer_answers))
        """,
    ),
]


@pytest.mark.parametrize(
    ("signature", "other", "text"),
    [each[1:] for each in BODIES],
    ids=[each[0] for each in BODIES],
)
def test_bodies(signature: Signature, other: dict[str, Any], text: str) -> None:
    assert body(signature, **other) == indent(dedent(text), "    ").strip("\n")


@pytest.mark.parametrize(
    ("is_property", "decorators", "above"),
    [
        (False, (), ""),
        (True, (), "@property\n"),
        (True, ("override",), "@property\n@override\n"),
        (True, ("functools.cached_property",), "@functools.cached_property\n"),
        (False, ("override",), "@override\n"),
    ],
)
def test_decorators(is_property: bool, decorators: tuple[str, ...], above: str) -> None:
    wanted = delegation(Signature("m", is_property=is_property), holders=ONE)
    text = member_text(wanted, Style(), "", decorators)
    assert text.startswith(f"{above}def m(self):\n")


@pytest.mark.parametrize(
    ("frozen", "holders", "last"),
    [
        (True, ONE, 'object.__setattr__(self, "sharded", self.inner.sharded)'),
        (False, ONE, "self.sharded = self.inner.sharded"),
        (True, (SPECS,), 'object.__setattr__(self, "sharded", next(iter(answers)))'),
        (False, (SPECS,), "self.sharded = next(iter(answers))"),
    ],
)
def test_mirrored_fields(frozen: bool, holders: tuple[Holder, ...], last: str) -> None:
    wanted = delegation(Signature("sharded", (), "bool", True), holders=holders)
    text = mirror_text(wanted, Style(), "  ", frozen=frozen)
    assert text.splitlines()[-1] == f"  {last}"


def test_mirrors_leave_the_names_of_their_method_alone() -> None:
    wanted = delegation(Signature("sharded", (), "bool", True))
    text = mirror_text(wanted, Style(), "", frozen=True, taken={"answers", "spec"})
    assert "layer_answers = {layer_spec.sharded for layer_spec in" in text
