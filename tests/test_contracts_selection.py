# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which releases of vLLM are meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvlint.contracts.requirements import required
from kvlint.contracts.selection import described, select_releases
from kvlint.errors import KvlintError

KNOWN = ("0.11.0", "0.11.2", "0.20.2", "0.27.0", "0.27.1", "0.28.0")


@pytest.mark.parametrize(
    ("asked", "releases", "why"),
    [
        (["0.27.1"], ["0.27.1"], "as vllm-version says"),
        (["==0.27.1"], ["0.27.1"], "as vllm-version says"),
        (["0.28.0", "0.20.2"], ["0.20.2", "0.28.0"], "(0.28.0, 0.20.2)"),
        ([">=0.27,<0.28"], ["0.27.0", "0.27.1"], "(>=0.27,<0.28)"),
        (["~=0.27.0"], ["0.27.0", "0.27.1"], ""),
        (["0.99.0"], ["0.28.0"], "newer than any that kvlint knows: 0.28.0 is used"),
        ([">=0.99"], ["0.28.0"], "0.28.0 is used"),
        (["0.27.2"], ["0.27.1"], "0.27.2 is not known: 0.27.1 is used"),
        (["0.27.1.dev5"], ["0.27.0"], "not known"),
        (["0.27.1+cpu"], ["0.27.1"], "as vllm-version says"),
        (["==0.27.1+cpu"], ["0.27.1"], "as vllm-version says"),
        ([], ["0.28.0"], "the newest that kvlint knows"),
    ],
)
def test_what_is_asked_for(
    asked: list[str], releases: list[str], why: str, tmp_path: Path
) -> None:
    selection = select_releases(asked, KNOWN, tmp_path)
    assert list(selection.releases) == releases
    assert why in selection.why


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("0.10.0", "vLLM 0.10.0 is too old; the oldest that kvlint knows is 0.11.0"),
        ("<0.5", "<0.5 admits none of the releases that kvlint knows"),
        ("soon", '"soon" is neither a version nor a specifier'),
    ],
)
def test_what_cannot_be_had(asked: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(KvlintError, match="vllm-version") as caught:
        select_releases([asked], KNOWN, tmp_path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


FILES = {
    "pyproject.toml": (
        '[project]\ndependencies = ["torch", "vllm>=0.27,<0.28 ; os_name==\'x\'"]\n',
        "<0.28,>=0.27",
    ),
    "an extra in pyproject.toml": (
        '[project.optional-dependencies]\nvllm = ["vllm[audio]==0.27.1"]\n',
        "==0.27.1",
    ),
    "a group in pyproject.toml": (
        '[dependency-groups]\ndev = ["VLLM==0.27.1"]\n',
        "==0.27.1",
    ),
    "requirements.txt": ("-r more.txt\nvllm==0.28.0  # pinned\n", "==0.28.0"),
    "requirements/dev.txt": ("torch\nvllm-cpu>=0.27\n", ">=0.27"),
    "setup.py": ("setup(install_requires=['torch', \"vllm==0.27.0\"])\n", "==0.27.0"),
    "setup.cfg": (
        "[options]\ninstall_requires =\n    torch\n    vllm==0.27.0\n",
        "==0.27.0",
    ),
    "an extra in setup.cfg": (
        "[options.extras_require]\ngpu =\n  vllm>=0.27; os_name=='x'\n",
        ">=0.27",
    ),
    "PKG-INFO": ("Name: plug\nRequires-Dist: vllm>=0.27,<0.28\n", "<0.28,>=0.27"),
    "plug-1.dist-info/METADATA": ("Requires-Dist: vllm (==0.20.2)\n", "==0.20.2"),
}


@pytest.mark.parametrize("name", FILES)
def test_what_a_project_requires(name: str, tmp_path: Path) -> None:
    text, specifier = FILES[name]
    path = tmp_path / name.rpartition(" ")[2]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    assert required(tmp_path) == (specifier, path.relative_to(tmp_path).as_posix())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["torch", "vllm-omni==1"]\n'),
        ("pyproject.toml", '[project]\ndependencies = ["vllm"]\n'),
        ("pyproject.toml", "not toml"),
        ("pyproject.toml", '[project]\ndependencies = "vllm==1"\n'),
        ("requirements.txt", "# vllm==0.27.1\nvllm @ https://x\n"),
        ("setup.py", "setup(install_requires=read())\n"),
        ("setup.cfg", "no section\n"),
        ("PKG-INFO", "Name: plug\n\nRequires-Dist: vllm==0.27.1\n"),
    ],
)
def test_a_project_that_requires_no_version(
    name: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    assert required(tmp_path) == ("", "")


def test_what_was_built_counts_before_what_is_installed_by_hand(tmp_path: Path) -> None:
    (tmp_path / "requirements-dev.txt").write_text("vllm==0.20.2\n")
    (tmp_path / "PKG-INFO").write_text("Requires-Dist: vllm==0.27.1\n")
    assert required(tmp_path) == ("==0.27.1", "PKG-INFO")


@pytest.mark.parametrize(
    ("releases", "text"),
    [
        (["0.20.2"], "0.20.2"),
        (["0.27.0", "0.27.1"], "0.27.0 to 0.27.1"),
        (["0.27.1", "0.28.0"], "0.27.1 and later"),
        (["0.28.0"], "0.28.0"),
        (["0.11.0", "0.20.2", "0.27.0"], "0.11.0, 0.20.2 to 0.27.0"),
        (list(KNOWN), "0.11.0 and later"),
    ],
)
def test_releases_in_words(releases: list[str], text: str) -> None:
    assert described(releases, KNOWN) == text


def test_releases_in_words_if_later_ones_were_not_looked_at() -> None:
    assert described(["0.27.1", "0.28.0"], KNOWN, goes_on=False) == "0.27.1 to 0.28.0"
