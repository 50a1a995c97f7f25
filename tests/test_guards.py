# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Which code a release runs: what is said of the place of ``here`` in a text."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from kvlint.contracts import bundle
from kvlint.contracts.at_hand import known
from kvlint.guards.guards import Guards
from kvlint.guards.installed import Installed
from kvlint.model.reach import Reach
from kvlint.model.workspace import Workspace

HERE = re.compile(r"#?\bhere\b")
R, N, U = Reach.REACHED, Reach.NEVER, Reach.UNKNOWN
OLD, NEW = "0.28.0", "0.30.0"


def reach(
    folder: Path,
    text: str,
    release: str | None,
    files: Mapping[str, str] | None = None,
    kept: Iterable[str] = (),
) -> Reach:
    """Return what is said of ``here`` in a text, beside files and such as are kept."""
    if release is None:
        installed = Installed(modules=lambda: known(bundle.load(NEW)).modules)
    elif release in bundle.releases():
        installed = known(bundle.load(release))
    else:
        installed = Installed(lambda: release)
    for name, content in {"at.py": text, **(files or {})}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(content))
    workspace = Workspace([folder])
    guards = Guards(workspace, installed, lambda path: True)
    workspace.judge = guards
    for name in kept:
        workspace.keep(folder / name, (folder / name).read_bytes())
    source = workspace.source(folder / "at.py")
    found = HERE.search(source.text)
    assert found is not None
    return guards.at(source.place(*found.span()))


IMPORTS = """\
import importlib
import importlib.metadata
import inspect
import dataclasses
import vllm
from importlib.metadata import version
from importlib.util import find_spec
from packaging import version as packaging_version
from packaging.specifiers import SpecifierSet
from packaging.version import Version, parse
from elsewhere import vllm_version_is, is_vllm_version_at_least, torch_version_is
from elsewhere import vllm_version_newer_than, vllm_version_lt, check_version, now
from vllm import __version__ as installed, __version_tuple__
from vllm.v1 import kv_cache_interface as kvi
from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheSpec

IS_OLD = vllm_version_is("0.28.0")
IS_NEW = not IS_OLD
LATE = False
if Version(vllm.__version__) >= Version("0.29.0"):
    LATE = True
EITHER_WAY = now() and vllm_version_is("0.28.0")
major, minor = Version(vllm.__version__).release[:2]
first, second, *_ = map(int, vllm.__version__.split("."))

"""

# A condition, and whether code under it is run in 0.28.0, 0.30.0 and an unknown one.
CONDITIONS = [
    ('vllm_version_is("0.28.0")', R, N, U),
    ('vllm_version_is("0.29.0", "0.30.0")', N, R, U),
    ('vllm_version_is(">=0.29")', N, R, U),
    ('is_vllm_version_at_least("0.29")', N, R, U),
    ('vllm_version_newer_than("0.28.0")', N, R, U),
    ('vllm_version_lt("0.30.0")', R, N, U),
    ('check_version("0.28.0")', U, U, U),
    ('torch_version_is("2.9.0")', U, U, U),
    ("vllm_version_is(wanted)", U, U, U),
    ('model_version_is("v4")', R, R, R),
    ('not vllm_version_is("0.28.0")', N, R, U),
    ('(vllm_version_is("0.28.0"))', R, N, U),
    ('vllm.__version__ == "0.28.0"', R, N, U),
    ('vllm.__version__ != "0.28.0"', N, R, U),
    ('installed >= "0.30"', N, R, U),
    ('"0.27" < vllm.__version__ < "0.29"', R, N, U),
    ('Version(vllm.__version__) >= Version("0.29.0")', N, R, U),
    ('packaging_version.parse(installed) < parse("0.29.0rc1")', R, N, U),
    ("Version(installed).release >= (0, 29)", N, R, U),
    ("Version(installed).minor == 28", R, N, U),
    ('Version(Version(installed).base_version) in SpecifierSet("<0.29")', R, N, U),
    ('SpecifierSet(">=0.29").contains(vllm.__version__)', N, R, U),
    ('Version(version("vllm")) > Version("0.28.0")', N, R, U),
    ('importlib.metadata.version("vllm") == "0.28.0"', R, N, U),
    ('importlib.metadata.version("torch") >= "2.9"', U, U, U),
    ("__version_tuple__ >= (0, 29)", N, R, U),
    ("__version_tuple__[:2] == (0, 28)", R, N, U),
    ("vllm.__version_tuple__[1] < 29", R, N, U),
    ('vllm.__version__.startswith("0.28")', R, N, U),
    ('vllm.__version__.startswith(("0.28", "0.29"))', R, N, U),
    ('vllm.__version__ in ("0.29.0", "0.30.0")', N, R, U),
    ('vllm.__version__.split(".")[:2] == ["0", "28"]', R, N, U),
    ('tuple(int(x) for x in installed.split(".")) >= (0, 29)', N, R, U),
    ('any(installed.startswith(x) for x in ["0.29", "0.30"])', N, R, U),
    ('all(x != installed for x in ("0.28.0",))', N, R, U),
    ('tuple(map(int, installed.split(".")[:2])) > (0, 28)', N, R, U),
    ("(found := Version(installed)) and found.minor == 28", R, N, U),
    ("vllm.__version__ == wanted()", U, U, U),
    ("unheard_of(vllm.__version__)", U, U, U),
    ("transformers.__version__ >= '5'", U, U, U),
    ("vllm_is_new_version", U, U, U),
    ("self.vllm_version > old", U, U, U),
    ("self.vllm_flash_attn_version > 3", R, R, R),
    ("IS_OLD", R, N, U),
    ("IS_NEW", N, R, U),
    ("LATE", N, R, U),
    ("minor >= 29", N, R, U),
    ("second < 29", R, N, U),
    ("EITHER_WAY", R, N, U),
    ("not EITHER_WAY", R, R, R),
    ('now() and vllm_version_is("0.28.0")', R, N, U),
    ('now() or vllm_version_is("0.28.0")', R, R, R),
    ('IS_OLD or vllm_version_is("0.30.0")', R, R, U),
    ('IS_OLD and hasattr(now(), "x")', U, N, U),
    ("True if IS_OLD else now()", R, R, U),
    ("IS_OLD if now() else False", R, N, U),
    # What is there: `tokens_per_state` came, and `storage_block_size` went, in 0.29.0.
    ('hasattr(kvi, "HiSparseAttentionSpec")', N, N, N),
    ('hasattr(kvi, "KVCacheConfig")', R, R, R),
    ('hasattr(KVCacheSpec, "storage_block_size")', R, N, N),
    ('hasattr(FullAttentionSpec, "storage_block_size")', R, N, N),
    ('hasattr(kvi.KVCacheSpec, "copy_with_new_block_size")', R, R, R),
    ('hasattr(KVCacheSpec, "__init_subclass__")', U, U, U),
    # A field without a default is no attribute of its class.
    ('hasattr(FullAttentionSpec, "head_size")', N, N, N),
    ('hasattr(vllm, "x")', U, U, U),
    ('hasattr(spec, "storage_block_size")', U, U, U),
    ("hasattr(KVCacheSpec, name)", U, U, U),
    ('getattr(kvi, "KVCacheSpec", None) is not None', R, R, R),
    ('getattr(kvi, "NoSuchSpec", None) is None', R, R, R),
    ('getattr(kvi, "KVCacheSpec", None)', R, R, R),
    ('getattr(KVCacheSpec, "storage_block_size", None) is not None', R, N, N),
    ('getattr(KVCacheSpec, "storage_block_size", None)', U, N, N),
    ('getattr(spec, "tokens_per_state", None) is None', U, U, U),
    ('find_spec("vllm.v1.kv_cache_interface")', R, R, R),
    ('importlib.util.find_spec("vllm.v1.core") is not None', R, R, R),
    ('find_spec("vllm.v1.kv_cache_interface.more") is None', R, R, R),
    ('find_spec("vllm.v1.elsewhere") is None', U, U, U),
    ('find_spec("triton") is None', U, U, U),
    (
        'hasattr(importlib.import_module("vllm.v1.kv_cache_interface"), "Gone")',
        N,
        N,
        N,
    ),
    ('"x" in KVCacheSpec.__dict__', U, U, U),
    ('"x" in inspect.signature(KVCacheSpec.merge).parameters', U, U, U),
    ('"x" in {f.name for f in dataclasses.fields(KVCacheSpec)}', U, U, U),
    # What says nothing of the release.
    ("self.use_mla", R, R, R),
    ("TYPE_CHECKING", R, R, R),
    ("False", R, R, R),
    ("isinstance(spec, FullAttentionSpec)", R, R, R),
    ('spec.model_version == "v4"', R, R, R),
    ("sys.version_info >= (3, 12)", R, R, R),
    ('hasattr(config.hf_text_config, "index_topk")', R, R, R),
    # Groups have had these in every release.
    ('hasattr(group, "kv_cache_spec")', R, R, R),
    ('hasattr(group, "kv_cache_spec") and hasattr(spec, "dcp_sharded")', U, U, U),
    ('getattr(group, "kv_cache_spec", None) is not None', R, R, R),
    ('getattr(kv_cache_config, "kv_cache_groups", None)', R, R, R),
    ('getattr(group, "layer_names", ())', R, R, R),
    ('getattr(group, "is_eagle_group", False)', U, U, U),
]


@pytest.mark.parametrize(
    ("condition", "old", "new", "unknown"), CONDITIONS, ids=[x[0] for x in CONDITIONS]
)
def test_conditions(
    condition: str, old: Reach, new: Reach, unknown: Reach, tmp_path: Path
) -> None:
    text = f"{IMPORTS}\nif {condition}:\n    here\n"
    found = [reach(tmp_path, text, each) for each in (OLD, NEW, None)]
    assert found == [old, new, unknown]


def test_the_other_arm_is_the_contrary(tmp_path: Path) -> None:
    text = f"{IMPORTS}\nif IS_OLD:\n    pass\nelse:\n    here\n"
    assert [reach(tmp_path, text, x) for x in (OLD, NEW, None)] == [N, R, U]


# Versions that are no final release: (condition, release, reached?).
OTHERS = [
    ('Version(installed) >= Version("0.34.0")', "0.34.0.dev12", N),
    ('Version(installed) >= Version("0.34.0.dev0")', "0.34.0.dev12", R),
    ('Version(installed) > Version("0.33.0")', "0.34.0.dev12", R),
    ('vllm_version_is("0.34.0")', "0.34.0.dev12", N),
    ('vllm_version_is("0.34.0.dev12")', "0.34.0.dev12", R),
    ('vllm_version_is("0.34.0rc1")', "0.34.0rc1", R),
    ("__version_tuple__ == (0, 34, 0, 'rc1')", "0.34.0rc1", R),
    ("__version_tuple__ >= (0, 34)", "0.34.0.dev12", R),
]


@pytest.mark.parametrize(
    ("condition", "release", "expected"), OTHERS, ids=[f"{x[0]} {x[1]}" for x in OTHERS]
)
def test_development_versions(
    condition: str, release: str, expected: Reach, tmp_path: Path
) -> None:
    text = f"{IMPORTS}\nif {condition}:\n    here\n"
    assert reach(tmp_path, text, release) is expected


# A title, the answers of 0.28.0, 0.30.0 and an unknown release, and a text.
PLACES = """
--- elif: reached never unknown
if now():
    pass
elif IS_OLD:
    here
--- else of elif: never reached unknown
if IS_OLD:
    pass
elif now():
    pass
else:
    here
--- the condition itself: reached reached reached
if here and IS_OLD:
    pass
--- behind and: reached never unknown
x = IS_OLD and here
--- behind or: never reached unknown
x = IS_OLD or here
--- ternary: reached never unknown
x = here if IS_OLD else 1
--- ternary else: never reached unknown
x = 1 if IS_OLD else [1, f(here)]
--- comprehension: reached never unknown
x = [here for y in z if IS_OLD]
--- comprehension, inner: reached never unknown
x = {here: 1 for y in z for a in y if IS_OLD}
--- iterated: reached reached reached
x = [y for y in here if IS_OLD]
--- while: reached never unknown
while IS_OLD:
    here
--- for: reached reached reached
for x in y:
    here
--- nested: reached never unknown
with x:
    for y in z:
        if IS_OLD:
            here
--- assert: reached never unknown
assert IS_OLD
here
--- early return: reached never unknown
def f():
    if not IS_OLD:
        return
    here
--- early raise: never reached unknown
if IS_OLD:
    raise E
here
--- early continue: never reached unknown
for x in y:
    if IS_OLD:
        log()
        continue
    here
--- behind the loop: reached reached reached
for x in y:
    if IS_OLD:
        continue
here
--- early exit in else: reached never unknown
if IS_OLD:
    pass
else:
    raise E
here
--- early exit in elif: never reached unknown
if now():
    raise E
elif IS_OLD:
    raise E
here
--- no exit: reached reached reached
if IS_OLD:
    pass
here
--- early exit on something else: reached reached reached
if not self.x:
    raise E
here
--- function: reached never unknown
if IS_OLD:
    def f():
        return here
--- method: reached never unknown
class A:
    if IS_OLD:
        def f(self):
            here
--- decorator: reached never unknown
if IS_OLD:
    @here
    def f():
        pass
--- decorator of the first method: reached reached reached
class A:
    @here
    def f():
        pass
--- default: reached never unknown
def f(x=here if IS_OLD else 1):
    pass
--- base: reached never unknown
if IS_OLD:
    class A(here):
        pass
--- under a decorator: reached reached reached
@on(IS_OLD)
def f():
    here
--- one line: reached never unknown
if IS_OLD: here
--- match: reached never unknown
match installed:
    case "0.28.0" | "0.27.1":
        here
    case _:
        pass
--- match, the rest: never reached unknown
match installed:
    case "0.28.0":
        pass
    case _:
        here
--- match, guard: reached never unknown
match kind:
    case 1 if IS_OLD:
        here
--- match, pattern: unknown unknown unknown
match __version_tuple__:
    case (0, 28, *_):
        here
--- local name: reached never unknown
def f():
    old = IS_OLD
    if old:
        here
--- local name that hides one: reached reached reached
def f(IS_OLD):
    if IS_OLD:
        here
--- loop name: reached reached reached
for IS_OLD in x:
    if IS_OLD:
        here
--- constant of the class: reached never unknown
class A:
    OLD = IS_OLD
    def f(self):
        if self.OLD:
            here
--- constant by the class's name: reached never unknown
class A:
    OLD = IS_OLD
if A.OLD:
    here
--- attribute set once: reached never unknown
class A:
    def __init__(self):
        self.old = IS_OLD
    def f(self):
        if not self.old:
            return
        here
--- own attribute asked for: reached reached reached
class A(Base):
    def f(self):
        self.x = 1
        if hasattr(self, "x"):
            here
--- attribute of a class without bases: reached reached reached
class A:
    def f(self):
        if getattr(self, "x", False):
            here
--- attribute of a base: unknown unknown unknown
class A(Base):
    def f(self):
        if hasattr(self, "x"):
            here
--- absent attribute by a name: unknown unknown unknown
x = getattr(spec, "tokens_per_state", None)
if x is None:
    here
--- import that the release has: reached reached reached
try:
    from vllm.v1.kv_cache_interface import KVCacheSpec
    here
except ImportError:
    pass
--- its handler: never never never
try:
    from vllm.v1.kv_cache_interface import KVCacheSpec
except (ImportError, KeyError):
    here
--- import that it lacks: never never never
try:
    from vllm.v1.kv_cache_interface import Gone
    here
except ImportError:
    pass
--- handler of what it lacks: reached reached reached
try:
    from vllm.v1.kv_cache_interface import Gone
except Exception:
    here
--- before the import: reached reached reached
try:
    here
    from vllm.elsewhere import x
except ImportError:
    pass
--- import that cannot be told: unknown unknown unknown
try:
    from vllm.elsewhere import x
    here
except ImportError:
    pass
--- its else: unknown unknown unknown
try:
    from vllm.elsewhere import x
except ImportError:
    pass
else:
    here
--- its finally: reached reached reached
try:
    from vllm.elsewhere import x
except ImportError:
    pass
finally:
    here
--- behind it: reached reached reached
try:
    from vllm.elsewhere import x
except ImportError:
    pass
here
--- behind a handler that returns: unknown unknown unknown
def f():
    try:
        from vllm.elsewhere import x
    except ImportError:
        return
    here
--- behind a handler that raises: reached reached reached
try:
    from vllm.elsewhere import x
except ImportError as e:
    raise E from e
here
--- behind a try that returns: reached reached reached
def f():
    try:
        from vllm.v1.kv_cache_interface import Gone
        return Gone
    except ImportError:
        pass
    here
--- another error: reached reached reached
try:
    from vllm.elsewhere import x
    here
except KeyError:
    pass
--- any error around ordinary code: reached reached reached
try:
    log()
    from x import y
    here
except Exception:
    pass
--- missing member: unknown unknown unknown
try:
    here
except AttributeError:
    pass
--- refused call: unknown unknown unknown
try:
    here
except TypeError:
    x = 1
--- refused call, handler: unknown unknown unknown
try:
    x
except TypeError:
    here
--- refused call that ends it all: reached reached reached
try:
    here
except TypeError as e:
    raise E from e
--- suppressed: unknown unknown unknown
with suppress(ImportError):
    from vllm.elsewhere import x
    here
--- flag of an import: never never never
try:
    from vllm.v1.kv_cache_interface import Gone
    HAS = True
except ImportError:
    HAS = False
if HAS:
    here
--- flag of an import that cannot be told: unknown unknown unknown
try:
    from vllm.elsewhere import x
    HAS = True
except ImportError:
    HAS = False
if HAS:
    here
--- name of an import: never never never
try:
    from vllm.v1.kv_cache_interface import Gone
except ImportError:
    Gone = None
if Gone is not None:
    here
--- instance of what was imported: reached reached reached
try:
    from vllm.v1.kv_cache_interface import KVCacheSpec as S
except ImportError:
    S = None
if isinstance(x, S):
    here
--- what comes of an attribute: reached reached reached
mode = getattr(config, "mode", "none")
if mode == "align":
    here
--- an attribute of no spec: reached reached reached
x = getattr(layer, "extra", None)
if x is None:
    here
--- an attribute put away: reached reached reached
class A(Base):
    def __init__(self, spec):
        self.rows = getattr(spec, "rows", None)
    def f(self):
        if self.rows is None:
            return
        here
--- a mark of the project's own: reached reached reached
if getattr(vllm.config, "_patched", False):
    here
--- a helper that asks an instance: reached reached reached
def wide(spec):
    return hasattr(spec, "rows")
if wide(spec):
    here
--- a helper that asks a class: never never never
def has(name):
    return hasattr(KVCacheSpec, name)
if has("rows"):
    here
--- a helper whose arguments alone decide: reached reached reached
def layout(groups, strict=False):
    if strict or not groups:
        return None
    return groups
if layout([]) is None:
    pass
else:
    here
--- a helper that counts: reached reached reached
def count(groups):
    found = 0
    for group in groups:
        found += 1
    return found
if count(groups) > 0:
    here
--- a list that is filled: reached reached reached
found = []
found.append(1)
if any(x is not None for x in found):
    here
--- a value that somebody works out with the version: unknown unknown unknown
x = elsewhere.compute(vllm.__version__)
if x > 3:
    here
--- something decided by an answer: reached reached reached
x = compute(IS_OLD)
if x > 3:
    here
--- Python's own modules, which say nothing of vLLM: reached reached reached
try:
    import tomllib
    from select import kqueue
except ImportError:
    raise
if not hasattr(inspect, "rings"):
    here
--- Python's own modules, the handler: reached reached reached
try:
    from select import kqueue
except ImportError:
    here
--- another package's module: unknown unknown unknown
try:
    import torch.rings
except ImportError:
    here
--- a switch whose value is worked out from what stands behind it: reached never unknown
def f(groups):
    is_old = vllm_version_is("0.28.0")
    is_old_and_wide = is_old and any(group.wide for group in groups)
    if is_old_and_wide and groups:
        for group in groups:
            here
--- the same, the other way about: reached never unknown
def f(groups):
    is_old_and_wide = any(group.wide for group in groups) and IS_OLD
    if is_old_and_wide and groups:
        for group in groups:
            here
--- the switch and a name read each other: reached never unknown
def f(spec):
    is_on = spec.wide and IS_OLD
    if is_on:
        spec = here
--- called by the old alone: reached never unknown
def _plan():
    here
def _all():
    if IS_OLD:
        return _plan()
    return _all()
_all()
--- called by what the old alone calls: reached never unknown
def _plan():
    here
def _all():
    return _plan() # and _plan
if IS_OLD:
    register(_all)
--- called by the new after the old has left: never reached unknown
def _plan():
    return here
def plan():
    if IS_OLD:
        return None
    return _plan()
--- called by both: reached reached reached
def _plan():
    here
def plan():
    if IS_OLD:
        _plan()
    return _plan()
--- not called: reached reached reached
def _plan():
    here
--- public, so others may call it: reached reached reached
def plan():
    here
if IS_OLD:
    plan()
--- a decorator keeps it for others: reached unknown unknown
class Patch:
    @version_range(RANGE)
    def plan(self):
        def inner():
            here
RANGE = ">=0.8,<0.29"
--- a decorator about another version: reached reached reached
@register(">=0.8,<0.29")
@skip_version("0.28.0")
def plan():
    here
--- property: reached never unknown
class Runner:
    @cached_property
    def is_old(self):
        return IS_OLD
    def plan(self):
        if self.is_old:
            here
--- method that is not called: reached reached reached
class Runner:
    def is_old(self):
        return IS_OLD
    def plan(self):
        if self.is_old:
            here
--- comment: reached never unknown
if IS_OLD:
    #here
    x = 1
--- comment at the end of a line: reached never unknown
if IS_OLD:
    x = 1  #here
"""


@pytest.mark.parametrize(
    ("told", "text"),
    [each.split("\n", 1) for each in PLACES.split("\n--- ")[1:]],
    ids=[each.split(":")[0] for each in PLACES.split("\n--- ")[1:]],
)
def test_places(told: str, text: str, tmp_path: Path) -> None:
    found = [reach(tmp_path, f"{IMPORTS}\n{text}\n", x) for x in (OLD, NEW, None)]
    assert [each.name.lower() for each in found] == told.split(": ")[1].split()


HELPERS = """
--- under any name
def old(x):
    return vllm.__version__ == x
--- several arguments
def old(*x):
    return vllm.__version__ in x
--- any of them
def old(*texts):
    at = Version(vllm.__version__)
    return any(at == Version(x) for x in texts)
--- keyword with a default
def old(x, exactly=True):
    at = Version(installed)
    return at == Version(x) if exactly is True else at > Version(x)
--- set by hand
def old(x):
    if env.VERSION is not None:
        at = env.VERSION
    else:
        import vllm
        at = vllm.__version__
    try:
        return Version(Version(at).public) == Version(x)
    except InvalidVersion:
        raise ValueError(at)
--- branches
def old(x):
    if vllm.__version__ == x:
        return True
    return False
--- by another
def release():
    return Version(version('vllm'))

def old(x):
    return release() == Version(x)
--- cached
@cache
def old(x):
    return installed == x
--- set by hand, or
def old(x):
    at = os.environ.get('V') or vllm.__version__
    return at == x
"""


@pytest.mark.parametrize(
    "helper",
    [each.split("\n", 1)[1] for each in HELPERS.split("\n--- ")[1:]],
    ids=[each.split("\n")[0] for each in HELPERS.split("\n--- ")[1:]],
)
@pytest.mark.parametrize("way", ["here", "module", "package", "relative", "attribute"])
def test_helpers(helper: str, way: str, tmp_path: Path) -> None:
    text = f'{IMPORTS}\n{helper}\n\nif old("0.28.0"):\n    here\n'
    files = {"plug/__init__.py": "", "plug/compat.py": f"{IMPORTS}\n{helper}\n"}
    ways = {
        "module": ("from plug.compat import old", 'old("0.28.0")'),
        "package": ("from plug import old", 'old("0.28.0")'),
        "attribute": ("from plug import compat", 'compat.old("0.28.0")'),
        "relative": ("from .plug.compat import old as o", 'o("0.28.0")'),
    }
    if way in ways:
        line, condition = ways[way]
        text = f"{line}\nif {condition}:\n    here\n"
    if way == "package":
        files["plug/__init__.py"] = "from .compat import old\n"
    found = [reach(tmp_path, text, x, files) for x in (OLD, NEW, None)]
    assert found == [R, N, U]


def test_names_from_other_modules_that_import_each_other(tmp_path: Path) -> None:
    text = "from compat import IS_OLD\nif IS_OLD:\n    here\n"
    files = {
        "compat.py": "import vllm\nimport at\nIS_OLD = vllm.__version__ < '0.29'\n"
        "if at.UNKNOWN:\n    X = 1\nLOOP = LOOP\n"
    }
    assert [reach(tmp_path, text, x, files) for x in (OLD, NEW, None)] == [R, N, U]


def test_a_private_function_that_another_file_knows(tmp_path: Path) -> None:
    text = "from compat import IS_OLD, _plan\nif IS_OLD:\n    _plan()\n_plan()\n"
    assert reach(tmp_path, f"{IMPORTS}def _plan():\n    here\n", OLD) is R
    guarded = (
        "import vllm\ndef _plan():\n    here\nif vllm.__version__ > '1':\n    _plan()\n"
    )
    assert reach(tmp_path, guarded, OLD) is N
    files = {"other.py": text}
    assert reach(tmp_path, guarded, OLD, files, kept=["other.py"]) is R
