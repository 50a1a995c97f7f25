# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What stands in the members of stubs, so that the same is read as of the sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kvlint.contracts.facts import MemberFacts
from kvlint.contracts.making import MergeFacts, UniformFacts
from kvlint.model.merging.uniform_tests import OWN, REGISTERED
from kvlint.model.values.settings import ANYTHING


def body(facts: MemberFacts) -> list[str]:
    """Return statements that do what the facts say, and nothing else.

    Args:
        facts: Of a member.
    """
    statements = [_setting(name) for name in facts.sets if name not in facts.derives]
    if facts.derives:
        statements += _derivation(facts)
    if facts.merge is not None:
        statements += _merge(facts.merge)
    if facts.uniform:
        statements += _uniform(facts)
    elif facts.compared:
        statements.append(_comparison(facts.compared))
    statements += [f"super().{name}" for name in facts.supers]
    if facts.sized_by:
        statements += _sizing(facts)
    return [*statements, _ending(facts)]


def _setting(name: str) -> str:
    if name == ANYTHING:
        return "object.__setattr__(self, str(), None)"
    return f'object.__setattr__(self, "{name}", None)'


def _derivation(facts: MemberFacts) -> Iterator[str]:
    reads = "".join(f"self.{name}, " for name in facts.derived_from)
    for name in facts.derives:
        guard = f"self.{name} is None and " if name in facts.fills else ""
        yield f'{guard}object.__setattr__(self, "{name}", ({reads}))'
    yield from (f"assert self.{name}" for name in _asserted(facts))


def _asserted(facts: MemberFacts) -> list[str]:
    """What a constructor or a sizing member reads, and works nothing out of."""
    if facts.sized_by:
        return [name for name in facts.reads if f"self.{name}" not in facts.sized_by]
    if not facts.derives:
        return []
    return [name for name in facts.reads if name not in facts.derived_from]


def _merge(facts: MergeFacts) -> Iterator[str]:
    """Statements of which the same is read as of the merge itself."""
    first, second = f"{facts.specs}[0]", f"{facts.specs}[1]"
    for each in facts.agreed:
        yield _equality(each, first, second)
    for each in facts.merged_by:
        owner, _, method = each.rpartition(".")
        yield f"{'super()' if owner == 'super' else owner}.{method}({facts.specs})"
    if facts.given is not None:
        kept = ", ".join(f"{each}={first}.{each}" for each in facts.given)
        yield f"built = cls({kept})"
        for each in facts.verified:
            yield _equality(each, first, "built")
    if facts.changed:
        changes = ("**each" if x == ANYTHING else f"{x}=None" for x in facts.changed)
        yield f"replace({first}, {', '.join(changes)})"


def _equality(fields: str, one: str, other: str) -> str:
    """A comparison of two specs in a field, in all, or in those of a class."""
    if fields == ANYTHING:
        return f"{one} == {other}"
    if "(" not in fields:
        return f"{one}.{fields} == {other}.{fields}"
    pair = f"getattr({one}, each.name) == getattr({other}, each.name)"
    return f"[{pair} for each in {fields}]"


def _comparison(names: Sequence[str]) -> str:
    if ANYTHING in names:
        return "getattr(None, str())"
    return f"{{({', '.join(f'each.{name}' for name in names)},) for each in ()}}"


def _sizing(facts: MemberFacts) -> Iterator[str]:
    """Statements of which the same sizing is read as of the member itself."""
    yield from (f"assert self.{name}" for name in _asserted(facts))
    parameters = [each.name for each in facts.parameters]
    for each in facts.sized_by:
        head, _, name = each.rpartition(".")
        if each == ANYTHING:
            yield "return each()"
        elif head == "super":
            yield f"return super().{name}"
        elif each in parameters:
            yield f"return {each}"
        elif not head:
            yield f"return [each.{each} for each in ()]"


def _uniform(facts: MemberFacts) -> Iterator[str]:
    """Expressions of which the same is read as of the test itself."""
    arms = [
        f"{_test(each, facts.name)} if isinstance(one, {_either(each.asked)}) else "
        for each in facts.uniform
        if each.asked
    ]
    yield from (_test(x, facts.name) for x in facts.uniform if not x.asked)
    if arms:
        yield f"{''.join(arms)}None"


def _test(facts: UniformFacts, name: str) -> str:
    meanings = {OWN: "type(one)", REGISTERED: "get_uniform_type_base_spec(one)"}
    classes = [meanings.get(each, each) for each in facts.admits]
    if facts.is_exact:
        terms = [f"type(each) is {each}" for each in classes]
    else:
        terms = [f"isinstance(each, {_either(classes)})"] if classes else []
    for compared in facts.compared:
        is_all = compared == ANYTHING
        terms.append("each == one" if is_all else f"each.{compared} == one.{compared}")
    terms += [f"super().{name}(each)"] if facts.asks_base else []
    return f"({' and '.join(terms) or True})"


def _either(classes: Sequence[str]) -> str:
    return f"({', '.join(classes)},)"


def _ending(facts: MemberFacts) -> str:
    if facts.is_abstract:
        return "raise NotImplementedError"
    if facts.only_raises:
        return "raise TypeError"
    if facts.constant is not None:
        return f"return {facts.constant}"
    if facts.replaced is not None:
        return f"return replace(self, {', '.join(map(_change, facts.replaced))})"
    if facts.gives_one and facts.reads:
        return f"return next(iter(self.{facts.reads[0]}.values()))"
    asserted = _asserted(facts)
    answers = [
        f"self.{name}"
        for name in facts.reads
        if name not in facts.sets and name not in asserted
    ]
    if facts.lets_self_out:
        answers.append("self")
    return f"return ({', '.join(answers)},)" if answers else "return (None, None)"


def _change(name: str) -> str:
    return "**changes" if name == "**" else f"{name}={name}"
