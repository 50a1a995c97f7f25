# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Group specs in tuples and in records that a call with keywords makes."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import libcst as cst

from kvlint.model.groups.narrowing import Narrowing
from kvlint.model.groups.subjects import Environment, Kind, items_of, place_of
from kvlint.model.syntax import dotted

_HELD = frozenset({Kind.RAW, Kind.GROUP})


@dataclass(frozen=True)
class Records(Narrowing):
    """Remembers which parts of tuples and records are groups, or specs of such."""

    @abstractmethod
    def comprehension(self, loop: cst.CompFor, env: Environment) -> Environment:
        """Bind the targets of a comprehension's loops, and believe its conditions."""

    def put_parts(
        self, place: str, value: cst.BaseExpression, env: Environment
    ) -> None:
        """Take note of what something holds by number or by name.

        Args:
            place: How it is known from now on.
            value: The tuple, the record, or a comprehension that makes several.
            env: What is known of names.
        """
        for suffix, kind in self._parts(value, env).items():
            env[f"{place}{suffix}"] = kind

    def _parts(self, value: cst.BaseExpression, env: Environment) -> Environment:
        found: Environment = {}
        match value:
            case cst.ListComp(elt=item) | cst.GeneratorExp(elt=item):
                inner = self.comprehension(value.for_in, dict(env))
                parts = self._parts(item, inner).items()
                return {items_of("") + suffix: kind for suffix, kind in parts}
            case cst.Tuple(elements=elements):
                for number, each in enumerate(elements):
                    found[f"[{number}]"] = self.kind(each.value, env)
            case cst.Call(func=func, args=args):
                name = (dotted(func) or "").rpartition(".")[2].lstrip("_")
                for given in args if name[:1].isupper() else ():
                    if given.keyword is not None:
                        kind = self.kind(given.value, env)
                        found[f".{given.keyword.value}"] = kind
        return {suffix: kind for suffix, kind in found.items() if kind in _HELD}

    def take_parts(
        self,
        target: cst.BaseExpression,
        iterated: cst.BaseExpression,
        env: Environment,
    ) -> None:
        """Bind a loop's target, or its elements, to what each of several holds."""
        place, name = place_of(iterated), place_of(target)
        parts = self._parts(iterated, env)
        if place is not None:
            known = {x: kind for x, kind in env.items() if x.startswith(f"{place}[*]")}
            parts |= {x.removeprefix(place): kind for x, kind in known.items()}
        for part, kind in parts.items():
            suffix = part.removeprefix(items_of(""))
            if isinstance(target, cst.Tuple):
                for number, each in enumerate(target.elements):
                    inner = place_of(each.value)
                    if suffix == f"[{number}]" and inner is not None:
                        env[inner] = kind
            elif name is not None and suffix[:1] in {".", "["} and kind in _HELD:
                env[f"{name}{suffix}"] = kind
