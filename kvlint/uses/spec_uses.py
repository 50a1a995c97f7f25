# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where a project makes specs, copies them and reads off them, if that may fail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import libcst as cst

from kvlint.errors import KvlintError
from kvlint.findings import Place
from kvlint.model.classes import MemberKind, SpecClass, SpecFile
from kvlint.model.functions import FunctionIndex, FunctionText
from kvlint.model.workspace import Workspace
from kvlint.specs.glossary import Glossary
from kvlint.uses.followed import Followed
from kvlint.uses.following.expressions import Touch
from kvlint.uses.following.givers import Givers
from kvlint.uses.following.touches import find_touches, find_touches_in
from kvlint.uses.following.values import Shape
from kvlint.uses.suspects import Suspects
from kvlint.vocabulary import GROUP_ATTRIBUTE, TELLING_ATTRIBUTES


@dataclass(frozen=True)
class Use:
    """A place that does something with a spec.

    Attributes:
        touch: What it does.
        specs: The class, or those that it may be of.
    """

    touch: Touch
    specs: Sequence[SpecClass]
    _where: FunctionText | SpecFile

    @property
    def shown(self) -> str:
        """The classes, to be the subject of a sentence."""
        return " or ".join(f"`{each.name}`" for each in self.specs)

    def place(self, node: cst.CSTNode) -> Place:
        """Return where a node stands."""
        return self._where.place(node)


class Uses:
    """Finds uses.

    Args:
        workspace: Reads the files.
        followed: Tells which classes are meant.
    """

    def __init__(self, workspace: Workspace, followed: Followed) -> None:
        """Begin with nothing looked at."""
        self._workspace = workspace
        self._followed = followed

    def suspicious(self, files: Sequence[Path]) -> Iterator[Use]:
        """Yield the uses in every function that may hold one that is at fault.

        Args:
            files: Where to look; only the functions that need it are parsed.
        """
        for path in files:
            try:
                text = self._workspace.source(path).text
            except KvlintError:
                continue
            defines = path in self._defining
            offsets = self._suspects.offsets(text, defines=defines)
            functions = self._workspace.functions(path) if offsets else None
            if functions is None:
                continue
            found = _functions(functions, offsets)
            if found is None:
                yield from self._in_file(path)
            else:
                yield from self._in_functions(path, found)

    def _in_functions(
        self, path: Path, functions: Sequence[FunctionText]
    ) -> Iterator[Use]:
        file = self._workspace.skimmed(path)
        if file is None:
            return
        givers = self._givers(path)
        owners = {x.name: x for x in file.classes if x in self._followed.classes}
        for function in functions:
            owner = owners.get(function.class_name)
            yield from self._uses(
                find_touches_in(
                    function.node,
                    owner,
                    _shape(owner, function.node.name.value),
                    self._followed,
                    file,
                    self._followed.attributes,
                    givers,
                    function.class_name,
                ),
                function,
            )

    def _in_file(self, path: Path) -> Iterator[Use]:
        file = self._workspace.file(path)
        if file is not None:
            touches = find_touches(
                self._followed, file, self._followed.attributes, self._givers(path)
            )
            yield from self._uses(touches, file)

    def _givers(self, path: Path) -> Givers | None:
        """What a file says of its functions."""
        index = self._workspace.functions(path)
        if index is None:
            return None
        return Givers(index.source.text, self._followed.names, index.named)

    def _uses(
        self, touches: Sequence[Touch], where: FunctionText | SpecFile
    ) -> Iterator[Use]:
        for touch in touches:
            specs = [x for x in touch.value.classes if isinstance(x, SpecClass)]
            if len(specs) == len(touch.value.classes):
                yield Use(touch, specs, where)

    @cached_property
    def _defining(self) -> set[Path]:
        return {each.file.path for each in self._followed.classes}

    @cached_property
    def _suspects(self) -> Suspects:
        by_name: dict[str, list[SpecClass]] = {}
        for spec in self._followed.classes:
            by_name.setdefault(spec.name, []).append(spec)
        held = {
            name: value.of.name
            for name, value in self._followed.attributes.held.items()
            if value is not None and isinstance(value.of, SpecClass)
        }
        return Suspects(
            {name: self._glossary(specs) for name, specs in by_name.items()},
            held,
            TELLING_ATTRIBUTES | {GROUP_ATTRIBUTE},
        )

    def _glossary(self, specs: Sequence[SpecClass]) -> Glossary:
        """What all classes of a name have, that a read may rely on."""
        families = [self._followed.family(each) for each in specs]
        makers = [
            [self._followed.constructor(each) for each in family.below]
            for family in families
        ]
        fields = [
            {name for maker in below if maker is not None for name in maker.arguments}
            for below in makers
        ]
        return Glossary(
            frozenset.intersection(*(each.names for each in families)),
            frozenset(set.intersection(*fields)),
            tuple(self._followed.constructor(each) for each in specs),
        )


def _shape(owner: SpecClass | None, name: str) -> Shape | None:
    """How the first parameter of a method is of its class."""
    member = None if owner is None else owner.members.get(name)
    if member is None or member.kind is MemberKind.STATICMETHOD:
        return None
    return Shape.KIND if member.kind is MemberKind.CLASSMETHOD else Shape.ONE


def _functions(
    index: FunctionIndex, offsets: Sequence[int]
) -> list[FunctionText] | None:
    """The functions that hold some places, in order; None if one is in no function."""
    found: list[FunctionText] = []
    for offset in offsets:
        if not found or offset >= found[-1].extent[1]:
            around = index.around([offset])
            if not around:
                return None
            found += around
    return found


def is_set_anywhere(
    workspace: Workspace, files: Sequence[Path], names: Sequence[str], attribute: str
) -> bool:
    """Return whether code may give things of some names an attribute from outside.

    Such as ``group.spare = 1``, ``SomeSpec.spare = property(...)`` or a ``setattr``
    with that text. Nothing is parsed.

    Args:
        workspace: Reads the files.
        files: Where to look.
        names: Of variables, attributes and classes.
        attribute: What may be set.
    """
    owners = "|".join(map(re.escape, names))
    bare = re.escape(attribute)
    pattern = re.compile(
        rf"\b(?:{owners})\s*\.\s*{bare}\s*(?::[^=\n]*)?=(?!=)"
        rf"|setattr(?:__)?\s*\(\s*[^()]*,\s*[\"']{bare}[\"']".encode()
    )
    needle = attribute.encode()
    for path in files:
        content = workspace.content(path)
        if needle in content and pattern.search(content):
            return True
    return False
