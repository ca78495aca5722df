"""The explorer in a real browser, from disk: Debian's Chromium, driven by Playwright."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from private_experts.replication.report.explorer import gains
from tests.replication.browsing import Tab, launched, needs_chromium
from tests.replication.report.explorer.conftest import CONFIDENCE, REPETITIONS, STATES, Left

pytestmark = needs_chromium

Visit = Callable[..., Any]
POINT = "Bokeh.documents.flatMap(each => each.roots()).find(each => each.x_range?.factors)"
VERMILION = np.array([213, 94, 0])


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def tab(browser: Any, made: Left) -> Tab:
    return Tab(browser, own=rf"{re.escape(made.output.as_uri())}(\?|$)")


@pytest.fixture
def visit(tab: Tab, made: Left) -> Iterator[Visit]:
    """Return a function that opens the explorer; in the end nothing went wrong and nothing was fetched."""
    with tab.watched():
        yield lambda where="", **how: opened(tab.open(made.output.as_uri() + where, **how))


def opened(page: Any) -> Any:
    """Wait until both charts are drawn."""
    for chart in ("week", "all"):
        page.wait_for_selector(f"#{chart} .bk-CartesianFrame", state="attached")
    return page


def select(page: Any, label: str) -> Any:
    return page.get_by_label(label, exact=True)


def table(page: Any, chart: str) -> pd.DataFrame:
    """Return the table of a chart."""
    head, *rows = page.eval_on_selector_all(
        f"#{chart} tr", "all => all.map(row => [...row.cells].map(c => c.textContent))"
    )
    return pd.DataFrame(rows, columns=head).set_index(head[0])


def mean_and_half(made: Left, state: str, algorithm: str, mu: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the cumulative gains of the records by week, and the half-widths of their intervals."""
    records = made.records()
    half, _ = gains.half_width(records, REPETITIONS, CONFIDENCE)
    part = records[(records["state"] == state) & (records["algorithm"] == algorithm) & (records["mu"] == mu)]
    return part["gain"].to_numpy(), half * part["spread"].to_numpy()


def numbers(said: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", said)]


def same(said: str, value: float, low: float, high: float, rough: float = 0.011) -> bool:
    """Return whether words are a value and the ends of its interval, unless it has none; an end may be infinite."""
    known = [value] if low == high else [each for each in (value, low, high) if np.isfinite(each)]
    return numbers(said) == pytest.approx(known, abs=rough)


def test_nothing_can_be_fetched_even_by_code_that_tries(visit: Visit, tab: Tab) -> None:
    blocked = visit().evaluate(
        """() => new Promise(done => {
             document.addEventListener("securitypolicyviolation", event => done(event.effectiveDirective));
             fetch("https://example.org/x").catch(() => 0);
           })"""
    )
    assert blocked == "connect-src"
    refused = [trouble for trouble in tab.troubles if "https://example.org/x" in trouble]
    assert refused
    tab.troubles[:] = [trouble for trouble in tab.troubles if trouble not in refused]


def test_all_is_chosen_by_keyboard_and_the_tabulator_passes_the_charts(visit: Visit) -> None:
    page = visit("?state=NM&show=rw-ftpl")
    select(page, "State").focus()
    page.keyboard.press("ArrowDown")
    assert page.get_attribute("#week", "aria-label") == "VT, 3 hospitals, μ = 1: cumulative gain"
    select(page, "uniform").focus()
    page.keyboard.press("Space")
    assert [*table(page, "week")] == ["RW-FTPL", "uniform", "best single hospital, total"]
    assert page.locator(".chart .bk-events[tabindex='-1']").count() == 2
    assert page.locator(".chart .bk-events[tabindex='0']").count() == 0


def test_the_address_is_a_link_to_what_is_drawn(visit: Visit) -> None:
    page = visit()
    select(page, "State").select_option(label="VT (3 hospitals, 9 weeks)")
    select(page, "Privacy level μ").select_option(label="0.25")
    select(page, "Show").select_option(label="ratio to Min Noise")
    select(page, "RW-FTPL").uncheck()
    drawn, where = table(page, "week"), page.url
    again = visit(where[where.index("?") :])
    pd.testing.assert_frame_equal(table(again, "week"), drawn)
    assert [*drawn] == ["RW-Meta", "Min Noise", "Min Regret"]
    assert again.get_attribute("#week", "aria-label") == "VT, 3 hospitals, μ = 0.25: gain over that of Min Noise"


def test_an_address_with_nonsense_shows_what_stands_there_at_first(visit: Visit) -> None:
    page = visit("?state=ZZ&level=7&quantity=%3Cb%3E&show=nobody")
    assert page.get_attribute("#week", "aria-label") == "NM, 4 hospitals, μ = 1: cumulative gain"
    assert [*table(page, "week")] == ["best single hospital, total"]


def test_tables_have_the_numbers_of_the_records_in_every_quantity(visit: Visit, made: Left) -> None:
    rival, rival_half = mean_and_half(made, "VT", "min-noise", 0.25)
    own, half = mean_and_half(made, "VT", "rw-ftpl", 0.25)
    best = STATES["VT"].density.cumsum(axis=0).max(axis=1)
    most = np.where(rival > rival_half, (own + half) / (rival - rival_half), np.inf)  # its interval may hold 0
    assert np.isinf(most).any()
    assert np.isfinite(most).any()
    wanted = {
        "gain": (own, own - half, own + half),
        "regret": (best - own, best - own - half, best - own + half),
        "min-noise": (own / rival, np.maximum(own - half, 0) / (rival + rival_half), most),
    }
    for quantity, columns in wanted.items():
        page = visit(f"?state=VT&level=0.25&show=rw-ftpl,min-noise&quantity={quantity}")
        shown = table(page, "week")
        assert [*shown.index] == [f"{number}, {week}" for number, week in enumerate(STATES["VT"].weeks, 1)]
        for said, *known in zip(shown["RW-FTPL"], *columns, strict=True):
            # Gains are written to 0.01, and early ratios are of small numbers.
            rough = 0.03 * max(1, *filter(np.isfinite, known)) if quantity == "min-noise" else 0.02
            assert same(said, *known, rough=rough), quantity
        assert table(page, "all").loc["VT", "RW-FTPL"] == shown["RW-FTPL"].iloc[-1]
    assert {*shown["Min Noise"]} == {"1.00"}  # over itself, without a band


def test_what_did_not_play_is_said_and_its_cell_is_empty(visit: Visit) -> None:
    page = visit("?state=VT&show=rw-meta,square-root")
    assert "Not played here: square-root sums." in page.text_content("#week figcaption")
    assert [*table(page, "week")] == ["RW-Meta", "best single hospital, total"]
    column = table(page, "all")["square-root sums"]
    assert column["VT"] == ""
    assert numbers(column["NM"])
    select(page, "Show").select_option(label="ratio to square-root sums")
    assert table(page, "week").shape == (9, 0)


def test_a_caption_is_of_what_is_drawn(visit: Visit) -> None:
    page = visit("?state=NM&level=0.25&show=rw-ftpl")
    said = page.text_content("#week figcaption")
    assert all(words in said for words in ("Gain is", "Student", "Dotted", "6 repetitions"))
    select(page, "Show").select_option(label="regret to the best hospital")
    select(page, "Privacy level μ").select_option(label="∞")  # nothing is random
    said = page.text_content("#week figcaption")
    assert "Regret is" in said
    assert not any(words in said for words in ("Gain is", "Student", "Dotted"))


def test_values_are_said_at_the_pointer(visit: Visit, made: Left) -> None:
    page = visit("?state=NM&level=0.25&show=rw-ftpl")
    box = page.locator("#week .bk-CartesianFrame").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 6 / 13, box["y"] + 30)  # from 0 to 13
    page.get_by_text(f"week 6, RW-FTPL: {mean_and_half(made, 'NM', 'rw-ftpl', 0.25)[0][5]:.2f}").wait_for()


def test_a_tap_on_a_point_chooses_its_state(visit: Visit) -> None:
    page = visit("?state=NM&level=0.25&show=rw-ftpl,min-noise")
    stressed = f"{POINT}.renderers[1].data_source.selected.indices"
    assert page.evaluate(stressed) == [0, 1]
    page.locator("#all").scroll_into_view_if_needed()
    x, y = page.evaluate(
        f"""() => {{
          const {{ x_range, y_range, renderers }} = {POINT}, {{ x, y }} = renderers[1].data_source.data;
          const share = (range, value) => (value - range.start) / (range.end - range.start);
          return [share(x_range, x_range.synthetic(x[2])), 1 - share(y_range, y[2])];
        }}"""
    )
    box = page.locator("#all .bk-CartesianFrame").bounding_box()
    page.mouse.click(box["x"] + box["width"] * x, box["y"] + box["height"] * y)
    page.wait_for_url(re.compile("state=VT"))
    assert page.get_attribute("#week", "aria-label").startswith("VT")
    assert page.evaluate(stressed) == [2, 3]


def renamed(made: Left, folder: Path, names: dict[str, str]) -> Path:
    """Make the explorer of these states alone, under other names."""
    curves, panels = [], []
    for path in made.curves:
        rows = pd.read_csv(path)
        rows = rows[rows["state"].isin(names)].replace({"state": names})
        if len(rows):
            curves.append(folder / path.name)
            rows.to_csv(curves[-1], index=False)
    for path in made.panels:
        if path.stem in names:
            panels.append(folder / f"{names[path.stem]}.csv")
            shutil.copyfile(path, panels[-1])
    made._replace(curves=curves, panels=panels).make(folder / "explorer.html")
    return folder / "explorer.html"


@pytest.mark.parametrize(
    ("names", "opens"),
    [
        ({"NM": "NM", "VT": "CA"}, "CA, 3 hospitals"),
        ({"NM": "NM", "VT": "AL"}, "NM, 4 hospitals"),  # where the sums play as well
        ({"VT": "VT"}, "VT, 3 hospitals"),
    ],
)
def test_it_opens_on_california_or_on_a_state_where_all_play(
    browser: Any, made: Left, tmp_path: Path, names: dict[str, str], opens: str
) -> None:
    where = renamed(made, tmp_path, names).as_uri()
    tab = Tab(browser, own=rf"{re.escape(where)}(\?|$)")
    with tab.watched():
        page = opened(tab.open(where))
        assert page.get_attribute("#week", "aria-label").startswith(opens)
        assert [*table(page, "all").index] == sorted(names.values())


def test_a_saved_picture_has_the_lines_in_their_colours(visit: Visit, tmp_path: Path) -> None:
    page = visit("?state=VT&level=0.25&show=rw-ftpl&quantity=regret")
    with page.expect_download() as download:
        page.click("#week [title^=Save]")
    download.value.save_as(tmp_path / "saved.png")
    image = plt.imread(tmp_path / "saved.png")[..., :3]
    assert (np.abs(image - VERMILION / 255).max(axis=-1) < 0.02).sum() > 300
    assert (np.abs(image - np.array([0, 158, 115]) / 255).max(axis=-1) < 0.02).sum() == 0  # Min Noise is not shown


def test_dark_mode_draws_dark_charts_widgets_and_tooltips(visit: Visit, tmp_path: Path) -> None:
    page = visit("?state=NM&level=0.25&show=rw-ftpl")
    shades = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        box = page.locator("#week .bk-CartesianFrame").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 30)
        tooltip = page.locator(".bk-Tooltip", has_text="RW-FTPL")
        for part in (page.locator("#week .chart"), page.locator("#all .chart"), page.locator("#state"), tooltip):
            part.screenshot(path=tmp_path / "part.png")
            shades.setdefault(scheme, []).append(np.median(plt.imread(tmp_path / "part.png")[..., :3]))
    assert min(shades["light"]) > 0.9
    assert max(shades["dark"]) < 0.2


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_the_chart_is_seen_and_nothing_is_cut(visit: Visit, width: int, height: int) -> None:
    page = visit(width=width)
    page.set_viewport_size({"width": width, "height": height})
    box = page.locator("#week .bk-CartesianFrame").bounding_box()
    assert box["height"] > 150
    assert box["y"] + box["height"] < height
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_without_scripts_the_page_says_so_and_where_tables_are(tab: Tab, made: Left) -> None:
    with tab.watched():
        page = tab.open(made.output.as_uri(), scripts=False)
        assert page.is_visible("noscript a[href='index.html']")
        assert page.is_visible("text=reports <of> 12 weeks")
