# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The fix that gives an override the parameters of its base."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from kvlint.findings import Edit, Fix, Safety
from kvlint.mending.bodies import line_start
from kvlint.mending.documents import SOFT, Doc, Group, Indent
from kvlint.mending.expressions import answered, items
from kvlint.mending.holders import UnwritableError
from kvlint.mending.imports import import_edits
from kvlint.mending.layout import Style, render
from kvlint.mending.names import missing_imports
from kvlint.mending.requests import signature_of, style_of
from kvlint.mending.signatures import Parameter, Signature
from kvlint.model.classes import Member, MemberKind
from kvlint.model.nodes import children, walk
from kvlint.model.resolution import Resolver
from kvlint.model.signatures import Departure, Difference

_MENDED = {Departure.MISSING, Departure.RENAMED}
_SEES_LOCALS = frozenset({"eval", "exec", "locals", "vars"})
_LISTED = r"^[ \t]*(?::param (?:.* )?)?({})(?=[ \t]*(?:\([^)\n]*\))?[ \t]*:)"
"""A parameter among those that a docstring lists."""


def adapt_signature(
    resolver: Resolver, own: Member, base: Member, found: Sequence[Difference]
) -> Fix:
    """Return the fix that gives an override the parameters of its base.

    Args:
        resolver: Tells what names mean.
        own: The override.
        base: What it overrides.
        found: How their signatures differ.

    Raises:
        UnwritableError: No text is sure to be right; the message says why.
    """
    for each in found:
        if each.departure not in _MENDED:
            raise UnwritableError(f"what becomes of `{each.name}` is for you to decide")
    renamed = {each.other: each.name for each in found if each.other}
    missing = {each.name for each in found if not each.other}
    file, style = own.owner.file, style_of(own.owner)
    signature = signature_of(own, file)
    theirs = signature_of(base, file).parameters
    parameters = [
        replace(each, name=renamed.get(each.name, each.name))
        for each in signature.parameters
    ]
    for number, parameter in enumerate(theirs):
        if parameter.name in missing:
            if parameter.name in {each.name for each in parameters}:
                raise UnwritableError(f"it means something else by `{parameter.name}`")
            _insert(parameters, parameter, number)
    imports = missing_imports(_stripped(base, missing), file, resolver)
    edits = [
        _header_edit(own, replace(signature, parameters=tuple(parameters)), style),
        *_renamings(own, renamed, missing),
        *import_edits(file, imports, style.line_length),
    ]
    title = f"Give `{own.symbol}` the parameters of `{base.symbol}`"
    return Fix(Safety.UNSAFE, title, tuple(sorted(edits)), follows_base=True)


def _insert(parameters: list[Parameter], missing: Parameter, number: int) -> None:
    """Add a parameter of the base where the base has it."""
    kinds = [each.kind for each in parameters]
    if missing.kind == "keyword-only":
        has_rest = "var-keyword" in kinds
        parameters.insert(len(parameters) - has_rest, missing)
        return
    if "positional" in kinds[:number]:
        missing = replace(missing, kind="positional")
    before = parameters[:number]
    behind = [each for each in parameters[number:] if each.kind == "positional"]
    if missing.default is None and any(each.default is not None for each in before):
        raise UnwritableError(f"a parameter before `{missing.name}` has a default")
    if missing.default is not None and any(each.default is None for each in behind):
        raise UnwritableError(f"a parameter behind `{missing.name}` has no default")
    parameters.insert(number, missing)


def _stripped(base: Member, names: set[str]) -> Member:
    """A member without the types and values of other parameters, and its answer's."""
    function = base.function
    assert function is not None

    def bare(each: cst.Param) -> cst.Param:
        if each.name.value in names:
            return each
        value = None if each.default is None else cst.Name("None")
        return each.with_changes(annotation=None, default=value)

    changes: dict[str, object] = {}
    for group in ("posonly_params", "params", "kwonly_params"):
        changes[group] = [bare(each) for each in getattr(function.params, group)]
    for group in ("star_arg", "star_kwarg"):
        each = getattr(function.params, group)
        changes[group] = bare(each) if isinstance(each, cst.Param) else each
    parameters = function.params.with_changes(**changes)
    return replace(base, node=function.with_changes(params=parameters, returns=None))


def _header_edit(own: Member, signature: Signature, style: Style) -> Edit:
    """The edit that lays a signature out anew."""
    function, file = own.function, own.owner.file
    assert function is not None
    first = [*function.params.posonly_params, *function.params.params][:1]
    is_usual = first and own.kind is not MemberKind.STATICMETHOD
    if not is_usual or first[0].annotation is not None:
        raise UnwritableError("it is a static method, or says what its instance is")
    if function.type_parameters is not None:
        raise UnwritableError("it has type parameters")
    if function.params.posonly_params and not any(
        each.kind == "positional-only" for each in signature.parameters
    ):
        raise UnwritableError("its first parameter stands before a `/`")
    text = file.tree.source.text
    start = file.span(function.name).start
    last = function.params if function.returns is None else function.returns
    colon = text.index(":", file.span(last).end)
    if "#" in text[start:colon]:
        raise UnwritableError("a comment stands among its parameters")
    line = text[line_start(text, start) : start]
    indent = line[: len(line) - len(line.lstrip())]
    header = _Header(
        signature.name,
        signature.parameters,
        signature.returns,
        self_name=signature.self_name,
    )
    doc = (line.lstrip(), header.name, header.brackets(style, _is_expanded(own)), ":")
    written = render(doc, style, indent)
    return Edit(start, colon + 1, written[len(line) :].rstrip("\n"))


def _is_expanded(member: Member) -> bool:
    """Whether formatters keep each parameter on its own line: a comma ends them."""
    function = member.function
    assert function is not None
    groups = function.params
    last = [*groups.posonly_params, *groups.params][-1]
    for each in (groups.star_arg, *groups.kwonly_params, groups.star_kwarg):
        last = each if isinstance(each, cst.Param) else last
    return isinstance(last.comma, cst.Comma)


@dataclass(frozen=True, slots=True)
class _Header(Signature):
    """A signature that may be laid out with each parameter on its own line."""

    def brackets(self, style: Style, is_expanded: bool) -> Doc:
        """Return its parameters and what it gives."""
        inside = Group(items(self._entries(style)), broken=is_expanded)
        tail: Doc = ")"
        if self.returns is not None:
            tail = (") -> ", answered(self.returns, style))
        return Group(("(", Indent((SOFT, inside)), SOFT, tail), broken=is_expanded)


def _renamings(
    own: Member, renamed: Mapping[str, str], missing: Iterable[str]
) -> Iterator[Edit]:
    """The edits that rename parameters in a body and in what its docstring lists."""
    function, file = own.function, own.owner.file
    assert function is not None
    uses = _Uses(function.body)
    for name in [*renamed.values(), *missing]:
        if name in uses.names or name in uses.bound:
            raise UnwritableError(f"`{name}` means something else in its body")
    if renamed and _SEES_LOCALS & set(uses.names):
        raise UnwritableError("its body looks names up when it runs")
    for name, new in renamed.items():
        if name in uses.bound:
            raise UnwritableError(f"`{name}` means two things in its body")
        for node in uses.names.get(name, ()):
            span = file.span(node)
            yield Edit(span.start, span.end, new)
    docstring = _docstring(function)
    if docstring is not None:
        start, text = file.span(docstring).start, file.tree.code(docstring)
        for name, new in renamed.items():
            for match in re.finditer(_LISTED.format(name), text, re.MULTILINE):
                yield Edit(start + match.start(1), start + match.end(1), new)


def _docstring(function: cst.FunctionDef) -> cst.SimpleString | None:
    body = function.body.body
    if body and isinstance(body[0], cst.SimpleStatementLine):
        first = body[0].body[0]
        if isinstance(first, cst.Expr) and isinstance(first.value, cst.SimpleString):
            return first.value
    return None


class _Uses:
    """The names that a body uses, and those that it gives a meaning of their own."""

    def __init__(self, body: cst.CSTNode) -> None:
        self.names: dict[str, list[cst.Name]] = {}
        self.bound: set[str] = set()
        self._look(body)

    def _look(self, node: cst.CSTNode) -> None:
        match node:
            case cst.Name(value=name):
                self.names.setdefault(name, []).append(node)
            case cst.Attribute(value=inner) | cst.Arg(value=inner):
                self._look(inner)
            case cst.Import() | cst.ImportFrom():
                self.bound |= {x.value for x in walk(node) if isinstance(x, cst.Name)}
            case cst.Param() | cst.FunctionDef() | cst.ClassDef():
                self.bound.add(node.name.value)
                for each in children(node):
                    if each is not node.name:
                        self._look(each)
            case _:
                for each in children(node):
                    self._look(each)
