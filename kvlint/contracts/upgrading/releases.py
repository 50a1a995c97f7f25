# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What became of vLLM's names between two releases, as a project sees them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from kvlint.contracts.aspects import compare
from kvlint.contracts.changes import CONSTRUCTOR, Family
from kvlint.contracts.differences import classes
from kvlint.contracts.facts import ClassFacts, ContractFacts, FieldFacts, MemberFacts
from kvlint.contracts.history import history
from kvlint.contracts.lineage import Answer, Definition, Lineage
from kvlint.contracts.renames import Rename, likely_renames
from kvlint.contracts.upgrading.plugin import PlugIn
from kvlint.uses.following.meanings import Named

_UNCALLED = frozenset({"property", "attribute"})


class Releases:
    """Two releases, and what became of names between them.

    Args:
        before: The one that a project builds on.
        after: The one that it is to build on.
        plug_in: The project.
    """

    def __init__(
        self, before: ContractFacts, after: ContractFacts, plug_in: PlugIn
    ) -> None:
        """Compare the names of both."""
        self.name, self.imports = after.release, after.imports
        self.module = after.module
        self.before = Lineage([*before.classes, *before.managers])
        self.after = Lineage([*after.classes, *after.managers])
        self._plug_in = plug_in
        self.renames: list[Rename] = []
        for family in Family:
            sides = [Lineage(classes(each, family)) for each in (before, after)]
            self.renames += likely_renames(*sides)

    def pattern(self) -> re.Pattern[bytes]:
        """Return what a file has to contain for a change to concern what it does."""
        read: set[str] = set()
        named: set[str] = set()
        made: set[str] = set()
        for name, facts in self.before.classes.items():
            new = self.after.classes.get(name)
            if new is None or new.module != facts.module:
                named.add(name)
                continue
            read |= {
                each
                for each in self.before.names(facts)
                if not each.startswith("_") and self._has_changed(facts, new, each)
            }
            if self._is_made_otherwise(facts, new):
                made.add(name)
        for own in self._plug_in.own.values():
            if made & {*own.bases}:
                made.add(own.spec.name)
        parts = [
            rf"\.\s*(?:{_any(read)})\b",
            rf"[\"'](?:{_any(read)})[\"']",
            rf"\b(?:{_any(read)})\s*=(?!=)",
            rf"\b(?:{_any(named)})\b",
            rf"\b(?:{_any(made)})\s*\(",
        ]
        return re.compile("|".join(parts).encode())

    def _has_changed(self, old: ClassFacts, new: ClassFacts, name: str) -> bool:
        was, now = self.before.answer(old, name), self.after.answer(new, name)
        if was is None or now is None:
            return True
        return any(
            each.name == "kind" or each.name.startswith("parameter")
            for each in compare(was.definition, now.definition)
        )

    def _is_made_otherwise(self, old: ClassFacts, new: ClassFacts) -> bool:
        """Whether a constructor insists on something that it did not before."""
        if self.before.answer(old, CONSTRUCTOR) or self.after.answer(new, CONSTRUCTOR):
            return self._has_changed(old, new, CONSTRUCTOR)
        before = constructor_fields(self.before, old)
        after = constructor_fields(self.after, new)
        return bool(required(after) - required(before))

    def bases(self, named: Named) -> list[tuple[ClassFacts, ClassFacts]]:
        """Return the vLLM classes that a class is, or derives from, in both."""
        names: tuple[str, ...] = (named,) if isinstance(named, str) else ()
        if not isinstance(named, str) and named in self._plug_in.own:
            names = self._plug_in.own[named].bases
        return [
            (self.before.classes[each], self.after.classes[each])
            for each in names
            if each in self.before.classes and each in self.after.classes
        ]

    def definitions(
        self, named: Named, name: str
    ) -> tuple[Answer | None, Answer | None]:
        """Return what answers for a name of a class itself, in both releases."""
        for old, new in self.bases(named):
            was, now = self.before.answer(old, name), self.after.answer(new, name)
            if was is not None or now is not None:
                return was, now
        return None, None

    def is_gone(self, named: Named, name: str, *, exactly: bool) -> bool:
        """Return whether a name that a class had is there no more.

        Args:
            named: The class.
            name: The member or field.
            exactly: Whether no class below it is meant.
        """
        pairs = self.bases(named)
        is_exact = exactly and isinstance(named, str)
        if not pairs or (not is_exact and self.is_own(named, name)):
            return False
        if not isinstance(named, str) or exactly:
            had = any(self.before.answer(old, name) for old, _ in pairs)
            return had and not any(self.after.answer(new, name) for _, new in pairs)
        had = any(name in self.before.names(each) for each in self._below(named, True))
        return had and not any(
            name in self.after.names(each) for each in self._below(named, False)
        )

    def _below(self, name: str, is_before: bool) -> Iterator[ClassFacts]:
        lineage = self.before if is_before else self.after
        for each in lineage.classes.values():
            if lineage.is_below(each, name):
                yield each

    def is_own(self, named: Named, name: str) -> bool:
        """Return whether the project itself defines a name that is read off a class."""
        if not isinstance(named, str):
            known = self._plug_in.own.get(named)
            return known is not None and known.defines(name)
        return any(
            each.defines(name) and any(self._is_kin(base, named) for base in each.bases)
            for each in self._plug_in.own.values()
        )

    def _is_kin(self, base: str, named: str) -> bool:
        return any(
            base in side.classes and side.is_below(side.classes[base], named)
            for side in (self.before, self.after)
        )

    def told_gone(self, named: Named, name: str) -> str:
        """Return that a name is gone, and what it likely became."""
        new = self.new_name(named, name)
        more = f", likely renamed to `{new}`" if new else ""
        return f"gone in {self.name}{more}"

    def new_name(self, named: Named, name: str) -> str:
        """Return what a name of a class likely became; empty for nothing known."""
        kin = {each.name for pair in self.bases(named) for each in pair}
        for each in sorted(kin):
            # What is told step by step is surer than what two far releases suggest.
            past = history().past(each, name, self.name)
            known = self.after.names(self.after.classes[each])
            if past is not None and past.successor in known:
                return past.successor
        for rename in self.renames:
            related = any(
                self._is_kin(each, other) or self._is_kin(other, each)
                for each in rename.classes
                for other in kin
            )
            if rename.old == name and related:
                return rename.new
        return ""


def called(named: Named) -> str:
    """Return what a class is called."""
    return named if isinstance(named, str) else named.name


def one(named: Named) -> str:
    """Return what an instance of a class is called."""
    name = called(named)
    return f"{'an' if name[0] in 'AEIO' else 'a'} `{name}`"


def is_called(definition: Definition) -> bool:
    """Return whether a name is asked by a call."""
    return isinstance(definition, MemberFacts) and definition.kind not in _UNCALLED


def constructor_fields(lineage: Lineage, facts: ClassFacts) -> dict[str, FieldFacts]:
    """Return the fields that a dataclass's constructor takes, in its order."""
    found: dict[str, FieldFacts] = {}
    for each in reversed(lineage.order(facts)):
        for field in each.fields:
            if field.options.get("init") != "False":
                found[field.name] = field
    return found


def required(fields: Mapping[str, FieldFacts]) -> set[str]:
    """Return the fields without which a constructor cannot be called."""
    return {name for name, field in fields.items() if not field.has_default}


def _any(names: Iterable[str]) -> str:
    """A pattern for any of some names; one that nothing fits, for none."""
    return "|".join(sorted(names)) or "(?!)"


def replaced_parameters(was: MemberFacts, now: MemberFacts) -> dict[str, str]:
    """Return parameters that others stand in the place of, with those."""
    return {
        each.before: each.after
        for each in compare(was, now)
        if each.name == "parameter replaced"
    }
