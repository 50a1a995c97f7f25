# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""From the facts of a release back to stubs of vLLM's modules.

Everything that a check asks of a class is asked of its text. So a release without
sources becomes a text again: classes, fields and members at their lines and columns,
and bodies that do no more than the facts say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from kvlint.contracts.facts import (
    ClassFacts,
    ContractFacts,
    DecoratorFacts,
    FieldFacts,
    MemberFacts,
    ParameterFacts,
    Spot,
)
from kvlint.contracts.skeleton_bodies import body
from kvlint.findings import Place
from kvlint.sources import Source, decode_source


def skeletons(facts: ContractFacts) -> dict[str, Source]:
    """Return the stubs of a release's modules by their dotted names.

    Those are the modules of specs and managers, and others that import them. Their
    paths are not on disk; they name the release.
    """
    imports = {**facts.module_imports, facts.module: facts.imports}
    classes: dict[str, list[ClassFacts]] = {name: [] for name in imports}
    for each in (*facts.classes, *facts.managers):
        classes.setdefault(each.module, []).append(each)
    return {
        name: _skeleton(facts, name, imports.get(name, {}), classes[name])
        for name in classes
    }


def _skeleton(
    facts: ContractFacts,
    module: str,
    imports: Mapping[str, str],
    classes: Iterable[ClassFacts],
) -> Source:
    lines = _Lines()
    lines.put(1, 0, _imports(imports))
    lines.put(2, 0, _lazy_imports(imports))
    for each in sorted(classes, key=lambda each: each.spot.line):
        _put_class(lines, each)
    path = folder(facts) / (module.replace(".", "/") + ".py")
    return decode_source(path, lines.text.encode())


def folder(facts: ContractFacts) -> Path:
    """Return what stands for the folder of a release's sources; it is none on disk."""
    return Path(f"vllm {facts.release}")


def place(facts: ContractFacts, spot: Spot) -> Place:
    """Return a spot of a release as a place."""
    return Place(
        folder(facts) / spot.path,
        spot.line,
        spot.column,
        spot.end_line,
        spot.end_column,
    )


class _Lines:
    """Lines that are filled from top to bottom, each at its own number if it can."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    @property
    def text(self) -> str:
        return "\n".join(self._lines) + "\n"

    def put(self, number: int, indent: int, text: str) -> None:
        """Put a line at a number, or below the last one if that is further down."""
        self._lines += [""] * (number - 1 - len(self._lines))
        self._lines.append(" " * indent + text if text else "")


def _imports(imports: Mapping[str, str]) -> str:
    statements = ["from __future__ import annotations"]
    statements += [
        _import(name, source)
        for name, source in sorted(imports.items())
        if not source.startswith("?")
    ]
    return "; ".join(statements)


def _lazy_imports(imports: Mapping[str, str]) -> str:
    statements = [
        _import(name, source[1:])
        for name, source in sorted(imports.items())
        if source.startswith("?")
    ]
    return f"if TYPE_CHECKING: {'; '.join(statements)}" if statements else ""


def _import(name: str, source: str) -> str:
    module, _, original = source.rpartition(".")
    if not module:
        return f"import {source}" if source == name else f"import {source} as {name}"
    clause = original if original == name else f"{original} as {name}"
    return f"from {module} import {clause}"


def _put_class(lines: _Lines, facts: ClassFacts) -> None:
    line, indent = facts.spot.line, facts.spot.column - len("class ") - 1
    _put_decorators(lines, line, indent, map(_decorator, facts.decorators))
    bases = f"({', '.join(facts.bases)})" if facts.bases else ""
    parts: list[FieldFacts | MemberFacts] = [*facts.fields, *facts.members]
    header = f"class {facts.name}{bases}:"
    lines.put(line, indent, header if parts else f"{header} pass")
    for part in sorted(parts, key=lambda each: each.spot.line):
        if isinstance(part, FieldFacts):
            lines.put(part.spot.line, indent + 4, _field(part))
        else:
            _put_member(lines, part, indent + 4)


def _put_decorators(
    lines: _Lines, line: int, indent: int, decorators: Iterable[str]
) -> None:
    texts = list(decorators)
    for number, text in enumerate(texts):
        lines.put(line - len(texts) + number, indent, f"@{text}")


def _decorator(facts: DecoratorFacts) -> str:
    options = ", ".join(f"{key}={value}" for key, value in facts.options.items())
    return f"{facts.name}({options})" if options else facts.name


def _field(facts: FieldFacts) -> str:
    value = (facts.default or "...") if facts.has_default else None
    if facts.options:
        is_made = "default_factory" in facts.options
        given = [] if value is None or is_made else [f"default={value}"]
        given += [f"{key}={text}" for key, text in facts.options.items()]
        value = f"field({', '.join(given)})"
    return f"{facts.name}: {facts.type}" + (f" = {value}" if value else "")


def _put_member(lines: _Lines, facts: MemberFacts, indent: int) -> None:
    line = facts.spot.line
    if facts.kind == "attribute":
        lines.put(line, indent, f"{facts.name} = {facts.constant or 'object()'}")
        return
    _put_decorators(lines, line, indent, facts.decorators)
    first = "cls" if facts.kind == "classmethod" else "self"
    parameters = ", ".join(_parameters(facts.parameters, first))
    if facts.kind == "staticmethod":
        parameters = ", ".join(_parameters(facts.parameters, ""))
    answer = f" -> {facts.returns}" if facts.returns else ""
    lead = "async def" if facts.is_async else "def"
    statements = "; ".join(body(facts))
    lines.put(line, indent, f"{lead} {facts.name}({parameters}){answer}: {statements}")


def _parameters(parameters: Sequence[ParameterFacts], first: str) -> list[str]:
    kinds = [each.kind for each in parameters]
    texts = [first] if first else []
    if "positional-only" in kinds:
        count = kinds.count("positional-only")
        texts += [*map(_parameter, parameters[:count]), "/"]
        parameters = parameters[count:]
    for each in parameters:
        is_first = each.kind == "keyword-only" and "*" not in texts
        if is_first and "var-positional" not in kinds:
            texts.append("*")
        texts.append(_parameter(each))
    return texts


def _parameter(facts: ParameterFacts) -> str:
    stars = {"var-positional": "*", "var-keyword": "**"}.get(facts.kind, "")
    annotation = f": {facts.annotation}" if facts.annotation else ""
    default = f" = {facts.default}" if facts.default else ""
    return f"{stars}{facts.name}{annotation}{default}"
