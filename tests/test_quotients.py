# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Numbers of blocks that are worked out by hand, and where names come from."""

from __future__ import annotations

import textwrap
from pathlib import Path

import libcst as cst
import pytest

from kvlint.model.functions import FunctionIndex, FunctionText
from kvlint.model.sizes.quotients import Quotient, Quotients
from kvlint.model.values.origins import KnownOrigins, Origins
from kvlint.sources import Source

RUNNER = """\
class Runner:
    def __init__(self, config):
        self.length = config.max_model_len
        self.blocks: int = cdiv(self.length, config.block_size)

    def size(self, spec, rows, given):
        {}


class Other:
    def size(self, config):
        self.elsewhere = cdiv(config.max_model_len, config.block_size)
"""


def function_of(body: str) -> tuple[FunctionIndex, FunctionText]:
    text = RUNNER.format(textwrap.indent(body, " " * 8).strip())
    index = FunctionIndex(
        Source(Path("runner.py"), text.encode(), text, "utf-8", has_bom=False)
    )
    (function,) = index.around([text.index("def size")])
    return index, function


def found(body: str) -> list[Quotient]:
    """Return the divisions in what a method returns."""
    index, function = function_of(body)
    last = function.node.body.body[-1]
    assert isinstance(last, cst.SimpleStatementLine)
    returned = last.body[0]
    assert isinstance(returned, cst.Return) and returned.value is not None
    known = KnownOrigins(index, function)
    return Quotients(known.of, "width").of(returned.value, function)


DIVISIONS = [
    "return cdiv(self.max_model_len, spec.block_size)",
    "return triton.cdiv(config.max_model_len, block_size)",
    "return ceil_div(max_model_len, spec.block_size * ranks)",
    "return ceildiv(max_model_len, kernel_block_size)",
    "return div_up(max_model_len, page_size)",
    "return math.ceil(max_model_len / block_size)",
    "return int(np.ceil(max_model_len / block_size))",
    "return (max_model_len + block_size - 1) // block_size",
    "return -(-max_model_len // block_size)",
    "return max_model_len // block_size",
    "return cdiv(max(max_model_len, encoder_len), block_size)",
    "return cdiv(min(model_len, most), block_size)",
    "return cdiv(self.length, spec.block_size)",
    "return self.blocks + 2",
    "return max(self.blocks, 1)",
    "return [self.blocks]",
    "return (rows, self.blocks)",
    "return [cdiv(max_model_len, size) for size in block_sizes]",
    "n = self.length\nsize = spec.block_size\nreturn cdiv(n, size)",
    "w = cdiv(self.length, spec.block_size)\nw = max(w, 1)\nreturn w",
    "if rows:\n    w = 1\nelse:\n    w = cdiv(self.length, block_size)\nreturn w",
    "w = []\nw.append(cdiv(self.length, block_size))\nreturn w",
    "w = {}\nw[1] = cdiv(self.length, block_size)\nreturn w",
    "a, w = 1, cdiv(self.length, block_size)\nreturn w",
    "if (w := cdiv(self.length, block_size)):\n    pass\nreturn w",
    "for w in [cdiv(self.length, block_size)]:\n    pass\nreturn w",
    "return cdiv(self.length, block_size) if rows else 1",
]
OTHERS = [
    "return cdiv(metadata.max_seq_len, block_size)",
    "return cdiv(max_model_len, ranks)",
    "return max_model_len * block_size",
    "return max_model_len % block_size",
    "return max_model_len / block_size",
    "return given",
    "given = cdiv(max_model_len, block_size)\nreturn given",
    "return spec.width(config, max_model_len)",
    "w = spec.width(1, 2)\nreturn max(w, cdiv(self.length, block_size))",
    "return count(cdiv(self.length, block_size))",
    "return table[cdiv(self.length, block_size)]",
    "return self.elsewhere",
    "w = w\nreturn w",
]


@pytest.mark.parametrize("body", DIVISIONS)
def test_a_division_is_found_once(body: str) -> None:
    (quotient,) = found(body)
    assert not quotient.is_aligned


@pytest.mark.parametrize("body", OTHERS)
def test_anything_else_is_no_division(body: str) -> None:
    assert found(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "return round_up(cdiv(max_model_len, block_size), 8)",
        "return get_block_table_width(self.blocks, block_size)",
        "return (self.blocks + 15) // 16 * 16",
        "w = align_to(self.blocks, 4)\nreturn w",
    ],
)
def test_what_is_rounded_up_again_is_aligned(body: str) -> None:
    (quotient,) = found(body)
    assert quotient.is_aligned


def test_a_division_is_told_in_the_function_that_it_is_in() -> None:
    (quotient,) = found("return self.blocks")
    assert quotient.function.symbol == "Runner.__init__"
    assert quotient.function.place(quotient.node).line == 4


def origins(body: str, name: str) -> list[tuple[str, bool]]:
    _, function = function_of(body)
    module = cst.Module([])
    return [
        (module.code_for_node(each.value), each.is_item)
        for each in Origins(function).of(name)
    ]


@pytest.mark.parametrize(
    ("body", "name", "expected"),
    [
        ("a = b = c", "b", [("c", False)]),
        ("a: int = c", "a", [("c", False)]),
        ("a: int", "a", []),
        ("a += c", "a", [("c", False)]),
        ("a, b = c", "b", [("c", True)]),
        ("a, b = c, d", "b", [("d", False)]),
        ("self.a = c", "self.a", [("c", False)]),
        ("a[0] = c", "a", [("c", False)]),
        ("a.append(c)", "a", [("c", False)]),
        ("for a in c: pass", "a", [("c", True)]),
        ("for a in sorted(c): pass", "a", [("c", True)]),
        ("for i, a in enumerate(c): pass", "a", [("c", True)]),
        ("for a, b in zip(c, d): pass", "b", [("d", True)]),
        ("for i, (a, b) in enumerate(zip(c, d)): pass", "b", [("d", True)]),
        ("for a, b in c.items(): pass", "b", [("c.items()", True)]),
        ("[a for a in c if a]", "a", [("c", True)]),
        ("def inner():\n    a = c", "a", [("c", False)]),
    ],
)
def test_origins(body: str, name: str, expected: list[tuple[str, bool]]) -> None:
    assert origins(body, name) == expected
