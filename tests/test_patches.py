# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Each way to patch a class alone in a file: the quick look must not pass it by."""

from __future__ import annotations

import pytest
from projects import check_project, write_project

MODULE = "vllm.v1.kv_cache_interface"
IMPORT = f"import {MODULE} as interface\n"
FROM = f"from {MODULE} import MambaSpec, KVCacheSpec\n"
WAYS = [
    f"import {MODULE}\n{MODULE}.MambaSpec = 1\n",
    f"{IMPORT}interface.MambaSpec = 1\n",
    f"{IMPORT}interface.MambaSpec: type = 1\n",
    f"{IMPORT}def f():\n    interface.KVCacheSpec, interface.MambaSpec = 1, 2\n",
    f"{IMPORT}x = interface.MambaSpec = 1\n",
    f"{IMPORT}setattr(interface, 'MambaSpec', 1)\n",
    f"{IMPORT}setattr(\n    interface,\n    'MambaSpec',\n    1,\n)\n",
    f"{IMPORT}for name in ('MambaSpec', 'X'):\n    setattr(interface, name, 1)\n",
    f"{IMPORT}vars(interface)['MambaSpec'] = 1\n",
    f"{IMPORT}vars(interface).update(MambaSpec=1)\n",
    f"{IMPORT}interface.__dict__['MambaSpec'] = 1\n",
    f"{IMPORT}interface.__dict__.update({{'MambaSpec': 1}})\n",
    f"{IMPORT}del interface.MambaSpec\n",
    f"{IMPORT}delattr(interface, 'MambaSpec')\n",
    f"import vllm\nsetattr({MODULE}, 'MambaSpec', 1)\n",
    "from vllm.v1 import (\n  kv_cache_interface as i,\n)\nvars(i)['MambaSpec'] = 1\n",
    "from vllm.v1 import kv_cache_interface as i\nvars(i)['MambaSpec'] = 1\n",
    f"import sys\nsys.modules['{MODULE}'].MambaSpec = 1\n",
    f"import sys\nsetattr(sys.modules['{MODULE}'], 'MambaSpec', 1)\n",
    f"import sys\nx = sys.modules['{MODULE}']\nsetattr(x, 'MambaSpec', 1)\n",
    f"import importlib\nimportlib.import_module('{MODULE}').MambaSpec = 1\n",
    f"from importlib import import_module as i\nx = i('{MODULE}')\nx.MambaSpec = 1\n",
    f"{IMPORT}for x in (interface,):\n    setattr(x, 'MambaSpec', 1)\n",
]
MEMBER_WAYS = [
    f"{FROM}MambaSpec.merge = 1\n",
    f"{FROM}MambaSpec.merge = (  # type: ignore[method-assign]\n    1\n)\n",
    f"{FROM}setattr(MambaSpec, 'merge', 1)\n",
    f"{FROM}type.__setattr__(MambaSpec, 'merge', 1)\n",
    f"{FROM}del MambaSpec.merge\n",
    f"{FROM}x = MambaSpec\nx.merge = 1\n",
    f"{FROM}x = MambaSpec\nsetattr(x, 'merge', 1)\n",
    f"{FROM}for x in (MambaSpec, int):\n    x.merge = 1\n",
    f"{FROM}for x in (\n    int,\n    MambaSpec,\n):\n    x.merge = 1\n",
    f"from {MODULE} import MambaSpec as M\nM.merge = 1\n",
    f"from {MODULE} import (\n    MambaSpec as M,\n)\nsetattr(M, 'merge', 1)\n",
    f"{IMPORT}interface.MambaSpec.merge = 1\n",
    f"{IMPORT}x = interface.MambaSpec\nx.merge = 1\n",
    f"{IMPORT}setattr(interface.MambaSpec, 'merge', 1)\n",
    f"{IMPORT}getattr(interface, 'MambaSpec').merge = 1\n",
]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """What is found in each way, all of them being files of one project."""
    folder = tmp_path_factory.mktemp("plugin")
    ways = {f"plugin/way_{n}.py": x for n, x in enumerate([*WAYS, *MEMBER_WAYS])}
    write_project(folder, ways)
    symbols = dict[str, set[str]]()
    for each in check_project(folder, select=("KV408",)).findings:
        name = each.place.path.relative_to(folder).as_posix()
        symbols.setdefault(ways[name], set()).add(each.symbol)
    return symbols


@pytest.mark.parametrize("code", WAYS)
def test_classes(code: str, found: dict[str, set[str]]) -> None:
    assert "MambaSpec" in found.get(code, ())


@pytest.mark.parametrize("code", MEMBER_WAYS)
def test_members(code: str, found: dict[str, set[str]]) -> None:
    assert found.get(code) == {"MambaSpec.merge"}
