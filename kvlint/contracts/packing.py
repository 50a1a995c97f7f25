# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Texts of facts, made small by what another release's text says in the same places.

Releases differ little. A text is cut into the parts of its lists. Of a part that is
the same in the other text, nothing is kept; the rest is deflated, some parts at a time,
with their counterparts as the dictionary. That takes less than a third of the room that
the texts take one by one.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

_WINDOW = 1 << 15
"""How far back deflate looks, in bytes."""
_COUNT = 4
"""Bytes of a number."""
_AT_ONCE = 48_000
"""Bytes of parts and counterparts that are deflated together.

With more of them, a counterpart is too far away to be seen.
"""

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


def pack(parts: Parts, base: Parts) -> bytes:
    """Return parts as bytes.

    Args:
        parts: Those of a text.
        base: Those of another; none for a text that stands for itself.
    """
    rows = [
        key if part == base.get(key) else (*key, len(part))
        for key, part in parts.items()
    ]
    streams, above = [], b""
    for keys in _stretches(rows, base):
        text = b"".join(map(parts.__getitem__, keys))
        streams.append(_deflated(text, above + _counterparts(keys, base)))
        above = (above + text)[-_WINDOW:]
    head = _deflated(_written([rows, list(map(len, streams))]), _written(list(base)))
    return len(head).to_bytes(_COUNT, "big") + head + b"".join(streams)


def unpack(content: bytes, base: Parts) -> dict[tuple[str, str], bytes]:
    """Return the parts that bytes hold.

    Args:
        content: As ``pack`` gave it.
        base: The same that it was given.
    """
    at = _COUNT + int.from_bytes(content[:_COUNT], "big")
    rows, sizes = json.loads(_inflated(content[_COUNT:at], _written(list(base))))
    changed, above = {}, b""
    for keys, size in zip(_stretches(rows, base), sizes, strict=True):
        text = _inflated(content[at : at + size], above + _counterparts(keys, base))
        above = (above + text)[-_WINDOW:]
        at += size
        start = 0
        for key, length in keys.items():
            changed[key] = text[start : start + length]
            start += length
    wanted = [(section, name) for section, name, *_ in rows]
    return {key: changed[key] if key in changed else base[key] for key in wanted}


def _stretches(
    rows: Sequence[Sequence[Any]], base: Parts
) -> Iterator[dict[tuple[str, str], int]]:
    """Yield the lengths of parts that are deflated together, by their keys.

    Args:
        rows: Section and name of each part, and its length unless it is as in the base.
        base: The other text's parts.
    """
    together: dict[tuple[str, str], int] = {}
    room = 0
    for section, name, *lengths in rows:
        for length in lengths:
            key = section, name
            taken = length + len(base.get(key, b""))
            if together and room + taken > _AT_ONCE:
                yield together
                together, room = {}, 0
            together[key] = length
            room += taken
    if together:
        yield together


def _counterparts(keys: Iterable[tuple[str, str]], base: Parts) -> bytes:
    return b"".join(base.get(key, b"") for key in keys)


def _written(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _deflated(text: bytes, dictionary: bytes) -> bytes:
    kept = dictionary[-_WINDOW:]
    packer = zlib.compressobj(9, wbits=-15, memLevel=9, zdict=kept)
    return packer.compress(text) + packer.flush()


def _inflated(content: bytes, dictionary: bytes) -> bytes:
    opened = zlib.decompressobj(wbits=-15, zdict=dictionary[-_WINDOW:])
    return opened.decompress(content)
