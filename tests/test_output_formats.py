# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What the formats for services say; that they are valid is for other programs to say.

See ``test_corpus_output.py`` for those programs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from command import ROOT
from junitparser import JUnitXml
from sarif_pydantic import Sarif  # type: ignore[import-untyped]

from kvlint import catalogue
from kvlint.findings import (
    Edit,
    Failure,
    Finding,
    Fix,
    Place,
    Related,
    Safety,
    Severity,
)
from kvlint.output import FORMATS
from kvlint.output.rule_texts import body, gist
from kvlint.output.view import View
from kvlint.reports import Report
from kvlint.sources import Source, decode_source

HERE = Path("/project")
VIEW = View(HERE, {"KV101": "undelegated-member"})
UNSAFE = replace(VIEW, unsafe=True)
RING = decode_source(
    HERE / "plugin/ring.py", b"import x\nclass Ring(Spec):\n    x: int\n"
)
BASE = decode_source(Path("/elsewhere/base.py"), b"class Spec: ...\n")
BUNDLED = Path("vllm 0.33.0", "vllm/v1/kv_cache_interface.py")


def finding(
    source: Source = RING,
    text: str = "Ring",
    code: str = "KV101",
    severity: Severity = Severity.ERROR,
    safety: Safety = Safety.SAFE,
    symbol: str = "Ring.width",
    message: str = "`Ring` inherits `width`",
    related: tuple[Related, ...] = (),
) -> Finding:
    """A finding that marks a text, mended by an insertion before and one at the end."""
    start, end = source.text.index(text), len(source.text)
    edits = (Edit(end, end, "    width = 1\n"), Edit(start, start, "A"))
    place = source.place(start, start + len(text))
    fix = Fix(safety, "Add `width`", edits)
    return Finding(code, severity, message, place, symbol, related, fix)


def report(*findings: Finding, sources: tuple[Source, ...] = (), **more: Any) -> Report:
    texts = {each.path: each for each in (RING, BASE, *sources)}
    return Report(
        findings,
        **{"failures": (), "notes": (), "files_checked": 2, **more},
        sources=texts,
    )


def sarif(seen: Report, view: View = VIEW) -> dict[str, Any]:
    """Return the run, read by the independent model too."""
    text = FORMATS["sarif"](seen, view)
    assert text.isascii()
    Sarif.model_validate_json(text)
    document = json.loads(text)
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    assert isinstance(run, dict)
    return run


def gitlab(seen: Report) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(FORMATS["gitlab"](seen, VIEW))
    return found


def rdjson(seen: Report, view: View = VIEW) -> list[dict[str, Any]]:
    document = json.loads(FORMATS["rdjson"](seen, view))
    assert document["source"] == {"name": "kvlint"}
    found: list[dict[str, Any]] = document["diagnostics"]
    return found


def junit(seen: Report, view: View = VIEW) -> JUnitXml:
    return JUnitXml.fromstring(FORMATS["junit"](seen, view).encode())


NOTES = (
    Related(BASE.place(6, 10), "the default"),
    Related(Place(BUNDLED, 139, 9, 139, 31), "its origin"),
)
TOLD = finding(related=NOTES)
FAILURES = (
    Failure("/project/b c.py: cannot read: gone", HERE / "b c.py"),
    Failure("KV104 crashed", RING.path, "KV104"),
    Failure("no such release"),
)


def test_a_sarif_result() -> None:
    run = sarif(report(TOLD))
    (result,) = run["results"]
    assert result.pop("partialFingerprints")["primaryLocationLineHash"].endswith(":1")
    ring = {"uri": "plugin/ring.py", "uriBaseId": "%SRCROOT%"}
    assert result == {
        "ruleId": "KV101",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": "`Ring` inherits `width`"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": ring,
                    "region": region(2, 7, 2, 11),
                },
                "logicalLocations": [
                    {"name": "width", "fullyQualifiedName": "Ring.width"}
                ],
            }
        ],
        "relatedLocations": [
            {
                "id": 1,
                "physicalLocation": {
                    "artifactLocation": {"uri": "file:///elsewhere/base.py"},
                    "region": region(1, 7, 1, 11),
                },
                "message": {"text": "the default"},
            },
            {
                "id": 2,
                "physicalLocation": {
                    "artifactLocation": {
                        "uri": "vllm/v1/kv_cache_interface.py",
                        "uriBaseId": "vllm 0.33.0",
                    },
                    "region": region(139, 9, 139, 31),
                },
                "message": {"text": "its origin"},
            },
        ],
        "fixes": [
            {
                "description": {"text": "Add `width`"},
                "artifactChanges": [
                    {
                        "artifactLocation": ring,
                        "replacements": [
                            {
                                "deletedRegion": region(2, 7, 2, 7),
                                "insertedContent": {"text": "A"},
                            },
                            {
                                "deletedRegion": region(4, 1, 4, 1),
                                "insertedContent": {"text": "    width = 1\n"},
                            },
                        ],
                    }
                ],
                "properties": {"safety": "safe"},
            }
        ],
    }
    bases = run["originalUriBaseIds"]
    assert bases["%SRCROOT%"] == {"uri": "file:///project/"}
    assert bases["vllm 0.33.0"]["description"]["text"].startswith("The sources of vllm")


def region(line: int, column: int, end_line: int, end_column: int) -> dict[str, int]:
    return {
        "startLine": line,
        "startColumn": column,
        "endLine": end_line,
        "endColumn": end_column,
    }


@pytest.mark.parametrize(
    ("folder", "uri"),
    [("/", "file:///"), ("/a b/ü", "file:///a%20b/%C3%BC/")],
)
def test_what_addresses_are_relative_to(folder: str, uri: str) -> None:
    run = sarif(report(TOLD), replace(VIEW, folder=Path(folder)))
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == uri
    assert run["invocations"][0]["workingDirectory"]["uri"] == uri


def test_sarif_tells_of_the_rules_that_there_are_findings_of() -> None:
    seen = report(finding(code="KV209"), TOLD, finding(code="KV203"))
    run = sarif(seen)
    rules = run["tool"]["driver"]["rules"]
    assert [each["id"] for each in rules] == ["KV101", "KV203", "KV209"]
    assert [each["ruleIndex"] for each in run["results"]] == [2, 0, 1]
    for each in rules:
        text = each["help"]["markdown"]
        assert text.startswith("## What it checks\n") and "## Why" in text
        assert each["name"] == catalogue.names()[each["id"]]
        assert len(each["fullDescription"]["text"]) <= 1024  # as GitHub wants it
    assert [each["properties"]["precision"] for each in rules] == [
        "high",
        "medium",
        "high",
    ]
    assert "preview" in rules[1]["properties"]["tags"]


@pytest.mark.parametrize("rule", catalogue.rules().values(), ids=lambda x: x.code)
def test_what_is_told_of_a_rule(rule: catalogue.Rule) -> None:
    assert body(rule).startswith("## What it checks\n\n")
    assert ".md" not in body(rule)  # no link that leads nowhere
    assert body(rule).endswith(rule.text[-200:])
    assert gist(rule)[0].isupper() or gist(rule)[0] == "`"
    assert "\n" not in gist(rule)
    assert gist(rule) in f"{' '.join(body(rule).split())} {rule.summary}."


def test_sarif_tells_what_could_not_be_done() -> None:
    run = sarif(report(failures=FAILURES))
    (invocation,) = run["invocations"]
    assert run["results"] == run["tool"]["driver"]["rules"] == []
    assert invocation["executionSuccessful"] is False
    first, second, third = invocation["toolExecutionNotifications"]
    assert first["message"]["text"] == "cannot read: gone"
    (place,) = first["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "b%20c.py"
    assert second["associatedRule"] == {"id": "KV104"}
    assert third == {"level": "error", "message": {"text": "no such release"}}
    (invocation,) = sarif(report())["invocations"]
    assert invocation["executionSuccessful"] is True


def test_a_gitlab_issue() -> None:
    (issue,) = gitlab(report(TOLD))
    fingerprint = issue.pop("fingerprint")
    assert issue == {
        "type": "issue",
        "check_name": "KV101",
        "description": "KV101: `Ring` inherits `width`",
        "categories": ["Bug Risk"],
        "severity": "critical",
        "location": {"path": "plugin/ring.py", "lines": {"begin": 2, "end": 2}},
    }
    (result,) = sarif(report(TOLD))["results"]
    assert result["partialFingerprints"] == {"primaryLocationLineHash": fingerprint}
    (milder,) = gitlab(report(finding(severity=Severity.WARNING)))
    assert milder["severity"] == "minor"
    assert gitlab(report()) == []


def test_fingerprints_differ_within_a_report() -> None:
    seen = report(TOLD, TOLD, finding(symbol="Ring.pages"), failures=FAILURES)
    assert len({each["fingerprint"] for each in gitlab(seen)}) == 5


def test_gitlab_tells_which_files_could_not_be_checked() -> None:
    issues = gitlab(report(failures=FAILURES))
    assert [
        (each["check_name"], each["severity"], each["location"]["path"])
        for each in issues
    ] == [("kvlint", "blocker", "b c.py"), ("KV104", "blocker", "plugin/ring.py")]


def test_a_diagnostic_of_reviewdog() -> None:
    (told,) = rdjson(report(TOLD))
    assert told == {
        "message": "`Ring` inherits `width`",
        "severity": "ERROR",
        "code": {"value": "KV101"},
        "location": {"path": "plugin/ring.py", "range": span(2, 7, 2, 11)},
        # What is in no file would be a dead link.
        "related_locations": [
            {
                "message": "the default",
                "location": {
                    "path": "../elsewhere/base.py",
                    "range": span(1, 7, 1, 11),
                },
            }
        ],
        "suggestions": [
            {"range": span(4, 1, 4, 1), "text": "    width = 1\n"},
            {"range": span(2, 7, 2, 7), "text": "A"},
        ],
    }
    assert [each["message"] for each in rdjson(report(failures=FAILURES))] == [
        "cannot read: gone",
        "KV104 crashed",
    ]


def span(
    line: int, column: int, end_line: int, end_column: int
) -> dict[str, dict[str, int]]:
    return {
        "start": {"line": line, "column": column},
        "end": {"line": end_line, "column": end_column},
    }


def test_an_unsafe_fix_is_offered_if_it_counts() -> None:
    seen = report(finding(safety=Safety.UNSAFE))
    assert "fixes" not in sarif(seen)["results"][0]
    assert "suggestions" not in rdjson(seen)[0]
    (fix,) = sarif(seen, UNSAFE)["results"][0]["fixes"]
    assert fix["properties"] == {"safety": "unsafe"}
    assert len(rdjson(seen, UNSAFE)[0]["suggestions"]) == 2


def test_junit() -> None:
    seen = report(TOLD, TOLD, finding(severity=Severity.WARNING, symbol=""))
    read = junit(replace(seen, failures=FAILURES), replace(VIEW, colour=True))
    (suite,) = read
    assert (suite.name, suite.tests, suite.failures, suite.errors) == (
        "kvlint",
        6,
        3,
        3,
    )
    cases = list(suite)
    assert [(each.classname, each.name) for each in cases] == [
        ("plugin/ring.py", "KV101 Ring.width"),
        ("plugin/ring.py", "KV101 Ring.width (2)"),
        ("plugin/ring.py", "KV101"),
        ("b c.py", "cannot be checked"),
        ("plugin/ring.py", "KV104"),
        ("kvlint", "cannot be checked"),
    ]
    results = [each.result[0] for each in cases]
    assert [(each.type, each.message) for each in results] == [
        ("error", "`Ring` inherits `width`"),
        ("error", "`Ring` inherits `width`"),
        ("warning", "`Ring` inherits `width`"),
        ("error", "cannot read: gone"),
        ("error", "KV104 crashed"),
        ("error", "no such release"),
    ]
    shown = FORMATS["full"](report(TOLD), VIEW)
    assert results[0].text == shown.rstrip("\n")


def test_a_clean_run_passes_in_junit() -> None:
    (suite,) = junit(report())
    (case,) = suite
    assert (suite.tests, suite.failures, suite.errors) == (1, 0, 0)
    assert case.is_passed
    assert case.system_out == "2 files checked"


@pytest.mark.parametrize(
    ("content", "utf16", "utf8"),
    [
        (b"xx = Ring\n", (6, 10), (6, 10)),
        ("é = Ring\n".encode(), (5, 9), (6, 10)),
        ("𐐀 = Ring\n".encode(), (6, 10), (8, 12)),
        ("\ufeffé = Ring\n".encode(), (5, 9), (9, 13)),
        ("# coding: latin-1\r\né = Ring\r\n".encode("latin-1"), (5, 9), (6, 10)),
        ("# 𐐀\ré = Ring\r".encode(), (5, 9), (6, 10)),
    ],
)
def test_columns_are_in_the_units_of_the_format(
    content: bytes, utf16: tuple[int, int], utf8: tuple[int, int]
) -> None:
    source = decode_source(HERE / "a.py", content)
    seen = report(finding(source), sources=(source,))
    line = finding(source).place.line
    (result,) = sarif(seen)["results"]
    told = result["locations"][0]["physicalLocation"]["region"]
    assert told == region(line, utf16[0], line, utf16[1])
    assert rdjson(seen)[0]["location"]["range"] == span(line, utf8[0], line, utf8[1])


def test_insertions_have_the_line_ends_of_the_file() -> None:
    source = decode_source(HERE / "a.py", b"class Ring:\r\n    x = 1\r\n")
    seen = report(finding(source), sources=(source,))
    (fix,) = sarif(seen)["results"][0]["fixes"]
    last = fix["artifactChanges"][0]["replacements"][-1]
    assert last["insertedContent"]["text"] == "    width = 1\r\n"
    assert rdjson(seen)[0]["suggestions"][0]["text"] == "    width = 1\r\n"


@pytest.mark.parametrize(
    ("name", "uri", "path"),
    [
        ("a b.py", "a%20b.py", "a b.py"),
        ("50%#?.py", "50%25%23%3F.py", "50%#?.py"),
        ("größe/𐐀.py", "gr%C3%B6%C3%9Fe/%F0%90%90%80.py", "größe/𐐀.py"),
        ("\udcff.py", "%FF.py", "\ufffd.py"),
        ("a:b.py", "a%3Ab.py", "a:b.py"),
        ("a\x1b\ufffe.py", "a%1B%EF%BF%BE.py", "a\x1b\ufffe.py"),
    ],
)
def test_odd_paths(name: str, uri: str, path: str) -> None:
    source = decode_source(HERE / name, RING.content)
    seen = report(finding(source, message="a\x1b\n𐐀\ufffe"), sources=(source,))
    (result,) = sarif(seen)["results"]
    location = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": uri, "uriBaseId": "%SRCROOT%"}
    assert gitlab(seen)[0]["location"]["path"] == path
    assert rdjson(seen)[0]["location"]["path"] == path
    ((case,),) = junit(seen)
    assert case.result[0].message == "a\\x1b\\n𐐀\ufffd"
    assert FORMATS["junit"](seen, VIEW).isascii()


def test_a_place_without_its_text() -> None:
    place = Place(HERE / "gone.py", 7, 3, 7, 5)
    seen = report(Finding("KV900", Severity.ERROR, "cannot be parsed", place, ""))
    (result,) = sarif(seen)["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == region(7, 3, 7, 5)
    assert "logicalLocations" not in result["locations"][0]
    assert rdjson(seen)[0]["location"]["range"] == span(7, 3, 7, 5)
    assert gitlab(seen)[0]["location"]["lines"] == {"begin": 7, "end": 7}


def test_what_is_a_finding_too_is_told_once() -> None:
    """A file that cannot be parsed is a finding, and a failure as well."""
    place = RING.place(0, 0)
    found = Finding("KV900", Severity.ERROR, "cannot be parsed", place, "")
    failure = Failure("cannot be parsed", RING.path, "KV900")
    seen = report(found, failures=(failure,))
    assert len(gitlab(seen)) == len(rdjson(seen)) == 1
    assert (
        len([*ElementTree.fromstring(FORMATS["junit"](seen, VIEW)).iter("error")]) == 0
    )
    assert len(sarif(seen)["invocations"][0]["toolExecutionNotifications"]) == 1


def test_a_format_is_imported_when_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    program = (
        "import sys\n"
        "from kvlint.cli import main\n"
        "main(['check', '--isolated', '--output-format', 'json', '--output-file', "
        "'concise=/dev/null'], standalone_mode=False)\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {*ran.stderr.split()}
    assert {x for x in FORMATS if f"kvlint.output.{x}" in loaded} == {"json", "concise"}
    assert not loaded & {"hashlib", "kvlint.fingerprints", "xml.etree.ElementTree"}
