# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The text of members that answer for the specs that a composite wraps.

Every text ends with a line end and is what ``ruff format`` would leave.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kvlint.mending.asking import Agreement, Combine, Delegation, Statements, require
from kvlint.mending.documents import Doc, Rescued
from kvlint.mending.expressions import call
from kvlint.mending.holders import Holder, Names, UnwritableError
from kvlint.mending.layout import Style, render
from kvlint.mending.rebuilding import builders, rebuilt
from kvlint.mending.signatures import Kind, Parameter, Signature
from kvlint.model.shapes import Many, Mapped, Maybe, One, Places, Shape

__all__ = [
    "Agreement",
    "Combine",
    "Delegation",
    "Holder",
    "Kind",
    "Many",
    "Mapped",
    "Maybe",
    "One",
    "Parameter",
    "Places",
    "Shape",
    "Signature",
    "Style",
    "UnwritableError",
    "body_text",
    "copier_text",
    "member_text",
    "mirror_text",
]


def member_text(
    delegation: Delegation,
    style: Style,
    indent: str,
    decorators: Sequence[str] = (),
) -> str:
    """Return a whole member, to be inserted into a class.

    Args:
        delegation: What it is to do.
        style: The project's layout.
        indent: The indentation of the class's body.
        decorators: Further decorators, without ``@``; they come after ``@property``,
            which is left out if one of them makes a property itself.

    Raises:
        UnwritableError: A parameter hides a builtin that the body needs.
    """
    body = body_text(delegation, style, indent)
    return _headed(delegation.signature, body, style, indent, decorators)


def body_text(delegation: Delegation, style: Style, indent: str) -> str:
    """Return the body alone, to rewrite an existing member.

    Args:
        delegation: What it is to do; the signature is the existing one.
        style: The project's layout.
        indent: The indentation of the class's body; the text is one step further in.

    Raises:
        UnwritableError: A parameter hides a builtin that the body needs.
    """
    taken = delegation.signature.names
    statements = Statements(delegation, style, indent + style.indent, taken)
    statements.write("return ", statements.answer())
    return statements.text


def mirror_text(
    delegation: Delegation,
    style: Style,
    indent: str,
    *,
    frozen: bool,
    taken: Collection[str] = (),
) -> str:
    """Return the statements of a ``__post_init__`` that mirror a field of the specs.

    Args:
        delegation: The field as a property, with its type as ``returns``.
        style: The project's layout.
        indent: The indentation of the statements.
        frozen: Whether the class is a frozen dataclass.
        taken: The names that ``__post_init__`` uses already.

    Raises:
        UnwritableError: A taken name hides a builtin that the statements need.
    """
    signature = delegation.signature
    taken = {*signature.names, *taken}
    statements = Statements(delegation, style, indent, taken)
    answer = statements.answer()
    owner, field = signature.self_name, signature.name
    if frozen:
        inside = [owner, f"{style.quote}{field}{style.quote}", _bare(answer)]
        statements.write(call("object.__setattr__", inside))
    else:
        statements.write(f"{owner}.{field} = ", answer)
    return statements.text


def copier_text(
    delegation: Delegation,
    style: Style,
    indent: str,
    decorators: Sequence[str] = (),
    *,
    replace: str = "replace",
    changes: Sequence[tuple[str, str]] | None = None,
) -> str:
    """Return a whole member that copies the composite and every wrapped spec.

    Args:
        delegation: The inherited copier; how answers combine does not matter.
        style: The project's layout.
        indent: The indentation of the class's body.
        decorators: Decorators, without ``@``.
        replace: What ``dataclasses.replace`` is called in the file.
        changes: Fields and values that the inherited copier gives to ``replace``;
            without them, each parameter goes to the field of its name.

    Raises:
        UnwritableError: A field's type cannot be built anew, the copier sets it
            itself, or a parameter hides a name that the body needs.
    """
    signature = delegation.signature
    root = replace.split(".")[0]
    needed = set().union(*(builders(each.shape) for each in delegation.holders))
    require(signature.names, {root, *needed})
    if changes is None:
        changes = _changes(signature)
    own = {field for field, _ in changes}
    if clashing := [each.field for each in delegation.holders if each.field in own]:
        raise UnwritableError(f"the copier sets `{clashing[0]}` itself")
    arguments: list[Doc] = [signature.self_name]
    arguments += [f"{field}={value}" for field, value in changes]
    for each in delegation.holders:
        source = f"{signature.self_name}.{each.field}"
        names = Names({*signature.names, root})
        value = rebuilt(each.shape, source, signature.asked_of, names)
        arguments.append((f"{each.field}=", value))
    body = render(("return ", call(replace, arguments)), style, indent + style.indent)
    return _headed(signature, body, style, indent, decorators)


def _changes(signature: Signature) -> list[tuple[str, str]]:
    """Return each parameter as the change of the field of its name."""
    for each in signature.parameters:
        if each.kind in ("var-positional", "var-keyword"):
            raise UnwritableError(f"it is not clear which fields `{each.name}` sets")
    return [(each.name, each.name) for each in signature.parameters]


def _headed(
    signature: Signature,
    body: str,
    style: Style,
    indent: str,
    decorators: Sequence[str],
) -> str:
    names = list(decorators)
    if signature.is_property and not any(n.endswith("property") for n in names):
        names.insert(0, "property")
    lines = [f"{indent}@{each}\n" for each in names]
    return "".join([*lines, render(signature.header(style), style, indent), body])


def _bare(answer: Doc) -> Doc:
    """Return an answer without the parentheses that a statement may give it."""
    return answer.content if isinstance(answer, Rescued) else answer
