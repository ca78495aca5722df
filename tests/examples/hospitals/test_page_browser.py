"""The page of a coordinator that runs, in a real browser: Debian's Chromium, driven by Playwright."""

import itertools
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from examples.hospitals.coordinator import Coordinator
from examples.hospitals.hospital import TOKEN
from examples.hospitals.page import page as html
from examples.hospitals.processes import Deployment, free_port
from examples.hospitals.sending import Line
from examples.hospitals.setting import Setting
from examples.hospitals.store import DATABASE, Store
from examples.hospitals.world import COORDINATOR, HOSPITALS, make_world
from tests.each import each
from tests.replication.browsing import Tab, launched, needs_chromium
from tests.replication.report.page.reading import CONTRAST

pytestmark = needs_chromium

NAMES = [f"H{number:02d}" for number in range(1, 7)]
SETTING = Setting(dict.fromkeys(NAMES, 80), 1.0, 40, 0, shortest=0.01, longest=600.0)


class Town:
    """A coordinator that runs, and what its hospitals report."""

    def __init__(self, folder: Path, deployment: Deployment) -> None:
        self.deployment, self.week = deployment, 1
        self._lines = [
            Line(deployment.address, (folder / HOSPITALS / name / TOKEN).read_text(encoding="utf-8")) for name in NAMES
        ]

    def close(self) -> None:
        for line in self._lines:
            line.__exit__()

    def report(self, count: int = len(NAMES)) -> None:
        """Report for the first hospitals; when all have reported, wait for the next week."""
        for place, line in enumerate(self._lines[:count]):
            assert line.report(self.week, place / 8, SETTING.scale(NAMES[place]))[0] == 200
        if count == len(NAMES):
            self.week += 1
            while self._lines[0].week()["week"] < self.week:
                time.sleep(0.005)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    folder = tmp_path_factory.mktemp("town") / "world"
    make_world(folder, SETTING, {name: {} for name in NAMES})
    with Deployment(folder, free_port(), hospitals=False) as deployment:
        town = Town(folder, deployment)
        for _ in range(13):
            town.report()
        yield town
        town.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as browser:
        yield browser


@pytest.fixture
def tab(browser: Any, town: Town) -> Iterator[Tab]:
    tab = Tab(browser, own=f"{town.deployment.address}/$")
    with tab.watched():  # it asks for nothing but itself, and its policy refuses nothing of its own
        yield tab


def until(page: Any, told: str) -> None:
    """Wait until a script says true. Playwright's own waiting evaluates text in the page, which its policy refuses."""
    last = time.monotonic() + 10.0
    while not page.evaluate(told):
        assert time.monotonic() < last, told
        page.wait_for_timeout(20)


@each("scheme", ["light", "dark"])
def test_all_text_can_be_read(tab: Tab, town: Town, scheme: str) -> None:
    page = tab.open(town.deployment.address + "/")
    page.emulate_media(color_scheme=scheme)
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}[scheme]
    count, worst = page.evaluate(CONTRAST)
    assert count > 100
    assert worst == []


@each("width", [320, 390, 1280])
def test_the_page_is_never_wider_than_the_screen(tab: Tab, town: Town, width: int) -> None:
    page = tab.open(town.deployment.address + "/", width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    beside = """() => [...document.querySelectorAll("main *")].filter(each =>
      !each.closest(".wide *") && each.getBoundingClientRect().right > innerWidth).map(each => each.outerHTML)"""
    assert page.evaluate(beside) == []
    if width == 390:
        wide = "document.querySelector('.wide')"
        assert page.evaluate(f"{wide}.scrollWidth > {wide}.clientWidth")  # the table scrolls within


@each("width", [320, 390, 1280])
def test_long_names_leave_room_for_the_numbers(browser: Any, tmp_path_factory: Any, width: int) -> None:
    names = ["Hospital" * 8, "Hospital of the Holy Ghost and of Saint Elizabeth beside the river", "H03"]
    setting = Setting(dict.fromkeys(names, 80), 1.0, 9, 0, shortest=1.0, longest=1.0)
    with closing(Store(tmp_path_factory.mktemp("long") / DATABASE, setting.text(), new=True)) as store:
        ticks = itertools.count()
        coordinator = Coordinator(setting, store, lambda: float(next(ticks)))
        while coordinator.week < 5:
            coordinator.close_if_due()
        text = html(coordinator, {})
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.set_content(text)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    widths = (
        "[...document.querySelectorAll('th:first-child, tfoot td')].map(each => each.getBoundingClientRect().width)"
    )
    assert max(page.evaluate(widths)) <= 0.45 * width
    assert page.evaluate("document.querySelector('#reports td').getBoundingClientRect().right") <= width
    assert page.evaluate("document.querySelector('#reports th').getBoundingClientRect().height") < 40  # on one line
    page.close()


def test_it_is_used_by_the_keyboard(tab: Tab, town: Town) -> None:
    page = tab.open(town.deployment.address + "/", 390)
    reached = []
    for _ in range(3):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.className"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert reached == ["again", "steady", "wide"]
    page.keyboard.press("ArrowRight")
    until(page, "document.querySelector('.wide').scrollLeft > 0")


def test_what_is_new_comes_without_losing_the_place(tab: Tab, town: Town) -> None:
    page = tab.open(town.deployment.address + "/", 390)
    page.evaluate("document.querySelector('.wide').scrollLeft = 120; document.querySelector('.wide').focus()")
    page.evaluate("scrollTo(0, 500); window.stays = true")
    place = "[scrollY, document.querySelector('.wide').scrollLeft, document.activeElement.className, window.stays]"
    before = page.evaluate(place)
    assert before == [500, 120, "wide", True]
    town.report()
    until(page, f"document.title.startsWith('Week {town.week}:')")
    assert f"Week {town.week} of 40 is open" in page.inner_text("#state")
    assert page.evaluate(place) == before
    waited = page.inner_text("#health")
    assert "Waited for: H01, H02" in waited
    town.report(2)
    until(page, "document.getElementById('health').textContent.includes('Waited for: H03')")
    assert page.evaluate(place) == before


def test_a_reader_can_stop_it_and_read_again(tab: Tab, town: Town) -> None:
    page = tab.open(town.deployment.address + "/")
    page.uncheck("#steady")
    page.wait_for_timeout(200)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(1300)  # longer than from one reading to the next
    assert asked == []
    page.evaluate("window.stays = true")
    with page.expect_response(lambda answer: answer.status == 200):
        page.click("#again")
    assert page.evaluate("window.stays")
    assert page.url == town.deployment.address + "/"


def test_it_is_whole_without_scripts(tab: Tab, town: Town) -> None:
    page = tab.open(town.deployment.address + "/", scripts=False)
    assert not page.is_visible("#steady")
    assert page.inner_text("#choice").startswith(f"For week {town.week} the choice is H")
    page.click("#again")
    assert page.inner_text("#choice").startswith(f"For week {town.week} the choice is H")


def test_it_says_when_nobody_answers(browser: Any, town: Town) -> None:
    tab = Tab(browser, own=f"{town.deployment.address}/$")
    page = tab.open(town.deployment.address + "/")
    town.deployment.kill(COORDINATOR)
    until(page, "document.getElementById('news').textContent.startsWith('The coordinator has not answered')")
    town.deployment.look_after()
    until(page, "document.getElementById('news').textContent === ''")
    assert page.inner_text("#state").startswith(f"Week {town.week} of 40")
