# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Runs every example of the rule documents; see ``rule_documents.py`` for the grammar.

``KVLINT_UPDATE=1 pytest`` rewrites their diffs in place, to be read before committing.
"""

from __future__ import annotations

import ast
import io
import os
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path

import pytest
from rule_documents import (
    SERVING,
    STAND_IN,
    Example,
    Expectation,
    examples,
    expectations,
    shown_diff,
    with_diffs,
)

from kvlint import catalogue
from kvlint.findings import Failure, Finding
from kvlint.reports import Report
from kvlint.running import Options, run

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("rules/KV*.md"), *ROOT.glob("tests/cases/KV*.md")])
EXAMPLES = [example for document in DOCUMENTS for example in examples(document)]
UPDATE = os.environ.get("KVLINT_UPDATE") == "1"


def lint(example: Example, folder: Path, *, fix: bool, unsafe: bool = True) -> Report:
    options = Options(
        paths=(folder,), select=tuple(example.codes), fix=fix, unsafe_fixes=unsafe
    )
    return run(options, folder).report


def unforeseen(report: Report) -> list[Failure]:
    """Return what failed, but for files that do not parse: they are found as well."""
    return [each for each in report.failures if each.code != "KV900"]


def texts(example: Example, folder: Path) -> dict[str, str]:
    return {
        each.path: (folder / each.path).read_text(encoding="utf-8")
        for each in example.files
    }


def is_announced(found: Finding, expected: Expectation, folder: Path) -> bool:
    return (
        found.place.path.relative_to(folder).as_posix() == expected.path
        and found.place.line == expected.line
        and expected.column in (None, found.place.column)
        and found.severity == expected.severity
        and found.code == expected.code
        and expected.text in found.message
    )


def unmatched(
    findings: tuple[Finding, ...], expected: list[Expectation], folder: Path
) -> list[Finding | Expectation]:
    """Return findings that nothing announces, and announcements of nothing."""
    left, surprises = list(expected), []
    for found in findings:
        match = next((each for each in left if is_announced(found, each, folder)), None)
        if match:
            left.remove(match)
        else:
            surprises.append(found)
    return [*surprises, *left]


def comments(text: str) -> Counter[str]:
    """Count the comments that fixes must keep: KV901 removes those for kvlint."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    found = [each.string for each in tokens if each.type == tokenize.COMMENT]
    return Counter(each for each in found if not each.startswith("# kvlint:"))


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def is_formatted(folder: Path) -> bool:
    command = [sys.executable, "-m", "ruff", "format", "--no-cache", "--check"]
    done = subprocess.run([*command, folder], capture_output=True, timeout=60)
    return done.returncode == 0


@pytest.mark.parametrize(
    "example",
    EXAMPLES,
    ids=lambda example: f"{example.document.stem}-{example.number}-{example.title}",
)
def test_example(example: Example, tmp_path: Path) -> None:
    example.write(tmp_path)
    before = texts(example, tmp_path)
    was_formatted = is_formatted(tmp_path)

    first = lint(example, tmp_path, fix=False)
    assert unforeseen(first) == []
    assert unmatched(first.findings, example.expectations, tmp_path) == []

    assert unforeseen(lint(example, tmp_path, fix=True)) == []
    after = texts(example, tmp_path)
    diffs = {path: shown_diff(before[path], after[path]) for path in before}
    if UPDATE:
        text = with_diffs(example, diffs)
        example.document.write_text(text, encoding="utf-8")
    else:
        assert diffs == {
            each.path: "".join(f"{line.rstrip()}\n" for line in each.diff.splitlines())
            for each in example.files
        }

    again = lint(example, tmp_path, fix=True)
    assert texts(example, tmp_path) == after, "a second run changed something"
    assert (unforeseen(again), again.mended) == ([], ())
    for path in before:
        if after[path] != before[path]:
            assert parses(after[path]) or not parses(before[path])
            assert comments(before[path]) <= comments(after[path])
    if any(diffs.values()):
        assert is_formatted(tmp_path) or not was_formatted


def fixes_of(code: str, tmp_path: Path) -> set[str]:
    """Return the safety of the fixes in the examples of a rule; ``none`` for no fix."""
    safeties = set()
    for example in EXAMPLES:
        if example.document.name.startswith(code):
            folder = tmp_path / str(len(list(tmp_path.iterdir())))
            folder.mkdir()
            example.write(folder)
            for found in lint(example, folder, fix=False).findings:
                if found.code == code:
                    safeties.add(str(found.fix.safety) if found.fix else "none")
    return safeties


@pytest.mark.parametrize("code", catalogue.names())
def test_the_examples_keep_the_promise_of_a_fix(code: str, tmp_path: Path) -> None:
    promised = catalogue.rules()[code].fix
    shown = fixes_of(code, tmp_path)
    assert shown, "an example with a finding is missing"
    if promised == "none":
        assert shown == {"none"}
    else:
        assert promised in shown
        assert promised == "safe" or "safe" not in shown


def test_the_stand_ins_are_formatted_and_parse(tmp_path: Path) -> None:
    for number, text in enumerate([STAND_IN, *SERVING.values()]):
        (tmp_path / f"stand_in_{number}.py").write_text(text)
        assert parses(text)
    assert is_formatted(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\n", []),
        ("# an error: [KV101] is not one\nx = 1\n", []),
        (
            'x = 1\ny = 2  # error: [KV101] "no `y`"\n',
            [Expectation("a.py", 2, None, "error", "KV101", "no `y`")],
        ),
        (
            'y = 2  # warning: 5 [KV102] "a"  # error: [KV103] "b"\n',
            [
                Expectation("a.py", 1, 5, "warning", "KV102", "a"),
                Expectation("a.py", 1, None, "error", "KV103", "b"),
            ],
        ),
        (
            '# error: [KV101] "a"\n    # warning: [KV102] "b"\ny = 2\n',
            [
                Expectation("a.py", 3, None, "error", "KV101", "a"),
                Expectation("a.py", 3, None, "warning", "KV102", "b"),
            ],
        ),
    ],
)
def test_expectations(text: str, expected: list[Expectation]) -> None:
    assert expectations("a.py", text) == expected


@pytest.mark.parametrize(
    "text", ["x = 1\n# error: [KV101]\n", '# error: [KV101] "a"\n']
)
def test_an_expectation_of_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^a\.py"):
        expectations("a.py", text)


DOCUMENT = """\
# KV999 `toy`

```toml
summary = "x"
```

## Example

`a/b.py`:

```py
x = 1
```

becomes

```diff
-x = 1
+x = 2
```

```py
y = 1
```

`pyproject.toml`:

```toml
[tool.kvlint]
```

## Not flagged

```py
z = 1
```

```text
not run
```
"""


def test_a_document_is_read_into_examples(tmp_path: Path) -> None:
    document = tmp_path / "KV999-toy.md"
    document.write_text(DOCUMENT)
    first, second = examples(document)
    assert [(each.path, each.text, each.linted, each.diff) for each in first.files] == [
        ("a/b.py", "x = 1\n", True, "-x = 1\n+x = 2\n"),
        ("example.py", "y = 1\n", True, ""),
        ("pyproject.toml", "[tool.kvlint]\n", False, ""),
    ]
    assert [each.path for each in second.files] == ["example.py"]
    assert (first.title, second.title) == ("Example", "Not flagged")
    assert first.codes == ["KV999"]


@pytest.mark.parametrize(
    ("diffs", "expected"),
    [
        ({"a/b.py": "-x = 1\n+x = 2\n"}, DOCUMENT),
        ({"a/b.py": "-x\n"}, DOCUMENT.replace("-x = 1\n+x = 2\n", "-x\n")),
        ({}, DOCUMENT.replace("\n```diff\n-x = 1\n+x = 2\n```\n", "")),
        (
            {"a/b.py": "-x = 1\n+x = 2\n", "example.py": "-y\n"},
            DOCUMENT.replace("y = 1\n```\n", "y = 1\n```\n\n```diff\n-y\n```\n"),
        ),
    ],
)
def test_diffs_are_rewritten_in_place(
    diffs: dict[str, str], expected: str, tmp_path: Path
) -> None:
    document = tmp_path / "KV999-toy.md"
    document.write_text(DOCUMENT)
    assert with_diffs(examples(document)[0], diffs) == expected


@pytest.mark.parametrize(
    "text",
    [
        "```diff\n-x\n```\n",
        "```python\nx\n```\n",
        "- ```py\n  x\n  ```\n",
        "`a.py`:\n\n```py\nx\n```\n\n`a.py`:\n\n```py\ny\n```\n",
        "```py\nx\n```\n\n```diff\n-x\n```\n\n```diff\n-x\n```\n",
    ],
)
def test_a_fence_that_would_not_be_run_is_refused(text: str, tmp_path: Path) -> None:
    document = tmp_path / "KV999-toy.md"
    document.write_text(text)
    with pytest.raises(ValueError, match=r"^KV999-toy\.md:\d+"):
        examples(document)
