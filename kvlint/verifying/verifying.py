# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A run of ``kvlint verify``: from what is named to what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from kvlint.config import Config
from kvlint.environment import vllm_folders
from kvlint.errors import KvlintError
from kvlint.verifying.asking import Asker
from kvlint.verifying.kinds import Kind, find_kinds, find_making
from kvlint.verifying.merging import MergeSearch
from kvlint.verifying.process import Interpreter, Limits
from kvlint.verifying.requirements import hypothesis_elsewhere
from kvlint.verifying.results import ClassResult, Verified
from kvlint.verifying.searching import Effort, Search, untried
from kvlint.verifying.subjects import Subject, Subjects, find_subjects
from kvlint.verifying.targets import (
    VLLM_MODULE,
    Wanted,
    find_classes,
    find_python,
    import_module,
)

SETTINGS = "vllm_config"
"""What settings are called among the recipes."""


@dataclass(frozen=True)
class Conditions:
    """How to verify.

    Attributes:
        python: The interpreter to do it with; None to look for one.
        stand_ins: Modules to stand in for.
        limits: What the interpreter may take.
        effort: How much to try.
        with_rows: Whether to look for the rows of a test as well.
        shown: Whether what the interpreter prints goes to standard error.
        only: If not empty, the files and names of the only classes that are meant.
    """

    python: Path | None = None
    stand_ins: tuple[str, ...] = ()
    limits: Limits = Limits()
    effort: Effort = Effort()
    with_rows: bool = False
    shown: bool = False
    only: frozenset[tuple[Path, str]] = frozenset()


def verify(
    wanted: Wanted,
    conditions: Conditions,
    config: Config,
    folder: Path,
    announce: Callable[[Path], None] = lambda python: None,
) -> Verified:
    """Import what is named, ask it, and return what is known of it.

    Args:
        wanted: What is named.
        conditions: How to do it.
        config: What is in force.
        folder: The working directory.
        announce: Called with the interpreter before it is started.

    Raises:
        KvlintError: It cannot be done; the message says why.
    """
    root = wanted.job.root if wanted.job else folder
    python = find_python(conditions.python, root)
    named = vllm_folders(config.vllm_path, root) if config.vllm_path else []
    around = [x for x in (root, root / "src") if not (x / "__init__.py").is_file()]
    paths = list(dict.fromkeys([*wanted.paths, *named, *around]))
    announce(python)
    with (
        hypothesis_elsewhere(),
        Interpreter(
            python, paths, conditions.limits, folder, shown=conditions.shown
        ) as interpreter,
    ):
        interpreter.call("starting", "begin", stand_ins=conditions.stand_ins)
        vllm = import_module(interpreter, VLLM_MODULE)
        project, classes = find_classes(interpreter, wanted, vllm, folder, config)
        only = conditions.only
        if only:
            classes = [x for x in classes if (x.file.path, x.name) in only]
        subjects = find_subjects(project, classes, grouped=not only)
        interpreter.call("starting", "extend", paths=list(map(str, subjects.paths)))
        if not subjects.modules:
            raise KvlintError("there is no spec class to verify under what is named")
        for module in dict.fromkeys(
            each.class_name.partition(":")[0] for each in subjects.composites
        ):
            import_module(interpreter, module)
        run = _Run(interpreter, subjects, conditions, config.recipes)
        found, notes = run.results()
    for each in conditions.stand_ins:
        notes.append(f"kvlint stood in for the module {each}")
    header = _header(classes[0].file.tree.source.text)
    return Verified(tuple(found), tuple(notes), str(python), str(vllm), header)


def _header(text: str) -> str:
    """Return the comment that a file begins with, such as its licence."""
    lines = takewhile(lambda line: line.startswith("#"), text.splitlines())
    return "".join(f"{each}\n" for each in lines if not each.startswith("#!"))


class _Run:
    """Asks all subjects."""

    def __init__(
        self,
        interpreter: Interpreter,
        subjects: Subjects,
        conditions: Conditions,
        recipes: Mapping[str, Mapping[str, Sequence[Any]]],
    ) -> None:
        self._interpreter, self._subjects = interpreter, subjects
        self._conditions = conditions
        self._more = recipes.get(SETTINGS, {})
        self._recipes = {
            ":".join(name.rsplit(".", 1)): fields for name, fields in recipes.items()
        }

    def results(self) -> tuple[list[ClassResult], list[str]]:
        subjects = self._subjects
        names = [name for each in subjects.composites for name in each.layers]
        names = list(dict.fromkeys([*names, *subjects.merging]))
        kinds, notes = find_kinds(self._interpreter, names, self._recipes)
        known = {each.class_name: each for each in kinds}
        found = []
        for subject in subjects.composites:
            held = [known[name] for name in subject.layers if name in known]
            found.append(self._composite(subject, held))
        for name in subjects.merging:
            if name in known and known[name].merges:
                found.append(self._merging(known[name]))
        return found, notes

    def _composite(self, subject: Subject, kinds: Sequence[Kind]) -> ClassResult:
        recipe = self._recipes.get(subject.class_name, {})
        making = find_making(self._interpreter, subject, recipe)
        asked = {x: y for x, y in subject.members.items() if x not in subject.unread}
        asker = Asker(self._interpreter, making, asked)
        effort = self._conditions.effort
        search = Search(asker, kinds, self._more, effort, subject.above)
        members = search.results(with_rows=self._conditions.with_rows)
        found = {x.member: x for x in members}
        for name in subject.members:
            if name in subject.unread:
                found[name] = untried(name, "nothing reads it off a group")
        order = [*subject.members, *(x for x in found if x not in subject.members)]
        marked = (
            replace(found[x], harms=x in subject.harmful) for x in order if x in found
        )
        return ClassResult(subject.class_name, tuple(marked), making)

    def _merging(self, kind: Kind) -> ClassResult:
        fields = self._subjects.merging[kind.class_name]
        effort = self._conditions.effort
        search = MergeSearch(self._interpreter, kind, fields, self._more, effort)
        return ClassResult(kind.class_name, tuple(search.results()))
