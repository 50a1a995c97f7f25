# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""From the facts of a release back to stubs of vLLM's modules.

Everything that a check asks of a class is asked of its text. So a release without
sources becomes a text again: classes, fields and members at their lines and columns,
and bodies that do no more than the facts say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from kvlint.contracts.making import MergeFacts, UniformFacts
from kvlint.findings import Place
from kvlint.model.uniform_tests import OWN, REGISTERED
from kvlint.sources import Source, decode_source

_ANYTHING = "*"


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
    body = "; ".join(_body(facts))
    lines.put(line, indent, f"{lead} {facts.name}({parameters}){answer}: {body}")


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


def _body(facts: MemberFacts) -> list[str]:
    """Statements that do what the facts say, and nothing else."""
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
    return [*statements, _ending(facts)]


def _setting(name: str) -> str:
    if name == _ANYTHING:
        return "object.__setattr__(self, str(), None)"
    return f'object.__setattr__(self, "{name}", None)'


def _derivation(facts: MemberFacts) -> Iterator[str]:
    reads = "".join(f"self.{name}, " for name in facts.derived_from)
    for name in facts.derives:
        yield f'object.__setattr__(self, "{name}", ({reads}))'
    yield from (f"assert self.{name}" for name in _asserted(facts))


def _asserted(facts: MemberFacts) -> list[str]:
    """What a constructor reads, and works nothing out of."""
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
        changes = ("**each" if x == _ANYTHING else f"{x}=None" for x in facts.changed)
        yield f"replace({first}, {', '.join(changes)})"


def _equality(fields: str, one: str, other: str) -> str:
    """A comparison of two specs in a field, in all, or in those of a class."""
    if fields == _ANYTHING:
        return f"{one} == {other}"
    if "(" not in fields:
        return f"{one}.{fields} == {other}.{fields}"
    pair = f"getattr({one}, each.name) == getattr({other}, each.name)"
    return f"[{pair} for each in {fields}]"


def _comparison(names: Sequence[str]) -> str:
    if _ANYTHING in names:
        return "getattr(None, str())"
    return f"{{({', '.join(f'each.{name}' for name in names)},) for each in ()}}"


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
        is_all = compared == _ANYTHING
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
