# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Texts of facts, made small by what another release's text says in the same places.

Releases differ little. A text is cut into the parts of its lists, and each part is
deflated with its counterpart as the dictionary, or with what stands above it where
there is none. That takes about a third of the room that the texts take one by one.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

_WINDOW = 1 << 15
"""How far back deflate looks, in bytes."""
_COUNT = 4
"""Bytes of a number."""
_STRIDE = 6
"""How many texts apart those are that stand for a stretch of texts."""

Parts = Mapping[tuple[str, str], bytes]
"""Parts of a text by section and name: JSON, of a list without its brackets."""


def cut(text: bytes) -> dict[tuple[str, str], bytes]:
    """Cut a JSON object into parts, as alike as can be for two releases.

    Args:
        text: The object, as ``ContractFacts.to_json`` writes it.
    """
    parts: dict[tuple[str, str], bytes] = {}
    for section, value in json.loads(text).items():
        if not isinstance(value, list):
            parts[section, ""] = _written(value)
            continue
        named: dict[str, list[bytes]] = {"": []} if not value else {}
        for each in value:
            name = each.get("name", "") if isinstance(each, dict) else ""
            named.setdefault(str(name), []).append(_written(each))
        for name, written in named.items():
            parts[section, f"[{name}"] = b",".join(written)
    return parts


def joined(parts: Parts) -> bytes:
    """Return the JSON object that parts were cut from."""
    sections: dict[str, list[bytes]] = {}
    lists = set()
    for (section, name), part in parts.items():
        sections.setdefault(section, []).append(part)
        if name:
            lists.add(section)
    members = []
    for section, found in sections.items():
        value = b",".join(found)
        value = b"[" + value + b"]" if section in lists else value
        members.append(_written(section) + b":" + value)
    return b"{" + b",".join(members) + b"}"


def base_of(number: int) -> int | None:
    """Return beside which text another one is packed.

    The one before it is the most alike, but to read the last text one would have to
    read all. So every sixth is packed beside the sixth before it.

    Args:
        number: The text's own, counted from 0, where neighbours are alike.

    Returns:
        The other's number, None for the first.
    """
    if not number:
        return None
    return number - (1 if number % _STRIDE else _STRIDE)


def pack(parts: Parts, base: Parts) -> bytes:
    """Return parts as bytes.

    Args:
        parts: Those of a text.
        base: Those of another; none for a text that stands for itself.
    """
    packed, above = [], b""
    for key, part in parts.items():
        packed.append(_deflated(part, base.get(key, above)))
        above = (above + part)[-_WINDOW:]
    keys = [[*key, len(each)] for key, each in zip(parts, packed, strict=True)]
    head = _deflated(_written(keys), _written(list(base)))
    return len(head).to_bytes(_COUNT, "big") + head + b"".join(packed)


def unpack(content: bytes, base: Parts) -> dict[tuple[str, str], bytes]:
    """Return the parts that bytes hold.

    Args:
        content: As ``pack`` gave it.
        base: The same that it was given.
    """
    at = _COUNT + int.from_bytes(content[:_COUNT], "big")
    parts, above = {}, b""
    head = _inflated(content[_COUNT:at], _written(list(base)))
    for section, name, size in json.loads(head):
        key = section, name
        part = _inflated(content[at : at + size], base.get(key, above))
        above = (above + part)[-_WINDOW:]
        parts[key] = part
        at += size
    return parts


def _written(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _deflated(text: bytes, dictionary: bytes) -> bytes:
    kept = dictionary[-_WINDOW:]
    packer = zlib.compressobj(9, wbits=-15, memLevel=9, zdict=kept)
    return packer.compress(text) + packer.flush()


def _inflated(content: bytes, dictionary: bytes) -> bytes:
    opened = zlib.decompressobj(wbits=-15, zdict=dictionary[-_WINDOW:])
    return opened.decompress(content)
