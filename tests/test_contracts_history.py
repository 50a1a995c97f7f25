# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The history of names: from facts to spans, what it answers, what is bundled."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kvlint.contracts import bundle
from kvlint.contracts.facts import ClassFacts, ContractFacts, FieldFacts, Spot
from kvlint.contracts.history import Past, history
from kvlint.contracts.tracing import to_json, trace

ROOT = Path(__file__).parents[1]
SPOT = Spot("vllm/v1/kv_cache_interface.py", 1, 1, 1, 1)


def release(name: str, **classes: str) -> ContractFacts:
    """A release whose classes have some fields; a class may stand below another."""
    return ContractFacts(
        format=1,
        release=name,
        module="vllm.v1.kv_cache_interface",
        imports={},
        module_imports={},
        classes=tuple(_class(*each) for each in classes.items()),
        managers=(),
        registrations=(),
        factories=(),
        reads=(),
        producers=(),
        made_for_groups=(),
        modules=(),
        built=(),
        retyped=(),
    )


def _class(name: str, text: str) -> ClassFacts:
    base, _, names = text.rpartition(":")
    fields = tuple(
        FieldFacts(each, f"T{number}", True, f"{number} * 7", {}, SPOT)
        for number, each in enumerate(names.split())
    )
    bases = (base,) if base else ()
    return ClassFacts(name, "m", bases, (), "spec", fields, (), SPOT)


TRACED = trace(
    [
        release("0.8.0", Base="size ratio _own", Leaf="Base:"),
        release("0.9.0", Base="size ratio", Leaf="Base: depth", Odd="Base:"),
        release("0.10.0", Base="size fraction", Leaf="Base: ratio"),
        release("0.11.0", Base="size quotient", Leaf="Base:", Odd="Base: depth"),
    ]
)


def test_traced_spans() -> None:
    assert TRACED.releases == ["0.8.0", "0.9.0", "0.10.0", "0.11.0"]
    assert TRACED.classes == {
        "Base": [[0, 4]],
        "Leaf": [[0, 4]],
        "Odd": [[1, 2], [3, 4]],
    }
    assert TRACED.names["Leaf"] == {
        "depth": [[1, 2]],
        "fraction": [[2, 3]],
        "quotient": [[3, 4]],
        "ratio": [[0, 3]],
        "size": [[0, 4]],
    }
    assert TRACED.renames == [
        (2, "ratio", "fraction", ("Base",)),
        (3, "fraction", "quotient", ("Base", "Leaf")),
    ]


@pytest.mark.parametrize(
    ("owner", "name", "now", "expected"),
    [
        ("Base", "ratio", "0.9.0", None),
        ("Base", "ratio", "0.10.0", Past("0.9.0", "0.10.0", "fraction", "0.10.0")),
        # What stands for it has itself another name by now.
        ("Base", "ratio", "0.11.0", Past("0.9.0", "0.10.0", "quotient", "0.11.0")),
        ("Base", "ratio", "0.11.0.dev3", Past("0.9.0", "0.10.0", "fraction", "0.10.0")),
        ("Base", "ratio", "1.0", Past("0.9.0", "0.10.0", "quotient", "0.11.0")),
        ("Base", "quotient", "0.9.0", None),
        ("Base", "never", "0.11.0", None),
        ("Base", "_own", "0.11.0", None),
        ("Leaf", "ratio", "0.10.5", None),
        ("Leaf", "ratio", "0.11.0", Past("0.10.0", "0.11.0")),
        ("Leaf", "depth", "0.10.0", Past("0.9.0", "0.10.0")),
        ("Odd", "size", "0.10.0", Past("0.9.0", "0.10.0")),
        ("Odd", "size", "0.11.0", None),
        ("Other", "size", "0.11.0", None),
        ("Base", "size", "0.1.0", None),
    ],
)
def test_past(owner: str, name: str, now: str, expected: Past | None) -> None:
    assert TRACED.past(owner, name, now) == expected


@pytest.mark.parametrize(
    ("owner", "name", "now", "expected"),
    [
        ("Base", "size", "0.1.0", "0.8.0"),
        ("Base", "size", "0.9.0", None),
        ("Base", "quotient", "0.9.0", "0.11.0"),
        ("Base", "ratio", "0.10.0", None),
        ("Odd", "depth", "0.10.0", "0.11.0"),
        ("Other", "depth", "0.10.0", None),
    ],
)
def test_future(owner: str, name: str, now: str, expected: str | None) -> None:
    assert TRACED.future(owner, name, now) == expected


def test_has() -> None:
    assert TRACED.has("Leaf", "ratio", "0.10.0")
    assert TRACED.has("Leaf", "ratio", "0.10.1")
    assert not TRACED.has("Base", "ratio", "0.10.0")
    assert not TRACED.has("Base", "size", "0.7.0")
    assert not TRACED.has("Other", "size", "0.8.0")


def test_classes_come_and_go() -> None:
    assert TRACED.past_class("Odd", "0.10.0") == Past("0.9.0", "0.10.0")
    assert TRACED.past_class("Odd", "0.11.0") is None
    assert TRACED.past_class("Odd", "0.8.0") is None
    assert TRACED.future_class("Odd", "0.8.0") == "0.9.0"
    assert TRACED.future_class("Odd", "0.10.0") == "0.11.0"
    assert TRACED.future_class("Odd", "0.11.0") is None
    assert TRACED.future_class("Other", "0.8.0") is None


def test_the_renames_of_0_29() -> None:
    found = history()
    for owner, name, successor in (
        ("MLAAttentionSpec", "compress_ratio", "tokens_per_state"),
        ("KVCacheSpec", "storage_block_size", "num_states"),
        ("KVCacheTensor", "shared_by", "layers"),
    ):
        expected = Past("0.28.0", "0.29.0", successor, "0.29.0")
        assert found.past(owner, name, "0.33.0") == expected
        assert found.past(owner, name, "0.28.0") is None
        assert found.future(owner, successor, "0.27.1") == "0.29.0"


def test_a_name_that_came_back_with_another_meaning() -> None:
    owner, name = "MLAAttentionSpec", "storage_block_size"
    assert history().past(owner, name, "0.31.0") is None
    expected = Past("0.31.0", "0.32.0", "num_states", "0.29.0")
    assert history().past(owner, name, "0.33.0") == expected


def test_bundled_is_what_the_facts_say() -> None:
    facts = [bundle.load(each) for each in bundle.releases()]
    assert to_json(trace(facts)).encode() == bundle.history()
    assert history().releases == list(bundle.releases())


def test_other_facts_make_another_history() -> None:
    facts = [bundle.load(each) for each in bundle.releases()[-2:]]
    without = [replace(facts[0], managers=()), facts[1]]
    assert to_json(trace(facts)) != to_json(trace(without))


def test_it_is_read_when_asked_for() -> None:
    program = (
        "import sys\n"
        "from kvlint.contracts.history import history\n"
        "assert history.cache_info().currsize == 0\n"
        "history()\n"
        "assert 'libcst' not in sys.modules\n"
        "assert 'kvlint.contracts.renames' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
