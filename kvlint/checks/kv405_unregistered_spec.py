# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV405: a spec whose own manager is never chosen, or a registration of nothing."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.findings import Finding, Related, Severity
from kvlint.managing.registrations import Named, Registration, Way
from kvlint.model.classes import SpecClass
from kvlint.model.resolution import Unresolved
from kvlint.project import Project
from kvlint.registry import check
from kvlint.serving import Serving
from kvlint.specs.hierarchy import last_name
from kvlint.specs.kinship import kinship
from kvlint.vocabulary import MANAGER_MAP, REGISTRY


@check("KV405")
def unregistered_spec(project: Project) -> Iterator[Finding]:
    """Yield specs that no registration joins to their managers, and void ones."""
    if project.serving.is_of_interest:
        yield from _unregistered(project)
        yield from _void(project)


def _unregistered(project: Project) -> Iterator[Finding]:
    serving = project.serving
    registered = {each.spec for each in serving.services}
    if serving.has_unread:
        return
    own = [
        each
        for each in serving.managers
        if project.is_own(each) and not _is_used(serving, each)
    ]
    for spec in project.specs():
        if spec.name in registered:
            continue
        for manager in own:
            shown = kinship(serving.hierarchy, manager, spec)
            if not shown or project.own.hands_on(manager):
                continue
            if project.makings.is_meant_for_layers(spec):
                yield _unused_manager(project, spec, manager, shown)
                break


def _is_used(serving: Serving, manager: SpecClass) -> bool:
    """Whether a manager, or a class below it, is registered."""
    is_below = serving.hierarchy.is_below
    return any(is_below(each, manager) for each in serving.constructed)


def _unused_manager(
    project: Project, spec: SpecClass, manager: SpecClass, shown: str
) -> Finding:
    return Finding(
        "KV405",
        Severity.ERROR,
        f"nothing registers `{spec.name}` with `{manager.name}`, which {shown}: "
        f"{_outcome(project, spec)}; register the two",
        spec.place,
        spec.name,
        related=(Related(manager.place, "a manager that nothing uses"),),
        suppressible_lines=spec.header_lines,
    )


def _outcome(project: Project, spec: SpecClass) -> str:
    """What the release at hand does with a spec class that is not registered."""
    if project.serving.way is Way.MAP:
        return f"`{MANAGER_MAP}` is asked for the very class and raises a KeyError"
    managers = {each.spec: each.manager for each in project.serving.services}
    for each in project.contract.hierarchy.mro(spec)[1:]:
        if each.name in managers:
            return (
                f"its groups silently get `{managers[each.name]}`, the manager of "
                f"`{each.name}`"
            )
    return "vLLM refuses a spec class of which no base is registered either"


def _void(project: Project) -> Iterator[Finding]:
    """Registrations that name what the release at hand does not have."""
    told: set[tuple[object, ...]] = set()
    for each in project.serving.registrations.known:
        if not project.reports_on(each.store.file.path):
            continue
        for named, where in _missing(project, each):
            key = (named.file.path, where, named.name)
            if key not in told:
                told.add(key)
                yield _missing_name(project, each, named, where)


def _missing(
    project: Project, registration: Registration
) -> Iterator[tuple[Named, str]]:
    """Names of vLLM's that it does not have, with the module that they are not in."""
    way = Way.MAP if registration.way is Way.MAP else Way.REGISTRY
    store = _module(registration.store)
    if store and way is not project.serving.way:
        yield registration.store, store
        return
    for named in registration.named:
        module = _module(named)
        if module in project.serving.modules:
            yield named, module


def _module(named: Named) -> str:
    """The module of vLLM's that a name leads to and is not found in, if any."""
    match named.meanings:
        case [Unresolved(name)] if name.startswith("vllm."):
            return name.rpartition(".")[0]
    return ""


def _missing_name(
    project: Project, registration: Registration, named: Named, module: str
) -> Finding:
    message = f"`{module}` has no `{last_name(named.name)}`: the registration fails"
    if named is registration.store:
        other = REGISTRY if project.serving.way is Way.REGISTRY else MANAGER_MAP
        message += f"; this vLLM chooses managers by `{other}`"
    return Finding("KV405", Severity.ERROR, message, named.place, last_name(named.name))
