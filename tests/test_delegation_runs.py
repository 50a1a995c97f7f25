# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Random delegations: ruff leaves them alone, and they answer rightly when they run."""

from __future__ import annotations

import difflib
import subprocess
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from delegation_cases import STYLES, Cases, Spec, copy_of, value_of

from kvlint.mending.delegation import (
    Delegation,
    Holder,
    Mapped,
    One,
    Parameter,
    Signature,
    Style,
    body_text,
    copier_text,
    member_text,
    mirror_text,
)

SIMPLE = Signature("m", (Parameter("a"),), "int")
SPECS = (Holder("specs", Mapped(One())),)
NUMBERS = count(1)


def in_a_class(cases: Cases, style: Style) -> str:
    """Return a module with a random text in a class, now and then in a function."""
    wanted = cases.delegation()
    is_nested = cases.random.random() < 0.3
    margin = style.indent * (1 + is_nested)
    kind = cases.random.choice(["member", "member", "body", "mirror", "copier"])
    header = f"{margin}def other(self):\n"
    match kind:
        case "member":
            decorators = cases.random.choice([(), ("override",)])
            text = member_text(wanted, style, margin, decorators)
        case "body":
            text = header + body_text(wanted, style, margin)
        case "mirror":
            frozen = cases.random.random() < 0.5
            deeper = margin + style.indent
            text = header + mirror_text(wanted, style, deeper, frozen=frozen)
        case _:
            name = cases.random.choice(["replace", "dataclasses.replace"])
            names = {each.name for each in wanted.signature.parameters}
            names -= {each.field for each in wanted.holders}
            changes = [(each, each) for each in sorted(names)]
            text = copier_text(wanted, style, margin, replace=name, changes=changes)
    start = "from __future__ import annotations\n\n\n"
    if not is_nested:
        return f"{start}class {wanted.composite}:\n{text}"
    step = style.indent
    inside = f"{step}class {wanted.composite}:\n{text}\n{step}return None\n"
    return f"{start}def scope():\n{inside}"


def configuration(style: Style) -> str:
    quotes = {'"': "double", "'": "single"}[style.quote]
    indents = "tab" if style.indent == "\t" else "space"
    return (
        f"line-length = {style.line_length}\n"
        f"indent-width = {style.tab_width}\n"
        'target-version = "py311"\n'
        "[format]\n"
        f'quote-style = "{quotes}"\n'
        f'indent-style = "{indents}"\n'
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_ruff_format_changes_nothing(tmp_path: Path, seed: int) -> None:
    cases = Cases(seed)
    texts: dict[Path, str] = {}
    for index, style in enumerate(STYLES):
        folder = tmp_path / str(index)
        folder.mkdir()
        (folder / "ruff.toml").write_text(configuration(style))
        for number in range(20):
            path = folder / f"case_{number}.py"
            texts[path] = in_a_class(cases, style)
            path.write_text(texts[path])
            compile(texts[path], path, "exec")
    subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--no-cache", "--quiet", tmp_path],
        check=True,
    )
    for path, before in texts.items():
        after = path.read_text()
        changes = difflib.unified_diff(before.splitlines(), after.splitlines())
        assert before == after, "\n".join(changes)


def run(text: str, wanted: Delegation, values: dict[str, Any], **names: Any) -> Any:
    """Return an instance of a class with a text in it, and with fields."""
    scope = dict(names)
    start = "from __future__ import annotations\n"
    exec(f"{start}class {wanted.composite}:\n{text}", scope)
    made = scope[wanted.composite]()
    vars(made).update(values, page_size_bytes=1000)
    return made


def answer(composite: Any, wanted: Delegation) -> Any:
    """Ask a composite, each argument passed as its parameter wants it."""
    signature = wanted.signature
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for index, parameter in enumerate(signature.parameters):
        value = f"argument {index}"
        match parameter.kind:
            case "var-positional":
                positional += [value, value]
            case "keyword-only":
                named[parameter.name] = value
            case "var-keyword":
                named["surplus"] = value
            case _:
                positional.append(value)
    found = getattr(composite, signature.name)
    if signature.is_property:
        return found
    result = found(*positional, **named)
    asked = [(tuple(positional), named)]
    fields = [v for k, v in vars(composite).items() if k != "page_size_bytes"]
    stops_early = wanted.combine == "all"
    allowed = [[], asked] if stops_early else [asked]
    assert all(spec.asked in allowed for spec in specs_in(fields))
    return result


def specs_in(value: Any) -> list[Spec]:
    if isinstance(value, Spec):
        return [value]
    if isinstance(value, dict):
        return specs_in([*value, *value.values()])
    if isinstance(value, (list, tuple, set, frozenset)):
        return [spec for each in value for spec in specs_in(each)]
    return []


def expected(wanted: Delegation, answers: list[int]) -> Any:
    """Return the answer that is right, or the error."""
    match wanted.combine:
        case "sum":
            return sum(answers)
        case "all":
            return all(answers)
        case "max" if answers:
            return max(answers)
        case "pages" if answers:
            return max(-(-each // 16) for each in answers) * 1000
        case "agree" if len(set(answers)) == 1:
            return answers[0]
        case "agree":
            return {"assert": AssertionError, "raise": ValueError}[wanted.agreement]
    return ValueError


def is_direct(wanted: Delegation) -> bool:
    """Return whether there is always exactly one spec, which is asked for itself."""
    return "for " not in body_text(wanted, Style(), "")


@pytest.mark.parametrize("seed", range(3))
def test_answers_are_right(seed: int) -> None:
    cases = Cases(seed)
    tried: set[Any] = set()
    for _ in range(300):
        wanted = cases.delegation()
        alike = cases.random.random() < 0.5
        specs: list[Spec] = []

        def made(
            specs: list[Spec] = specs, alike: bool = alike, wanted: Delegation = wanted
        ) -> Spec:
            value = 40 if alike else cases.random.choice([0, 40, 40, 50])
            number = len(specs) + 1
            is_property = wanted.signature.is_property
            specs.append(Spec(number, value, is_property=is_property))
            return specs[-1]

        values = {
            h.field: value_of(h.shape, made, cases.random) for h in wanted.holders
        }
        text = member_text(wanted, cases.random.choice(STYLES[:2]), "    ")
        composite = run(text, wanted, values)
        right = expected(wanted, [each.answer for each in specs])
        if is_direct(wanted) and wanted.combine != "pages":
            right = specs[0].answer
        if isinstance(right, type):
            with pytest.raises(right) as caught:
                answer(composite, wanted)
            if wanted.combine == "agree":
                assert wanted.composite in str(caught.value)
        else:
            assert answer(composite, wanted) == right
        tried.add((wanted.combine, right if isinstance(right, type) else None))
    assert {
        ("agree", None),
        ("agree", AssertionError),
        ("agree", ValueError),
        ("sum", None),
        ("all", None),
        ("max", None),
        ("max", ValueError),
        ("pages", None),
    } <= tried


def test_copies_are_right() -> None:
    cases = Cases(0)
    for _ in range(300):
        wanted = replace(cases.delegation(), signature=Signature("copied"))
        values = {
            each.field: value_of(
                each.shape, lambda: Spec(next(NUMBERS), 0), cases.random
            )
            for each in wanted.holders
        }
        text = copier_text(wanted, Style(), "    ", changes=[("block_size", "32")])
        composite = run(
            text, wanted, values, replace=lambda old, **new: (old, new), Spec=Spec
        )
        old, new = composite.copied()
        assert old is composite
        assert new.pop("block_size") == 32
        assert new == {
            h.field: copy_of(h.shape, values[h.field]) for h in wanted.holders
        }


@pytest.mark.parametrize("frozen", [True, False])
def test_mirrors_set_the_field(frozen: bool) -> None:
    wanted = Delegation(Signature("m", (), "int", True), SPECS, "Pair")
    body = mirror_text(wanted, Style(), "        ", frozen=frozen)
    text = f"    def mirror(self):\n{body}"
    layers = {"a": Spec(1, 7, is_property=True), "b": Spec(2, 7, is_property=True)}
    composite = run(text, wanted, {"specs": layers})
    composite.mirror()
    assert composite.m == 7
    layers["b"] = replace(layers["b"], answer=8)
    with pytest.raises(AssertionError, match=r"must agree on m, got \[7, 8\]\."):
        composite.mirror()


@pytest.mark.parametrize(
    ("returns", "answers", "shown"),
    [
        ("int", [2, 1], "[1, 2]"),
        ("int | None", [None], None),
        ("int | None", [1], None),
        (None, [[1], [2]], "[[1], [2]]"),
        (None, [{}, {}], None),
        (None, [], "[]"),
        ("int", [], "[]"),
    ],
)
@pytest.mark.parametrize("agreement", ["assert", "raise"])
def test_what_is_shown_of_answers(
    returns: str | None, answers: list[Any], shown: str | None, agreement: Any
) -> None:
    signature = replace(SIMPLE, returns=returns)
    wanted = Delegation(signature, SPECS, "Pair", agreement=agreement)
    layers = {str(index): Spec(index, each) for index, each in enumerate(answers)}
    composite = run(member_text(wanted, Style(), "    "), wanted, {"specs": layers})
    if shown is None:
        assert composite.m(0) == answers[0]
        return
    error = {"assert": AssertionError, "raise": ValueError}[agreement]
    with pytest.raises(error) as caught:
        composite.m(0)
    assert str(caught.value) == f"The layers of Pair must agree on m, got {shown}."
