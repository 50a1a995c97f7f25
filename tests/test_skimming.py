# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A module's names by its text: the same as by its syntax, for what is imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvlint.model.reading import read_file
from kvlint.model.scopes import Binding, ImportedModule, ImportedName, Scope
from kvlint.model.skimming import skim
from kvlint.sources import decode_source, read_source

ROOT = Path(__file__).parents[1]
TEXT = '''\
"""Doc: from a import b."""
from __future__ import annotations
import os, sys as system
import a.b.c
import a.b.c as abc  # import not.this
from one import first, second as other
from .two import (  # why
    third,  # because
    fourth as last,
)
from ... import up
from ..three import \\
    fifth, \\
    sixth
from four import *; import late
try:
    from five import seventh
except ImportError:
    seventh = None
if os:
    if system:
        from six import eighth
else:
    import nine

class Inner:
    from seven import hidden

    def method(self):
        import hidden_too

def function():
    if os:
        from eight import hidden

Alias = first
'''


def imports(scope: Scope) -> dict[str, list[Binding]]:
    found: dict[str, list[Binding]] = {
        name: [x for x in bindings if isinstance(x, ImportedName | ImportedModule)]
        for name, bindings in scope.names.items()
    }
    return {name: bindings for name, bindings in found.items() if bindings}


def test_the_same_as_parsed() -> None:
    source = decode_source(Path("a.py"), TEXT.encode())

    found, parsed = skim(source).scope, read_file(source).scope

    expected = imports(parsed)
    del expected["late"]  # behind a semicolon; nobody writes that
    assert imports(found) == expected
    assert found.stars == parsed.stars
    assert found.names["Alias"] == parsed.names["Alias"]
    assert found.names.keys() >= {"Inner", "function", "seventh"}
    assert "hidden" not in found.names


@pytest.mark.parametrize("path", sorted((ROOT / "kvlint").rglob("*.py"))[::4])
def test_the_same_for_real_files(path: Path) -> None:
    source = read_source(path)

    found = skim(source).scope

    assert imports(found) == imports(read_file(source).scope)
