# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""The action and the recipes for CI: valid, safe, and run where a branch is.

They are installed as their text says, from the package index.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from corpus import bring
from repositories import commit, environment, git, repository, turn_into

pytestmark = pytest.mark.corpus

ROOT = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
RECIPES = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
PROGRAMS = Path(sys.executable).parent
SPEC = """\
from dataclasses import dataclass

from vllm.v1.kv_cache_interface import KVCacheSpec


@dataclass(frozen=True)
class {}(KVCacheSpec):
    kv_cache_specs: dict[str, KVCacheSpec]

    @property
    def page_size_bytes(self):
        return sum(each.page_size_bytes for each in self.kv_cache_specs.values())
"""
BASE = {
    "pyproject.toml": "[project]\nname = 'ring'\ndependencies = ['vllm==0.27.1']\n"
    "[tool.kvlint]\nselect = ['KV101']\n",
    "ring/__init__.py": "",
    "ring/old.py": SPEC.format("OldSpecs"),
}
CHANGE = {"ring/new.py": SPEC.format("NewSpecs")}


def recipes(heading: str, language: str = "yaml") -> list[str]:
    """Return the fences of a chapter."""
    chapter = RECIPES.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found = re.findall(rf"^```{language}\n(.*?)^```$", chapter, re.M | re.S)
    assert found, heading
    return found


WORKFLOWS = recipes("GitHub")


def run(*command: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    ran = subprocess.run(command, capture_output=True, text=True, **more)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran


def validate(schema: str, path: Path, *options: str) -> None:
    checker = (PROGRAMS / "check-jsonschema", "--builtin-schema", f"vendor.{schema}")
    run(*checker, *options, path)


def zizmor(*paths: Path, config: Path | None = None) -> None:
    command: list[str | Path] = [PROGRAMS / "zizmor", "--offline", "--pedantic"]
    if config is not None:
        command += ["--config", config]
    run(*command, *paths)


def test_the_action_is_valid_and_safe() -> None:
    path = ROOT / "action.yml"
    validate("github-actions", path)
    zizmor(path)
    # No input reaches a shell but through a variable.
    assert not any("${{" in step["run"] for step in ACTION["runs"]["steps"])


def test_workflows_are_valid_and_safe(tmp_path: Path) -> None:
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    for number, text in enumerate(WORKFLOWS):
        (folder / f"{number}.yml").write_text(text)
        validate("github-workflows", folder / f"{number}.yml")
    # The page says to pin by hashes, which only a network tells.
    config = tmp_path / "zizmor.yml"
    config.write_text("rules: {unpinned-uses: {config: {policies: {'*': ref-pin}}}}\n")
    zizmor(folder, config=config)


def test_workflows_give_the_action_what_it_takes() -> None:
    modes = set()
    for text in WORKFLOWS:
        for job in yaml.safe_load(text)["jobs"].values():
            (given,) = (
                step.get("with", {})
                for step in job["steps"]
                if step["uses"].startswith("example/kvlint@")
            )
            assert given.keys() <= ACTION["inputs"].keys()
            modes.add(given.get("mode", ACTION["inputs"]["mode"]["default"]))
    assert modes == {"annotations", "sarif", "fix", "suggest"}


def test_other_recipes_are_valid(tmp_path: Path) -> None:
    path = tmp_path / "recipe.yml"
    path.write_text(recipes("GitLab")[0])
    validate("gitlab-ci", path, "--data-transform", "gitlab-ci")
    path.write_text(recipes("Buildkite")[0])
    validate("buildkite", path)
    for heading in ("pre-commit.ci", "A hook of the project's own"):
        path.write_text(recipes(heading)[0])
        run(sys.executable, "-m", "pre_commit", "validate-config", path)
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    wanted = yaml.safe_load(recipes("pre-commit.ci")[0])["repos"][0]["hooks"]
    assert wanted == [
        each for each in [{"id": x["id"]} for x in hooks] if each in wanted
    ]


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a runner, in which the action has installed kvlint."""
    folder = tmp_path_factory.mktemp("runner")
    variables = {"ACTION": str(ROOT), "PYTHON": sys.executable}
    done = shell(ACTION["runs"]["steps"][0]["run"], folder, folder, variables)
    assert done.returncode == 0, done.stderr
    return folder


def shell(
    script: str, folder: Path, runner: Path, variables: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a script as GitHub does."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        env={
            **inherited(),
            "RUNNER_TEMP": str(runner),
            "GITHUB_OUTPUT": str(runner / "output"),
            **variables,
        },
        capture_output=True,
        text=True,
    )


def inherited() -> dict[str, str]:
    """An environment in which git knows nobody, and kvlint is what is installed."""
    return {
        name: value
        for name, value in environment().items()
        if name != "PYTHONPATH" and not name.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))
    }


@dataclass
class Checkout:
    """A clone that is on the branch of a pull request.

    Attributes:
        folder: Its working tree.
        origin: The repository that it is a clone of.
        runner: Where kvlint is installed.
    """

    folder: Path
    origin: Path
    runner: Path

    def act(self, **given: str) -> subprocess.CompletedProcess[str]:
        """Run the action with some inputs, the others as they are by default."""
        step = ACTION["runs"]["steps"][1]
        values = {name: each["default"] for name, each in ACTION["inputs"].items()}
        assert given.keys() <= {each.replace("-", "_") for each in values}
        values |= {name.replace("_", "-"): each for name, each in given.items()}
        values["branch"] = "topic"
        variables = {}
        for name, value in step["env"].items():
            found = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", value)
            variables[name] = values[found[1]] if found else "secret"
        (self.runner / "output").write_text("")
        folder = self.folder / values["working-directory"]
        return shell(step["run"], folder, self.runner, variables | self.path())

    def path(self) -> dict[str, str]:
        return {"PATH": os.pathsep.join([str(self.folder / "bin"), os.environ["PATH"]])}

    @property
    def outputs(self) -> dict[str, str]:
        """What the last step told the next ones."""
        lines = (self.runner / "output").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)

    def kvlint(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        program = self.runner / "kvlint-venv" / "bin" / "kvlint"
        return subprocess.run(
            [program, *arguments],
            cwd=self.folder,
            env=inherited(),
            capture_output=True,
            text=True,
        )


@pytest.fixture
def checkout(tmp_path: Path, runner: Path) -> Checkout:
    made = repository(tmp_path / "made", BASE)
    git(made, "checkout", "--quiet", "-b", "topic")
    commit(made, CHANGE)
    return cloned(made, runner)


def cloned(made: Path, runner: Path) -> Checkout:
    """A checkout of a bare clone of a repository, beside it."""
    tmp_path = made.parent
    git(tmp_path, "clone", "--quiet", "--bare", str(made), "origin.git")
    git(tmp_path, "clone", "--quiet", "--branch", "topic", "origin.git", "checkout")
    return Checkout(tmp_path / "checkout", tmp_path / "origin.git", runner)


def test_annotations(checkout: Checkout) -> None:
    ran = checkout.act()
    assert ran.returncode == 1, ran.stderr
    assert "::error file=ring/new.py,line=7" in ran.stdout
    assert "::error file=ring/old.py,line=7" in ran.stdout
    assert checkout.outputs == {"exit-code": "1", "committed": "false"}


def test_annotations_of_a_change(checkout: Checkout) -> None:
    ran = checkout.act(since="origin/main")
    assert ran.returncode == 1, ran.stderr
    assert "::error file=ring/new.py,line=7" in ran.stdout
    assert "old.py" not in ran.stdout


@pytest.mark.parametrize(
    ("given", "code", "told"),
    [
        ({"paths": "ring/old.py\n"}, 1, {"ring/old.py"}),
        ({"paths": "a folder/x.py\nring/new.py"}, 1, {"a folder/x.py", "ring/new.py"}),
        ({"paths": "nowhere"}, 2, set()),
        ({"args": " --select  KV102\n--exit-zero"}, 0, set()),
        ({"args": "--exit-zero --ignore *"}, 2, set()),
        ({"vllm_version": "0.25.0\n0.25.1\n"}, 0, set()),
        ({"vllm_version": "0.28.0", "paths": "ring/new.py"}, 1, {"ring/new.py"}),
        ({"working_directory": "ring", "paths": "new.py"}, 1, {"new.py"}),
        ({"since": "$(touch owned)"}, 2, set()),
    ],
)
def test_inputs(
    given: dict[str, str], code: int, told: set[str], checkout: Checkout
) -> None:
    (checkout.folder / "a folder").mkdir()
    (checkout.folder / "a folder" / "x.py").write_text(SPEC.format("X"))
    ran = checkout.act(**given)
    assert ran.returncode == code, ran.stderr
    found = re.findall(r"^::error file=(.*?),line", ran.stdout, re.MULTILINE)
    assert set(found) == told
    assert not (checkout.folder / "owned").exists()


def test_code_scanning(checkout: Checkout) -> None:
    ran = checkout.act(mode="sarif")
    assert ran.returncode == 0, ran.stderr
    assert checkout.outputs["report"] == "./kvlint.sarif"
    log = json.loads((checkout.folder / "kvlint.sarif").read_text())
    results = log["runs"][0]["results"]
    assert {each["ruleId"] for each in results} == {"KV101"}
    assert all(each["fixes"] for each in results)


def test_fixes_are_pushed_and_the_branch_is_clean(checkout: Checkout) -> None:
    before = git(checkout.origin, "rev-parse", "topic")
    ran = checkout.act(mode="fix")
    assert ran.returncode == 0, ran.stderr
    assert checkout.outputs == {"exit-code": "0", "committed": "true"}
    assert git(checkout.origin, "rev-parse", "topic^") == before
    assert git(checkout.origin, "log", "-1", "--format=%an %s", "topic") == (
        "github-actions[bot] Let KV cache specs answer for what they wrap (kvlint)\n"
    )
    git(checkout.folder.parent, "clone", "-q", "-b", "topic", "origin.git", "again")
    again = Checkout(checkout.folder.parent / "again", checkout.origin, checkout.runner)
    assert again.kvlint("check").returncode == 0
    assert again.act(mode="fix").returncode == 0
    assert again.outputs == {"exit-code": "0", "committed": "false"}


def test_fixes_of_a_change_alone(checkout: Checkout) -> None:
    assert checkout.act(mode="fix", since="origin/main").returncode == 0
    changed = git(checkout.origin, "diff", "--name-only", "topic^", "topic")
    assert changed == "ring/new.py\n"
    assert checkout.kvlint("check", "--since", "origin/main").returncode == 0
    assert checkout.kvlint("check").returncode == 1


def test_nothing_is_committed_where_something_failed(checkout: Checkout) -> None:
    ran = checkout.act(mode="fix", paths="nowhere\nring")
    assert ran.returncode == 2
    assert checkout.outputs == {"exit-code": "2", "committed": "false"}
    assert git(checkout.origin, "log", "--format=%s", "main..topic") == "a commit\n"


def test_what_a_release_of_vllm_broke_is_mended_on_its_branch(
    tmp_path: Path, runner: Path
) -> None:
    made = repository(tmp_path / "made", {"pyproject.toml": ""})
    for release, branch in (("0.25.1", "main"), ("0.26.0", "topic")):
        git(made, "checkout", "--quiet", "-B", branch)
        tree = bring(f"vllm=={release}")
        shutil.copytree(tree / "vllm" / "v1", made / "vllm" / "v1", dirs_exist_ok=True)
        (made / "vllm" / "__init__.py").touch()
        commit(made, {})
    checkout = cloned(made, runner)

    broken = checkout.kvlint("check", "--select=KV101", "--since", "origin/main")
    assert broken.returncode == 1
    assert "`max_num_blocks_per_req`" in broken.stdout
    assert "`storage_block_size`" not in broken.stdout  # as broken in 0.25.1
    ran = checkout.act(mode="fix", args="--select=KV101", since="origin/main")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    changed = git(checkout.origin, "diff", "--name-only", "topic^", "topic")
    assert changed == "vllm/v1/kv_cache_interface.py\n"
    again = checkout.kvlint("check", "--select=KV101", "--since", "origin/main")
    assert again.returncode == 0, again.stdout


def test_what_a_release_of_a_plug_in_broke_is_mended_on_its_branch(
    tmp_path: Path, runner: Path
) -> None:
    made = repository(tmp_path / "made", {})
    for branch, release, vllm in (
        ("main", "0.12.1a5", "0.31.0"),
        ("topic", "0.12.1a8", "0.33.0"),
    ):
        git(made, "checkout", "--quiet", "-B", branch)
        turn_into(made, bring(f"vllm-rbln=={release}"))
        settings = f"[tool.kvlint]\nvllm-version = '{vllm}'\n"
        commit(made, {"pyproject.toml": settings})
    checkout = cloned(made, runner)
    touched = git(made, "diff", "--name-only", "main", "topic").splitlines()

    # The branch is for a newer vLLM too, which passes more to a manager in a file that
    # the release leaves as it was.
    ran = checkout.act(since="origin/main")
    told = re.findall(r"file=(.*?),.*?\b(KV\d+)\b", ran.stdout)
    assert {(code, path in touched) for path, code in told} == {
        ("KV301", True),
        ("KV401", False),
    }
    ran = checkout.act(mode="fix", args="--unsafe-fixes", since="origin/main")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert checkout.outputs["committed"] == "true"
    changed = git(checkout.origin, "diff", "--name-only", "topic^", "topic")
    assert changed.splitlines() == sorted(path for path, _ in told)
    again = checkout.kvlint("check", "--since", "origin/main", "--unsafe-fixes")
    assert (again.returncode, again.stdout) == (0, ""), again.stdout


def test_what_has_no_fix_fails_after_the_push(checkout: Checkout) -> None:
    bad = SPEC.format("A") + "\n\nBAD = A(nonsense=1)\n"
    commit(checkout.folder, {"ring/bad.py": bad})
    git(checkout.folder, "push", "--quiet", "origin", "topic")
    ran = checkout.act(mode="fix", args="--select KV101,KV406")
    assert ran.returncode == 1, ran.stderr
    assert "::error file=ring/bad.py" in ran.stdout
    assert "KV101" not in ran.stdout
    assert checkout.outputs == {"exit-code": "1", "committed": "true"}


def test_nobody_s_work_is_committed(checkout: Checkout) -> None:
    (checkout.folder / "ring" / "__init__.py").write_text("x = 1\n")
    ran = checkout.act(mode="fix")
    assert ran.returncode == 2
    assert (
        "::error::kvlint: to commit fixes the working tree must be clean" in ran.stdout
    )


def reviewdog(folder: Path) -> None:
    """Put a program there that keeps what it is given."""
    program = folder / "bin" / "reviewdog"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\ncat >../seen.json\n"
        'echo "$REVIEWDOG_GITHUB_API_TOKEN" "$@" >../given\n'
    )
    program.chmod(0o755)


def seen(checkout: Checkout) -> tuple[set[str], str]:
    report = json.loads((checkout.folder.parent / "seen.json").read_text())
    found = {each["location"]["path"] for each in report["diagnostics"]}
    assert all(each["suggestions"] for each in report["diagnostics"])
    return found, (checkout.folder.parent / "given").read_text()


def test_suggestions(checkout: Checkout) -> None:
    reviewdog(checkout.folder)
    ran = checkout.act(mode="suggest", since="origin/main")
    assert ran.returncode == 0, ran.stderr
    found, given = seen(checkout)
    assert found == {"ring/new.py"}
    assert given.startswith("secret -f=rdjson ")


def test_suggestions_need_reviewdog(checkout: Checkout) -> None:
    ran = checkout.act(mode="suggest")
    assert ran.returncode == 2
    assert "install reviewdog in a step above" in ran.stdout


def test_an_unknown_mode(checkout: Checkout) -> None:
    ran = checkout.act(mode="mend")
    assert ran.returncode == 2
    assert "mode must be annotations, sarif, fix or suggest" in ran.stdout


def script_of(lines: list[str]) -> str:
    """The commands of a recipe but the one that installs: see test_pre_commit.py."""
    install, *rest = lines
    assert install == INSTALL
    return "\n".join(rest)


INSTALL = 'pip install --quiet "git+https://example.com/kvlint@v0.1.0"'


def with_kvlint(checkout: Checkout, **variables: str) -> dict[str, str]:
    folders = [checkout.folder / "bin", checkout.runner / "kvlint-venv" / "bin"]
    path = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
    return {**variables, "PATH": path}


def test_gitlab(checkout: Checkout) -> None:
    script = script_of(yaml.safe_load(recipes("GitLab")[0])["kvlint"]["script"])
    variables = with_kvlint(checkout, CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main")
    ran = shell(script, checkout.folder, checkout.runner, variables)
    assert ran.returncode == 1, ran.stderr
    report = json.loads((checkout.folder / "gl-code-quality-report.json").read_text())
    assert {each["location"]["path"] for each in report} == {"ring/new.py"}


def test_buildkite(checkout: Checkout) -> None:
    step = yaml.safe_load(recipes("Buildkite")[0])["steps"][0]
    script = script_of(step["command"]).replace("$$", "$")
    variables = with_kvlint(checkout, BUILDKITE_PULL_REQUEST_BASE_BRANCH="main")
    ran = shell(script, checkout.folder, checkout.runner, variables)
    assert ran.returncode == 1, ran.stderr
    report = ElementTree.parse(checkout.folder / step["artifact_paths"])
    failed = [each for each in report.iter("testcase") if len(each)]
    assert failed
    assert all("ring/new.py" in ElementTree.tostring(x, "unicode") for x in failed)


def test_reviewdog(checkout: Checkout) -> None:
    reviewdog(checkout.folder)
    script = recipes("reviewdog elsewhere", "sh")[0]
    ran = shell(script, checkout.folder, checkout.runner, with_kvlint(checkout))
    assert ran.returncode == 0, ran.stderr
    assert seen(checkout)[0] == {"ring/new.py", "ring/old.py"}
