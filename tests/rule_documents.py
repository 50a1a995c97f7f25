# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""From a rule's document to its examples, and back with new diffs.

A ``py`` fence is linted. ``# error: [KV101] "text"`` or ``# warning: …`` on a line says
what is found there; alone on a line it speaks of the next line, so that several can
stand above one. A number before the bracket is the column. A ``diff`` fence after it is
what ``--fix --unsafe-fixes`` does to the file; without one nothing may change. A line
such as `` `plugin/ring.py`: `` names the next fence's file, of any language; the files
under one heading are one project. Every project has vLLM's modules of specs and of
managers: small stand-ins, unless the example brings its own. One whose
``pyproject.toml`` names a ``vllm-version`` has none, and is checked against the
contract of that release.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from markdown_it import MarkdownIt

STAND_IN_PATH = "vllm/v1/kv_cache_interface.py"
STAND_IN = '''\
"""A small stand-in for vLLM's module of specs: the same shapes, in our words."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from typing_extensions import Self

if TYPE_CHECKING:
    from vllm.config import VllmConfig


def cdiv(length: int, size: int) -> int:
    return -(-length // size)


@dataclass(frozen=True)
class KVCacheSpec:
    block_size: int

    @property
    def page_size_bytes(self) -> int:
        raise NotImplementedError

    def max_memory_usage_bytes(self, vllm_config: "VllmConfig") -> int:
        raise NotImplementedError

    def max_num_blocks_per_req(self, vllm_config: "VllmConfig", max_len: int) -> int:
        return cdiv(max_len, self.block_size)

    def copy_with_new_block_size(self, block_size: int) -> Self:
        return replace(self, block_size=block_size)

    @classmethod
    def merge(cls, specs: list[Self]) -> Self:
        assert all(spec == specs[0] for spec in specs), "specs of a group differ"
        return replace(specs[0])


@dataclass(frozen=True)
class AttentionSpec(KVCacheSpec):
    num_kv_heads: int
    head_size: int

    @property
    def page_size_bytes(self) -> int:
        return 4 * self.block_size * self.num_kv_heads * self.head_size

    def max_num_blocks_per_req(self, vllm_config: "VllmConfig", max_len: int) -> int:
        ranks = vllm_config.parallel_config.decode_context_parallel_size
        return cdiv(max_len, self.block_size * ranks)

    def max_memory_usage_bytes(self, vllm_config: "VllmConfig") -> int:
        max_len = vllm_config.model_config.max_model_len
        return self.max_num_blocks_per_req(vllm_config, max_len) * self.page_size_bytes


@dataclass(frozen=True)
class FullAttentionSpec(AttentionSpec):
    sliding_window: int | None = None


@dataclass(frozen=True)
class MambaSpec(KVCacheSpec):
    state_bytes: int
    num_speculative_blocks: int = 0

    @property
    def page_size_bytes(self) -> int:
        return self.state_bytes

    def max_num_blocks_per_req(self, vllm_config: "VllmConfig", max_len: int) -> int:
        return 1 + self.num_speculative_blocks

    def max_memory_usage_bytes(self, vllm_config: "VllmConfig") -> int:
        return (1 + self.num_speculative_blocks) * self.page_size_bytes


@dataclass
class KVCacheGroupSpec:
    layer_names: list[str]
    kv_cache_spec: KVCacheSpec
'''

MANAGERS_PATH = "vllm/v1/core/single_type_kv_cache_manager.py"
MANAGERS = '''\
"""A small stand-in for vLLM's managers and what constructs them."""

from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheSpec, MambaSpec
from vllm.v1.kv_cache_spec_registry import KVCacheSpecRegistry


class SingleTypeKVCacheManager:
    def __init__(
        self,
        kv_cache_spec: KVCacheSpec,
        block_pool,
        enable_caching: bool,
        scheduler_block_size: int,
        dcp_world_size: int = 1,
        cap: int | None = None,
    ) -> None:
        self.kv_cache_spec = kv_cache_spec

    def allocate_new_blocks(self, request_id: str, num_tokens: int) -> list[int]:
        return [num_tokens]

    @classmethod
    def find_longest_cache_hit(cls, block_hashes, max_length: int, alignment: int):
        return max_length // alignment


class FullAttentionManager(SingleTypeKVCacheManager):
    pass


class MambaManager(SingleTypeKVCacheManager):
    def __init__(self, kv_cache_spec: MambaSpec, block_pool, **kwargs) -> None:
        super().__init__(kv_cache_spec, block_pool, **kwargs)


def get_manager_for_kv_cache_spec(
    kv_cache_spec: KVCacheSpec, max_model_len: int, **kwargs
) -> SingleTypeKVCacheManager:
    manager_class = KVCacheSpecRegistry.get_manager_class(kv_cache_spec)
    if isinstance(kv_cache_spec, FullAttentionSpec):
        kwargs["cap"] = max_model_len
    manager = manager_class(kv_cache_spec, **kwargs)
    return manager


def register_all_kvcache_specs() -> None:
    KVCacheSpecRegistry.register(FullAttentionSpec, FullAttentionManager)
    KVCacheSpecRegistry.register(MambaSpec, MambaManager)
'''
SERVING = {
    MANAGERS_PATH: MANAGERS,
    "vllm/v1/kv_cache_spec_registry.py": '''\
"""A small stand-in for vLLM's registry of managers."""


class KVCacheSpecRegistry:
    registered: dict[type, type] = {}

    @classmethod
    def register(
        cls, kvcache_spec_cls, manager_class=None, uniform_type_base_spec=None
    ):
        cls.registered[kvcache_spec_cls] = manager_class

    @classmethod
    def register_role_manager(cls, role: str, manager_class):
        cls.registered[role] = manager_class

    @classmethod
    def get_manager_class(cls, kvcache_spec):
        return next(cls.registered.get(each) for each in type(kvcache_spec).__mro__)


def register_kv_cache_spec(manager_class=None, uniform_type_base_spec=None):
    def decorate(spec):
        KVCacheSpecRegistry.register(spec, manager_class, uniform_type_base_spec)
        return spec

    return decorate
''',
    "vllm/v1/core/kv_cache_coordinator.py": '''\
"""A small stand-in for vLLM's coordinator: it has managers constructed."""

from vllm.v1.core.single_type_kv_cache_manager import get_manager_for_kv_cache_spec


class KVCacheCoordinator:
    def __init__(self, kv_cache_config, block_pool, enable_caching: bool):
        self.managers = [
            get_manager_for_kv_cache_spec(
                kv_cache_spec=group.kv_cache_spec,
                max_model_len=1024,
                block_pool=block_pool,
                enable_caching=enable_caching,
                scheduler_block_size=16,
                dcp_world_size=1,
            )
            for group in kv_cache_config.kv_cache_groups
        ]
''',
}

_NAME = re.compile(r"`([^`]+)`:")
_EXPECTED = re.compile(r'# (error|warning):(?: (\d+))? \[(KV\d{3})\] "([^"]*)"')
_LONELY = re.compile(r"\s*# (?:error|warning):")
_CODE = re.compile(r"\bKV\d{3}\b")


@dataclass(frozen=True)
class Expectation:
    """A finding that a comment announces."""

    path: str
    line: int
    column: int | None
    severity: str
    code: str
    text: str


@dataclass(frozen=True)
class ExampleFile:
    """A fence, the file it stands for, and where in the document it is.

    Attributes:
        path: Relative to the example's project.
        text: What the file holds.
        linted: Whether it is a ``py`` fence; others are only written.
        fence: First line and one past the last line of the fence, from 0.
        diff: What the fixes do to it, as documented.
        diff_fence: Where that stands; ``None`` if there is no diff.
    """

    path: str
    text: str
    linted: bool
    fence: tuple[int, int]
    diff: str = ""
    diff_fence: tuple[int, int] | None = None


@dataclass(frozen=True)
class Example:
    """The files under one heading.

    Attributes:
        document: Where it stands.
        number: Its position among the examples of the document.
        title: The heading.
        files: In the order of the document.
    """

    document: Path
    number: int
    title: str
    files: tuple[ExampleFile, ...]

    @property
    def codes(self) -> list[str]:
        """The document's rule and those that the files mention; the rest is off."""
        texts = [self.document.name, *(each.text for each in self.files)]
        return sorted({code for text in texts for code in _CODE.findall(text)})

    @property
    def expectations(self) -> list[Expectation]:
        """What must be found, by file and line."""
        return [
            expected
            for file in self.files
            if file.linted
            for expected in expectations(file.path, file.text)
        ]

    def write(self, folder: Path) -> None:
        """Write the example's project into an empty folder."""
        own = {each.path: each.text for each in self.files}
        texts = {"pyproject.toml": "", **own}
        if "vllm-version" not in texts["pyproject.toml"]:
            packages = [
                f"{each}/__init__.py" for each in ("vllm", "vllm/v1", "vllm/v1/core")
            ]
            stand_ins = {STAND_IN_PATH: STAND_IN, **SERVING}
            texts = {**dict.fromkeys(packages, ""), **stand_ins, **texts}
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")


def examples(document: Path) -> list[Example]:
    """Return the examples of a document.

    Raises:
        ValueError: A fence is not where or what it may be; such an example would
            otherwise silently not be run.
    """
    title, name = document.stem, ""
    files: list[ExampleFile] = []
    found: list[Example] = []

    def close() -> None:
        if any(each.linted for each in files):
            found.append(Example(document, len(found), title, tuple(files)))
        files.clear()

    tokens = MarkdownIt().parse(document.read_text(encoding="utf-8"))
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            close()
            title, name = tokens[index + 1].content, ""
        elif token.type == "inline":
            match = _NAME.fullmatch(token.content)
            name = match[1] if match else ""
        elif token.type == "fence":
            assert token.map is not None
            where = f"{document.name}:{token.map[0] + 1}"
            span = (token.map[0], token.map[1])
            language = token.info.strip()
            if token.level or language in {"python", "python3"}:
                raise ValueError(f"{where}: write ```py, and not inside a list")
            if language == "diff":
                if not files or not files[-1].linted or files[-1].diff_fence:
                    raise ValueError(f"{where}: a diff follows the py fence it changes")
                files[-1] = replace(files[-1], diff=token.content, diff_fence=span)
            elif name or language == "py":
                path = name or _default_name(files)
                if path in {each.path for each in files}:
                    raise ValueError(f"{where}: a second `{path}` under one heading")
                files.append(ExampleFile(path, token.content, language == "py", span))
            name = ""
    close()
    return found


def _default_name(files: list[ExampleFile]) -> str:
    number = sum(each.path.startswith("example") for each in files)
    return f"example_{number + 1}.py" if number else "example.py"


def expectations(path: str, text: str) -> list[Expectation]:
    """Return what the comments of a file announce."""
    found, waiting = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        comments = _EXPECTED.findall(line)
        if _LONELY.match(line):
            if not comments:
                raise ValueError(f"{path}:{number}: not an expectation: {line}")
            waiting += comments
            continue
        for severity, column, code, said in [*waiting, *comments]:
            found.append(
                Expectation(
                    path, number, int(column or 0) or None, severity, code, said
                )
            )
        waiting = []
    if waiting:
        raise ValueError(f"{path}: an expectation speaks of no line")
    return found


def shown_diff(before: str, after: str) -> str:
    """Return a change as documents show it: no headers, ``@@`` between hunks."""
    lines = list(
        difflib.unified_diff(before.splitlines(), after.splitlines(), n=2, lineterm="")
    )[3:]
    return "".join(
        f"{'@@' if line.startswith('@@ ') else line.rstrip()}\n" for line in lines
    )


def with_diffs(example: Example, diffs: Mapping[str, str]) -> str:
    """Return an example's document with its diff fences as they should be.

    Args:
        example: Its document is read again: other examples may have changed it.
        diffs: The diff by the file's path; a file without one keeps no fence.
    """
    lines = example.document.read_text(encoding="utf-8").splitlines()
    for file in reversed(examples(example.document)[example.number].files):
        diff = diffs.get(file.path, "")
        fence = ["```diff", *diff.splitlines(), "```"] if diff else []
        if file.diff_fence:
            start, end = file.diff_fence
            lines[start - (not fence) : end] = fence
        elif fence:
            end = file.fence[1]
            lines[end:end] = ["", *fence]
    return "".join(f"{line}\n" for line in lines)
