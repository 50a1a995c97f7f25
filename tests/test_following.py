# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Keywords in mappings, as far as statements tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvlint.model.classes import SpecClass, SpecFile
from kvlint.model.reading import read_file
from kvlint.model.scopes import ImportedName, Scope
from kvlint.sources import decode_source
from kvlint.uses.following.evaluation import Attributes
from kvlint.uses.following.expressions import Act
from kvlint.uses.following.meanings import Named
from kvlint.uses.following.touches import find_touches


class OnlySpec:
    """Follows one class, called Spec."""

    def meaning(self, name: str, scope: Scope, file: SpecFile) -> Named | None:
        return name if name == "Spec" else None

    def imported(
        self, binding: ImportedName, rest: str, file: SpecFile
    ) -> Named | None:
        return None

    def owner(self, spec: SpecClass) -> Named | None:
        return None


@pytest.mark.parametrize(
    ("text", "passed", "perhaps", "is_open"),
    [
        ("Spec(a=1, **{'b': 2})", "ab", "", False),
        ("Spec(**given)", "", "", True),
        ("Spec(*given, a=1)", "a", "", True),
        ("m = dict(a=1); m['b'] = 2; Spec(**m)", "ab", "", False),
        ("m = dict(a=1); m[b] = 2; Spec(**m)", "a", "", True),
        ("m = {'a': 1, b: 2}; Spec(**m)", "a", "", True),
        ("m = {'a': 1, **n}; Spec(**m)", "a", "", True),
        ("m = dict(a=1); m.update(b=2); Spec(**m)", "ab", "", False),
        ("m = dict(a=1); m.update(n); Spec(**m)", "a", "", True),
        ("m = dict(a=1); n = dict(m, b=2); Spec(**n)", "ab", "", False),
        ("m = dict(a=1); n = m | dict(b=2); Spec(**n)", "ab", "", False),
        ("m = dict(a=1); n = n | m; Spec(**n)", "a", "", True),
        ("m = dict(a=1); n = m.copy(); n['b'] = 1; Spec(**n)", "ab", "", False),
        ("m = dict(a=1); m.setdefault('b', 2); Spec(**m)", "ab", "", False),
        ("m = dict(a=1); m.pop('a'); Spec(**m)", "", "", False),
        ("m = dict(a=1); m.clear(); Spec(**m)", "", "", True),
        ("m = dict(a=1); del m['a']; Spec(**m)", "", "", False),
        ("m = dict(a=1); m['a'] += 1; Spec(**m)", "a", "", False),
        ("m = dict(a=1); m |= n; Spec(**m)", "", "", True),
        ("m = dict(a=1); m = f(); Spec(**m)", "", "", True),
        ("m = dict(a=1); f(m); Spec(**m)", "a", "", True),
        ("m = dict(a=1); f(m['a']); Spec(**m)", "a", "", False),
        ("m = dict(a=1); n = m; Spec(**m)", "a", "", True),
        ("m = dict(a=1); f(**m); Spec(**m)", "a", "", False),
        ("m: dict = dict(a=1); Spec(**m)", "a", "", False),
        ("m, n = dict(a=1), 2; Spec(**m)", "", "", True),
        ("m = dict(a=1)\nif x: m['b'] = 2\nSpec(**m)", "a", "b", False),
        ("m = dict(a=1)\nif x: m['b'] = 2\nelse: m['b'] = 3\nSpec(**m)", "ab", "", 0),
        ("m = dict(a=1)\nfor x in y: m['b'] = 2\nSpec(**m)", "a", "b", False),
        ("m = dict(a=1)\nfor m in y: Spec(**m)", "", "", True),
        ("m = dict(a=1)\nif x: m = dict(b=1)\nSpec(**m)", "", "ab", False),
        ("if x: m = dict(b=1)\nSpec(**m)", "", "", True),
        ("m = dict(a=1)\nif x:\n m['b'] = 1\n raise x\nSpec(**m)", "a", "", False),
        ("m = dict(a=1)\ntry: f()\nexcept E: m = {}\nSpec(**m)", "", "", True),
        ("m = dict(a=1)\nwith f() as m: Spec(**m)", "", "", True),
        ("m = dict(a=1)\ndef f(m): Spec(**m)", "", "", True),
        ("m = dict(a=1)\ndef f(): Spec(**m)", "a", "", False),
    ],
)
def test_keywords(text: str, passed: str, perhaps: str, is_open: bool) -> None:
    file = read_file(decode_source(Path("a.py"), f"{text}\n".encode()))

    touches = find_touches(OnlySpec(), file, Attributes())

    (made,) = [each for each in touches if each.act is Act.CONSTRUCT]
    assert made.passed.names == {*passed}
    assert made.passed.perhaps == {*perhaps}
    assert made.passed.is_open == is_open
