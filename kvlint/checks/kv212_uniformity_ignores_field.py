# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""KV212: layers share a uniform group although they need other blocks."""

from __future__ import annotations

from collections.abc import Iterator

from kvlint.faults.ignored_fields import IgnoredField, ignored_fields
from kvlint.faults.uniformity import OneSided, Uniformity
from kvlint.findings import Finding, Related, Severity
from kvlint.model.classes import Member
from kvlint.project import Project
from kvlint.registry import check
from kvlint.vocabulary import GROUPING_PROTOCOL, UNIFORM_TYPE
from kvlint.wording import names


@check("KV212")
def uniformity_ignores_field(project: Project) -> Iterator[Finding]:
    """Yield fields that no test compares, and tests that depend on the order."""
    added: dict[object, list[IgnoredField]] = {}
    uniformity = Uniformity(project)
    for each in ignored_fields(project, uniformity):
        told_at = each.field.owner if each.is_inherited else each.test.node
        added.setdefault(told_at, []).append(each)
    yield from map(_ignoring, added.values())
    yield from map(_one_sided, uniformity.one_sided())


def _ignoring(found: list[IgnoredField]) -> Finding:
    first = found[0]
    owner, reader, test = first.field.owner, first.reader, first.test
    fields = list(dict.fromkeys(each.field.name for each in found))
    what = "it" if len(fields) == 1 else "them"
    reads = reader.symbol if isinstance(reader, Member) else reader.manager.name
    told = f"{names(fields)}, which `{reads}` reads"
    outcome = "layers with other values share a group and are served like its first"
    related = (
        Related(reader.place, f"reads {what}"),
        Related(test.place, f"does not compare {what}"),
    )
    if not first.is_inherited:
        return Finding(
            "KV212",
            Severity.WARNING,
            f"this test does not compare {told}: {outcome}",
            test.place,
            test.member.symbol,
            related=related,
        )
    remedy = f"override `{GROUPING_PROTOCOL}`"
    if test.member.name == UNIFORM_TYPE:
        remedy = f"it needs a test of its own in `{test.member.symbol}`"
    return Finding(
        "KV212",
        Severity.WARNING,
        f"`{owner.name}` adds {told}, and the test for `{test.holder.name}`, which it "
        f"passes too, does not compare {what}: {outcome}; {remedy}",
        owner.place,
        owner.name,
        related=related,
        suppressible_lines=owner.header_lines,
    )


def _one_sided(found: OneSided) -> Finding:
    base, spec, test = found.base, found.spec, found.test
    return Finding(
        "KV212",
        Severity.WARNING,
        f"layers of `{base.name}` take those of `{spec.name}` into their group, but "
        "not the other way round: which layers share one depends on their order; let "
        "the tests of both say the same",
        spec.place if found.is_registered else test.place,
        spec.name if found.is_registered else test.member.symbol,
        related=(Related(found.base_test.place, f"takes `{spec.name}` too"),),
        suppressible_lines=spec.header_lines if found.is_registered else frozenset(),
    )
