# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Looks for fields that are lost when a class merges the specs of its layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from kvlint.verifying.asking import made
from kvlint.verifying.cases import Case, Cases
from kvlint.verifying.kinds import Kind
from kvlint.verifying.process import Interpreter, Refusal
from kvlint.verifying.results import Example, MemberResult, Status
from kvlint.verifying.searching import Effort, each_case, smallest
from kvlint.verifying.subjects import MERGE

_MORE = 3
"""How many fields are tried with as many cases as one class of layers."""


@dataclass(frozen=True)
class _Lost:
    """What a merge made of a field."""

    merged: Any
    sources: tuple[Any, ...]
    turned: Any
    is_passed: bool

    @property
    def is_wrong(self) -> bool:
        """Whether the layers agree on something else, or their order decides."""
        if self.is_agreed:
            return self.is_passed and bool(self.merged != self.sources[0])
        return bool(self.merged != self.turned)

    @property
    def is_agreed(self) -> bool:
        """Whether all layers have the same."""
        return all(each == self.sources[0] for each in self.sources)


class MergeSearch:
    """Merges layers of one class again and again.

    Args:
        interpreter: Where they are made.
        kind: Their class.
        fields: Those of its fields that count, and whether a merge passes them on.
        more: Further settings and their values.
        effort: How much to try.
    """

    def __init__(
        self,
        interpreter: Interpreter,
        kind: Kind,
        fields: Mapping[str, bool],
        more: Mapping[str, Sequence[Any]],
        effort: Effort,
    ) -> None:
        """Merge nothing yet."""
        self._interpreter, self._kind, self._effort = interpreter, kind, effort
        self._fields = {each: fields[each] for each in kind.compared if each in fields}
        self._drawn: st.SearchStrategy[Case] = Cases([kind], more).merges()
        self._refusal = ""

    def results(self) -> list[MemberResult]:
        """Return a result for the merge, and one for each field that it loses."""
        merged, wrong = 0, dict.fromkeys(self._fields, 0)

        def look(case: Case) -> bool:
            nonlocal merged
            fields = self._merge(case)
            merged += fields is not None
            for name, field in (fields or {}).items():
                wrong[name] += field.is_wrong
            return fields is not None

        number = self._effort.cases * (_MORE + len(self._fields)) // _MORE
        each_case(self._drawn, look, number, self._effort.seed)
        if not merged:
            reason = f"no two specs could be merged: {self._refusal}"
            return [MemberResult(MERGE, Status.NOT_TRIED, 0, reason=reason)]
        lost = [
            MemberResult(
                f"{MERGE}.{name}", Status.DISAGREES, merged, self._smallest(name)
            )
            for name, times in wrong.items()
            if times
        ]
        return lost or [MemberResult(MERGE, Status.AGREES, merged)]

    def _smallest(self, name: str) -> Example | None:
        def loses(case: Case) -> bool:
            fields = self._merge(case)
            return fields is not None and fields[name].is_wrong

        case = smallest(self._drawn, loses, self._effort.seed)
        if case is None:
            return None
        fields = self._merge(case)
        assert fields is not None
        found = fields[name]
        return Example(
            case.layers,
            found.merged,
            found.sources,
            found.sources[0] if found.is_agreed else None,
            found.is_agreed,
            name,
        )

    def _merge(self, case: Case) -> dict[str, _Lost] | None:
        """What becomes of each field; None if the class refuses to merge."""
        told = self._interpreter.call(
            f"merging specs of {self._kind.class_name.replace(':', '.')}",
            "merge",
            layers=[made(each) for each in case.layers],
        )
        if isinstance(told, Refusal):
            self._refusal = told.reason
            return None
        merged, turned = told["merged"].get("fields"), told["turned"].get("fields")
        sources = [each["fields"] for each in told["sources"]]
        if merged is None or turned is None:
            return None
        return {
            name: _Lost(
                merged.get(name),
                tuple(each[name] for each in sources),
                turned.get(name),
                is_passed,
            )
            for name, is_passed in self._fields.items()
            if all(name in each for each in sources)
        }
