# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""What specs read off the engine's configuration, stood in for."""

from __future__ import annotations

from typing import Any


class Settings:
    """An object that has some attributes, and notes which of them are read.

    Args:
        values: What is there, by dotted names such as ``cache_config.block_size``.
        read: Where to note the names that are read.
        path: What stands before the names of this object's attributes.
    """

    def __init__(
        self, values: dict[str, Any], read: dict[str, Any], path: str = ""
    ) -> None:
        """Hold what is given."""
        self.__dict__.update(_values=values, _read=read, _path=path)

    def __getattr__(self, name: str) -> Any:
        """Return a value, or the object that has those below.

        Raises:
            UnknownSetting: There is neither.
        """
        values, path = self.__dict__["_values"], self.__dict__["_path"] + name
        if path in values:
            self.__dict__["_read"][path] = values[path]
            return values[path]
        if any(each.startswith(path + ".") for each in values):
            return Settings(values, self.__dict__["_read"], path + ".")
        raise UnknownSetting(path)


class UnknownSetting(AttributeError):
    """Something is read that nobody has stood in for; its text is the dotted name."""
