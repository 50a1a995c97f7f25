# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""A release's module of specs, run without torch, to ask what its classes answer.

It is run as released and as mended after a damage; whatever it imports of torch and of
vLLM is a stand-in. The two must not give different answers in silence.
"""

from __future__ import annotations

import builtins
import dataclasses
import itertools
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

_NUMBERS = itertools.count()
_OTHERS = ("torch", "vllm", "typing_extensions")


class _Anything:
    """Has every attribute, and can be called, subclassed and decorated with."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _KNOWN.get(name) or _Anything()

    def __call__(self, *given: Any, **named: Any) -> Any:
        return 2

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return ()

    def __index__(self) -> int:
        return 2

    def __gt__(self, other: object) -> bool:
        return True


_KNOWN: Mapping[str, Any] = {
    "cdiv": lambda one, other: -(-one // other),
    "round_up": lambda one, other: -(-one // other) * other,
    "get_dtype_size": lambda dtype: 2,
    "MultipleOf": type("MultipleOf", (), {}),
    "Self": Any,
    "override": lambda function: function,
}


class Layer:
    """Stands in for the spec of a layer: answers whatever it is asked.

    Args:
        number: What the answers are made of.
        is_property: Tells what is read and not called.
    """

    def __init__(self, number: int, is_property: Callable[[str], bool]) -> None:
        """Hold what is given."""
        self._number, self._is_property = number, is_property

    def __getattr__(self, name: str) -> Any:
        """Answer."""
        if name.startswith("__"):
            raise AttributeError(name)
        if name.startswith("copy_with_new"):
            return lambda value: Layer(value, self._is_property)
        answer = self._number
        if name == "page_size_bytes":
            answer = 8 * self._number
        elif name.startswith("max_memory"):
            answer = self._number * 8 * self._number  # so many pages
        if name.startswith(("prefix_cacheable", "uses_", "has_")):
            answer = self._number % 2
        return answer if self._is_property(name) else lambda *given, **named: answer


def run(text: bytes) -> types.ModuleType:
    """Return the module that a text makes.

    Args:
        text: Of the module of specs.
    """
    module = types.ModuleType(f"specs_{next(_NUMBERS)}")
    module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _import}
    sys.modules[module.__name__] = module  # where dataclasses look names up
    try:
        exec(compile(text, module.__name__, "exec"), module.__dict__)
    finally:
        del sys.modules[module.__name__]
    return module


def _import(name: str, *given: Any) -> Any:
    if name.partition(".")[0] in _OTHERS:
        return _Anything()
    return __import__(name, *given)


def _outcome(ask: Callable[[], Any]) -> tuple[str, Any]:
    try:
        answer = ask()
    except Exception as error:
        return "error", type(error).__name__
    if dataclasses.is_dataclass(answer):
        return type(answer).__name__, vars(answer)
    return "answer", answer


def agrees(
    released: types.ModuleType, mended: types.ModuleType, owner: str, member: str
) -> bool:
    """Return whether a mended class never gives another answer in silence.

    Where layers or specs differ, it may fail instead.

    Args:
        released: The module as it is.
        mended: The module after the fix.
        owner: The class.
        member: The member that was damaged.
    """
    if member == "merge":
        return all(_same(x, released, mended) for x in _merges(released, owner))
    return all(
        _same((numbers, ask), released, mended)
        for numbers in ((3, 3), (2, 2), (3, 2), (2, 3), (3, 4, 3))
        for ask in [_asking(owner, member, numbers)]
    )


def _same(
    case: tuple[tuple[Any, ...], Callable[[types.ModuleType], Any]],
    released: types.ModuleType,
    mended: types.ModuleType,
) -> bool:
    numbers, ask = case
    before, after = (_outcome(partial(ask, each)) for each in (released, mended))
    if before == after:
        return True
    return after[0] == "error" and any(each != numbers[0] for each in numbers)


def _asking(
    owner: str, member: str, numbers: tuple[int, ...]
) -> Callable[[types.ModuleType], Any]:
    def ask(module: types.ModuleType) -> Any:
        composite = composed(module, owner, numbers)
        if member == "__post_init__":
            return {k: v for k, v in vars(composite).items() if k != "kv_cache_specs"}
        found = getattr(composite, member)
        return found(_Anything(), 100) if callable(found) else found

    def with_fewer(module: types.ModuleType) -> Any:
        try:
            return ask(module)
        except TypeError:
            return getattr(composed(module, owner, numbers), member)(_Anything())

    return with_fewer


def composed(module: types.ModuleType, owner: str, numbers: tuple[int, ...]) -> Any:
    """Return a composite of stand-ins.

    Args:
        module: The module of its class.
        owner: The class.
        numbers: What the layers answer.
    """
    base = module.__dict__["KVCacheSpec"]

    def is_property(name: str) -> bool:
        found = getattr(base, name, None)
        return found is None or isinstance(found, property) or not callable(found)

    layers = {f"layer.{x}": Layer(n, is_property) for x, n in enumerate(numbers)}
    return module.__dict__[owner](block_size=16, kv_cache_specs=layers)


def _merges(
    module: types.ModuleType, owner: str
) -> Iterator[tuple[tuple[Any, ...], Callable[[types.ModuleType], Any]]]:
    """Merges of two specs that have the same in every field, or differ in one."""
    fields = [x for x in dataclasses.fields(module.__dict__[owner]) if x.init]
    required = {
        x.name: 16
        for x in fields
        if x.default is dataclasses.MISSING and x.default_factory is dataclasses.MISSING
    }
    for each in fields:
        value: Any = 64
        if isinstance(each.default, bool):
            value = not each.default
        same = {**required, each.name: value}
        if _is_lost(module.__dict__[owner], same, each.name):
            continue  # already as released: whoever keeps it does better
        for one, other in ((same, same), (same, required), (required, same)):

            def ask(
                made: types.ModuleType,
                one: dict[str, Any] = one,
                other: dict[str, Any] = other,
            ) -> Any:
                spec = made.__dict__[owner]
                return spec.merge([spec(**one), spec(**other)])

            yield (tuple(one.items()), tuple(other.items())), ask


def _is_lost(spec: Any, given: dict[str, Any], name: str) -> bool:
    """Whether a merge of equal specs does not keep a field of theirs."""
    kind, merged = _outcome(lambda: spec.merge([spec(**given), spec(**given)]))
    return kind != "error" and merged[name] != getattr(spec(**given), name)
