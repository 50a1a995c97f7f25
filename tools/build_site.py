# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: Copyright contributors to the kvlint project
"""Build the documentation site from README.md, rules/, docs/ and CHANGELOG.md.

Nothing is written for the site alone: the README is taken apart at its headings, and
links, which hold between the files of a checkout, are turned to where things are on the
site. Sphinx builds it; what leads nowhere is refused.

    pip install -e '.[docs]'
    python tools/build_site.py build/site
"""

from __future__ import annotations

import argparse
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from kvlint import __version__, catalogue
from kvlint.output.rule_pages import in_words

ROOT = Path(__file__).parents[1]
_PARTED = "Use"
"""The chapter of the README whose sections are pages of their own."""
_AT_HOME = ("Rules",)
"""Chapters that stay on the first page."""
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_LINK = re.compile(r"`[^`]*`|\[([^\]]+)\]\((?![a-z]+:)([^)#\s]*)#?([^)\s]*)\)")
_OPTIONS = {
    "project": "kvlint",
    "copyright": "the kvlint contributors",
    "html_title": f"kvlint {__version__}",
    "extensions": "myst_parser",
    "html_theme": "furo",
    "html_copy_source": "0",
    "html_show_sourcelink": "0",
    "html_use_index": "0",
    # Added and removed lines are green and red.
    "pygments_style": "default",
    "myst_heading_anchors": "4",
}


def pages(forge: str = "") -> dict[str, str]:
    """Return the Markdown of each page by its path.

    Args:
        forge: The address below which a forge shows the repository's files, for links
            to those that are no pages; without it such links become mere words.

    Raises:
        ValueError: A link leads to no file or heading.
    """
    parts, homes = _readme()
    sources = {page: "README.md" for page in parts}
    texts = dict(parts)
    for rule in catalogue.rules().values():
        page = f"rules/{rule.code}-{rule.name}.md"
        sources[page], texts[page] = page, in_words(rule)
    others = {"rules/index.md": "rules/README.md", "changelog.md": "CHANGELOG.md"}
    others |= {f"docs/{x.name}": f"docs/{x.name}" for x in ROOT.glob("docs/*.md")}
    for page, source in others.items():
        sources[page], texts[page] = source, _read(source)
    places = {source: page for page, source in sources.items() if page not in parts}
    links = _Links(places, homes, forge)
    made = {
        page: links.turned(text, sources[page], page) for page, text in texts.items()
    }
    made["index.md"] += _contents([*parts][1:], [*others][2:])
    made["rules/index.md"] += _toctree([x for x in texts if x[:8] == "rules/KV"])
    return made


def _readme() -> tuple[dict[str, str], dict[str, str]]:
    """The pages that the README makes, and on which of them each heading is."""
    made: dict[str, str] = {}
    homes: dict[str, str] = {}
    page, shift, chapter = "index.md", 0, ""
    for level, title, body in _sections(_read("README.md")):
        if level == 2:
            chapter = title
        if level == 2 and title in _AT_HOME:
            page, shift = "index.md", 0
        elif level == 2 or (level == 3 and chapter == _PARTED):
            page, shift = f"{slug_of(title)}.md", level - 1
        homes[slug_of(title)] = page
        text = f"{'#' * (level - shift)} {title}\n{body}"
        made[page] = made.get(page, "") + text
    return made, homes


def _sections(text: str) -> Iterator[tuple[int, str, str]]:
    """Each heading's level and title, and what stands below it up to the next one."""
    fences = [each.span() for each in _FENCE.finditer(text)]
    found = [
        each
        for each in _HEADING.finditer(text)
        if not any(start < each.start() < end for start, end in fences)
    ]
    ends = [*(each.start() for each in found[1:]), len(text)]
    for heading, end in zip(found, ends, strict=True):
        yield len(heading[1]), heading[2], text[heading.end() + 1 : end]


def slug_of(title: str) -> str:
    """Return the anchor that forges give to a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


@dataclass(frozen=True)
class _Links:
    """Where links lead.

    Attributes:
        places: The page of each document but the README.
        homes: The page of each heading of the README.
        forge: As for ``pages``.
    """

    places: Mapping[str, str]
    homes: Mapping[str, str]
    forge: str

    def turned(self, text: str, source: str, page: str) -> str:
        """Return a document whose links hold on the site."""

        def turn(found: re.Match[str]) -> str:
            words, target, anchor = found[1], found[2], found[3]
            if words is None:  # it is code
                return found[0]
            path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
            path = path if target else source
            if path != "README.md" and path not in self.places:
                if not (ROOT / path).exists():
                    raise ValueError(f"{source}: {found[0]} leads nowhere")
                return f"[{words}]({self.forge}/{path})" if self.forge else words
            goal = self.places.get(path) or self.homes.get(anchor)
            if not (goal or anchor):
                goal = "index.md"
            if not goal:
                raise ValueError(f"{source}: {found[0]} leads nowhere")
            goal = posixpath.relpath(goal, posixpath.dirname(page) or ".")
            return f"[{words}]({goal}{f'#{anchor}' if anchor else ''})"

        return _outside_fences(text, lambda prose: _LINK.sub(turn, prose))


def _outside_fences(text: str, change: Callable[[str], str]) -> str:
    made, end = "", 0
    for fence in _FENCE.finditer(text):
        made += change(text[end : fence.start()]) + fence[0]
        end = fence.end()
    return made + change(text[end:])


def _contents(parts: Sequence[str], documents: Sequence[str]) -> str:
    """The tables of contents, which are seen at the side alone."""
    last = next(x for x, page in enumerate(parts) if page == "trust.md")
    return (
        _toctree([*parts[:last], *documents], "With kvlint")
        + _toctree(["rules/index.md"], "What it finds")
        + _toctree([*parts[last:], "changelog.md"], "About kvlint")
    )


def _toctree(names: Sequence[str], caption: str = "") -> str:
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    listed = [f"/{each.removesuffix('.md')}" for each in names]
    return "\n".join(["", "```{toctree}", *options, "", *listed, "```", ""])


def build(target: Path, forge: str = "") -> list[str]:
    """Build the site.

    Args:
        target: The folder to put it in, in place of what is there.
        forge: As for ``pages``.

    Returns:
        What leads nowhere.

    Raises:
        subprocess.CalledProcessError: Sphinx finds fault with it, and has told so.
    """
    shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for page, text in pages(forge).items():
            (folder / page).parent.mkdir(exist_ok=True)
            (folder / page).write_text(text, encoding="utf-8")
        options = [f"-D{key}={value}" for key, value in _OPTIONS.items()]
        strict = ["--fail-on-warning", "--keep-going", "--nitpicky", "--quiet"]
        places = ["-d", f"{folder}/.doctrees", str(folder), str(target)]
        subprocess.run(
            [sys.executable, "-m", "sphinx", "-C", *strict, *options, *places],
            check=True,
        )
    return dead_links(target)


class _Page(HTMLParser):
    """What a page points to, and what in it can be pointed to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.targets.add(value)
            elif name == "id" and value:
                self.anchors.add(value)


def dead_links(site: Path) -> list[str]:
    """Return the links between a site's files that lead nowhere, a line for each."""
    found = {
        path: _Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")
    }
    dead = []
    for path, page in sorted(found.items()):
        for target in sorted(page.targets):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            goal = Path(os.path.normpath(path.parent / unquote(parts.path)))
            goal = goal if parts.path else path
            anchors = found[goal].anchors if goal in found else set()
            is_there = goal.is_file()
            if not is_there or (parts.fragment and parts.fragment not in anchors):
                dead.append(f"{path.relative_to(site)}: {target}")
    return dead


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def main() -> int:
    """Build the site that the command line asks for; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("target", type=Path)
    parser.add_argument("--forge", default="", metavar="URL")
    given = parser.parse_args()
    try:
        dead = build(given.target, given.forge.rstrip("/"))
    except (ValueError, subprocess.CalledProcessError) as error:
        parser.exit(1, f"{error}\n")
    sys.stderr.writelines(f"leads nowhere: {each}\n" for each in dead)
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
