"""Check that every local link of the built site leads to a page, and to a place in it.

Run it with the folder of the site: ``python scripts/check_site_links.py build/docs/html``. It asks no server.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and the places that links can lead to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.links: list[str] = []
        self.places: set[str] = {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names and what it leads to."""
        for name, value in attrs:
            if value and name == "id":
                self.places.add(value)
            elif value and name in ("href", "src"):
                self.links.append(value)


def broken_links(site: Path) -> tuple[list[str], int]:
    """List the broken local links of a site, as "page: link", and count all local links."""
    pages = {
        path.resolve(): Page(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts
    }
    broken, count = [], 0
    for page in pages.values():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            count += 1
            target = (
                (page.path.parent / unquote(address.path)).resolve() if address.path else page.path.resolve()
            )
            place = unquote(address.fragment)
            if not target.exists() or (target in pages and place not in pages[target].places):
                broken.append(f"{page.path.relative_to(site)}: {link}")
    return broken, count


if __name__ == "__main__":
    found, checked = broken_links(Path(sys.argv[1]))
    for line in found:
        print(line, file=sys.stderr)
    print(f"{checked} local links, {len(found)} broken")
    sys.exit(1 if found or not checked else 0)
