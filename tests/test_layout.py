# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kvlint.mending.documents import (
    HARD,
    SOFT,
    SPACE,
    Doc,
    Expandable,
    Group,
    IfBroken,
    Indent,
    Mark,
    Rescued,
)
from kvlint.mending.expressions import (
    answered,
    brackets,
    call,
    comprehension,
    each_in,
    fallback,
    in_optional_parentheses,
    in_parentheses_if_broken,
    item,
    loose_operation,
    operation,
    tuple_of,
    unless_none,
    written,
)
from kvlint.mending.layout import Style, columns, overflows, render, width

MARK = Mark()
LOOSE = Group(("[", Indent((SOFT, "one,", SPACE, "two")), SOFT, "]"))
CALL: Doc = ("name.method(", Expandable(Group((Indent((SOFT, "a")), SOFT)), MARK), ")")
RESCUED = ("return ", Rescued(CALL, MARK))

DOCUMENTS: list[tuple[Doc, int, str]] = [
    ("text", 1, "text"),
    (("a", "b", ("c", ())), 10, "abc"),
    (LOOSE, 10, "[one, two]"),
    (LOOSE, 9, "[\n  one,\n  two\n]"),
    ((LOOSE, ":"), 10, "[\n  one,\n  two\n]:"),
    ((LOOSE, Group((SOFT, ":"))), 10, "[one, two]\n:"),
    (Group(("(", SOFT, LOOSE, ")")), 11, "(\n[one, two])"),
    (Group(("a", HARD, "b")), 20, "a\nb"),
    (Group(("a", SPACE, "b"), broken=True), 20, "a\nb"),
    (Group(("a", IfBroken(",", ";"), SPACE, "b")), 20, "a; b"),
    (Group(("a", IfBroken(",", ";"), SPACE, "b")), 3, "a,\nb"),
    ((Group(("a", SPACE, "bc"), MARK), IfBroken("!", "?", MARK)), 5, "a bc?"),
    ((Group(("a", SPACE, "bc"), MARK), IfBroken("!", "?", MARK)), 3, "a\nbc!"),
    (Group((Indent((SOFT, "a"), MARK), SPACE, "b"), MARK), 2, "\n  a\nb"),
    (RESCUED, 21, "return name.method(a)"),
    (RESCUED, 20, "return name.method(\n  a\n)"),
    (RESCUED, 19, "return name.method(\n  a\n)"),
    (RESCUED, 18, "return (\n  name.method(a)\n)"),
    (RESCUED, 15, "return (\n  name.method(\n    a\n  )\n)"),
    (RESCUED, 13, "return name.method(\n  a\n)"),
    (("return ", Rescued("a.b.c", MARK)), 12, "return a.b.c"),
    (("return ", Rescued("a.b.c", MARK)), 11, "return (\n  a.b.c\n)"),
    (("return ", Rescued("a.b.cdef", MARK)), 9, "return a.b.cdef"),
]


@pytest.mark.parametrize(("doc", "length", "text"), DOCUMENTS)
def test_documents_break_where_they_must(doc: Doc, length: int, text: str) -> None:
    assert render(doc, Style(length, "  ")) == text + "\n"


@pytest.mark.parametrize(
    ("style", "indent", "text"),
    [
        (Style(14), "    ", "    [one, two]\n"),
        (Style(13), "    ", "    [\n        one,\n        two\n    ]\n"),
        (Style(14, "\t"), "\t", "\t[one, two]\n"),
        (Style(13, "\t"), "\t", "\t[\n\t\tone,\n\t\ttwo\n\t]\n"),
        (Style(12, "\t", tab_width=2), "\t", "\t[one, two]\n"),
        (Style(11, "\t", tab_width=2), "\t", "\t[\n\t\tone,\n\t\ttwo\n\t]\n"),
    ],
)
def test_indentation_counts(style: Style, indent: str, text: str) -> None:
    assert render(LOOSE, style, indent) == text


@pytest.mark.parametrize(
    ("text", "taken"), [("", 0), ("abc", 3), ("é", 1), ("e\u0301", 1), ("仕様", 4)]
)
def test_width(text: str, taken: int) -> None:
    assert width(text) == taken


def test_columns_and_overflow() -> None:
    assert columns("\t\tab", Style()) == 10
    assert not overflows("12345\n\t1\n", Style(5))
    assert overflows("12345\n\t12\n", Style(5))


def test_what_is_no_document_is_refused() -> None:
    with pytest.raises(TypeError, match="not a document: 3"):
        render(3, Style())  # type: ignore[arg-type]


SHORT = "aaaaaaaaaa"
LONG = "bbbbbbbbbbbbbbbbbbbbbbbbb"
LONGER = "self.cccccccccccccccccccccccccccccc"
EXPRESSIONS: list[Doc] = [
    call(SHORT, [SHORT]),
    call(LONG, [SHORT, LONG]),
    call(LONG, [SHORT, LONG, LONG, LONG]),
    call(SHORT, []),
    call(SHORT, [call(SHORT, [LONG, LONG]), f"key={LONG}", "**rest"]),
    tuple_of([]),
    tuple_of([SHORT]),
    tuple_of([f"{LONG}{LONG}{LONG}"]),
    tuple_of([LONG, LONG]),
    tuple_of([LONG, LONG, f"*{LONG}"]),
    brackets("{", comprehension(SHORT, [each_in("x", SHORT)]), "}"),
    brackets("[", comprehension(LONG, [each_in("x", LONG)]), "]"),
    brackets("[", comprehension(LONG, [each_in("x", LONGER), "if x"]), "]"),
    brackets("(", operation(SHORT, "or", "()"), ")"),
    call(SHORT, [fallback(LONGER, "{}")]),
    call(SHORT, [(fallback(LONGER + LONG, "{}"), ".values()")]),
    call(SHORT, [("x=", unless_none(SHORT, SHORT))]),
    call(SHORT, [("x=", unless_none(LONG, call(LONG, [SHORT])))]),
    call(SHORT, [("x=", unless_none(LONGER, call(LONGER, [LONG])))]),
    call(SHORT, [item(LONGER, 0), (item(LONGER + LONG, 1), f".{LONG}")]),
]


@pytest.mark.parametrize("length", [40, 60, 88])
def test_expressions_are_as_ruff_lays_them_out(tmp_path: Path, length: int) -> None:
    style = Style(length)
    texts = [render(each, style) for each in EXPRESSIONS]
    mark = Mark()
    length_of = call("len", [LONG], mark)
    test = loose_operation(
        loose_operation(length_of, ">", "0", mark),
        "and",
        ("all", brackets("(", comprehension(SHORT, [each_in("x", LONG)]), ")", mark)),
        mark,
    )
    message = in_parentheses_if_broken(f'"{LONG}"')
    assertion = (in_optional_parentheses(test, mark), ", ", message)
    texts.append(render(("assert ", *assertion), style))
    expect_unchanged(tmp_path, "".join(texts), length)


@pytest.mark.parametrize(
    "annotation",
    [
        "int",
        "a.b.C",
        "'C'",
        '"C"',
        '"it\'s"',
        "None",
        "...",
        "dict[str,int]",
        "dict[\n    str,  # a name\n    int,\n]",
        "(\n    int\n    | None  # nothing\n)",
        "int|None",
        "int | (str | None)",
        "FullAttentionSpec | SlidingWindowSpec | MambaSpec | None",
        "dict[str, tuple[FullAttentionSpec, SlidingWindowSpec, MambaSpec]]",
        "Callable[[FullAttentionSpec, SlidingWindowSpec], Optional[MambaSpec]]",
        "Callable[..., int]",
        "Literal['auto', \"fp8\"]",
        "tuple[*Shapes]",
        "tuple[()]",
        "tuple[int, ...]",
        "Annotated[int, Field(gt=0, description='how many there are of them')]",
        "(-1, 2)",
        "lambda x: x",
        "a if b else c",
        "VeryLongNameOfAConfiguration.AnotherLongNameInsideIt.TheLastOne",
    ],
)
def test_annotations_are_as_ruff_lays_them_out(tmp_path: Path, annotation: str) -> None:
    style = Style(50)
    inside = Group(
        ("self", ",", SPACE, "x: ", written(annotation, style), ","), None, True
    )
    doc = ("def f(", Indent((HARD, inside)), HARD, ") -> ", answered(annotation, style))
    text = render((doc, ":"), style) + "    return x\n"
    expect_unchanged(tmp_path, text, 50)
    compile(text, "text", "exec")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("r'raw'", "r'raw'"),
        ("'a  b'", '"a  b"'),
        ("'say \"x\"'", "'say \"x\"'"),
        ("'a\\n'", "'a\\n'"),
        ("0x1F", "0x1F"),
        ("(a if b else c) | d", "(a if b else c) | d"),
        ("not an\n  expression", "not an expression"),
    ],
)
def test_what_is_written_is_kept(text: str, kept: str) -> None:
    assert render(written(text, Style()), Style()) == f"{kept}\n"


def expect_unchanged(folder: Path, text: str, length: int) -> None:
    path = folder / "module.py"
    path.write_text(text)
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--no-cache"]
    subprocess.run([*command, "--line-length", str(length), path], check=True)
    assert path.read_text() == text
