# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The classes whose values are followed: specs and the dataclasses beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from kvlint.model.annotations import TypeName, read_annotation
from kvlint.model.classes import MemberKind, SpecClass, SpecFile
from kvlint.model.resolution import Unresolved
from kvlint.model.scopes import Alias, Binding, ImportedName, Scope
from kvlint.model.syntax import dotted
from kvlint.model.values.settings import ANYTHING, Setting, find_settings
from kvlint.specs.constructors import Constructor, constructor, is_plain
from kvlint.specs.hierarchy import Hierarchy, last_name
from kvlint.uses.following.evaluation import Attributes
from kvlint.uses.following.meanings import Named
from kvlint.uses.following.values import Value, held_by_name, typed
from kvlint.vocabulary import TELLING_ATTRIBUTES

_COMPUTES = frozenset({"__getattr__", "__getattribute__"})


@dataclass(frozen=True, eq=False)
class Family:
    """A class, all below it, and what those inherit from.

    Attributes:
        spec: The class.
        below: It, and the classes below it.
        names: Every member, field and other name of a body.
        is_certain: Nothing else can give an instance an attribute.
    """

    spec: SpecClass
    below: tuple[SpecClass, ...]
    names: frozenset[str]
    is_certain: bool


@dataclass
class Followed:
    """Tells which classes names mean, and what those have.

    Attributes:
        hierarchy: The spec classes.
        is_given_elsewhere: Whether a class that is not followed has a field of a name,
            such as the configuration of a fork.
    """

    hierarchy: Hierarchy
    is_given_elsewhere: Callable[[str], bool] = field(default=lambda _: False)
    _families: dict[SpecClass, Family] = field(default_factory=dict)
    _constructors: dict[SpecClass, Constructor | None] = field(default_factory=dict)
    _meanings: dict[tuple[int, str], SpecClass | None] = field(default_factory=dict)
    _settings: dict[SpecClass, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def classes(self) -> dict[SpecClass, None]:
        """All of them, specs first."""
        return dict.fromkeys([*self.hierarchy.specs, *self.hierarchy.beside()])

    @cached_property
    def names(self) -> frozenset[str]:
        """Their simple names."""
        return frozenset(each.name for each in self.classes)

    def meaning(self, name: str, scope: Scope, file: SpecFile) -> Named | None:
        """Return the followed class that a name means, if it can mean no other."""
        key = (id(scope), name)
        if key not in self._meanings:
            self._meanings[key] = self._meaning(name, scope, file)
        return self._meanings[key]

    def _meaning(self, name: str, scope: Scope, file: SpecFile) -> SpecClass | None:
        # To resolve a name may be to parse a module: first see that it is worth it.
        last = last_name(name)
        if last not in self.names:
            bindings, _ = scope.lookup(name.partition(".")[0])
            if not any(map(self._may_be_followed, bindings)):
                return None
        meanings = set(self.hierarchy.resolver.resolve(name, scope, file))
        found = meanings.pop() if len(meanings) == 1 else None
        if isinstance(found, Unresolved):
            return self._handed_on(found.name)
        is_followed = isinstance(found, SpecClass) and found in self.classes
        return found if is_followed and isinstance(found, SpecClass) else None

    def _handed_on(self, dotted: str) -> SpecClass | None:
        """The class of a root's module that another of its package's modules gives.

        Where vLLM's sources are not at hand, nobody can see that it does.
        """
        for root in self.hierarchy.root_names:
            if dotted.startswith(f"{root.partition('.')[0]}."):
                for spec in self._beside_roots:
                    if spec.name == last_name(dotted):
                        return spec
        return None

    @cached_property
    def _beside_roots(self) -> list[SpecClass]:
        """The followed classes of the roots' modules."""
        files = {x.file.path for x in self.hierarchy.specs if self.hierarchy.is_root(x)}
        return [each for each in self.classes if each.file.path in files]

    def _may_be_followed(self, binding: Binding) -> bool:
        match binding:
            case ImportedName(name=name) | Alias(TypeName(name), ()):
                return last_name(name) in self.names
        return False

    def imported(
        self, binding: ImportedName, rest: str, file: SpecFile
    ) -> Named | None:
        """Return the followed class that a function's own import gives."""
        if last_name(rest or binding.name) not in self.names:
            return None
        scope = Scope(names={binding.name: [binding]})
        name = f"{binding.name}.{rest}" if rest else binding.name
        return self._meaning(name, scope, file)

    def owner(self, spec: SpecClass) -> Named | None:
        """Return the class that a class statement makes, if it is followed."""
        return spec if spec in self.classes else None

    @cached_property
    def attributes(self) -> Attributes:
        """What attributes of the classes hold, by name.

        Where a project has roots of its own, its groups may be others than vLLM's, and
        where it has a configuration of its own, as forks have, they are others.
        """
        roots = [x for x in self.hierarchy.specs if self._is_topmost(x)]
        telling = TELLING_ATTRIBUTES if len(roots) == 1 else frozenset[str]()
        others = set(filter(self.is_given_elsewhere, TELLING_ATTRIBUTES))
        found = (x for x in self._attributes() if x[0] not in others)
        return Attributes(held_by_name(found), telling - others)

    def _is_topmost(self, spec: SpecClass) -> bool:
        """Whether a class is a root that is below no other."""
        is_root = self.hierarchy.is_root
        return is_root(spec) and not any(map(is_root, self.hierarchy.mro(spec)[1:]))

    def _attributes(self) -> Iterator[tuple[str, Value | None]]:
        for spec in self.classes:

            def lookup(name: str, spec: SpecClass = spec) -> Named | None:
                return self.meaning(name, spec.body_scope, spec.file)

            for each in spec.fields.values():
                yield each.name, typed(each.annotation, lookup)
            for member in spec.members.values():
                if member.kind is MemberKind.PROPERTY and member.returns is not None:
                    yield member.name, typed(read_annotation(member.returns), lookup)

    def constructor(self, spec: SpecClass) -> Constructor | None:
        """Return what a class's constructor takes, None if that cannot be told."""
        if spec not in self._constructors:
            self._constructors[spec] = constructor(self.hierarchy, spec)
        return self._constructors[spec]

    def family(self, spec: SpecClass) -> Family:
        """Return a class with all below it."""
        if spec not in self._families:
            mro = self.hierarchy.mro
            below = tuple(each for each in self.classes if spec in mro(each))
            kin = dict.fromkeys(kin for each in below for kin in mro(each))
            names = {
                name
                for each in kin
                for name in (*each.body_scope.names, *each.fields, *each.members)
            }
            is_certain = all(map(self._is_certain, kin))
            self._families[spec] = Family(spec, below, frozenset(names), is_certain)
        return self._families[spec]

    def _is_certain(self, spec: SpecClass) -> bool:
        return (
            self.hierarchy.certain_mro(spec) is not None
            and is_plain(self.hierarchy, spec)
            and _COMPUTES.isdisjoint(spec.members)
        )

    def is_set_by_methods(self, spec: SpecClass, name: str) -> bool:
        """Return whether a method of a class or of one above or below it sets a name.

        One that sets a name which it works out counts too, but not one that hands its
        instance on.
        """
        mro = self.hierarchy.mro
        kin = {kin for each in self.family(spec).below for kin in mro(each)}
        return any({name, ANYTHING} & self._set_by(each) for each in kin)

    def _set_by(self, spec: SpecClass) -> frozenset[str]:
        if spec not in self._settings:
            self._settings[spec] = frozenset(
                setting.name
                for member in spec.members.values()
                if member.function is not None
                for setting in find_settings(member.function, member.self_name)
                if setting.name != ANYTHING or _has_value(setting)
            )
        return self._settings[spec]


def _has_value(setting: Setting) -> bool:
    """Whether something is set; None is what a bundled contract says otherwise."""
    return setting.value is not None and dotted(setting.value) != "None"
