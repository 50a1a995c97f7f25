# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Imports classes, makes specs and asks them, one request after the other.

A request is a line of JSON with ``do``, and so is its answer: ``ok``, ``refused`` for
what the classes themselves do not want, or ``error``. What is imported may print:
nothing but answers goes to their descriptor.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from typing import Any

from . import standing_in
from .asking import ask, merge
from .building import Refused, layer
from .describing import describe
from .values import find, name_of

_LONGEST = 400


def main(requests: int, answers: int) -> None:
    """Answer until the requests end."""
    pid = os.getpid()
    for descriptor in (requests, answers):
        os.set_inheritable(descriptor, False)
    with os.fdopen(requests, "rb") as reader:
        for line in reader:
            said = json.dumps(_answer(json.loads(line))).encode() + b"\n"
            if os.getpid() != pid:
                os._exit(0)  # what was imported has forked, and this is the copy
            while said:
                said = said[os.write(answers, said) :]
    os._exit(0)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"ok": _DEEDS[request["do"]](request)}
    except Refused as refusal:
        return {"refused": str(refusal)[:_LONGEST]}
    except BaseException as error:
        return {"error": told(error)}


def told(error: BaseException) -> dict[str, Any]:
    """Return an error as JSON: its type, its text, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = os.path.dirname(os.path.abspath(__file__))
    places = [
        f"{each.filename}:{each.lineno}"
        for each in frames
        if not each.filename.startswith((ours, "<frozen"))
    ]
    found: dict[str, Any] = {
        "type": type(error).__name__,
        "text": " ".join(str(error).split())[:_LONGEST],
        "place": places[-1] if places else "",
    }
    if isinstance(error, ModuleNotFoundError):
        found["missing"] = error.name or ""
    return found


def _begin(request: dict[str, Any]) -> dict[str, Any]:
    standing_in.stand_in(request["stand_ins"])
    return {"version": list(sys.version_info[:3])}


def _extend(request: dict[str, Any]) -> dict[str, Any]:
    """Let imports find the packages in some folders first."""
    sys.path[:0] = [each for each in request["paths"] if each not in sys.path]
    return {}


def _import(request: dict[str, Any]) -> dict[str, Any]:
    """Import a module, and say which file it is."""
    module = importlib.import_module(request["module"])
    return {"file": getattr(module, "__file__", None)}


def _describe(request: dict[str, Any]) -> dict[str, Any]:
    cls = find(request["class"])
    return {
        "class": name_of(cls),
        "fields": describe(cls),
        "merges": hasattr(cls, "merge"),
        "makes": hasattr(cls, "from_specs"),
    }


def _build(request: dict[str, Any]) -> dict[str, Any]:
    """Tell of each of some layers why it cannot be made, or nothing."""
    found = []
    for each in request["layers"]:
        try:
            layer(each)
        except Refused as refusal:
            found.append(str(refusal)[:_LONGEST])
        else:
            found.append("")
    return {"refusals": found}


_DEEDS = {
    "begin": _begin,
    "extend": _extend,
    "import": _import,
    "describe": _describe,
    "build": _build,
    "ask": ask,
    "merge": merge,
}
