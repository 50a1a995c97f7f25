# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The quick look passes over nothing that a whole look finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from rule_documents import Example, examples

from kvlint.running import Options, run
from kvlint.uses.spec_uses import Use, Uses

ROOT = Path(__file__).parents[1]
DOCUMENTS = [each for code in ("KV406", "KV407") for each in ROOT.rglob(f"{code}*.md")]
EXAMPLES = [example for document in sorted(DOCUMENTS) for example in examples(document)]


def found(folder: Path) -> list[tuple[object, ...]]:
    report = run(Options(paths=(folder,), select=("KV406", "KV407")), folder).report
    assert not report.failures
    return [(x.place, x.code, x.message) for x in report.findings]


@pytest.mark.parametrize(
    "example", EXAMPLES, ids=lambda x: f"{x.document.stem}-{x.number}"
)
def test_quick_and_whole(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example.write(tmp_path)
    quick = found(tmp_path)

    def whole(self: Uses, files: Sequence[Path]) -> Iterator[Use]:
        for path in files:
            yield from self._in_file(path)

    monkeypatch.setattr(Uses, "suspicious", whole)
    assert quick == found(tmp_path)
