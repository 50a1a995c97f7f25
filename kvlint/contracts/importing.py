# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Where names in facts come from, and where else classes can be imported from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from kvlint.contracts.describing import Describer
from kvlint.contracts.facts import ClassFacts
from kvlint.model.classes import SpecClass
from kvlint.model.scopes import Binding, ImportedModule, ImportedName, Scope
from kvlint.specs.candidates import Candidates
from kvlint.specs.hierarchy import Hierarchy

_FROM_IMPORT = re.compile(
    r"^from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]*(?:\(([^)]*)\)|([^\n(]*))", re.M
)
_IMPORTED = re.compile(r"(\w+)(?:\s+as\s+(\w+))?")


def module_imports(
    hierarchy: Hierarchy,
    describer: Describer,
    files: Iterable[Path],
    managers: Sequence[SpecClass],
) -> dict[str, dict[str, str]]:
    """Return what modules other than the root's import, as far as others may want it.

    Args:
        hierarchy: The spec classes.
        describer: Names modules.
        files: Where specs and managers may be imported.
        managers: The managers.
    """
    found: dict[str, dict[str, str]] = {}
    for file in dict.fromkeys(each.file for each in managers):
        own = [each for each in managers if each.file is file]
        name = describer.module(file.path)
        facts = [describer.class_facts(each, "manager") for each in own]
        found[name] = imports_of(file.scope, name, facts)
    homes = {
        f"{describer.module(each.file.path)}.{each.name}": each.name
        for each in [*hierarchy.specs, *managers]
        if not each.is_nested
    }
    names = Candidates(homes.values())
    for path in files:
        if not names.mention(hierarchy.workspace.content(path)):
            continue
        name = describer.module(path)
        for bound, source in _imported(hierarchy, path, name):
            if source in homes:
                found.setdefault(name, {})[bound] = source
    return {name: dict(sorted(found[name].items())) for name in sorted(found)}


def _imported(hierarchy: Hierarchy, path: Path, name: str) -> Iterator[tuple[str, str]]:
    """Names that a module imports at its top, and the dotted names behind them."""
    package = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    for match in _FROM_IMPORT.finditer(hierarchy.workspace.source(path).text):
        level = len(match[1])
        above = package[: len(package) - level + 1] if level else []
        listed = re.sub("#[^\n]*", "", match[3] or match[4] or "")
        for original, bound in _IMPORTED.findall(listed):
            parts = [*above, *filter(None, [match[2]]), original]
            yield bound or original, ".".join(parts)


def imports_of(
    scope: Scope, module: str, classes: Sequence[ClassFacts]
) -> dict[str, str]:
    """Return what the texts in facts about a module's classes take from elsewhere.

    Args:
        scope: The module's names.
        module: The module.
        classes: The facts.
    """
    own = {each.name for each in classes if each.module == module}
    used = {
        name
        for each in classes
        if each.module == module
        for text in _texts(each)
        for name in _names(text)
    }
    found = {}
    for name in sorted(used - own):
        if name in scope.names:
            lazy = "?" if name in scope.for_type_checkers else ""
            found[name] = lazy + _source(scope.names[name][0], name, module)
    return found


def _texts(facts: ClassFacts) -> Iterator[str | None]:
    """Every expression in the facts about a class."""
    yield from facts.bases
    for decorator in facts.decorators:
        yield decorator.name
    for field in facts.fields:
        yield from (field.type, field.default, *field.options.values())
        yield "field" if field.options else None
    for member in facts.members:
        yield from (member.returns, *member.decorators)
        for parameter in member.parameters:
            yield from (parameter.annotation, parameter.default)


def _names(text: str | None) -> Iterator[str]:
    """The names that an expression uses, also in strings: those may be annotations."""
    try:
        tree = ast.parse(text or "", mode="eval")
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _names(node.value)


def _source(binding: Binding, name: str, module: str) -> str:
    """The dotted name behind a name of a module."""
    match binding:
        case ImportedName(origin, original, level):
            above = module.split(".")[:-level] if level else []
            return ".".join([*above, *filter(None, [origin]), original])
        case ImportedModule(imported):
            return imported
        case _:
            return f"{module}.{name}"
