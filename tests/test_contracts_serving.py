# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which managers serve specs, what registers them, and how they are constructed."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from contract_tree import COORDINATOR, MANAGERS, SERVING, written

from kvlint.contracts.export import export
from kvlint.contracts.facts import ContractFacts


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> ContractFacts:
    return export(written(tmp_path_factory.mktemp("tree")))


def test_registrations(facts: ContractFacts) -> None:
    found = [(e.spec, e.manager, e.uniform_base) for e in facts.registrations]
    assert found == [
        ("FullAttentionSpec", "FullAttentionManager", None),
        ("MambaSpec", "MambaManager", "KVCacheSpec"),
    ]
    spot = facts.registrations[1].spot
    assert (spot.path, spot.line, spot.end_line) == (MANAGERS, 35, 39)


FULL = [("FullAttentionSpec", "FullAttentionManager", None)]
OTHER_REGISTRATIONS = {
    "dictionary": (
        """\
        spec_manager_map: dict[type, type] = {
            FullAttentionSpec: FullAttentionManager,
        }
        """,
        FULL,
    ),
    "dotted names": (
        """\
        import vllm.v1.kv_cache_interface as kvi
        spec_manager_map = {kvi.FullAttentionSpec: FullAttentionManager}
        """,
        FULL,
    ),
    "entry added": (
        "spec_manager_map.update({FullAttentionSpec: FullAttentionManager})",
        FULL,
    ),
    "decorator": (
        """\
        @register_kv_cache_spec(
            FullAttentionManager, uniform_type_base_spec=FullAttentionSpec
        )
        class Own(FullAttentionSpec):
            pass
        """,
        [("Own", "FullAttentionManager", "FullAttentionSpec")],
    ),
    "decorator, keyword": (
        """\
        @registry.register_kv_cache_spec(manager_class=FullAttentionManager)
        class Own(FullAttentionSpec):
            pass
        """,
        [("Own", "FullAttentionManager", None)],
    ),
    "imported where it is used": (
        """\
        def f():
            from elsewhere import TheirManager
            KVCacheSpecRegistry.register(FullAttentionSpec, TheirManager)
        """,
        [("FullAttentionSpec", "TheirManager", None)],
    ),
    "no spec": ("KVCacheSpecRegistry.register(Unrelated, FullAttentionManager)", []),
    "parameter": (
        """\
        def f(cls, manager_class):
            KVCacheSpecRegistry.register(cls, manager_class)
        """,
        [],
    ),
    "look-up": ("KVCacheSpecRegistry.get_manager_class(FullAttentionSpec)", []),
    "no manager": ("KVCacheSpecRegistry.register(FullAttentionSpec)", []),
    "other registry": ("backends.register(FullAttentionSpec, Unrelated)", []),
    "other decorator": (
        """\
        @register_backend(FullAttentionManager)
        class Own(FullAttentionSpec):
            pass
        """,
        [],
    ),
    "entry set": ("spec_manager_map[FullAttentionSpec] = FullAttentionManager", FULL),
    "entry set in a module": (
        "managers.spec_manager_map[FullAttentionSpec] = FullAttentionManager",
        FULL,
    ),
    "entry set by default": (
        "spec_manager_map.setdefault(FullAttentionSpec, FullAttentionManager)",
        FULL,
    ),
    "entries joined": (
        "spec_manager_map |= {FullAttentionSpec: FullAttentionManager}",
        FULL,
    ),
    "entries of a named dictionary": (
        """\
        OWN = {FullAttentionSpec: FullAttentionManager}
        spec_manager_map.update(OWN)
        """,
        FULL,
    ),
    "pairs": (
        "spec_manager_map.update([(FullAttentionSpec, FullAttentionManager)])",
        FULL,
    ),
    "loop": (
        """\
        for spec, manager in ((FullAttentionSpec, FullAttentionManager),):
            KVCacheSpecRegistry.register(spec, manager)
        """,
        FULL,
    ),
    "loop over a named list": (
        """\
        PAIRS = [[FullAttentionSpec, FullAttentionManager, MambaSpec]]

        def f():
            for spec, manager, base in PAIRS:
                KVCacheSpecRegistry.register(spec, manager, base)
        """,
        [("FullAttentionSpec", "FullAttentionManager", "MambaSpec")],
    ),
    "loop over items": (
        """\
        def f():
            own = {FullAttentionSpec: (FullAttentionManager, None)}
            for spec, (manager, base) in own.items():
                KVCacheSpecRegistry.register(spec, manager, base)
        """,
        FULL,
    ),
    "loop over classes": (
        """\
        for spec in (FullAttentionSpec, MambaSpec):
            KVCacheSpecRegistry.register(spec, FullAttentionManager)
        """,
        [*FULL, ("MambaSpec", "FullAttentionManager", None)],
    ),
    "loop over pairs": (
        """\
        for pair in [(FullAttentionSpec, FullAttentionManager)]:
            KVCacheSpecRegistry.register(*pair)
        """,
        FULL,
    ),
    "loop over something": (
        """\
        for spec, manager in PAIRS:
            KVCacheSpecRegistry.register(spec, manager)
        """,
        [],
    ),
    "registry by another name": (
        """\
        from vllm.v1.kv_cache_spec_registry import KVCacheSpecRegistry as Registry
        Registry.register(FullAttentionSpec, FullAttentionManager)
        """,
        FULL,
    ),
    "decorator, called": (
        "register_kv_cache_spec(FullAttentionManager)(FullAttentionSpec)",
        FULL,
    ),
    "in a method": (
        """\
        class Platform:
            @classmethod
            def f(cls):
                from vllm.v1.kv_cache_interface import MambaSpec as State
                KVCacheSpecRegistry.register(State, MambaManager)
        """,
        [("MambaSpec", "MambaManager", None)],
    ),
    "role": ("KVCacheSpecRegistry.register_role_manager('r', MambaManager)", []),
    "other values of the name": (
        "spec_manager_map = {MambaSpec: FullAttentionManager for x in y}",
        [],
    ),
    "other dictionary beside": (
        """\
        spec_manager_map = {FullAttentionSpec: FullAttentionManager}
        backends = {MambaSpec: Unrelated}
        """,
        FULL,
    ),
    "other dictionary": ("spec_manager_map = {Unrelated: FullAttentionManager}", []),
    "value is no class": ("spec_manager_map = {FullAttentionSpec: f()}", []),
}


@pytest.mark.parametrize(
    ("text", "expected"), OTHER_REGISTRATIONS.values(), ids=OTHER_REGISTRATIONS
)
def test_other_registrations(
    tmp_path: Path, text: str, expected: list[tuple[str, str, str | None]]
) -> None:
    serving = SERVING.partition("def register_all")[0] + textwrap.dedent(text) + "\n"
    facts = export(written(tmp_path, {MANAGERS: serving}))
    found = [(e.spec, e.manager, e.uniform_base) for e in facts.registrations]
    assert found == expected


def test_factory(facts: ContractFacts) -> None:
    (call,) = facts.factories
    assert call.function == "get_manager_for_kv_cache_spec"
    assert call.keywords == ("block_pool", "enable_caching")
    assert (call.passes_more, call.positionals) == (True, 1)
    assert (call.spot.path, call.spot.line) == (MANAGERS, 29)


ELSEWHERE = "vllm/v1/elsewhere.py"
FACTORIES = {
    "what every caller passes": (
        {ELSEWHERE: "def f():\n    get_manager_for_kv_cache_spec(s, 1, block_pool=p)"},
        [(("block_pool",), True)],
    ),
    "a caller with a mapping": (
        {ELSEWHERE: "def f():\n    m.get_manager_for_kv_cache_spec(s, 1, **common)"},
        [((), True)],
    ),
    "a caller in tests": (
        {"vllm/tests/test_f.py": "def f():\n    get_manager_for_kv_cache_spec(s, 1)"},
        [(("block_pool", "enable_caching"), True)],
    ),
    "nobody calls": ({COORDINATOR: ""}, [((), True)]),
    "keywords of its own": (
        {
            MANAGERS: SERVING.replace(
                "(kv_cache_spec, **kw", "(kv_cache_spec, a=1, b=2, **kw"
            )
        },
        [(("a", "b", "block_pool", "enable_caching"), True)],
    ),
    "nothing else": (
        {
            MANAGERS: SERVING.replace(
                "(kv_cache_spec, **kwargs)", "(kv_cache_spec, a=1)"
            )
        },
        [(("a",), False)],
    ),
    "from a dictionary": (
        {
            MANAGERS: SERVING.replace(
                "KVCacheSpecRegistry.get_manager_class(kv_cache_spec)",
                "spec_manager_map[type(kv_cache_spec)]",
            )
        },
        [(("block_pool", "enable_caching"), True)],
    ),
    "by name": (
        {MANAGERS: SERVING.replace("= manager_class(", "= FullAttentionManager(")},
        [(("block_pool", "enable_caching"), True)],
    ),
    "gives something else": (
        {MANAGERS: SERVING.replace(") -> SingleType", ") -> SomeOther")},
        [],
    ),
    "constructs nothing": (
        {MANAGERS: SERVING.replace("manager = manager_class(", "manager = f(")},
        [],
    ),
}


@pytest.mark.parametrize(("files", "expected"), FACTORIES.values(), ids=FACTORIES)
def test_factories(
    tmp_path: Path,
    files: dict[str, str],
    expected: list[tuple[tuple[str, ...], bool]],
) -> None:
    facts = export(written(tmp_path, files))
    assert [(each.keywords, each.passes_more) for each in facts.factories] == expected


def test_a_tree_without_managers(tmp_path: Path) -> None:
    facts = export(written(tmp_path, {MANAGERS: "", "vllm/v1/ring.py": ""}))
    assert (facts.managers, facts.registrations, facts.factories) == ((), (), ())
