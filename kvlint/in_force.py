# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is in force where, and where from, without a check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kvlint import catalogue, discovery
from kvlint.config import Config
from kvlint.reports import Job
from kvlint.settings import EVERY_RULE, KEYS
from kvlint.targets import choose
from kvlint.toml_lines import line_of


@dataclass(frozen=True)
class Origin:
    """Where a value comes from.

    Attributes:
        option: The option of the command line, if it is one.
        path: The file, if it is one.
        line: The line of that file, if it is known.
    """

    option: str | None = None
    path: Path | None = None
    line: int | None = None


@dataclass(frozen=True)
class Setting:
    """A key of the configuration.

    Attributes:
        key: Such as ``fail-on``.
        value: What is in force, as TOML and JSON have it; None for nothing.
        origins: Where from; empty for the default.
    """

    key: str
    value: bool | str | list[str] | dict[str, list[str]] | None
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True)
class InForce:
    """What is in force.

    Attributes:
        path: The file that was read, if one was.
        root: The project's folder.
        settings: Every key.
        silenced: Which setting silences which rules, by their codes.
        releases: The releases of vLLM; none if its sources are at hand.
        vllm: Which vLLM is meant, and why.
        files: How many files are checked.
        project_files: How many files the project has.
    """

    path: Path | None
    root: Path
    settings: tuple[Setting, ...]
    silenced: Mapping[str, str]
    releases: tuple[str, ...]
    vllm: str
    files: int
    project_files: int


def in_force(job: Job) -> InForce:
    """Return what is in force for a job.

    Args:
        job: What would be looked at.

    Raises:
        KvlintError: No vLLM is where somebody said it is, or no such release is known.
    """
    config = job.config
    chosen = choose(job)
    silent = () if config.check_tests else {*job.files} - job.named
    tests = sum(discovery.is_test_file(each, job.root) for each in silent)
    return InForce(
        config.path,
        job.root,
        (*(_setting(key, config) for key in KEYS), _recipes(config)),
        {code: config.silenced_by(code) for code in catalogue.names()},
        chosen.releases,
        chosen.why,
        len(job.files) - tests,
        len(job.project_files),
    )


def _setting(key: str, config: Config) -> Setting:
    name = key.replace("-", "_")
    value = getattr(config, name)
    if key == "per-file-ignores":
        told: dict[str, list[str]] = {}
        for pattern, codes in value:
            told.setdefault(pattern, []).extend(_spoken(codes))
        value = told
    elif isinstance(value, tuple):
        value = _spoken(value)
    elif isinstance(value, Path):
        value = str(value)
    origins = tuple(_origin(each, key) for each in config.origins.get(name, ()))
    return Setting(key, value, origins)


def _recipes(config: Config) -> Setting:
    """The classes for which there are recipes, which are too long to tell."""
    origins = config.origins.get("recipes", ())
    told = tuple(_origin(each, "verify") for each in origins)
    return Setting("verify.recipes", sorted(config.recipes), told)


def _spoken(values: Iterable[str]) -> list[str]:
    """Values as people write them."""
    return ["ALL" if each == EVERY_RULE else each for each in values]


def _origin(origin: Path | str, key: str) -> Origin:
    if isinstance(origin, str):
        return Origin(option=origin)
    content = origin.read_text(encoding="utf-8")
    return Origin(path=origin, line=line_of(content, ("tool", "kvlint", key)))
