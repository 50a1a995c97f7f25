# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a member's body does, as far as checks ask: plain facts from the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst

from kvlint.model.classes import Member
from kvlint.model.memory import kept_with_it
from kvlint.model.nodes import children
from kvlint.model.syntax import dotted

_UNASKING = frozenset(["type", "isinstance", "issubclass", "id", "hash", "super"])


@dataclass
class BodyFacts:
    """Facts about a body.

    Attributes:
        is_abstract: It only raises NotImplementedError, is ``...``, or the member is
            declared abstract.
        only_raises: It does nothing but raise.
        constant: The text of the literal that is all it returns.
        reads: Attributes that it reads off its instance.
        lets_self_out: Its instance is passed on or kept whole, so that what becomes of
            it cannot be told from here.
        counted: Attributes of which it only asks how many they hold, or whether any.
        supers: Members that it asks of its base, by ``super()`` or as
            ``Base.member(self)`` where that is what it answers itself.
        named_base: The base that it asks by name for what it answers itself.
        replaced: Keywords of the ``replace(self, ...)`` that it returns; ``**`` for a
            mapping of them; None if it returns no such copy.
    """

    is_abstract: bool = False
    only_raises: bool = False
    constant: str | None = None
    reads: set[str] = field(default_factory=set)
    lets_self_out: bool = False
    counted: set[str] = field(default_factory=set)
    named_base: str = ""
    supers: set[str] = field(default_factory=set)
    replaced: frozenset[str] | None = None


@kept_with_it
def body_facts(member: Member) -> BodyFacts:
    """Return the facts about a member's body."""
    function = member.function
    if function is None:
        facts = _attribute_facts(member)
    else:
        facts = BodyFacts()
        _Instance(member, facts).look(function.body)
        statements = body_statements(function)
        _judge_whole(statements, member.self_name, facts)
    lasts = {each.split(".")[-1] for each in member.decorators}
    facts.is_abstract |= any("abstract" in each for each in lasts)
    return facts


def body_statements(function: cst.FunctionDef) -> list[cst.BaseStatement]:
    """Return the statements of a body, without the docstring."""
    body: Sequence[cst.CSTNode] = function.body.body
    if isinstance(function.body, cst.SimpleStatementSuite):
        body = [cst.SimpleStatementLine(body=[each]) for each in function.body.body]
    statements = [each for each in body if isinstance(each, cst.BaseStatement)]
    if statements and isinstance(
        _lone_expression(statements[0]), cst.SimpleString | cst.ConcatenatedString
    ):
        return statements[1:]
    return statements


def _lone_expression(statement: cst.BaseStatement) -> cst.BaseExpression | None:
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        small = statement.body[0]
        return small.value if isinstance(small, cst.Expr) else None
    return None


def returned(statement: cst.BaseStatement) -> cst.BaseExpression | None:
    """Return the value of a ``return`` statement, None for any other."""
    if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1:
        small = statement.body[0]
        if isinstance(small, cst.Return):
            return small.value
    return None


def literal_text(node: cst.CSTNode | None) -> str | None:
    """Return the text of a literal constant, None for any other expression."""
    if isinstance(node, cst.UnaryOperation):
        inner = literal_text(node.expression)
        return None if inner is None else "-" + inner
    if isinstance(node, cst.Name):
        return node.value if node.value in _CONSTANTS else None
    if isinstance(node, cst.Integer | cst.Float | cst.SimpleString):
        return node.value
    return None


_CONSTANTS = frozenset({"True", "False", "None"})


def _judge_whole(
    statements: list[cst.BaseStatement], self_name: str, facts: BodyFacts
) -> None:
    if all(isinstance(_lone_expression(each), cst.Ellipsis) for each in statements):
        facts.is_abstract = True
        return
    last = statements[-1]
    if isinstance(last, cst.SimpleStatementLine) and isinstance(
        last.body[-1], cst.Raise
    ):
        simple = [each for each in statements if not _is_assignment(each)]
        facts.only_raises = len(simple) == 1
        if facts.only_raises and _raises_not_implemented(last.body[-1]):
            facts.is_abstract = True
    if len(statements) == 1:
        facts.constant = literal_text(returned(last))
    value = returned(last)
    if isinstance(value, cst.Name):
        value = _bound_last(statements, value.value) or value
    if isinstance(value, cst.Call):
        facts.replaced = _replaced(value, self_name)


def _bound_last(
    statements: list[cst.BaseStatement], name: str
) -> cst.BaseExpression | None:
    """What a name is bound to right before it is returned."""
    match statements[-2:]:
        case [
            cst.SimpleStatementLine(
                body=[
                    cst.Assign(
                        targets=[cst.AssignTarget(target=cst.Name(value=bound))],
                        value=value,
                    )
                ]
            ),
            _,
        ]:
            return value if bound == name else None
    return None


def _is_assignment(statement: cst.BaseStatement) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and all(
        isinstance(each, cst.Assign | cst.AnnAssign) for each in statement.body
    )


def _raises_not_implemented(node: cst.Raise) -> bool:
    raised = node.exc.func if isinstance(node.exc, cst.Call) else node.exc
    return raised is not None and dotted(raised) == "NotImplementedError"


def _replaced(call: cst.Call, self_name: str) -> frozenset[str] | None:
    if (dotted(call.func) or "").split(".")[-1] != "replace" or not call.args:
        return None
    first, *rest = call.args
    if first.keyword is not None or dotted(first.value) != self_name:
        return None
    return frozenset(
        each.keyword.value if each.keyword is not None else "**" for each in rest
    )


def _attribute_facts(member: Member) -> BodyFacts:
    """A value assigned in the class body: a constant, a base's, or who knows what."""
    node = member.node
    constant = literal_text(node)
    text = dotted(node) if isinstance(node, cst.BaseExpression) else None
    base, _, name = (text or "").rpartition(".")
    if base and name == member.name:
        return BodyFacts(supers={name}, named_base=base.rpartition(".")[2])
    return BodyFacts(constant=constant, lets_self_out=constant is None)


class _Instance:
    """Finds every use of the instance."""

    def __init__(self, member: Member, facts: BodyFacts) -> None:
        self._self, self._name, self._facts = member.self_name, member.name, facts

    def look(self, node: cst.CSTNode) -> None:
        match node:
            case cst.Attribute(value=owner, attr=cst.Name(value=attribute)):
                self._attribute(owner, attribute)
            case cst.Call():
                self._call(node)
            case cst.Name(value=name):
                self._facts.lets_self_out |= name == self._self
            case cst.Arg(value=value):
                self.look(value)
            case cst.Assert(test=test, msg=message):
                self._count(test)
                if message is not None:
                    self.look(message)
            case cst.UnaryOperation(operator=cst.Not(), expression=test):
                self._count(test)
            case _:
                for child in children(node):
                    self.look(child)

    def _attribute(self, owner: cst.BaseExpression, attribute: str) -> None:
        if isinstance(owner, cst.Name):
            if owner.value == self._self:
                self._facts.reads.add(attribute)
                self._facts.counted.discard(attribute)
        elif isinstance(owner, cst.Call) and dotted(owner.func) == "super":
            self._facts.supers.add(attribute)
        else:
            self.look(owner)

    def _count(self, node: cst.BaseExpression) -> None:
        """Look at something of which only the number or the truth is asked."""
        owner, _, attribute = (dotted(node) or "").rpartition(".")
        if owner != self._self:
            self.look(node)
        elif attribute not in self._facts.reads:
            self._facts.reads.add(attribute)
            self._facts.counted.add(attribute)

    def _call(self, node: cst.Call) -> None:
        name = dotted(node.func)
        values = [argument.value for argument in node.args]
        takes_self = bool(values) and dotted(values[0]) == self._self
        rest = values[1:] if takes_self else values
        if name is not None and takes_self and name.partition(".")[2] == self._name:
            self._facts.supers.add(self._name)
            self._facts.named_base = name.partition(".")[0]
        elif name == "len" and len(values) == 1:
            self._count(values[0])
            rest = []
        elif name in {"getattr", "hasattr"} and takes_self and rest:
            text = literal_text(rest[0])
            self._facts.lets_self_out |= text is None
            self._facts.reads |= set() if text is None else {text.strip("\"'")}
        elif name not in _UNASKING and _replaced(node, self._self) is None:
            self.look(node.func)
            rest = values
        for value in rest:
            self.look(value)
