# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What is in force, as text and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kvlint.output.view import View, printable

if TYPE_CHECKING:
    from kvlint.in_force import InForce, Origin, Setting

_REASONS: Mapping[str, str] = {
    "preview": "in preview",
    "select": "not selected",
    "ignore": "ignored",
}


def render(found: InForce, view: View) -> str:
    """Return it as text: settings, then vLLM, then rules and files.

    Args:
        found: What is in force.
        view: How paths and colours are to be.
    """
    if found.path is None:
        lines = ["There is no [tool.kvlint]; this is in force:"]
    else:
        path = printable(view.relative(found.path))
        lines = [f"With [tool.kvlint] of {path} this is in force:"]
    rows = [(each, _told(each, view)) for each in found.settings]
    keys = max(len(each.key) for each, _ in rows)
    origins = max(len(told) for _, told in rows)
    for each, told in rows:
        lines.append(
            f"  {view.style(f'{each.key:<{keys}}', bold=True)}  "
            f"{view.style(f'{told:<{origins}}', 'cyan' if each.origins else None)}  "
            f"{printable(_toml(each.value))}".rstrip()
        )
    number = f"{found.files:,} of the project's {found.project_files:,}"
    lines += [
        "",
        printable(found.vllm),
        f"Files: {number} in {printable(str(found.root))}",
    ]
    by_reason: dict[str, list[str]] = {}
    for code, key in found.silenced.items():
        by_reason.setdefault(key, []).append(code)
    for key, codes in sorted(by_reason.items()):
        told = f"Rules {_why(key, found, view) if key else 'in force'}: "
        lines += textwrap.wrap(told + " ".join(codes), 88, subsequent_indent="  ")
    return "".join(f"{line}\n" for line in lines)


def _why(key: str, found: InForce, view: View) -> str:
    origins = next(each for each in found.settings if each.key == key).origins
    where = _listed(origins, view)
    return f"{_REASONS[key]}, by {where}" if where else _REASONS[key]


def _told(setting: Setting, view: View) -> str:
    return _listed(setting.origins, view) or "default"


def _listed(origins: tuple[Origin, ...], view: View) -> str:
    return ", ".join(_origin(each, view) for each in origins)


def _origin(origin: Origin, view: View) -> str:
    if origin.path is None:
        return origin.option or ""
    path = printable(view.relative(origin.path))
    return path if origin.line is None else f"{path}:{origin.line}"


def _toml(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        pairs = (f"{_toml(key)} = {_toml(each)}" for key, each in value.items())
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    return json.dumps(value, ensure_ascii=False)


def as_json(found: InForce, view: View) -> str:
    """Return it as an object.

    Args:
        found: What is in force.
        view: How paths are to be, and what the rules are called.
    """
    document = {
        "version": 1,
        "path": None if found.path is None else view.relative(found.path),
        "root": view.relative(found.root),
        "settings": {
            each.key: {
                "value": each.value,
                "origins": [
                    {
                        "option": origin.option,
                        "path": origin.path and view.relative(origin.path),
                        "line": origin.line,
                    }
                    for origin in each.origins
                ],
            }
            for each in found.settings
        },
        "vllm": {"releases": found.releases, "why": found.vllm},
        "rules": [
            {
                "code": code,
                "name": view.names[code],
                "on": not key,
                "off_by": key or None,
            }
            for code, key in found.silenced.items()
        ],
        "files": {"checked": found.files, "project": found.project_files},
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
