# SPDX-License-Identifier: GPL-2.0-or-later
"""Looks for dead links, and for anything that needs the network, in the built site: site_links.py FOLDER."""

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

LOADED = {"img": "src", "script": "src", "link": "href", "source": "src", "iframe": "src"}
"""Tags whose address a browser fetches at once, with the attribute that holds it."""


class Page(HTMLParser):
    """Anchors of a page, where its links lead, what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note ids and addresses."""
        given = dict(attrs)
        self.anchors |= {given[key] or "" for key in ("id", "name") if key in given}
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        if tag in LOADED and given.get(LOADED[tag]) and given.get("rel") not in ("canonical", "license"):
            self.loads.append(str(given[LOADED[tag]]))


def faults(site: Path) -> Iterator[str]:
    """What is wrong, a line each."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    for page in pages.values():
        where = page.path.relative_to(site)
        for address in page.loads:
            if urlsplit(address).scheme in ("http", "https") or address.startswith("//"):
                yield f"{where}: needs the network for {address}"
        for address in page.links + page.loads:
            plain, anchor = urldefrag(address)
            if urlsplit(plain).scheme or plain.startswith("//"):
                continue
            target = (page.path.parent / unquote(urlsplit(plain).path)).resolve() if plain else page.path.resolve()
            if not target.exists():
                yield f"{where}: no page {address}"
            elif anchor and target in pages and unquote(anchor) not in pages[target].anchors:
                yield f"{where}: no place {address}"


if __name__ == "__main__":
    found = sorted(set(faults(Path(sys.argv[1]))))
    print("\n".join(found) or "no dead link")
    sys.exit(bool(found))
