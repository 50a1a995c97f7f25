# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Asks a composite and its layers the same, and notes what each needs to know."""

from __future__ import annotations

import inspect
from typing import Any

from .building import Refused, group, layer, replaced
from .settings import Settings, UnknownSetting
from .values import encode

CONFIG = "vllm_config"


class Unguessed(Exception):
    """A member takes an argument that nobody has given."""


def ask(request: dict[str, Any]) -> dict[str, Any]:
    """Return what a composite and its layers answer.

    The request has the layers, how to make the composite, settings, arguments by name,
    and members. For each member the answer has ``group`` and ``layers``, the settings
    that were ``read`` and the arguments that were ``passed``, if it is called. A copy
    is compared with a composite made afresh.
    """
    layers = [layer(each) for each in request["layers"]]
    composite = group(request["composite"], layers)
    asker = _Asker(request["settings"], request["arguments"])
    answers = {}
    for name in request["members"]:
        asker.read, asker.passed = {}, None
        told, value = asker.answer(composite, name)
        each_told = [asker.answer(each, name) for each in layers]
        found: dict[str, Any] = {
            "group": told,
            "read": asker.read,
            "passed": asker.passed,
        }
        if isinstance(value, type(composite)):
            try:
                afresh = group(request["composite"], [copy for _, copy in each_told])
            except Refused:
                continue
            found["copy"] = {"value": encode(afresh)}
        else:
            found["layers"] = [each for each, _ in each_told]
        answers[name] = found
    if request["others"] and (found := _replace(request, composite)):
        answers["dataclasses.replace"] = found
    return {"answers": answers}


def _replace(request: dict[str, Any], composite: Any) -> dict[str, Any]:
    """A copy with other layers, beside a composite made of these afresh."""
    others = [layer(each) for each in request["others"]]
    try:
        afresh = group(request["composite"], others)
        copy = replaced(request["composite"], composite, others)
    except Refused:
        return {}
    except Exception as error:
        told = _raised(error)
    else:
        told = {"value": encode(copy)}
    afresh = {"value": encode(afresh)}
    return {"group": told, "copy": afresh, "read": {}, "passed": None}


def merge(request: dict[str, Any]) -> dict[str, Any]:
    """Return what comes of merging layers, also in the other order.

    Raises:
        Refused: The class does not merge them.
    """
    layers = [layer(each) for each in request["layers"]]
    found: dict[str, Any] = {"sources": [encode(each) for each in layers]}
    for name, specs in ("merged", layers), ("turned", layers[::-1]):
        try:
            found[name] = encode(type(layers[0]).merge(list(specs)))
        except Exception as error:
            raise Refused(f"{type(error).__name__}: {error}") from error
    return found


class _Asker:
    """Asks for members with the settings and arguments that there are."""

    def __init__(self, settings: dict[str, Any], arguments: dict[str, Any]) -> None:
        self.read: dict[str, Any] = {}
        self.passed: dict[str, Any] | None = None
        self._settings, self._arguments = settings, arguments

    def answer(self, spec: Any, name: str) -> tuple[dict[str, Any], Any]:
        """Return the answer to a member as JSON, and as it is."""
        try:
            value = getattr(spec, name)
            if callable(value):
                value = value(**self._given(value))
            return {"value": encode(value)}, value
        except Unguessed as error:
            return {"unknown": f"it takes `{error}`, which nothing here gives"}, None
        except UnknownSetting as error:
            why = f"it reads `{CONFIG}.{error}`, for which there is no recipe"
            return {"unknown": why}, None
        except Exception as error:
            return _raised(error), None

    def _given(self, method: Any) -> dict[str, Any]:
        given: dict[str, Any] = {}
        passed: dict[str, Any] = {}
        self.passed = passed
        for each in inspect.signature(method).parameters.values():
            if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
                continue
            if each.name == CONFIG:
                given[each.name] = Settings(self._settings, self.read)
                passed[each.name] = None
            elif each.name in self._arguments:
                given[each.name] = passed[each.name] = self._arguments[each.name]
            elif each.default is each.empty:
                raise Unguessed(each.name)
        return given


def _raised(error: Exception) -> dict[str, Any]:
    return {
        "raised": type(error).__name__,
        "text": " ".join(str(error).split())[:200],
        "abstract": isinstance(error, NotImplementedError),
    }
