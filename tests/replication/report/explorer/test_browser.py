"""The explorer in a real browser, from disk: Debian's Chromium, driven by Playwright."""

import re
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


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with launched() as browser:
        yield Tab(browser, own=r"file://.*/explorer\.html(\?|$)")


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


def labelled(page: Any, label: str) -> Any:
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


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]


def test_all_is_chosen_by_keyboard_and_the_tabulator_passes_the_charts(visit: Visit) -> None:
    page = visit("?state=VT&show=rw-ftpl")
    labelled(page, "State").focus()
    page.keyboard.press("ArrowUp")
    assert page.get_attribute("#week", "aria-label") == "NM, 3 hospitals, μ = 1: cumulative gain"
    labelled(page, "uniform").focus()
    page.keyboard.press("Space")
    assert [*table(page, "week")] == ["RW-FTPL", "uniform", "best single hospital, total"]
    assert page.locator(".chart .bk-events[tabindex='-1']").count() == 2


def test_the_address_is_a_link_to_what_is_drawn(visit: Visit) -> None:
    page = visit()
    labelled(page, "State").select_option(label="NM (3 hospitals, 9 weeks)")
    labelled(page, "Privacy level μ").select_option(label="0.25")
    labelled(page, "Show").select_option(label="ratio to Min Noise")
    labelled(page, "RW-FTPL").uncheck()
    drawn = table(page, "week")
    again = visit(page.url[page.url.index("?") :])
    pd.testing.assert_frame_equal(table(again, "week"), drawn)
    assert [*drawn] == ["RW-Meta", "Min Noise", "Min Regret"]
    assert (
        again.get_attribute("#week", "aria-label") == "NM, 3 hospitals, μ = 0.25: gain over that of Min Noise"
    )
    nonsense = visit("?state=ZZ&level=7&quantity=%3Cb%3E&show=nobody")
    assert nonsense.get_attribute("#week", "aria-label") == "VT, 4 hospitals, μ = 1: cumulative gain"
    assert [*table(nonsense, "week")] == ["best single hospital, total"]


def test_tables_have_the_numbers_of_the_records_in_every_quantity(visit: Visit, made: Left) -> None:
    rival, rival_half = mean_and_half(made, "NM", "min-noise", 0.25)
    own, half = mean_and_half(made, "NM", "rw-ftpl", 0.25)
    best = STATES["NM"].density.cumsum(axis=0).max(axis=1)
    # its interval may hold 0
    most = np.where(rival > rival_half, (own + half) / (rival - rival_half), np.inf)
    assert 0 < np.isinf(most).sum() < len(most)
    wanted = {
        "gain": (own, own - half, own + half),
        "regret": (best - own, best - own - half, best - own + half),
        "min-noise": (own / rival, np.maximum(own - half, 0) / (rival + rival_half), most),
    }
    for quantity, columns in wanted.items():
        page = visit(f"?state=NM&level=0.25&show=rw-ftpl,min-noise&quantity={quantity}")
        shown = table(page, "week")
        assert [*shown.index] == [f"{number}, {week}" for number, week in enumerate(STATES["NM"].weeks, 1)]
        for text, *known in zip(shown["RW-FTPL"], *columns, strict=True):
            there = [number for number in known if np.isfinite(number)]
            # Gains are written to 0.01, and early ratios are of small numbers.
            rough = 0.03 * max(1, *there) if quantity == "min-noise" else 0.02
            assert numbers(text) == pytest.approx(there, abs=rough), quantity
        assert table(page, "all").loc["NM", "RW-FTPL"] == shown["RW-FTPL"].iloc[-1]
    assert {*shown["Min Noise"]} == {"1.00"}  # over itself, without a band


def test_a_caption_says_what_is_drawn_and_what_did_not_play(visit: Visit) -> None:
    words = ("Gain is", "Student", "Dotted", "6 repetitions", "Not played here: square-root sums.")
    page = visit("?state=NM&level=0.25&show=rw-ftpl,square-root")
    assert all(word in page.text_content("#week figcaption") for word in words)
    assert [*table(page, "week")] == ["RW-FTPL", "best single hospital, total"]
    assert [bool(cell) for cell in table(page, "all")["square-root sums"]] == [False, True]
    labelled(page, "Show").select_option(label="regret to the best hospital")
    labelled(page, "Privacy level μ").select_option(label="∞")  # nothing is random
    assert page.text_content("#week figcaption").startswith("Regret is")
    assert not any(word in page.text_content("#week figcaption") for word in words[:-1])
    labelled(page, "Show").select_option(label="ratio to square-root sums")
    assert table(page, "week").shape == (9, 0)


def test_values_are_said_at_the_pointer(visit: Visit, made: Left) -> None:
    page = visit("?state=VT&level=0.25&show=rw-ftpl")
    box = page.locator("#week .bk-CartesianFrame").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 6 / 13, box["y"] + 30)  # from 0 to 13
    page.get_by_text(f"week 6, RW-FTPL: {mean_and_half(made, 'VT', 'rw-ftpl', 0.25)[0][5]:.2f}").wait_for()


def test_a_tap_on_a_point_chooses_its_state(visit: Visit) -> None:
    page = visit("?state=VT&level=0.25&show=rw-ftpl,min-noise")
    stressed = f"{POINT}.renderers[1].data_source.selected.indices"
    assert page.evaluate(stressed) == [2, 3]
    page.locator("#all").scroll_into_view_if_needed()
    x, y = page.evaluate(
        f"""() => {{
          const {{ x_range, y_range, renderers }} = {POINT}, {{ x, y }} = renderers[1].data_source.data;
          const share = (range, value) => (value - range.start) / (range.end - range.start);
          return [share(x_range, x_range.synthetic(x[0])), 1 - share(y_range, y[0])];
        }}"""
    )
    box = page.locator("#all .bk-CartesianFrame").bounding_box()
    page.mouse.click(box["x"] + box["width"] * x, box["y"] + box["height"] * y)
    page.wait_for_url(re.compile("state=NM"))
    assert page.get_attribute("#week", "aria-label").startswith("NM")
    assert page.evaluate(stressed) == [0, 1]


def test_it_opens_where_most_algorithms_play_and_on_california_if_that_is_there(
    visit: Visit, tab: Tab, made: Left, tmp_path: Path
) -> None:
    assert visit().get_attribute("#week", "aria-label").startswith("VT, 4 hospitals")
    other = tmp_path / "explorer.html"
    other.write_text(made.output.read_text("utf-8").replace('"state":"NM"', '"state":"CA"'), encoding="utf-8")
    page = opened(tab.open(other.as_uri()))
    assert page.get_attribute("#week", "aria-label").startswith("CA, 3 hospitals")
    assert [*table(page, "all").index] == ["CA", "VT"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_widgets_and_tooltips_are_as_dark_as_the_page(
    visit: Visit, tmp_path: Path, scheme: str
) -> None:
    page = visit("?state=VT&level=0.25&show=rw-ftpl")
    page.emulate_media(color_scheme=scheme)
    box = page.locator("#week .bk-CartesianFrame").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 30)
    for part in (".bk-Tooltip >> text=RW-FTPL", "#week .chart", "#all .chart", "#state"):
        page.locator(part).screenshot(path=tmp_path / "part.png")
        shade = np.median(plt.imread(tmp_path / "part.png")[..., :3])
        assert shade > 0.9 if scheme == "light" else shade < 0.2, part
