# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What a project puts in the place of vLLM's classes and members, over a bump."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.contracts.aspects import compare
from kvlint.contracts.facts import ClassFacts
from kvlint.contracts.lineage import Answer, listed, own
from kvlint.contracts.upgrading.plugin import PlugIn
from kvlint.contracts.upgrading.releases import Releases
from kvlint.contracts.upgrading.verdicts import Verdict
from kvlint.model.classes import SpecFile
from kvlint.model.values.writes import Write, find_writes
from kvlint.uses.patches import QuickLook


def patching(plug_in: PlugIn, releases: Releases) -> Iterator[SpecFile]:
    """Yield the files of a project that may patch classes of vLLM, parsed."""
    may_patch = QuickLook({*releases.before.classes})
    for path in plug_in.files:
        if may_patch.at(plug_in.workspace.content(path)):
            file = plug_in.workspace.file(path)
            if file is not None:
                yield file


def patches(file: SpecFile, releases: Releases, plug_in: PlugIn) -> Iterator[Verdict]:
    """Yield what is the matter with the patches of a file.

    What only a condition guards is no more than worth a look.

    Args:
        file: The file.
        releases: What became of names.
        plug_in: The project.
    """
    for write in find_writes(file):
        for is_due, message, symbol in _patched(write, releases, plug_in):
            is_soft = bool(write.conditions)
            more = "; see that its condition is right" if is_soft else ""
            yield Verdict(
                write.node, is_due and not is_soft, f"{message}{more}", symbol
            )


def _patched(
    write: Write, releases: Releases, plug_in: PlugIn
) -> Iterator[tuple[bool, str, str]]:
    """What is the matter with an assignment: whether it is due, why, and of what."""
    owner, _, name = write.target.rpartition(".")
    old = releases.before.classes.get(plug_in.upstream(write.target) or "")
    if old is not None:
        new = releases.after.classes.get(name)
        if new is None:
            yield True, f"replaces `{name}`, gone in {releases.name}", name
        elif told := _turnover(old, new):
            yield False, f"replaces `{name}`, which {told} in {releases.name}", name
        return
    patched = plug_in.upstream(owner)
    old = releases.before.classes.get(patched or "")
    was = None if old is None else releases.before.answer(old, name)
    if patched is None or was is None:
        return
    symbol, new = f"{patched}.{name}", releases.after.classes.get(patched)
    if new is None:
        yield (
            True,
            f"patches `{symbol}`; `{patched}` is gone in {releases.name}",
            symbol,
        )
        return
    now = releases.after.answer(new, name)
    if now is None:
        yield True, f"patches `{symbol}`, {releases.told_gone(patched, name)}", symbol
    elif told := _told(was, now):
        yield False, f"patches `{symbol}`, which {told} in {releases.name}", symbol


def _turnover(old: ClassFacts, new: ClassFacts) -> str:
    """What a class itself defines no more, and what it defines now."""
    had = {each for each in own(old) if not each.startswith("_")}
    has = {each for each in own(new) if not each.startswith("_")}
    gone, came = sorted(had - has), sorted(has - had)
    parts = [f"loses {listed(gone)}"] if gone else []
    parts += [f"gains {listed(came)}"] if came else []
    return " and ".join(parts)


def _told(was: Answer, now: Answer) -> str:
    if was.owner.name != now.owner.name:
        return f"`{now.owner.name}` defines"
    return "has changed" if list(compare(was.definition, now.definition)) else ""
