# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The vLLM that a project is checked against, as conditions on it ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kvlint.contracts.facts import ClassFacts, ContractFacts
from kvlint.contracts.trees import release_of
from kvlint.guards.installed import (
    ClassNames,
    Installed,
    ModuleNames,
    module_names,
)
from kvlint.model.workspace import Workspace
from kvlint.specs.hierarchy import VLLM_ROOT

_SPECS = VLLM_ROOT.rpartition(".")[0]
_MANAGERS = "vllm.v1.core.single_type_kv_cache_manager"


def known(facts: ContractFacts) -> Installed:
    """Return what the facts of a release say."""

    def modules() -> Mapping[str, ModuleNames]:
        classes = [*facts.classes, *facts.managers]
        return {
            module.name: ModuleNames(
                frozenset(module.names),
                {
                    each.name: _class_names(each)
                    for each in classes
                    if each.module == module.name
                },
            )
            for module in facts.modules
        }

    return Installed(lambda: facts.release, modules)


def found(workspace: Workspace, importer: Path) -> Installed:
    """Return what vLLM's sources say.

    Args:
        workspace: Knows where they are.
        importer: A file of the project.
    """

    def path(module: str) -> Path | None:
        return workspace.module(module, importer) or _own(module, importer)

    def release() -> str | None:
        specs = path(_SPECS)
        return None if specs is None else release_of(specs.parents[2])

    def modules() -> Mapping[str, ModuleNames]:
        files = {name: workspace.file(there) for name, there in sources().items()}
        return {
            name: module_names(file) for name, file in files.items() if file is not None
        }

    def sources() -> Mapping[str, Path]:
        there = {each: path(each) for each in (_SPECS, _MANAGERS)}
        return {name: each for name, each in there.items() if each is not None}

    return Installed(release, modules, lambda: sources().values())


def _own(module: str, importer: Path) -> Path | None:
    """The importing file itself, which no import of its own leads to."""
    is_meant = importer.as_posix().endswith(f"/{module.replace('.', '/')}.py")
    return importer if is_meant else None


def _class_names(facts: ClassFacts) -> ClassNames:
    fields = {
        each.name: each.has_default and "default_factory" not in each.options
        for each in facts.fields
    }
    members = dict.fromkeys((each.name for each in facts.members), True)
    return ClassNames(facts.bases, {**members, **fields})
