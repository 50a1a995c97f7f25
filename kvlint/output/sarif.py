# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""``sarif``: SARIF 2.1.0, as code scanning services and editors read it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from kvlint import __version__, catalogue
from kvlint.fingerprints import fingerprints
from kvlint.output.documents import dumped, span, utf16
from kvlint.output.rule_texts import body, gist
from kvlint.output.view import View

if TYPE_CHECKING:
    from kvlint.findings import Failure, Finding, Fix, Place
    from kvlint.reports import Report
    from kvlint.sources import Source

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HERE = "%SRCROOT%"
Object = dict[str, Any]


def render(report: Report, view: View) -> str:
    """Return the report as a log of one run."""
    codes = sorted({each.code for each in report.findings})
    places = _Places(report, view)
    known_by = fingerprints(report.findings, report.sources, view.relative)
    results = [
        _result(finding, codes.index(finding.code), fingerprint, places)
        for finding, fingerprint in zip(report.findings, known_by, strict=True)
    ]
    notifications = [_notification(each, places) for each in report.failures]
    run = {
        "tool": {
            "driver": {
                "name": "kvlint",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(code) for code in codes],
            }
        },
        "invocations": [
            {
                "executionSuccessful": not report.failures,
                "toolExecutionNotifications": notifications,
                "workingDirectory": {"uri": _folder_uri(view.folder)},
            }
        ],
        "originalUriBaseIds": places.bases(),
        "columnKind": "utf16CodeUnits",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "results": results,
    }
    return dumped({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(code: str) -> Object:
    rule = catalogue.rules()[code]
    is_preview = rule.stage == "preview"
    return {
        "id": code,
        "name": rule.name,
        "shortDescription": {"text": f"{rule.summary}."},
        "fullDescription": {"text": gist(rule)},
        "help": {"text": body(rule), "markdown": body(rule)},
        # Each result has a level of its own: an error is what does harm today.
        "defaultConfiguration": {"level": "warning"},
        "properties": {
            "tags": ["vllm", "kv-cache", *(["preview"] if is_preview else [])],
            "precision": "medium" if is_preview else "high",
        },
    }


def _result(finding: Finding, index: int, fingerprint: str, places: _Places) -> Object:
    location = places.location(finding.place)
    if finding.symbol:
        name = finding.symbol.rpartition(".")[2]
        location["logicalLocations"] = [
            {"name": name, "fullyQualifiedName": finding.symbol}
        ]
    result = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": str(finding.severity),
        "message": {"text": places.view.proven(finding)},
        "locations": [location],
        # GitHub goes by this one alone. Its own, of the line, would take two members
        # that a class lacks for one and the same.
        "partialFingerprints": {"primaryLocationLineHash": fingerprint},
    }
    if finding.related:
        result["relatedLocations"] = [
            {
                "id": number,
                **places.location(each.place),
                "message": {"text": each.message},
            }
            for number, each in enumerate(finding.related, 1)
        ]
    source = places.source(finding.place)
    if (fix := places.view.offered(finding)) and source:
        result["fixes"] = [_fix(fix, source, places)]
    return result


def _fix(fix: Fix, source: Source, places: _Places) -> Object:
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {
                "artifactLocation": places.artifact(source.path),
                "replacements": [
                    {
                        "deletedRegion": places.region(source.place(x.start, x.end)),
                        "insertedContent": {"text": source.native(x.text)},
                    }
                    for x in sorted(fix.edits)
                ],
            }
        ],
        "properties": {"safety": str(fix.safety)},
    }


def _notification(failure: Failure, places: _Places) -> Object:
    told: Object = {
        "level": "error",
        "message": {"text": places.view.reason(failure)},
    }
    if failure.path:
        artifact = places.artifact(failure.path)
        told["locations"] = [{"physicalLocation": {"artifactLocation": artifact}}]
    if failure.code:
        told["associatedRule"] = {"id": failure.code}
    return told


class _Places:
    """Places as SARIF tells them, and what their addresses are relative to."""

    def __init__(self, report: Report, view: View) -> None:
        self.view = view
        self._sources = report.sources
        self._releases: set[str] = set()

    def source(self, place: Place) -> Source | None:
        return self._sources.get(place.path)

    def location(self, place: Place) -> Object:
        return {
            "physicalLocation": {
                "artifactLocation": self.artifact(place.path),
                "region": self.region(place),
            }
        }

    def region(self, place: Place) -> Object:
        keys = ("startLine", "startColumn", "endLine", "endColumn")
        return dict(zip(keys, span(place, self.source(place), utf16), strict=True))

    def artifact(self, path: Path) -> Object:
        """A file by its address: below the working directory, or in a release."""
        if not path.is_absolute():
            release, *below = path.parts
            self._releases.add(release)
            return {"uri": _quoted(below), "uriBaseId": release}
        relative = Path(self.view.relative(path))
        if relative.is_absolute() or ".." in relative.parts:
            return {"uri": path.as_uri()}
        return {"uri": _quoted(relative.parts), "uriBaseId": _HERE}

    def bases(self) -> Object:
        told: Object = {_HERE: {"uri": _folder_uri(self.view.folder)}}
        for release in sorted(self._releases):
            text = f"The sources of {release}, which are not at hand"
            told[release] = {"description": {"text": text}}
        return told


def _quoted(parts: Iterable[str]) -> str:
    return "/".join(quote(os.fsencode(part)) for part in parts)


def _folder_uri(folder: Path) -> str:
    uri = folder.absolute().as_uri()
    return uri if uri.endswith("/") else f"{uri}/"
