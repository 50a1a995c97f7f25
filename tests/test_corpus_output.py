# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Every format on real releases, read by programs that were not written here."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
import readers
import xmlschema
from command import ROOT
from corpus import bring
from junitparser import JUnitXml
from mended_trees import changed
from report_fixes import apply, of_rdjson, of_sarif
from sarif_pydantic import Sarif  # type: ignore[import-untyped]

pytestmark = pytest.mark.corpus

RELEASES = [
    "vllm==0.27.1",
    "vllm==0.33.0",
    "vllm-ascend==0.30.0rc2",
]
FORMATS = ("json", "sarif", "gitlab", "junit", "rdjson")
# The project has no page, its revision is git's to tell, code is not quoted, rules are
# called as on the command line, and nobody can ask for the schema's page here.
EXPECTED = {
    ("warning", "SARIF2005"),
    ("note", "SARIF2002"),
    ("note", "SARIF2003"),
    ("note", "SARIF2006"),
    ("note", "SARIF2010"),
    ("note", "SARIF2011"),
    ("note", "SARIF2012"),
}


def kvlint(folder: Path, *arguments: str | Path) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "kvlint", "check", "--isolated", *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert ran.returncode in (0, 1), ran.stderr
    return ran.stdout


@pytest.fixture(scope="module", params=RELEASES)
def reports(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with a report in each format, of one run on a release."""
    folder = tmp_path_factory.mktemp("reports")
    files = [f"--output-file={each}={folder / f'a.{each}'}" for each in FORMATS]
    printed = kvlint(bring(request.param), "--unsafe-fixes", "--preview", *files)
    assert len(findings(folder)) == printed.count("\n\n") > 5
    return folder


def findings(reports: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((reports / "a.json").read_text())[
        "findings"
    ]
    return found


def places(reports: Path) -> Counter[tuple[str, str, int]]:
    """The rule, the file and the line of every finding."""
    return Counter((x["code"], x["path"], x["line"]) for x in findings(reports))


def test_sarif(reports: Path) -> None:
    path = reports / "a.sarif"
    log = json.loads(path.read_text())
    schema = readers.sarif_schema()
    validator = jsonschema.validators.validator_for(schema)(schema)
    assert [each.message for each in validator.iter_errors(log)] == []

    said = readers.validate_sarif(path)
    assert said <= EXPECTED
    assert ("note", "SARIF2010") in said

    (run,) = Sarif.model_validate_json(path.read_text()).runs
    assert len(run.results) == len(findings(reports))
    for result, finding in zip(run.results, findings(reports), strict=True):
        assert result.rule_id == finding["code"]
        assert run.tool.driver.rules[result.rule_index].id == finding["code"]
        assert len(result.related_locations or ()) == len(finding["related"])
        assert bool(result.fixes) == bool(finding["fix"])
    known_by = [x.partial_fingerprints["primaryLocationLineHash"] for x in run.results]
    assert len({*known_by}) == len(known_by)

    read = readers.code_climate_of_sarif(path)
    assert located(read) == places(reports)


def located(issues: list[dict[str, Any]]) -> Counter[tuple[str, str, int]]:
    return Counter(
        (x["check_name"], x["location"]["path"], x["location"]["lines"]["begin"])
        for x in issues
    )


def test_gitlab(reports: Path) -> None:
    path = reports / "a.gitlab"
    assert readers.type_check_code_climate(path) == ""
    severities = {each["code"]: "info" for each in findings(reports)}
    read = readers.gitlab_with_severities(path, severities)
    assert located(read) == places(reports)
    assert {each["severity"] for each in read} == {"info"}
    issues = json.loads(path.read_text())
    assert len({each["fingerprint"] for each in issues}) == len(issues)
    assert [each | {"severity": "info"} for each in issues] == read


def test_rdjson(reports: Path) -> None:
    path = reports / "a.rdjson"
    told = readers.validate_rdjson(path)
    assert (told["valid"], told["errors"], told["warnings"]) == (True, 0, 0)
    document = json.loads(path.read_text())
    for each, finding in zip(document["diagnostics"], findings(reports), strict=True):
        assert each["message"] == finding["message"]
        assert bool(each.get("suggestions")) == bool(finding["fix"])


def test_junit(reports: Path) -> None:
    path = reports / "a.junit"
    schema = xmlschema.XMLSchema(readers.junit_schema())
    assert [*schema.iter_errors(path)] == []
    merged = reports / "merged"
    readers.run(sys.executable, "-m", "junitparser", "merge", path, merged)
    (suite,) = JUnitXml.fromfile(str(merged))
    cases = list(suite)
    assert len({(each.classname, each.name) for each in cases}) == len(cases)
    assert (suite.failures, suite.errors) == (len(cases), 0)
    for case, finding in zip(cases, findings(reports), strict=True):
        (failure,) = case.result
        assert failure.message == finding["message"]
        at = f"{finding['path']}:{finding['line']}:{finding['column']}: "
        assert failure.text.startswith(at)


def test_what_a_report_offers_is_what_fix_does(tmp_path: Path) -> None:
    original = bring("vllm==0.27.1")
    mended, by_sarif, by_rdjson = (tmp_path / each for each in ("fix", "sarif", "rd"))
    for copy in (mended, by_sarif, by_rdjson):
        shutil.copytree(original / "vllm" / "v1", copy / "vllm" / "v1")
        (copy / "vllm" / "__init__.py").touch()
    options = ("--unsafe-fixes", "--output-format")
    kvlint(mended, "--fix", *options, "concise")
    while fixes := of_sarif(
        json.loads(kvlint(by_sarif, *options, "sarif"))["runs"][0],
    ):
        assert apply(fixes, "utf-16-le")
    while fixes := of_rdjson(
        json.loads(kvlint(by_rdjson, *options, "rdjson")), by_rdjson
    ):
        assert apply(fixes, "utf-8")
    assert changed(mended, by_sarif) == changed(mended, by_rdjson) == []
    files = [path for path in mended.rglob("*.py") if path.parent != mended / "vllm"]
    assert (
        sum(
            x.read_bytes() != (original / x.relative_to(mended)).read_bytes()
            for x in files
        )
        > 3
    )


def test_sarif_shows_how_the_fault_of_0_27_1_is_mended() -> None:
    report = kvlint(
        bring("vllm==0.27.1"), "--select=KV101", "--output-format=sarif", "vllm"
    )
    (run,) = json.loads(report)["runs"]
    by_symbol = {
        x["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]: x
        for x in run["results"]
    }
    result = by_symbol["UniformTypeKVCacheSpecs.max_num_blocks_per_req"]
    assert result["level"] == "error"
    (fix,) = result["fixes"]
    assert fix["description"]["text"].startswith("Insert `UniformTypeKVCacheSpecs.")
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"] == {
        "uri": "vllm/v1/kv_cache_interface.py",
        "uriBaseId": "%SRCROOT%",
    }
    (replacement,) = change["replacements"]
    text = replacement["insertedContent"]["text"]
    assert "spec.max_num_blocks_per_req(vllm_config, max_len)" in text


def test_a_clean_run(tmp_path: Path) -> None:
    files = [f"--output-file={each}={tmp_path / f'a.{each}'}" for each in FORMATS]
    kvlint(bring("vllm==0.33.0"), *files, "--select=KV101", "vllm/envs.py")
    path = tmp_path / "a.sarif"
    assert {level for level, _ in readers.validate_sarif(path)} == {"note", "warning"}
    assert Sarif.model_validate_json(path.read_text()).runs[0].results == []
    xmlschema.XMLSchema(readers.junit_schema()).validate(tmp_path / "a.junit")
    ((case,),) = JUnitXml.fromfile(str(tmp_path / "a.junit"))
    assert case.is_passed
    assert readers.validate_rdjson(tmp_path / "a.rdjson")["valid"]
    assert json.loads((tmp_path / "a.gitlab").read_text()) == []


def test_the_readers_see_what_is_wrong(tmp_path: Path) -> None:
    """Else it would say nothing that they find no fault."""
    names = ("sarif", "gitlab", "junit", "rdjson")
    sarif, gitlab, junit, rdjson = (tmp_path / f"a.{each}" for each in names)
    files = [f"--output-file={each}={tmp_path / f'a.{each}'}" for each in names]
    kvlint(bring("vllm==0.27.1"), *files, "--select=KV101", "vllm")

    log = json.loads(sarif.read_text())
    log["runs"][0]["results"][0]["ruleIndex"] = 99
    sarif.write_text(json.dumps(log))
    assert ("error", "SARIF1009") in readers.validate_sarif(sarif)
    del log["runs"][0]["tool"]
    schema = readers.sarif_schema()
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(log, schema)

    replace(gitlab, '"critical"', '"grave"')
    assert "'\"grave\"' is not assignable" in readers.type_check_code_climate(gitlab)
    replace(junit, "tests=", "test=")
    assert [*xmlschema.XMLSchema(readers.junit_schema()).iter_errors(junit)]
    replace(rdjson, '"line": 837', '"line": 0')
    assert not readers.validate_rdjson(rdjson)["valid"]


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
