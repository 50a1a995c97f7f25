# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What code of a class runs after a call, read off its text."""

from __future__ import annotations

import re

from kvlint.model.succession import after_calls, classes_in

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


def marks(known: tuple[str, ...] = ()) -> set[int]:
    """Return the marks that run after the call."""
    found = set()
    for each in classes_in(TEXT):
        succession = after_calls(TEXT, each, CALLED, known)
        found |= {
            int(mark[1])
            for mark in re.finditer(r"mark_(\d)", TEXT)
            if succession.cause(mark.start()) is not None
        }
    return found


def test_what_is_called_after_runs_after_also_what_that_calls() -> None:
    assert marks() == {2, 3, 4, 6}


def test_what_a_base_is_known_to_call_after() -> None:
    assert marks(("never", "nowhere")) == {2, 3, 4, 5, 6}


def test_the_cause_is_the_call_itself() -> None:
    runner = classes_in(TEXT)[0]
    cause = after_calls(TEXT, runner, CALLED).cause(TEXT.index("mark_3"))
    assert cause == TEXT.index("share(self.groups)", TEXT.index("mark_1"))


def test_classes_with_their_bases_and_methods() -> None:
    runner, inner = classes_in(TEXT)
    assert (runner.name, runner.bases) == ("Runner", ("Base", "Mixin"))
    assert [*runner.methods] == [
        "start",
        "maybe_share",
        "before",
        "after",
        "deep",
        "both",
        "never",
    ]
    assert (inner.name, inner.bases, [*inner.methods]) == ("Inner", (), ["run"])


def test_a_class_that_calls_nothing() -> None:
    (only,) = classes_in("class A:\n    def f(self):\n        self.g()\n")
    assert after_calls("class A: pass\n", only, CALLED).methods == frozenset()
