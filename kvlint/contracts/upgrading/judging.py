# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Whether what a project does with vLLM's classes holds in another release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kvlint.contracts.changes import CONSTRUCTOR
from kvlint.contracts.facts import ContractFacts, MemberFacts
from kvlint.contracts.lineage import Definition, listed
from kvlint.contracts.upgrading.overrides import own_class
from kvlint.contracts.upgrading.plugin import OwnClass, PlugIn
from kvlint.contracts.upgrading.releases import (
    Releases,
    called,
    constructor_fields,
    is_called,
    one,
    replaced_parameters,
    required,
)
from kvlint.contracts.upgrading.verdicts import Verdict
from kvlint.uses.following.expressions import Act, Touch
from kvlint.uses.following.values import Shape

_STARS = frozenset({"var-positional", "var-keyword"})


class Judge:
    """Judges places of a project by two releases.

    Args:
        before: The release that it builds on.
        after: The one that it is to build on.
        plug_in: The project.
    """

    def __init__(
        self, before: ContractFacts, after: ContractFacts, plug_in: PlugIn
    ) -> None:
        """Compare the releases."""
        self.releases = self._releases = Releases(before, after, plug_in)
        self._plug_in = plug_in
        self.pattern = self._releases.pattern()

    def own_class(self, own: OwnClass) -> Iterator[Verdict]:
        """Yield what is the matter with a class of the project."""
        yield from own_class(own, self._releases, self._plug_in)

    def touch(self, touch: Touch) -> Iterator[Verdict]:
        """Yield what is the matter with a place that touches a class.

        Of one that may touch several, what is the matter with each of them.
        """
        values = [replace(touch.value, of=x, others=()) for x in touch.value.classes]
        found = [list(self._touch(replace(touch, value=each))) for each in values]
        if all(found):
            yield from found[0]

    def _touch(self, touch: Touch) -> Iterator[Verdict]:
        found: Iterable[Verdict]
        match touch.act:
            case Act.IMPORT:
                found = self._import(touch)
            case Act.CONSTRUCT:
                found = self._construction(touch)
            case Act.COPY:
                found = self._keywords_gone(touch)
            case _:
                found = self._read(touch)
        for each in found:
            is_soft = touch.is_guarded or touch.act is Act.ASK
            yield each.softened() if is_soft else each

    def _import(self, touch: Touch) -> Iterator[Verdict]:
        name, module, releases = str(touch.value.of), touch.name, self._releases
        old, new = releases.before.classes.get(name), releases.after.classes.get(name)
        if old is None or module != old.module:
            return
        if new is None:
            message = f"imports `{name}`, gone in {releases.name}"
            yield Verdict(touch.node, True, message, name)
        elif new.module != module and not (
            module == releases.module and name in releases.imports
        ):
            message = f"imports `{name}` from `{module}`; it is in `{new.module}` now"
            yield Verdict(touch.node, True, message, name)

    def _read(self, touch: Touch) -> Iterator[Verdict]:
        named, name, releases = touch.value.of, touch.name, self._releases
        shown = one(named)
        if releases.is_gone(named, name, exactly=touch.value.shape is Shape.SUPER):
            told = releases.told_gone(named, name)
            yield Verdict(touch.node, True, f"reads `{name}` of {shown}: {told}", name)
            return
        if releases.is_own(named, name) and touch.value.shape is not Shape.SUPER:
            return
        was, now = releases.definitions(named, name)
        if was is None or now is None:
            return
        symbol = f"{now.owner.name}.{name}"
        if is_called(was.definition) != is_called(now.definition):
            kind = "called" if is_called(now.definition) else "read without a call"
            message = f"`{symbol}` is to be {kind} in {releases.name}"
            yield Verdict(touch.node, True, message, symbol)
        elif touch.passed.names or touch.positionals:
            yield from self._arguments(touch, was.definition, now.definition, symbol)

    def _arguments(
        self, touch: Touch, was: Definition, now: Definition, symbol: str
    ) -> Iterator[Verdict]:
        """What a call of a member passes, against what that takes now."""
        if not isinstance(was, MemberFacts) or not isinstance(now, MemberFacts):
            return
        if any(each.kind == "var-keyword" for each in now.parameters):
            return
        known = {each.name for each in was.parameters}
        takes = {each.name for each in now.parameters}
        new_names = replaced_parameters(was, now)
        for name, node in touch.passed.passed:
            if name in known - takes:
                more = (
                    f"; `{new_names[name]}` stands there now"
                    if name in new_names
                    else ""
                )
                message = f"passes `{name}` to `{symbol}`, which takes it no more{more}"
                yield Verdict(node, True, message, symbol)
        if touch.passed.is_open:
            return
        passed = touch.passed.names
        positional = [each for each in now.parameters if each.kind not in _STARS]
        passed |= {each.name for each in positional[: touch.positionals]}
        for each in positional:
            renamed = each.name in new_names.values()
            if each.default is None and each.name not in passed | known and not renamed:
                message = f"`{symbol}` must be passed `{each.name}` now"
                yield Verdict(touch.node, True, message, symbol)

    def _construction(self, touch: Touch) -> Iterator[Verdict]:
        named, releases = touch.value.of, self._releases
        was, now = releases.definitions(named, CONSTRUCTOR)
        if releases.is_own(named, CONSTRUCTOR):
            return
        if was is not None and now is not None:
            yield from self._arguments(
                touch, was.definition, now.definition, called(named)
            )
            return
        yield from self._keywords_gone(touch)
        for old, new in releases.bases(named)[:1]:
            before = constructor_fields(releases.before, old)
            after = constructor_fields(releases.after, new)
            passed = touch.passed.names
            passed |= set([*after][: touch.positionals])
            passed |= {releases.new_name(named, each) for each in passed}
            needed = required(after) - required(before) - passed
            lacking = [f"`{name}`" for name in after if name in needed]
            if lacking and not touch.passed.is_open:
                message = f"`{called(named)}(...)` needs {listed(lacking)} now"
                yield Verdict(touch.node, True, message, new.name)

    def _keywords_gone(self, touch: Touch) -> Iterator[Verdict]:
        named, releases = touch.value.of, self._releases
        is_made = touch.act is Act.CONSTRUCT
        fields = {
            name
            for old, _ in releases.bases(named)
            for name in constructor_fields(releases.before, old)
        }
        for name, node in touch.passed.passed:
            if is_made and name not in fields:
                continue  # it is something else, or was no argument before either
            if releases.is_gone(named, name, exactly=is_made):
                told = releases.told_gone(named, name)
                message = f"passes `{name}` to {one(named)}: {told}"
                yield Verdict(node, True, message, name)
