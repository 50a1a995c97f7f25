# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Comments that silence findings: which are seen, what they silence, what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import libcst
import pytest

from kvlint.findings import Finding, Place, Severity
from kvlint.sources import Source, decode_source
from kvlint.suppressions import apply, find_comments, mentions

PATH = Path("/p/spec.py")
KNOWN = {
    "KV101": "undelegated-member",
    "KV102": "unchecked-delegation",
    "KV105": "stale-copy",
    "KV900": "unparsable-file",
    "KV901": "unused-suppression",
    "KV902": "malformed-suppression",
}


def source_of(text: str, path: Path = PATH) -> Source:
    return decode_source(path, text.encode())


def finding(
    code: str = "KV101", line: int = 1, others: Iterable[int] = (), path: Path = PATH
) -> Finding:
    place = Place(path, line, 1, line, 2)
    lines = frozenset(others)
    return Finding(code, Severity.ERROR, "m", place, "A.b", suppressible_lines=lines)


def everything(code: str, path: Path) -> bool:
    return True


def applied(
    text: str,
    *findings: Finding,
    selects: Callable[[str, Path], bool] = everything,
) -> list[Finding]:
    return apply(
        findings, {PATH: source_of(text)}, [PATH], known=KNOWN, selects=selects
    )


def told(findings: Iterable[Finding]) -> list[str]:
    return [f"{each.place.line} {each.code}" for each in findings]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("x  # kvlint: ignore[KV101] reason\n", [["KV101"]]),
        ("x  #kvlint:ignore[KV101] reason\n", [["KV101"]]),
        ("x  # kvlint : ignore [KV101]: reason\n", [["KV101"]]),
        ("x  # KVLINT: Ignore[KV101] reason\n", [["KV101"]]),
        ("x  # kvlint: ignore[KV101, KV102] reason\n", [["KV101", "KV102"]]),
        ("x  # kvlint: ignore[KV101,KV102,] reason\n", [["KV101", "KV102"]]),
        ("x  # kvlint: ignore[ stale-copy ] reason\n", [["stale-copy"]]),
        ("x  # noqa: E501  # kvlint: ignore[KV101] reason\n", [["KV101"]]),
        ("x  # type: ignore # kvlint: ignore[KV101] why # noqa\n", [["KV101"]]),
        (
            "x  # kvlint: ignore[KV101] a  # kvlint: ignore[KV102] b\n",
            [["KV101"], ["KV102"]],
        ),
        ("x  # kvlint: ignore[KV101] see #123 and # 5\n", [["KV101"]]),
        ("x  # kvlint: ignore[KV101] 理由\n", [["KV101"]]),
        ("# kvlint: ignore[KV101] reason", [["KV101"]]),
        ("f(\n    a,  # kvlint: ignore[KV101] reason\n)\n", [["KV101"]]),
        ("class A:\n    # kvlint: ignore[KV101] reason\n    x = 1\n", [["KV101"]]),
        (
            "x  # kvlint: ignore[KV101] a\r\ny # kvlint: ignore[KV102] b\r\n",
            [["KV101"], ["KV102"]],
        ),
        # What only looks like a comment, and comments about something else.
        ("x = '# kvlint: ignore[KV101] reason'\n", []),
        ('"""\n# kvlint: ignore[KV101] reason\n"""\n', []),
        ("x = f'{1}  # kvlint: ignore[KV101] reason'\n", []),
        ("x  # see `# kvlint: ignore[KV101] reason`\n", []),
        ("x  # see kvlint: it is a linter\n", []),
        ("x  # kvlint is a linter\n", []),
        ("x  # noqa: KV101\n", []),
        ("# write `x  # kvlint: ignore[KV101] why` there\n", []),
        ("# as `# kvlint: ignore[...]` and # kvlint: ignore[KV101] why\n", [["KV101"]]),
        ("kvlint: int = 1\n", []),
        ("x = \n# kvlint: ignore[KV101] this does not parse\n", []),
        ("", []),
    ],
)
def test_comments_that_are_seen(text: str, codes: list[list[str]]) -> None:
    source = source_of(text)
    found = find_comments(source)
    assert [[code.text for code in each.codes] for each in found] == codes
    assert not any(each.mistake for each in found)
    for each in found:
        assert source.text[each.start] == "#"
        for code in each.codes:
            assert source.text[code.start : code.end] == code.text


@pytest.mark.parametrize(
    ("comment", "mistake"),
    [
        ("# kvlint: ignore[KV101]", "it gives no reason"),
        ("# kvlint: ignore[KV101]:", "it gives no reason"),
        ("# kvlint: ignore[KV101] - ", "it gives no reason"),
        ("# kvlint: ignore[KV101]  # noqa: E501", "it gives no reason"),
        ("# kvlint: ignore", "it names no rule"),
        ("# kvlint: ignore because", "it names no rule"),
        ("# kvlint: ignore[] because", "it names no rule"),
        ("# kvlint: ignore[ , ] because", "it names no rule"),
        ("# kvlint: ignore KV101 because", "it names no rule"),
        ("# kvlint: ignore[KV101 because", "its bracket is not closed"),
        ("# kvlint: ignroe[KV101] because", 'unknown word "ignroe" after `kvlint:`'),
        ("# kvlint: disable=KV101", 'unknown word "disable=KV101" after `kvlint:`'),
        ("# kvlint: noqa", 'unknown word "noqa" after `kvlint:`'),
        ("# kvlint:", "it says nothing"),
        ("# kvlint: [KV101] because", "it says nothing"),
        ("# kvlint: ignore[KV10] because", 'unknown rule "KV10", did you mean "KV10'),
        ("# kvlint: ignore[KV1] because", 'unknown rule "KV1", did you mean "KV10'),
        (
            "# kvlint: ignore[kv102] because",
            'unknown rule "kv102", did you mean "KV102"?',
        ),
        (
            "# kvlint: ignore[stale_copy] because",
            'unknown rule "stale_copy", did you mean "stale-copy"?',
        ),
        ("# kvlint: ignore[E501] because", 'unknown rule "E501"'),
        ("# kvlint: ignore[KV101, zzz] because", 'unknown rule "zzz"'),
        (
            "# kvlint: ignore[qqq zzz] because",
            'unknown rule "qqq zzz"',
        ),
        ("# kvlint: ignore[KV900] because", "KV900 cannot be silenced by a comment"),
        (
            "# kvlint: ignore[unused-suppression] because",
            "unused-suppression cannot be silenced by a comment",
        ),
        (
            "# kvlint: ignore[KV902, KV901] because",
            "KV902 cannot be silenced by a comment; KV901 cannot",
        ),
    ],
)
def test_malformed_comments(comment: str, mistake: str) -> None:
    kept, malformed = applied(f"x = 1  {comment}\n", finding())
    assert kept == finding()  # it silences nothing
    assert (malformed.code, malformed.severity) == ("KV902", Severity.WARNING)
    assert malformed.message.startswith(
        f"malformed suppression, it silences nothing: {mistake}"
    )
    assert "\n" not in malformed.message
    assert (malformed.symbol, malformed.fix) == ("", None)
    assert malformed.place.line == 1
    assert malformed.place.column == 8


@pytest.mark.parametrize(
    ("text", "findings", "expected"),
    [
        ("x  # kvlint: ignore[KV101] why\n", [finding()], []),
        ("x  # kvlint: ignore[undelegated-member] why\n", [finding()], []),
        ("x  # kvlint: ignore[KV101] why\n", [finding(), finding()], []),
        (
            "x  # kvlint: ignore[KV101, KV102] why\n",
            [finding("KV101"), finding("KV102")],
            [],
        ),
        # The line of a decorator, of `class`, and of a second class's finding.
        (
            "@d  # kvlint: ignore[KV101] why\n@e\nclass A:\n    x = 1\n",
            [finding(line=4, others=[1, 2, 3])],
            [],
        ),
        (
            "@d\n@e\nclass A:  # kvlint: ignore[KV101] why\n    x = 1\n",
            [finding(line=1, others=[1, 2, 3]), finding(line=4, others=[1, 2, 3])],
            [],
        ),
        # Two comments for one finding are both used.
        (
            "@d  # kvlint: ignore[KV101] a\nclass A:  # kvlint: ignore[KV101] b\n  x\n",
            [finding(line=1, others=[1, 2])],
            [],
        ),
        # What is not silenced.
        ("x\n", [finding()], ["1 KV101"]),
        (
            "x  # kvlint: ignore[KV102] why\n",
            [finding()],
            ["1 KV101", "1 KV901"],
        ),
        (
            "x\n# kvlint: ignore[KV101] why\ny\n",
            [finding(line=1), finding(line=3)],
            ["1 KV101", "3 KV101", "2 KV901"],
        ),
        (
            "@d\nclass A:\n    x = 1  # kvlint: ignore[KV101] why\n",
            [finding(line=2, others=[1, 2])],
            ["2 KV101", "3 KV901"],
        ),
        (
            "x  # kvlint: ignore[KV101] why\n",
            [finding(path=Path("/p/other.py"))],
            ["1 KV101", "1 KV901"],
        ),
        (
            "x  # kvlint: ignore[KV101]\n",
            [finding(), finding("KV102")],
            ["1 KV101", "1 KV102", "1 KV902"],
        ),
    ],
)
def test_what_is_silenced(
    text: str, findings: list[Finding], expected: list[str]
) -> None:
    assert told(applied(text, *findings)) == expected


@pytest.mark.parametrize(
    ("before", "found", "unused", "after"),
    [
        ("x  # kvlint: ignore[KV101] why\n", [], "KV101", "x\n"),
        ("x  # kvlint: ignore[KV101] why", [], "KV101", "x"),
        ("x\t# kvlint: ignore[KV101] why  \r\ny\r\n", [], "KV101", "x\r\ny\r\n"),
        ("x\n# kvlint: ignore[KV101] why\ny\n", [], "KV101", "x\ny\n"),
        ("x\r\n  # kvlint: ignore[KV101] why\r\ny\r\n", [], "KV101", "x\r\ny\r\n"),
        (
            "class A:\n    # kvlint: ignore[KV101] a\n    x = 1\n",
            [],
            "KV101",
            "class A:\n    x = 1\n",
        ),
        ("# kvlint: ignore[KV101] why", [], "KV101", ""),
        (
            "x  # noqa: E501  # kvlint: ignore[KV101] why\n",
            [],
            "KV101",
            "x  # noqa: E501\n",
        ),
        (
            "x  # kvlint: ignore[KV101] why  # noqa: E501\n",
            [],
            "KV101",
            "x  # noqa: E501\n",
        ),
        (
            "# kvlint: ignore[KV101] why # fmt: skip\n",
            [],
            "KV101",
            "# fmt: skip\n",
        ),
        (
            "x  # kvlint: ignore[KV101, KV102] why\n",
            ["KV101"],
            "KV102",
            "x  # kvlint: ignore[KV101] why\n",
        ),
        (
            "x  # kvlint: ignore[ KV101 , KV102,stale-copy ] why\n",
            ["KV101", "KV105"],
            "KV102",
            "x  # kvlint: ignore[ KV101, stale-copy ] why\n",
        ),
        (
            "x  # kvlint: ignore[KV101,undelegated-member,KV102] é\n",
            ["KV102"],
            "KV101 and undelegated-member",
            "x  # kvlint: ignore[KV102] é\n",
        ),
        (
            "x  # kvlint: ignore[KV101, stale-copy] why\n",
            [],
            "KV101 and stale-copy",
            "x\n",
        ),
    ],
)
def test_unused_comments(
    before: str, found: list[str], unused: str, after: str
) -> None:
    findings = [finding(code) for code in found]
    (added,) = applied(before, *findings)
    assert (added.code, added.severity, added.symbol) == ("KV901", Severity.WARNING, "")
    assert added.message == (
        f"unused suppression: nothing is reported on this line for {unused}; remove it"
    )
    source = source_of(before)
    start = source.line_starts[added.place.line - 1] + added.place.column - 1
    assert source.text[start] == "#"
    assert added.fix is not None
    assert added.fix.safety == "safe"
    mended = source.edited(list(added.fix.edits))
    assert mended.text == after
    libcst.parse_module(mended.text)
    # And then there is nothing more to say.
    assert applied(after, *findings) == []


@pytest.mark.parametrize(
    ("text", "selected", "expected"),
    [
        # Nobody looked for KV102: who knows whether its comment is of use?
        ("x  # kvlint: ignore[KV102] why\n", {"KV101", "KV901"}, []),
        ("x  # kvlint: ignore[KV101, KV102] why\n", {"KV101", "KV901"}, ["KV101"]),
        ("x  # kvlint: ignore[KV101] why\n", {"KV101"}, []),
        ("x  # kvlint: ignore[KV101]\n", {"KV101", "KV901"}, []),
        ("x  # kvlint: ignore[KV101]\n", {"KV902"}, ["malformed"]),
    ],
)
def test_rules_that_do_not_count(
    text: str, selected: set[str], expected: list[str]
) -> None:
    added = applied(text, selects=lambda code, path: code in selected)
    assert len(added) == len(expected)
    assert all(word in each.message for each, word in zip(added, expected, strict=True))


def test_unused_code_beside_one_that_does_not_count() -> None:
    text = "x  # kvlint: ignore[KV101, KV102] why\n"
    (added,) = applied(text, selects=lambda code, path: code != "KV102")
    assert added.fix is not None
    assert source_of(text).edited(list(added.fix.edits)).text == (
        "x  # kvlint: ignore[KV102] why\n"
    )


def test_only_checked_files_have_unused_comments() -> None:
    other = Path("/p/other.py")
    text = "x  # kvlint: ignore[KV101] why\n"
    sources = {path: source_of(text, path) for path in (PATH, other)}
    added = apply([], sources, [other, other], known=KNOWN, selects=everything)
    assert [each.place.path for each in added] == [other]


def test_a_checked_file_without_text_has_no_comments() -> None:
    assert apply([finding()], {}, [PATH], known=KNOWN, selects=everything) == [
        finding()
    ]


def test_a_tree_need_not_be_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    source = source_of("x  # kvlint: ignore[KV101] why\n")
    module = libcst.parse_module(source.text)
    monkeypatch.delattr(libcst, "parse_module")
    assert len(find_comments(source, module)) == 1
    added = apply(
        [],
        {PATH: source},
        [PATH],
        known=KNOWN,
        selects=everything,
        modules={PATH: module},
    )
    assert told(added) == ["1 KV901"]


def test_most_files_are_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(libcst, "parse_module")
    assert find_comments(source_of("import kvlint  # noqa\n")) == ()


def test_two_comments_on_one_line() -> None:
    text = "x  # kvlint: ignore[KV101] a  # kvlint: ignore[KV102] b\n"
    assert applied(text, finding("KV101"), finding("KV102")) == []
    first, second = applied(text)
    assert first.place.end_column <= second.place.column
    (only,) = applied(text, finding("KV102"))
    assert only.fix is not None
    assert source_of(text).edited(list(only.fix.edits)).text == (
        "x  # kvlint: ignore[KV102] b\n"
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"# kvlint: ignore[KV101] x", True),
        (b"# KVLINT : ignore", True),
        (b"import kvlint", False),
        (b"", False),
    ],
)
def test_mentions(content: bytes, expected: bool) -> None:
    assert mentions(content) is expected


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 5000 + ")" * 5000,
        "x = " + "+".join("y" * 1000),
    ],
)
def test_deep_nesting_is_no_crash(text: str) -> None:
    assert find_comments(source_of(f"{text}  # kvlint: ignore[KV101] x\n")) == ()
