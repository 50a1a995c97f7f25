# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which reads are off a raw group spec, and which code can hold a composite."""

from __future__ import annotations

import textwrap
from pathlib import Path

import libcst as cst
import pytest

from kvlint.model.groups.flow import GroupFlow
from kvlint.model.groups.kinds import Names
from kvlint.sides import must_expect_composites, planning_functions, sees_composites

NAMES = Names(
    frozenset({"Wrapper", "KVCacheSpec"}),
    frozenset({"kv_cache_specs"}),
    frozenset({"KVCacheGroupSpec"}),
)


def reads(body: str, parameters: str = "self, config") -> int:
    """Count the reads of ``width`` off raw group specs in a function."""
    text = f"def f({parameters}):\n{textwrap.indent(textwrap.dedent(body), '    ')}"
    function = cst.parse_module(text).body[0]
    assert isinstance(function, cst.FunctionDef)
    flow = GroupFlow(NAMES, frozenset({"width"}))
    flow.function(function)
    return len(flow.reads)


RAW = {
    "loop": "for g in config.kv_cache_groups:\n    g.kv_cache_spec.width(1)",
    "enumerate": "for i, g in enumerate(config.kv_cache_groups):\n"
    "    g.kv_cache_spec.width",
    "zip": "for n, g in zip(names, self.kv_cache_groups):\n    g.kv_cache_spec.width",
    "local name": "for g in config.kv_cache_groups:\n"
    "    spec = g.kv_cache_spec\n    spec.width()",
    "annotated name": "for g in config.kv_cache_groups:\n"
    "    spec: KVCacheSpec = g.kv_cache_spec\n    spec.width()",
    "index": "config.kv_cache_groups[0].kv_cache_spec.width()",
    "slice": "for g in config.kv_cache_groups[1:]:\n    g.kv_cache_spec.width()",
    "comprehension": "return [g.kv_cache_spec.width() for g in config.kv_cache_groups]",
    "dict comprehension": "return {n: g.kv_cache_spec.width() "
    "for n, g in enumerate(config.kv_cache_groups)}",
    "list of raw specs": "specs = [g.kv_cache_spec for g in config.kv_cache_groups]\n"
    "return [s.width() for s in specs]",
    "list of raw specs, indexed": "specs = [g.kv_cache_spec for g in "
    "config.kv_cache_groups]\nreturn specs[0].width()",
    "dict of raw specs": "specs = {g.n: g.kv_cache_spec for g in "
    "config.kv_cache_groups}\nfor s in specs.values():\n    s.width()",
    "dict items": "specs = {g.n: g.kv_cache_spec for g in config.kv_cache_groups}"
    "\nfor n, s in specs.items():\n    s.width()",
    "next": "g = next(g for g in config.kv_cache_groups if g.n)\n"
    "g.kv_cache_spec.width()",
    "walrus": "if (s := config.kv_cache_groups[0].kv_cache_spec):\n    s.width()",
    "conditional": "s = config.kv_cache_groups[0].kv_cache_spec if x else None\n"
    "s.width()",
    "getattr": "getattr(config.kv_cache_groups[0].kv_cache_spec, 'width', None)",
    "starred": "a, *rest = config.kv_cache_groups\nrest[0].kv_cache_spec.width()",
    "filter": "for g in filter(None, config.kv_cache_groups):\n"
    "    g.kv_cache_spec.width()",
    "list of groups": "gs = list(config.kv_cache_groups)\ngs[0].kv_cache_spec.width()",
    "inside the wrapper's branch": "s = config.kv_cache_groups[0].kv_cache_spec\n"
    "if isinstance(s, Wrapper):\n    s.width()",
    "after a test without effect": "s = config.kv_cache_groups[0].kv_cache_spec\n"
    "if isinstance(s, Wrapper):\n    log(s)\ns.width()",
    "another subject is unwrapped": "for g in config.kv_cache_groups:\n"
    "    s = g.kv_cache_spec\n    t = other.kv_cache_spec\n"
    "    if isinstance(t, Wrapper):\n        continue\n    s.width()",
    "before it is unwrapped": "s = config.kv_cache_groups[0].kv_cache_spec\ns.width()\n"
    "if isinstance(s, Wrapper):\n    s = s.first_spec",
    "else of a leaf test": "s = config.kv_cache_groups[0].kv_cache_spec\n"
    "if isinstance(s, Leaf):\n    pass\nelse:\n    s.width()",
    "leaf or composite": "s = config.kv_cache_groups[0].kv_cache_spec\n"
    "if isinstance(s, (Leaf, Wrapper)):\n    s.width()",
    "nested function": "for g in config.kv_cache_groups:\n    def h():\n"
    "        return g.kv_cache_spec.width()",
    "try": "try:\n    s = config.kv_cache_groups[0].kv_cache_spec\n"
    "except KeyError:\n    raise\ns.width()",
    "while": "while config.kv_cache_groups[0].kv_cache_spec.width():\n    pass",
}


@pytest.mark.parametrize("body", RAW.values(), ids=RAW)
def test_a_raw_read(body: str) -> None:
    assert reads(body) == 1


UNWRAPPED = {
    "reassigned": "for g in config.kv_cache_groups:\n    s = g.kv_cache_spec\n"
    "    if isinstance(s, Wrapper):\n        s = s.kv_cache_specs[n]\n    s.width()",
    "first": "for g in config.kv_cache_groups:\n    s = g.kv_cache_spec\n"
    "    s = s.first_spec if isinstance(s, Wrapper) else s\n    s.width()",
    "else branch": "s = config.kv_cache_groups[0].kv_cache_spec\n"
    "if isinstance(s, Wrapper):\n    pass\nelse:\n    s.width()",
    "continue": "for g in config.kv_cache_groups:\n    s = g.kv_cache_spec\n"
    "    if isinstance(s, Wrapper):\n        continue\n    s.width()",
    "raise": "s = config.kv_cache_groups[0].kv_cache_spec\n"
    "if isinstance(s, Wrapper):\n    raise ValueError\ns.width()",
    "leaf test": "s = config.kv_cache_groups[0].kv_cache_spec\n"
    "if isinstance(s, Leaf):\n    s.width()",
    "leaf tests": "s = config.kv_cache_groups[0].kv_cache_spec\n"
    "if isinstance(s, (Leaf, Other)):\n    s.width()",
    "leaf test with and": "s = config.kv_cache_groups[0].kv_cache_spec\n"
    "return isinstance(s, Leaf) and s.width()",
    "attribute subject": "g = config.kv_cache_groups[0]\n"
    "if isinstance(g.kv_cache_spec, Leaf):\n    g.kv_cache_spec.width()",
    "negated": "s = config.kv_cache_groups[0].kv_cache_spec\n"
    "if not isinstance(s, Wrapper):\n    s.width()",
    "assert": "s = config.kv_cache_groups[0].kv_cache_spec\n"
    "assert isinstance(s, Leaf)\ns.width()",
    "duck typing": "s = config.kv_cache_groups[0].kv_cache_spec\n"
    "if hasattr(s, 'kv_cache_specs'):\n    return\ns.width()",
    "type is not": "s = config.kv_cache_groups[0].kv_cache_spec\n"
    "if type(s) is not Wrapper:\n    s.width()",
    "helper": "for s in iter_layer_specs(config.kv_cache_groups[0].kv_cache_spec):\n"
    "    s.width()",
    "match": "s = config.kv_cache_groups[0].kv_cache_spec\nmatch s:\n"
    "    case Wrapper():\n        return\n    case _:\n        s.width()",
    "match leaf": "s = config.kv_cache_groups[0].kv_cache_spec\nmatch s:\n"
    "    case Leaf():\n        s.width()",
    "comprehension condition": "return [g.kv_cache_spec.width() for g in "
    "config.kv_cache_groups if isinstance(g.kv_cache_spec, Leaf)]",
    "attention groups": "for g in self.attn_groups:\n    g.kv_cache_spec.width()",
    "iterator of attention groups": "for g in self._kv_cache_spec_attn_group_iterator()"
    ":\n    g.kv_cache_spec.width()",
    "own attribute": "self.kv_cache_spec.width()",
    "per-layer dict": "for n, s in config.layer_specs.items():\n    s.width()",
    "other member": "config.kv_cache_groups[0].kv_cache_spec.height()",
    "rebound name": "s = config.kv_cache_groups[0].kv_cache_spec\ns = make()\n"
    "s.width()",
    "elif": "s = config.kv_cache_groups[0].kv_cache_spec\nif isinstance(s, Wrapper):\n"
    "    s = s.first_spec\nelif isinstance(s, Leaf):\n    pass\ns.width()",
}


@pytest.mark.parametrize("body", UNWRAPPED.values(), ids=UNWRAPPED)
def test_no_raw_read(body: str) -> None:
    assert reads(body) == 0


@pytest.mark.parametrize(
    ("parameters", "body", "count"),
    [
        ("group: KVCacheGroupSpec", "group.kv_cache_spec.width()", 1),
        ("group: 'kvi.KVCacheGroupSpec'", "group.kv_cache_spec.width()", 1),
        ("group: KVCacheGroupSpec | None", "group.kv_cache_spec.width()", 1),
        ("gs: list[KVCacheGroupSpec]", "gs[0].kv_cache_spec.width()", 1),
        ("kv_cache_groups", "kv_cache_groups[0].kv_cache_spec.width()", 1),
        ("kv_cache_group", "kv_cache_group.kv_cache_spec.width()", 1),
        ("group: AttentionGroup", "group.kv_cache_spec.width()", 0),
        ("attn_group", "attn_group.kv_cache_spec.width()", 0),
        ("kv_cache_spec: KVCacheSpec", "kv_cache_spec.width()", 0),
        ("layer", "layer.kv_cache_spec.width()", 0),
    ],
)
def test_parameters(parameters: str, body: str, count: int) -> None:
    assert reads(body, parameters) == count


@pytest.mark.parametrize(
    ("path", "class_name", "expected"),
    [
        ("vllm/v1/worker/gpu_model_runner.py", "GPUModelRunner", True),
        ("vllm/v1/worker/utils.py", "", True),
        ("vllm/v1/core/kv_cache_utils.py", "", True),
        ("vllm/v1/core/kv_cache_planning.py", "", True),
        ("vllm/v1/kv_cache_interface.py", "KVCacheConfig", True),
        ("plugin/runner/kv_cache_manager.py", "KVCacheManager", True),
        ("plugin/connector/v1/store/worker.py", "StoreWorker", True),
        ("plugin/connector/v1/store/utils.py", "", True),
        ("vllm/v1/core/sched/scheduler.py", "Scheduler", False),
        ("vllm/v1/core/single_type_kv_cache_manager.py", "MambaManager", False),
        ("vllm/v1/core/kv_cache_coordinator.py", "HybridCoordinator", False),
        ("vllm/v1/core/block_pool.py", "", False),
        ("plugin/connector/v1/store/scheduler.py", "StoreScheduler", False),
        ("plugin/connector/v1/store/scheduler.py", "", False),
        ("vllm/v1/attention/backends/flash_attn.py", "FlashBuilder", False),
        ("vllm/v1/attention/backends/utils.py", "", False),
        ("vllm/v1/worker/utils.py", "AttentionGroup", False),
        ("plugin/own.py", "OwnMetadataBuilder", False),
    ],
)
def test_sides(path: str, class_name: str, expected: bool) -> None:
    assert sees_composites(Path(path), class_name) is expected


@pytest.mark.parametrize(
    ("path", "class_name", "function", "expected"),
    [
        ("plugin/worker.py", "CacheWorker", "bind", True),
        ("plugin/connector.py", "CacheConnector", "__init__", True),
        ("plugin/connector.py", "CacheConnector", "register_kv_caches", True),
        ("plugin/connector.py", "CacheConnectorV1", "request_finished", False),
        ("plugin/connector.py", "CacheWorker", "request_finished", True),
        ("plugin/worker.py", "CacheWorker", "register_cross_layers_kv_cache", False),
        ("vllm/v1/core/kv_cache_utils.py", "", "get_kv_cache_configs", True),
        ("vllm/v1/core/kv_cache_utils.py", "", "resolve_block_sizes", False),
        ("plugin/kv_cache_utils.py", "", "resolve_block_sizes", True),
        ("plugin/core/steps.py", "", "bind", False),
        ("plugin/store/pool_scheduler.py", "", "bind", False),
        ("plugin/patch_kv_cache_coordinator.py", "", "bind", False),
        ("plugin/patch_kv_cache_coordinator.py", "CacheWorker", "bind", True),
        ("plugin/runner/kv_cache_manager.py", "KVCacheManager", "bind", True),
    ],
)
def test_roles(path: str, class_name: str, function: str, expected: bool) -> None:
    planning = {"get_kv_cache_configs"}
    found = must_expect_composites(Path(path), class_name, function, planning)
    assert found is expected


def test_the_planner_is_what_finished_groups_are_handed_to() -> None:
    bodies = {
        "get_kv_cache_configs": "groups = get_kv_cache_groups(x)\nsize_of(groups)",
        "get_kv_cache_groups": "return formed(x)",
        "formed": "return x",
        "size_of": "return bytes_of(x) + len(x)",
        "bytes_of": "return size_of(x)",
        "resolved": "return size_of(x)",
    }
    assert planning_functions(bodies) == {"get_kv_cache_configs", "size_of", "bytes_of"}
    assert planning_functions({"resolved": "return 1"}) == frozenset()
    asked = {"resolved", "elsewhere", "get_kv_cache_groups"}
    assert planning_functions(bodies, asked) == {
        "get_kv_cache_configs",
        "size_of",
        "bytes_of",
        "resolved",
    }
