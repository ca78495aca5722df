"""Pages in a real browser, from disk: Debian's Chromium, driven by Playwright."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

# The first is Chromium without windows, which shows the same with less work.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (.ci/packages)")

QUIET = ("no-sandbox", "disable-gpu", "disable-background-networking", "disable-component-update", "disable-sync",
         "no-first-run")  # fmt: skip


@contextmanager
def launched() -> Iterator[Any]:
    """Yield a browser. It is closed at the end of a module, because its event loop must not outlive its tests."""
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[f"--{each}" for each in QUIET])
        yield browser
        browser.close()


class Tab:
    """A tab that several tests use, because another tab costs more than all it shows.

    Parameters
    ----------
    browser
        As `launched` yields it.
    troubles : list of str
        Gets what a page complains of, and what it asks for that is not its own.
    own : str
        A pattern of what a page may ask for, besides data that it holds.
    """

    def __init__(self, browser: Any, troubles: list[str], own: str) -> None:
        self.page = browser.new_page()
        self._session = self.page.context.new_cdp_session(self.page)
        self._scripts = True
        self.page.on("console", lambda message: troubles.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        asked = re.compile(f"data:|{own}")
        self.page.on(
            "request", lambda request: None if asked.match(request.url) else troubles.append(f"request: {request.url}")
        )

    def shows(self, url: str, scripts: bool = True) -> bool:
        """Tell whether a page was loaded, with its scripts or without, so that a test that only reads can go on."""
        return bool(self.page.url == url and self._scripts == scripts)

    def load(self, url: str, scripts: bool = True) -> None:
        """Load a page, with its scripts or without."""
        self._session.send("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        self._scripts = scripts
        self.page.goto(url)
