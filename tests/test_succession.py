# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What code of a class runs after a call, read off its text."""

from __future__ import annotations

import re

from kvlint.model.values.succession import after_calls, class_at, class_named

CALLED = re.compile(r"\bshare\s*\(")
TEXT = '''\
class Runner(Base[int], mixins.Mixin):
    """share() is spoken of here."""

    def start(self):
        self.before()
        self.maybe_share()
        self.after()

    def maybe_share(self):
        if self.shared:
            mark_1
            share(self.groups)
            mark_2

    def before(self):
        self.both()

    def after(self):
        mark_3

        def inner():
            self.deep()

        inner()

    async def deep(self):
        self.both()

    def both(self):
        mark_4

    def never(self):
        mark_5


def share(groups):
    class Inner:
        def run(self):
            share(groups)
            mark_6
'''


def calls() -> list[int]:
    return [each.start() for each in CALLED.finditer(TEXT)]


def marks(known: tuple[str, ...] = ()) -> set[int]:
    """Return the marks that run after the call."""
    found = set()
    for mark in re.finditer(r"mark_(\d)", TEXT):
        around = class_at(TEXT, mark.start())
        assert around is not None
        if after_calls(TEXT, around, calls(), known).region(mark.start()):
            found.add(int(mark[1]))
    return found


def test_what_is_called_after_runs_after_also_what_that_calls() -> None:
    assert marks() == {2, 3, 4, 6}


def test_what_a_base_is_known_to_call_after() -> None:
    assert marks(("never", "nowhere")) == {2, 3, 4, 5, 6}


def test_a_region_knows_the_call_itself() -> None:
    runner = class_named(TEXT, "Runner")
    assert runner is not None
    succession = after_calls(TEXT, runner, calls(), ["never"])
    call = TEXT.index("share(self.groups)", TEXT.index("mark_1"))
    for mark, cause in (("mark_2", call), ("mark_3", call), ("mark_5", None)):
        region = succession.region(TEXT.index(mark))
        assert region is not None
        assert succession.regions[region] == cause


def test_classes_with_their_bases_and_methods() -> None:
    runner = class_named(TEXT, "Runner")
    assert runner is not None
    assert runner.bases == ("Base", "Mixin")
    assert [*runner.methods] == [
        "start",
        "maybe_share",
        "before",
        "after",
        "deep",
        "both",
        "never",
    ]
    inner = class_at(TEXT, TEXT.index("mark_6"))
    assert inner is not None
    assert (inner.name, inner.bases, [*inner.methods]) == ("Inner", (), ["run"])


def test_no_class() -> None:
    assert class_at(TEXT, TEXT.index("class Inner") - 1) is None
    assert class_named(TEXT, "Run") is None
