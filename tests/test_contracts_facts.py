# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Facts as JSON: what is read back, and what is said of a file that is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kvlint.contracts.facts import (
    ClassFacts,
    ContractFacts,
    DecoratorFacts,
    FactoryCall,
    FieldFacts,
    MemberFacts,
    ModuleFacts,
    ParameterFacts,
    Producer,
    Read,
    Registration,
    Spot,
    from_json,
)
from kvlint.contracts.making import Built, Retyped
from kvlint.errors import KvlintError

SPOT = Spot("vllm/a.py", 1, 7, 1, 11)
MEMBER = MemberFacts(
    "width",
    "method",
    True,
    (ParameterFacts("n", "positional", "int", None),),
    None,
    ("cache",),
    False,
    False,
    "'\u00e9'",
    ("size",),
    False,
    (),
    ("size", "**"),
    (),
    ("*",),
    True,
    SPOT,
)
FULL = ContractFacts(
    1,
    "0.1.0",
    "vllm.a",
    {"Self": "?typing.Self"},
    {"vllm.b": {"Spec": "vllm.a.Spec"}},
    (
        ClassFacts(
            "Spec",
            "vllm.a",
            ("Base",),
            (DecoratorFacts("dataclass", {"frozen": "True"}),),
            "root",
            (FieldFacts("size", "int", True, "1", {"compare": "False"}, SPOT),),
            (MEMBER,),
            SPOT,
        ),
    ),
    (),
    (Registration("Spec", "Manager", None, SPOT),),
    (FactoryCall("f", ("a", "b"), True, SPOT, 2),),
    (Read("width", True, SPOT),),
    (Producer("size", SPOT, "Spec"),),
    ("Spec",),
    (ModuleFacts("vllm.a", ("Spec", "cache")),),
    (Built("Spec", {"size": "1"}, True, False, SPOT),),
    (Retyped({"Spec": "Other"}, True, ("size",), "f", "copied", SPOT),),
)
EMPTY = ContractFacts(1, "1", "m", {}, {}, (), (), (), (), (), (), (), (), (), ())


@pytest.mark.parametrize("facts", [FULL, EMPTY], ids=["full", "empty"])
def test_there_and_back(facts: ContractFacts) -> None:
    text = facts.to_json()
    assert text.endswith("}\n")
    assert from_json(text, "x") == facts
    assert from_json(text.encode(), "x").to_json() == text


def without(document: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != name}


def broken_documents() -> dict[str, tuple[str | bytes, str]]:
    good = json.loads(EMPTY.to_json())
    return {
        "not JSON": ("{", "not JSON: "),
        "not UTF-8": (b'{"format": "\xff"}', "not JSON: "),
        "nested too deep": ("[" * 100_000, "not JSON: "),
        "an array": ("[]", "not a contract of format 1"),
        "another format": (
            json.dumps(good | {"format": 2}),
            "not a contract of format",
        ),
        "no format": (json.dumps(without(good, "format")), "not a contract of format"),
        "a part is missing": (json.dumps(without(good, "reads")), "'reads' is missing"),
        "a wrong part": (json.dumps(good | {"reads": "x"}), "list expected, str found"),
        "a wrong entry": (
            json.dumps(good | {"reads": [1]}),
            "dict expected, int found",
        ),
        "a wrong text": (json.dumps(good | {"release": 1}), "str expected, int found"),
    }


@pytest.mark.parametrize(
    ("text", "said"), broken_documents().values(), ids=broken_documents()
)
def test_bad_json(text: str | bytes, said: str) -> None:
    with pytest.raises(KvlintError) as caught:
        from_json(text, "facts.json")
    message = str(caught.value)
    assert message.startswith("facts.json: ") and said in message
    assert "\n" not in message
