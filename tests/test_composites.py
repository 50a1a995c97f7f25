# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which classes hold specs, and how the inserted member goes through them."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import PRELUDE, check_project, symbols, write_project

CLASS = "@dataclass(frozen=True)\nclass Pack(KVCacheSpec):\n"

HOLDS = {
    "layers: dict[str, KVCacheSpec]": "self.layers.values()",
    "layers: Dict[str, KVCacheSpec]": "self.layers.values()",
    "layers: Mapping[str, KVCacheSpec]": "self.layers.values()",
    "layers: 'dict[str, KVCacheSpec]'": "self.layers.values()",
    "layers: dict[str, 'KVCacheSpec']": "self.layers.values()",
    "layers: dict[KVCacheSpec, int]": "self.layers",
    "layers: list[KVCacheSpec]": "self.layers",
    "layers: List[MambaSpec]": "self.layers",
    "layers: Sequence[KVCacheSpec]": "self.layers",
    "layers: tuple[KVCacheSpec, ...]": "self.layers",
    "layers: Tuple[KVCacheSpec, ...]": "self.layers",
    "layers: tuple[KVCacheSpec, KVCacheSpec]": "self.layers",
    "layers: tuple[int, KVCacheSpec]": "self.layers[1]",
    "layers: set[KVCacheSpec]": "self.layers",
    "layers: frozenset[KVCacheSpec]": "self.layers",
    "layers: FrozenSet[KVCacheSpec]": "self.layers",
    "layers: Iterable[KVCacheSpec]": "self.layers",
    "layers: dict[str, KVCacheSpec] | None": "(self.layers or {}).values()",
    "layers: Optional[list[KVCacheSpec]] = None": "(self.layers or ())",
    "layers: Union[list[KVCacheSpec], None] = None": "(self.layers or ())",
    "layers: FullAttentionSpec | MambaSpec": "self.layers",
    "layers: Annotated[list[KVCacheSpec], 'x']": "self.layers",
    "layers: dict[str, list[KVCacheSpec]]": "self.layers.values()",
    "layers: dict[str, KVCacheSpec] = field(default_factory=dict)": (
        "self.layers.values()"
    ),
    "layers: KVCacheSpec": "self.layers",
    "first: KVCacheSpec\n    rest: list[KVCacheSpec]": "(self.first, *self.rest)",
}


@pytest.mark.parametrize(("fields", "expression"), HOLDS.items(), ids=HOLDS)
def test_a_field_that_holds_specs(fields: str, expression: str, tmp_path: Path) -> None:
    write_project(tmp_path, {"plug/a.py": f"{PRELUDE}{CLASS}    {fields}\n"})
    report = check_project(tmp_path)
    assert symbols(report, "KV101") == ["Pack.max_num_blocks_per_req"]
    (finding,) = [each for each in report.findings if each.code == "KV101"]
    assert finding.fix is not None, finding.unfixable
    assert expression in finding.fix.edits[-1].text


ALIASES = {
    "plain": "Layers = dict[str, KVCacheSpec]",
    "annotated": "Layers: TypeAlias = dict[str, KVCacheSpec]",
    "text": "Layers: TypeAlias = 'dict[str, KVCacheSpec]'",
    "statement": "type Layers = dict[str, KVCacheSpec]",
    "new type": "Layers = NewType('Layers', dict[str, KVCacheSpec])",
    "alias of an alias": "Inner = dict[str, KVCacheSpec]\nLayers = Inner",
    "bound TypeVar": "T = TypeVar('T', bound=KVCacheSpec)\nLayers = dict[str, T]",
    "bound by text": "T = TypeVar('T', bound='KVCacheSpec')\nLayers = dict[str, T]",
    "constrained": "T = TypeVar('T', MambaSpec, AttentionSpec)\nLayers = dict[str, T]",
}


@pytest.mark.parametrize("alias", ALIASES.values(), ids=ALIASES)
def test_a_field_whose_type_is_an_alias(alias: str, tmp_path: Path) -> None:
    text = f"{PRELUDE}{alias}\n{CLASS}    layers: Layers\n"
    write_project(tmp_path, {"plug/a.py": text})
    assert symbols(check_project(tmp_path), "KV101") == ["Pack.max_num_blocks_per_req"]


SETS = {
    "parameter of __init__": """
    def __init__(self, specs: dict[str, KVCacheSpec]):
        self.layers = specs
""",
    "copy of a parameter": """
    def __init__(self, specs: Sequence[KVCacheSpec]):
        self.layers = list(specs)
""",
    "values of a parameter": """
    def __init__(self, specs: dict[str, KVCacheSpec]):
        self.layers = tuple(specs.values())
""",
    "annotated attribute": """
    def __init__(self, specs):
        self.layers: dict[str, KVCacheSpec] = specs
""",
    "frozen, from an InitVar": """
    specs: InitVar[dict[str, KVCacheSpec]]
    def __post_init__(self, specs: dict[str, KVCacheSpec]):
        object.__setattr__(self, "layers", dict(specs))
""",
}


@pytest.mark.parametrize("body", SETS.values(), ids=SETS)
def test_an_attribute_that_a_constructor_sets(body: str, tmp_path: Path) -> None:
    text = f"{PRELUDE}from dataclasses import InitVar\nclass Pack(KVCacheSpec):{body}"
    write_project(tmp_path, {"plug/a.py": text})
    report = check_project(tmp_path)
    assert symbols(report, "KV101") == ["Pack.max_num_blocks_per_req"]
    (finding,) = [each for each in report.findings if each.code == "KV101"]
    assert finding.fix is not None
    assert "self.layers" in finding.fix.edits[-1].text


HOLDS_NOT = [
    "kinds: type[KVCacheSpec]",
    "kinds: list[type[KVCacheSpec]]",
    "kinds: Type[KVCacheSpec]",
    "layers: ClassVar[dict[str, KVCacheSpec]] = {}",
    "layers: InitVar[dict[str, KVCacheSpec]]",
    "make: Callable[[KVCacheSpec], int]",
    "make: Callable[..., KVCacheSpec]",
    "make: 'Callable[[KVCacheSpec], KVCacheSpec]'",
    "layers: Literal['KVCacheSpec']",
    "layers: dict[str, int]",
    "layers: dict[str, Group]",
    "layers: Unknown[KVCacheSpec]",
    "layers: Any",
    "layers = {}",
    "layers: 'not a [type'",
]


@pytest.mark.parametrize("field", HOLDS_NOT)
def test_a_field_that_holds_none(field: str, tmp_path: Path) -> None:
    text = (
        f"{PRELUDE}from dataclasses import InitVar\n"
        f"class Group:\n    spec: KVCacheSpec\n{CLASS}    {field}\n"
    )
    write_project(tmp_path, {"plug/a.py": text})
    assert symbols(check_project(tmp_path), "KV101") == []


def test_a_composite_above_is_told_once(tmp_path: Path) -> None:
    text = f"""{PRELUDE}{CLASS}    layers: dict[str, KVCacheSpec]
@dataclass(frozen=True)
class Padded(Pack):
    padding: int = 0
"""
    write_project(tmp_path, {"plug/a.py": text})
    assert symbols(check_project(tmp_path), "KV101") == ["Pack.max_num_blocks_per_req"]


def test_a_composite_below_that_of_a_dependency_is_told(tmp_path: Path) -> None:
    project, vllm = tmp_path / "project", tmp_path / "elsewhere"
    write_project(
        vllm,
        {"vllm/more.py": f"{PRELUDE}{CLASS}    layers: dict[str, KVCacheSpec]\n"},
    )
    project.mkdir()
    (project / "pyproject.toml").write_text("")
    (project / "own.py").write_text(
        "from vllm.more import Pack\nclass Padded(Pack):\n    padding: int = 0\n"
    )
    report = check_project(project, vllm_path=vllm)
    assert symbols(report, "KV101") == ["Padded.max_num_blocks_per_req"]


@pytest.mark.parametrize(
    ("annotation", "reason"),
    [
        ("list[KVCacheSpec] | dict[str, KVCacheSpec]", "more than one form"),
        ("int | KVCacheSpec", "more than one form"),
        ("list[KVCacheSpec]\n    layers: dict[str, KVCacheSpec]", "more than one form"),
    ],
)
def test_an_unclear_form_has_no_fix(
    annotation: str, reason: str, tmp_path: Path
) -> None:
    text = f"{PRELUDE}{CLASS}    layers: {annotation}\n"
    write_project(tmp_path, {"plug/a.py": text})
    findings = [x for x in check_project(tmp_path).findings if x.code == "KV101"]
    assert [each.fix for each in findings] == [None]
    assert reason in findings[0].unfixable
