# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a text says of block tables before anything of it is parsed."""

from __future__ import annotations

import pytest

from kvlint.model.sizes.table_texts import Sinks, makes_tables, receivers, rest_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.copy_(block_table)", {"a"}),
        ("self.a[:n].copy_(m.block_table_tensor)", {"self.a"}),
        ("self.a[:n, :w] = m.block_tables[:n]", {"self.a"}),
        ("self.a[\n    :n, b : b + w\n] = m.page_table", {"self.a"}),
        ("a[:n] = block_table_size(n)", set()),
        ("a[:n] = unblock_tables()", set()),
        ("a = block_table", set()),
        ("a.copy_(other)", set()),
    ],
)
def test_what_receives_rows(text: str, expected: set[str]) -> None:
    assert receivers(text) == expected


@pytest.mark.parametrize(
    ("text", "start", "expected"),
    [
        ("a = b + c\nd", 3, " b + c"),
        ("a = f(\n  b,\n)\nd", 3, " f(\n  b,\n)"),
        ("f(\n  b,\n  c)\nd", 2, "\n  b,\n  c"),
        ("a =\\\n b", 3, "\\"),
        ("a = b", 3, " b"),
    ],
)
def test_the_rest_of_a_statement_or_of_brackets(
    text: str, start: int, expected: str
) -> None:
    assert rest_of(text, start) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("block_table = torch.zeros(2)", True),
        ("self.page_table_cpu: Tensor = self.new_buffer(2)", True),
        ("Batch(width=1)", True),
        ("def f(width: int): ...", True),
        ("a[0] = block_table", True),
        ("table = 3", False),
        ("block_table = other", False),
    ],
)
def test_files_that_make_tables(text: str, expected: bool) -> None:
    assert makes_tables(["width"])(text.encode()) is expected


FUNCTION = """\
def f(self, {}):
    {}
    {}
"""


@pytest.mark.parametrize(
    ("parameters", "before", "sink", "expected"),
    [
        ("spec", "n = cdiv(model_len, spec.block_size)", "Batch(width=n)", True),
        ("x", "n = cdiv(model_len, spec.block_size)", "Batch(width=n)", True),
        ("spec", "n = model_len // block_size", "Batch(width=n)", True),
        ("spec", "n = math.ceil(model_len / block_size)", "Batch(width=[n])", True),
        ("spec", "n.append(model_len // block_size)", "Table(1, n)", True),
        ("block_sizes", "", "Table(\n        1, model_len // block_size)", True),
        ("spec", "", "page_table = zeros(model_len // block_size)", True),
        ("spec", "for n in [model_len // block_size]: pass", "Batch(width=n)", True),
        ("x", "n = cdiv(model_len, x.block_size)", "Batch(width=n)", False),
        ("spec", "n = cdiv(model_len, x)", "Batch(width=n)", False),
        ("spec", "n = cdiv(length, block_size)", "Batch(width=n)", False),
        ("spec", "n = model_len * block_size", "Batch(width=n)", False),
        ("spec", "m = cdiv(model_len, block_size)", "Batch(width=n)", False),
        (
            "spec",
            "n = spec.width(1)\n    n = model_len // block_size",
            "Batch(width=n)",
            False,
        ),
    ],
)
def test_what_may_be_worth_parsing(
    parameters: str, before: str, sink: str, expected: bool
) -> None:
    text = FUNCTION.format(parameters, before, sink)
    sinks = Sinks(text, "width", ["width"], ["Table"], [])
    found = [place for place in sinks.places() if place > text.index("\n")]
    assert found
    assert any(sinks.may_divide(each, (0, len(text))) for each in found) is expected


def test_an_argument_is_no_tensor() -> None:
    text = (
        "def f():\n    made = Metadata(\n        block_table=torch.zeros(2),\n    )\n"
    )
    assert [*Sinks(text, "width", ["width"], [], []).places()] == []


def test_attributes_are_looked_up_in_the_whole_file() -> None:
    text = (
        "def g(self, spec):\n    self.n = model_len // spec.block_size\n"
        "def f(self):\n    return Batch(width=self.n)\n"
    )
    sinks = Sinks(text, "width", ["width"], [], [])
    (place,) = sinks.places()
    assert sinks.may_divide(place, (text.index("def f"), len(text)))
