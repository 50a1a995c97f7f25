# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which code can see a composite: the worker and the planner, not the scheduler.

vLLM puts the first layer's spec in a composite's stead before the scheduler, the
coordinators, the managers and the scheduler halves of connectors are built
(``generate_scheduler_kv_cache_config``). Metadata builders and attention backends are
handed per-layer specs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from pathlib import Path

_PER_LAYER_CLASS = re.compile(r"(Builder|Backend|Impl|AttentionGroup)$")
_WORKER_CLASS = re.compile(r"(Worker|Runner|RunnerBase|RunnerMixin)$")
_SCHEDULER_CLASS = re.compile(r"(Scheduler|Coordinator|Manager|EngineCore)$")
_SCHEDULER_FILE = re.compile(r"(scheduler|coordinator|kv_cache_manager|block_pool)$")
_PLANNER_FILES = frozenset({"kv_cache_utils", "kv_cache_planning"})
_PLANS = "get_kv_cache_configs"
_FORMS_GROUPS = "get_kv_cache_groups"
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_CONNECTOR_CLASS = re.compile(r"Connector(V\d|Base|HMA|Mixin)*$")
_CONNECTOR_IN_SCHEDULER = frozenset(
    {
        "bind_gpu_block_pool",
        "bind_kv_cache_manager",
        "build_connector_meta",
        "get_external_cache_hit_sources",
        "get_loaded_kv_cache_group_ids",
        "get_num_new_matched_tokens",
        "has_pending_block_frees",
        "has_pending_push_work",
        "on_new_request",
        "register_finished_partial_tail",
        "request_finished",
        "request_finished_all_groups",
        "take_events",
        "update_connector_output",
        "update_state_after_alloc",
    }
)
"""Methods that vLLM calls on a connector in the scheduler (0.33.0)."""
_OF_EQUAL_LAYERS = frozenset({"register_cross_layers_kv_cache"})
"""Called only where all layers of the rank have equal specs (0.12.0 to 0.28.0)."""


def sees_composites(path: Path, class_name: str) -> bool:
    """Return whether code may hold a group spec that is a composite.

    Args:
        path: The file, below the project's folder.
        class_name: The class around the code; empty for a plain function.
    """
    folders = set(path.parts[:-1])
    if _PER_LAYER_CLASS.search(class_name) or "backends" in folders:
        return False
    if _WORKER_CLASS.search(class_name) or folders & {"worker", "runner"}:
        return True
    if path.stem in _PLANNER_FILES:
        return True
    if _SCHEDULER_CLASS.search(class_name) or path.stem == "scheduler":
        return False
    return not folders & {"core", "sched", "scheduler", "engine"}


def must_expect_composites(
    path: Path, class_name: str, function: str, planning: Set[str]
) -> bool:
    """Return whether a function may hold a composite, as far as its role tells.

    Args:
        path: The file, below the project's folder.
        class_name: The class around it; empty for a plain function.
        function: Its name.
        planning: The functions of its file that plan groups.
    """
    if not sees_composites(path, class_name) or function in _OF_EQUAL_LAYERS:
        return False
    if _SCHEDULER_FILE.search(path.stem) and not is_worker(path, class_name):
        return False
    if _CONNECTOR_CLASS.search(class_name) and function in _CONNECTOR_IN_SCHEDULER:
        return False
    if path.stem in _PLANNER_FILES and "core" in path.parts:
        return function in planning
    return True


def planning_functions(
    bodies: Mapping[str, str], asked: Set[str] = frozenset()
) -> frozenset[str]:
    """Return the functions that are given the finished groups of a plan.

    Those that form groups are left out: they know which ones have become composites.

    Args:
        bodies: The texts of a module's functions by their names.
        asked: Those that a worker calls, which has such groups.
    """
    pending = [each for each in (_PLANS, *sorted(asked)) if each in bodies]
    pending = [each for each in pending if each != _FORMS_GROUPS]
    found = {*pending, _FORMS_GROUPS}
    while pending:
        for called in _CALL.findall(bodies[pending.pop()]):
            if called in bodies and called not in found:
                found.add(called)
                pending.append(called)
    return frozenset(found - {_FORMS_GROUPS})


def is_worker(path: Path, class_name: str) -> bool:
    """Return whether code runs in a worker for sure.

    Args:
        path: The file, below the project's folder.
        class_name: The class around the code; empty for a plain function.
    """
    in_worker = {"worker", "runner"} & {*path.parts[:-1], path.stem}
    return sees_composites(path, class_name) and bool(
        _WORKER_CLASS.search(class_name) or in_worker
    )


def is_planner(path: Path) -> bool:
    """Return whether a file plans groups besides what the scheduler asks of it."""
    return path.stem in _PLANNER_FILES and "core" in path.parts
