"""Check the pages of a site: every link leads to a page and a place in it, and nothing comes from outside."""

import re
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}


class Page(HTMLParser):
    """What a page links to, what it loads, and the places in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one element."""
        given = dict(attrs)
        self.places |= {given[name] or "" for name in ("id", "name") if name in given}
        if tag == "a" and given.get("href"):
            self.links.add(given["href"] or "")
        if given.get(LOADED.get(tag, "")):
            self.loaded.add(given[LOADED[tag]] or "")


def faults(site: Path) -> list[str]:
    """Return what is wrong with the pages of a folder, one line each."""
    written = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in written}
    found = []
    for path, page in pages.items():
        name = path.relative_to(site)
        for link in sorted(page.links | page.loaded):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loaded and parts.scheme != "data":
                    found.append(f"{name}: loads {link} from outside")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                found.append(f"{name}: {link} leads nowhere")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                found.append(f"{name}: {link} leads to a place that is not there")
    for path in sorted(site.rglob("*.css")):
        outside = re.findall(
            r"(?:@import|url\()\s*[\"']?((?:https?:)?//[^\"')\s]+)", path.read_text(encoding="utf-8")
        )
        found += [f"{path.relative_to(site)}: loads {address} from outside" for address in outside]
    return found


def unfound(site: Path, names: Iterable[str]) -> list[str]:
    """Return which classes and functions the search of a site does not know, one line each."""
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    return [f"the search does not find {name}" for name in names if f'"{name}"]' not in index]
