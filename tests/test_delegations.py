# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a composite's own members are found to do: KV102 and KV103."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from projects import PRELUDE, check_project, write_project

WIDTH = "def max_num_blocks_per_req(self, vllm_config, max_len: int) -> int:"
ARGUMENTS = "vllm_config, max_len"


def found(
    tmp_path: Path, members: str, module: str = ""
) -> list[tuple[str, str, bool]]:
    """Check a composite with some members; give code, symbol and whether it mends."""
    text = (
        f"{PRELUDE}{textwrap.dedent(module)}\n@dataclass(frozen=True)\n"
        "class Pack(KVCacheSpec):\n    layers: dict[str, KVCacheSpec]\n\n"
        "    @property\n    def page_size_bytes(self) -> int:\n"
        "        return sum(spec.page_size_bytes for spec in self.layers.values())\n\n"
        "    def max_memory_usage_bytes(self, vllm_config) -> int:\n"
        "        return sum(spec.max_memory_usage_bytes(vllm_config)\n"
        "                   for spec in self.layers.values())\n\n"
        "    def copy_with_new_block_size(self, block_size: int):\n"
        "        return self\n\n" + textwrap.indent(textwrap.dedent(members), "    ")
    )
    write_project(tmp_path, {"plug/a.py": text})
    report = check_project(tmp_path)
    assert not report.failures
    return [
        (each.code, each.symbol, each.fix is not None)
        for each in report.findings
        if each.code in {"KV101", "KV102", "KV103"}
    ]


def width(*lines: str) -> str:
    return "\n".join([WIDTH, *(f"    {line}" for line in lines)])


ASK = f"max_num_blocks_per_req({ARGUMENTS})"
PLAIN = {
    "next of iter": [f"return next(iter(self.layers.values())).{ASK}"],
    "list and index": [f"return list(self.layers.values())[0].{ASK}"],
    "last of a tuple": [f"return tuple(self.layers.values())[-1].{ASK}"],
    "by a key": [f"return self.layers[next(iter(self.layers))].{ASK}"],
    "through a name": [
        "first = next(iter(self.layers.values()))",
        f"return first.{ASK}",
    ],
    "through two names": [
        "specs = list(self.layers.values())",
        "first = specs[0]",
        f"return first.{ASK}",
    ],
    "largest": [f"return max(spec.{ASK} for spec in self.layers.values())"],
    "largest of a list": [f"return max([s.{ASK} for s in self.layers.values()])"],
    "smallest": [f"return min(spec.{ASK} for spec in self.layers.values())"],
    "sum": [f"return sum(spec.{ASK} for spec in self.layers.values())"],
    "any of a set": [f"return {{s.{ASK} for s in self.layers.values()}}.pop()"],
    "first of a set": [
        f"answers = {{s.{ASK} for s in self.layers.values()}}",
        "return next(iter(answers))",
    ],
    "first of a list": [f"return [s.{ASK} for s in self.layers.values()][0]"],
    "largest by items": [f"return max(s.{ASK} for _, s in self.layers.items())"],
}
MIXED = {
    "first in a loop": [
        "for spec in self.layers.values():",
        f"    return spec.{ASK}",
    ],
    "last in a loop": [
        "answer = 0",
        "for spec in self.layers.values():",
        f"    answer = spec.{ASK}",
        "return answer",
    ],
    "guarded": [
        "if not self.layers:",
        "    return 0",
        f"return next(iter(self.layers.values())).{ASK}",
    ],
    "an assertion about something else": [
        "assert self.layers",
        f"return next(iter(self.layers.values())).{ASK}",
    ],
    "arithmetic on one": [f"return 2 * next(iter(self.layers.values())).{ASK}"],
    "a field of one": [
        "return max_len // next(iter(self.layers.values())).block_size",
    ],
}
FINE = {
    "assert": [
        f"answers = {{s.{ASK} for s in self.layers.values()}}",
        "assert len(answers) == 1",
        "return answers.pop()",
    ],
    "raise": [
        f"answers = {{s.{ASK} for s in self.layers.values()}}",
        "if len(answers) > 1:",
        "    raise ValueError(answers)",
        "return answers.pop()",
    ],
    "all equal the first": [
        "first = next(iter(self.layers.values()))",
        f"answer = first.{ASK}",
        f"assert all(s.{ASK} == answer for s in self.layers.values())",
        "return answer",
    ],
    "compared in a loop": [
        f"answer = next(iter(self.layers.values())).{ASK}",
        "for spec in self.layers.values():",
        f"    if spec.{ASK} != answer:",
        "        raise ValueError",
        "return answer",
    ],
    "a helper": ["return agreed(self, 'max_num_blocks_per_req')"],
    "a helper given the specs": [
        f"return agreed(s.{ASK} for s in self.layers.values())"
    ],
    "gathered in a loop": [
        "answers = set()",
        "for spec in self.layers.values():",
        f"    answers.add(spec.{ASK})",
        "(answer,) = answers",
        "return answer",
    ],
    "unpacked": [
        f"(answer,) = {{s.{ASK} for s in self.layers.values()}}",
        "return answer",
    ],
    "refused": ["raise NotImplementedError('ask the layers')"],
    "refused with another error": ["raise TypeError('ask the layers')"],
}
OWN = {
    "arithmetic": ["return -(-max_len // self.block_size)"],
    "of the base": [f"return super().{ASK}"],
    "of the base by name": [
        f"return KVCacheSpec.max_num_blocks_per_req(self, {ARGUMENTS})"
    ],
    "constant": ["return 1"],
    "parameter": ["return max_len"],
}
ONE = "Pack.max_num_blocks_per_req"


@pytest.mark.parametrize("lines", PLAIN.values(), ids=PLAIN)
def test_an_unchecked_answer_is_rewritten(lines: list[str], tmp_path: Path) -> None:
    assert found(tmp_path, width(*lines)) == [("KV102", ONE, True)]


@pytest.mark.parametrize("lines", MIXED.values(), ids=MIXED)
def test_an_unchecked_answer_among_other_things_is_told(
    lines: list[str], tmp_path: Path
) -> None:
    assert found(tmp_path, width(*lines)) == [("KV102", ONE, False)]


@pytest.mark.parametrize("lines", FINE.values(), ids=FINE)
def test_a_checked_answer_is_fine(lines: list[str], tmp_path: Path) -> None:
    assert found(tmp_path, width(*lines)) == []


@pytest.mark.parametrize("lines", OWN.values(), ids=OWN)
def test_an_answer_of_its_own_is_told(lines: list[str], tmp_path: Path) -> None:
    assert found(tmp_path, width(*lines)) == [("KV103", ONE, True)]


def test_a_first_spec_helper_is_followed(tmp_path: Path) -> None:
    members = f"""
        @property
        def first_spec(self):
            return next(iter(self.layers.values()))

        def any_spec(self):
            return self.first_spec

        {WIDTH}
            return self.any_spec().{ASK}
    """
    assert found(tmp_path, members) == [("KV102", ONE, True)]


BUILDERS = {
    "set comprehension": "if len({s.ASK for s in specs.values()}) > 1: return",
    "comparison": "if any(s.ASK != first.ASK for s in specs.values()): return",
    "set": "if len(set(s.ASK for s in specs.values())) > 1: return",
    "loop": "assert all(getattr(s, 'max_num_blocks_per_req') for s in specs.values())",
}


@pytest.mark.parametrize("builder", BUILDERS.values(), ids=BUILDERS)
def test_a_builder_may_have_checked(builder: str, tmp_path: Path) -> None:
    members = f"""
        @classmethod
        def of(cls, specs, c):
            first = next(iter(specs.values()))
            {builder.replace("ASK", "max_num_blocks_per_req(c, 1)")}
            return cls(block_size=1, layers=specs)

        {WIDTH}
            return next(iter(self.layers.values())).{ASK}
    """
    assert found(tmp_path, members) == []


def test_a_builder_that_checks_something_else_does_not_count(tmp_path: Path) -> None:
    members = f"""
        @classmethod
        def of(cls, specs):
            if len({{s.block_size for s in specs.values()}}) > 1:
                return None
            return cls(block_size=1, layers=specs)

        {WIDTH}
            return next(iter(self.layers.values())).{ASK}
    """
    assert found(tmp_path, members) == [("KV102", ONE, True)]


def test_what_follows_from_a_checked_field_is_fine(tmp_path: Path) -> None:
    members = f"""
        @classmethod
        def of(cls, specs):
            assert len({{s.block_size for s in specs.values()}}) == 1
            return cls(block_size=1, layers=specs)

        {WIDTH}
            return max_len // next(iter(self.layers.values())).block_size
    """
    assert found(tmp_path, members) == []


PAGE = "@property\ndef page_size_bytes(self) -> int:\n    return "


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("next(iter(self.layers.values())).page_size_bytes", "KV102"),
        ("4 * self.block_size", "KV103"),
        ("max(s.page_size_bytes for s in self.layers.values())", "KV102"),
        ("max(s.page_size_bytes for s in self.layers.values()) * len(self.layers)", ""),
        ("sum(s.page_size_bytes for s in self.layers.values())", ""),
    ],
)
def test_members_that_are_combined_otherwise(
    answer: str, code: str, tmp_path: Path
) -> None:
    agreed = width(*FINE["assert"])
    expected = [(code, "Pack.page_size_bytes", True)] if code else []
    assert found(tmp_path, f"{PAGE}{answer}\n{agreed}") == expected


def test_what_a_composite_above_answers_is_asked_through_super(tmp_path: Path) -> None:
    text = f"""
        class Pack(KVCacheSpec):
            layers: list[KVCacheSpec]
            {WIDTH}
                answers = {{s.{ASK} for s in self.layers}}
                assert len(answers) == 1
                return answers.pop()

        class Padded(Pack):
            {WIDTH}
                return super().{ASK} + 1

        class Doubled(Pack):
            {WIDTH}
                return 2 * Pack.max_num_blocks_per_req(self, {ARGUMENTS})
    """
    write_project(tmp_path, {"plug/a.py": PRELUDE + textwrap.dedent(text)})
    codes = {each.code for each in check_project(tmp_path).findings}
    assert not codes & {"KV101", "KV102", "KV103"}


def test_a_mirrored_field_counts_as_asking(tmp_path: Path) -> None:
    members = f"""
        sharded: bool = False

        def __post_init__(self):
            first = next(iter(self.layers.values()))
            object.__setattr__(self, "sharded", first.sharded)

        {WIDTH}
            return max_len // (2 if self.sharded else 1)
    """
    assert found(tmp_path, members) == []


def test_a_constant_that_all_layers_give_is_fine(tmp_path: Path) -> None:
    text = """
        class Base(KVCacheSpec):
            @property
            def views(self): return True
        class Plain(Base): ...
        class Raw(Base):
            @property
            def views(self): return {raw}
        class Pack(Base):
            layers: list[Base]
            views = True
    """
    for raw, expected in (("True", []), ("False", ["Pack.views"])):
        folder = tmp_path / raw
        write_project(
            folder, {"plug/a.py": PRELUDE + textwrap.dedent(text.format(raw=raw))}
        )
        report = check_project(folder)
        assert [x.symbol for x in report.findings if x.code == "KV103"] == expected
        reported = [x for x in report.findings if x.code == "KV103"]
        assert all(each.fix is None and each.unfixable for each in reported)
