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

QUIET = (
    "no-sandbox",
    "disable-gpu",
    "disable-background-networking",
    "disable-component-update",
    "disable-sync",
    "no-first-run",
)


@contextmanager
def launched() -> Iterator[Any]:
    """Yield a browser. It is closed at the end of a module, as its event loop must not outlive its tests."""
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=[f"--{option}" for option in QUIET]
        )
        yield browser
        browser.close()


class Tab:
    """A tab that several tests use; beside data in a page, it may ask for what the pattern `own` says."""

    def __init__(self, browser: Any, own: str) -> None:
        self.troubles: list[str] = []  # what pages complained of, or asked for
        self._browser, self._asked = browser, re.compile(f"data:|{own}")
        self._begin()

    def _begin(self) -> None:
        note = self.troubles.append
        self._page = self._browser.new_page()
        self._session = self._page.context.new_cdp_session(self._page)
        self._scripts = True
        self._page.on("console", lambda message: note(f"console: {message.text}"))
        self._page.on("pageerror", lambda error: note(f"error: {error}"))
        self._page.on(
            "request",
            lambda request: None if self._asked.match(request.url) else note(f"request: {request.url}"),
        )

    def open(self, url: str, width: int = 1280, kept: bool = False, scripts: bool = True) -> Any:
        """Return a page at an address; what is there may be `kept` by a test that only reads, for speed."""
        try:
            return self._load(url, width, kept, scripts)
        except sync_api.Error as error:
            if "crashed" not in str(error):
                raise
            self._begin()  # the tab's own process died, as it may on a busy machine; a new tab must do
            return self._load(url, width, False, scripts)

    def _load(self, url: str, width: int, kept: bool, scripts: bool) -> Any:
        page = self._page
        stays = kept and page.url == url and self._scripts == scripts
        if not stays:
            page.goto("about:blank")  # before its size changes, else what is left is laid out once more
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(media="screen", color_scheme="light")
        if not stays:
            self._session.send("Emulation.setScriptExecutionDisabled", {"value": not scripts})
            self._scripts = scripts
            page.goto(url)
        return page

    @contextmanager
    def watched(self) -> Iterator[None]:
        """See in the end that nothing went wrong and nothing was fetched."""
        yield
        troubles, self.troubles[:] = list(self.troubles), []
        assert troubles == []
