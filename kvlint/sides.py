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
from pathlib import Path

_PER_LAYER_CLASS = re.compile(r"(Builder|Backend|Impl|AttentionGroup)$")
_WORKER_CLASS = re.compile(r"(Worker|Runner|RunnerBase|RunnerMixin)$")
_SCHEDULER_CLASS = re.compile(r"(Scheduler|Coordinator|Manager|EngineCore)$")
_PLANNER_FILES = frozenset({"kv_cache_utils", "kv_cache_planning"})


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
