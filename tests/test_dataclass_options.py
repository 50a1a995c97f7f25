# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is read off ``@dataclass(...)``."""

from __future__ import annotations

from pathlib import Path

import pytest

from kvlint.model.dataclass_options import DataclassOptions, dataclass_options
from kvlint.model.reading import read_file
from kvlint.sources import decode_source


def options(text: str) -> DataclassOptions | None:
    file = read_file(decode_source(Path("specs.py"), text.encode()))
    return dataclass_options(file.classes[-1])


@pytest.mark.parametrize(
    ("imports", "decorator"),
    [
        ("from dataclasses import dataclass", "dataclass"),
        ("from dataclasses import dataclass", "dataclass()"),
        ("from dataclasses import dataclass as dc", "dc"),
        ("import dataclasses", "dataclasses.dataclass"),
        ("import dataclasses as dc", "dc.dataclass()"),
        ("from pydantic import dataclasses", "dataclasses.dataclass"),
        ("from pydantic.dataclasses import dataclass", "dataclass"),
        ("import pydantic.dataclasses", "pydantic.dataclasses.dataclass"),
        ("from somewhere import *", "dataclass"),
    ],
)
def test_names_of_the_decorator(imports: str, decorator: str) -> None:
    found = options(f"{imports}\n@{decorator}\nclass Spec: pass\n")
    assert found is not None
    assert (found.init, found.eq) == (True, True)
    assert (found.frozen, found.kw_only, found.slots) == (False, False, False)


@pytest.mark.parametrize(
    ("imports", "decorator"),
    [
        ("from attr import dataclass", "dataclass"),
        ("import dataclasses", "dataclasses.field"),
        ("import dataclasses", "dataclasses"),
        ("from dataclasses import field", "field"),
        ("def dataclass(cls): return cls", "dataclass"),
        ("", "register(dataclass)"),
    ],
)
def test_others(imports: str, decorator: str) -> None:
    assert options(f"{imports}\n@{decorator}\nclass Spec: pass\n") is None


def test_options() -> None:
    found = options(
        "from dataclasses import dataclass\n@register\n"
        "@dataclass(frozen=True, eq=False, kw_only=FLAG, **more)\nclass Spec: pass\n"
    )
    assert found is not None
    assert (found.frozen, found.eq, found.kw_only) == (True, False, None)
    assert (found.slots, found.init) == (None, None)
