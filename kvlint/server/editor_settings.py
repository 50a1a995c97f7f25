# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What the editor's own settings say."""

from __future__ import annotations

from collections.abc import Mapping

from kvlint.server.projects import Settings

_TEXTS = {"select": "select", "ignore": "ignore", "vllmVersion": "vllm_version"}
_LONE = {"vllmPath": "vllm_path", "config": "config_file"}
_NAME = "kvlint"


def read_settings(options: object) -> tuple[Settings, list[str]]:
    """Return what an editor's settings mean, and the mistakes in them.

    Args:
        options: A table, perhaps with one of kvlint's name in it.
    """
    if isinstance(options, Mapping) and _NAME in options:
        options = options[_NAME]
    if options is None:
        options = {}
    if not isinstance(options, Mapping):
        return Settings(), [f"the editor's settings must be a table, not {options!r}"]
    values: dict[str, object] = {}
    mistakes = []
    for key, value in options.items():
        where = f"the editor's setting {_NAME}.{key}"
        listed = [value] if isinstance(value, str) else value
        if key in _TEXTS:
            if isinstance(listed, list) and all(isinstance(x, str) for x in listed):
                values[_TEXTS[key]] = tuple(listed)
            elif value is not None:
                mistakes.append(f"{where} must be a string or an array of strings")
        elif key in _LONE:
            if isinstance(value, str):
                values[_LONE[key]] = value
            elif value is not None:
                mistakes.append(f"{where} must be a string")
        elif key == "preview":
            if isinstance(value, bool):
                values[key] = value
            elif value is not None:
                mistakes.append(f"{where} must be true or false")
        else:
            known = ", ".join([*_TEXTS, *_LONE, "preview"])
            mistakes.append(f"there is no {where}; known: {known}")
    return Settings(**values), mistakes  # type: ignore[arg-type]
