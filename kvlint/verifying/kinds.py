# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The classes of layers that cases are made of, and what each can be given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import Any

from kvlint.verifying.domains import BLOCK_SIZE, CACHE_MODE, values
from kvlint.verifying.process import Interpreter, Raised
from kvlint.verifying.results import Making
from kvlint.verifying.subjects import Subject

_MOST_TRIED, _MOST_DEPARTURES, _AT_ONCE = 5000, 3, 250

Recipes = Mapping[str, Mapping[str, Sequence[Any]]]
"""Values by class and field, as the configuration gives them."""


@dataclass(frozen=True)
class Kind:
    """A class of layers.

    Attributes:
        class_name: ``module:Class``.
        base: What its constructor needs, in the simplest form.
        changes: What else it may be given: fields with values.
        fields: All of its fields.
        compared: Those by which two of its specs are equal or not.
        merges: Whether it can merge specs.
    """

    class_name: str
    base: Mapping[str, Any]
    changes: tuple[tuple[str, Any], ...]
    fields: frozenset[str]
    compared: tuple[str, ...]
    merges: bool

    @property
    def name(self) -> str:
        """The class's bare name."""
        return self.class_name.rpartition(":")[2]


def find_kinds(
    interpreter: Interpreter, names: Sequence[str], recipes: Recipes
) -> tuple[list[Kind], list[str]]:
    """Return the classes of layers that can be made, and why others cannot.

    Args:
        interpreter: Where the classes are.
        names: ``module:Class`` of each.
        recipes: What the configuration says of their fields.
    """
    kinds, notes = [], []
    for name in names:
        try:
            kinds.append(_kind(interpreter, name, recipes.get(name, {})))
        except _NotMade as reason:
            notes.append(f"{name.replace(':', '.')} is left out: {reason}")
    return kinds, notes


def find_making(
    interpreter: Interpreter, subject: Subject, recipe: Mapping[str, Sequence[Any]]
) -> Making:
    """Return how a composite is made.

    Args:
        interpreter: Where its class is.
        subject: The composite.
        recipe: What the configuration says of its fields.

    Raises:
        Raised: There is no such class.
    """
    name = subject.class_name
    doing = f"describing {name.replace(':', '.')}"
    told = interpreter.call(doing, "describe", **{"class": name})
    needed = {x["name"]: values(x) for x in told["fields"] if "default" not in x}
    return Making(
        name,
        subject.holders,
        {name: each[0] for name, each in recipe.items()},
        {name: each[0] for name, each in needed.items() if each},
        tuple(needed),
        told["makes"],
        subject.has_gate,
    )


class _NotMade(Exception):
    """A class of layers cannot be made."""


def _kind(
    interpreter: Interpreter, name: str, recipe: Mapping[str, Sequence[Any]]
) -> Kind:
    doing = f"importing {name.partition(':')[0]}"
    try:
        told = interpreter.call(doing, "describe", **{"class": name})
    except Raised as error:
        package = str(error.error.get("missing", "")).partition(".")[0]
        remedy = package and f"; install it, or give --stand-in {package}"
        raise _NotMade(f"{error.told}{remedy}") from error
    fields = {each["name"]: each for each in told["fields"]}
    tried = {each: list(recipe.get(each) or values(fields[each])) for each in fields}
    needed = [
        each
        for each in fields
        if "default" not in fields[each] or each in {BLOCK_SIZE, CACHE_MODE, *recipe}
    ]
    for each in needed:
        if not tried[each]:
            where = f'[tool.kvlint.verify.recipes."{name.replace(":", ".")}"]'
            raise _NotMade(f"no value for its `{each}` is known; give one in {where}")
    base = _base(interpreter, name, needed, tried)
    changes = [
        (each, value)
        for each in fields
        if each not in (BLOCK_SIZE, CACHE_MODE)
        for value in tried[each]
        if value != base.get(each, fields[each].get("default"))
    ]
    refusals = _build(interpreter, [(name, {**base, x: y}) for x, y in changes])
    return Kind(
        name,
        base,
        tuple(x for x, why in zip(changes, refusals, strict=True) if not why),
        frozenset(fields),
        tuple(each for each in fields if fields[each]["compares"]),
        told["merges"],
    )


def _base(
    interpreter: Interpreter,
    name: str,
    needed: Sequence[str],
    tried: Mapping[str, Sequence[Any]],
) -> dict[str, Any]:
    """The simplest values that the class takes."""
    first = {each: tried[each][0] for each in needed}
    choices = islice(_departures(first, tried), _MOST_TRIED)
    why = ""
    while some := list(islice(choices, _AT_ONCE)):
        refusals = _build(interpreter, [(name, each) for each in some])
        why = why or refusals[0]
        for given, refusal in zip(some, refusals, strict=True):
            if not refusal:
                return given
    raise _NotMade(f"it does not take the values tried: {why}")


def _departures(
    first: Mapping[str, Any], tried: Mapping[str, Sequence[Any]]
) -> Iterator[dict[str, Any]]:
    """Choices of values, those first that depart from the simplest ones the least."""
    for number in range(_MOST_DEPARTURES + 1):
        for names in combinations(first, number):
            for values_ in product(*(tried[each][1:] for each in names)):
                yield {**first, **dict(zip(names, values_, strict=True))}


def _build(
    interpreter: Interpreter, wanted: Sequence[tuple[str, Mapping[str, Any]]]
) -> list[str]:
    layers = [{"class": name, "fields": fields} for name, fields in wanted]
    doing = f"making {wanted[0][0].replace(':', '.')}" if wanted else "making specs"
    told = interpreter.call(doing, "build", layers=layers)
    found: list[str] = told["refusals"]
    return found
