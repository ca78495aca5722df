"""The explorer in a real browser, from disk: Debian's Chromium, driven by Playwright."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from private_experts.replication.report.explorer import gains
from tests.replication.browsing import Tab, launched, needs_chromium, sync_api
from tests.replication.report.explorer.conftest import CONFIDENCE, REPETITIONS, STATES, Left

pytestmark = needs_chromium

Visit = Callable[..., Any]


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
        yield lambda where="", **how: tab.open(made.output.as_uri() + where, **how)


def key(page: Any, view: str) -> dict[str, str]:
    """Return what the key of a view says: the value of each line at the chosen place."""
    lines = page.eval_on_selector_all(
        f"#{view} .key li", "all => all.map(each => [...each.children].map(c => c.textContent))"
    )
    return {label: value for _, label, value in lines}


def table(page: Any, view: str) -> pd.DataFrame:
    """Open the table of a view and return it."""
    page.click(f"#{view} details.table summary >> nth=0")
    page.wait_for_selector(f"#{view} tbody tr")  # the browser tells of its opening a moment later
    head, *rows = page.eval_on_selector_all(
        f"#{view} tr", "all => all.map(row => [...row.cells].map(c => c.textContent))"
    )
    return pd.DataFrame(rows, columns=head).set_index(head[0])


def recorded(made: Left, state: str, algorithm: str, mu: float) -> list[str]:
    """Return the cumulative gains of the records with the half-widths of their intervals, in words."""
    mean, half = mean_and_half(made, state, algorithm, mu)
    return [f"{gain:.2f} ± {width:.2f}" for gain, width in zip(mean, half, strict=True)]


def mean_and_half(made: Left, state: str, algorithm: str, mu: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the cumulative gains of the records by week, and the half-widths of their intervals."""
    records = made.records()
    half, _ = gains.half_width(records, REPETITIONS, CONFIDENCE)
    part = records[(records["state"] == state) & (records["algorithm"] == algorithm) & (records["mu"] == mu)]
    return part["gain"].to_numpy(), half * part["spread"].to_numpy()


def numbers(said: str) -> list[float]:
    return [float(each) for each in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", said)]


def test_nothing_can_be_fetched_even_by_code_that_tries(visit: Visit, tab: Tab) -> None:
    blocked = visit().evaluate(
        """() => new Promise(done => {
             document.addEventListener("securitypolicyviolation", event => done(event.effectiveDirective));
             fetch("https://example.org/x").catch(() => 0);
           })"""
    )
    assert blocked == "connect-src"
    refused = [each for each in tab.troubles if "https://example.org/x" in each]
    assert refused
    tab.troubles[:] = [each for each in tab.troubles if each not in refused]


def test_every_control_has_a_name(visit: Visit) -> None:
    page = visit(kept=True)
    unnamed = "all => all.filter(each => !each.labels.length || !each.labels[0].textContent.trim()).length"
    assert page.eval_on_selector_all("select, input", unnamed) == 0
    ids = page.eval_on_selector_all("[id]", "all => all.map(each => each.id)")
    assert len(ids) == len({*ids})


def test_the_tabulator_passes_a_chart_that_no_key_moves(visit: Visit) -> None:
    page = visit(kept=True)
    page.wait_for_selector("#one-state .bk-events[tabindex='-1']", state="attached")
    assert page.locator("#one-state .chart [tabindex='0']").count() == 0


def test_the_address_holds_what_is_chosen_and_restores_it(visit: Visit) -> None:
    page = visit(kept=True)
    assert page.input_value("#state") == "NM"
    page.select_option("#state", "VT")
    page.select_option("#level", "0.25")
    page.select_option("#band", "runs")
    page.check("input[value=uniform]")
    page.uncheck("input[value=rw-ftpl]")
    page.focus("#week")
    page.keyboard.press("Home")
    page.wait_for_url(re.compile(r"week=1\b"))
    before, where = key(page, "one-state"), page.url
    assert "RW-FTPL" not in before
    again = visit(where[where.index("?") :])
    assert key(again, "one-state") == before
    assert [again.input_value(f"#{each}") for each in ("state", "level", "band", "week")] == ["VT", "0.25", "runs", "0"]
    assert not again.is_checked("input[value=rw-ftpl]")
    titles = {each.text_content("#one-state h2") for each in (page, again)}
    assert titles == {"VT, 3 hospitals, 9 weeks, μ = 0.25"}


def test_the_table_of_a_state_has_the_numbers_of_the_records(visit: Visit, made: Left) -> None:
    page = visit("?state=VT&level=0.25&show=rw-meta,rw-ftpl")
    shown = table(page, "one-state")
    weeks = STATES["VT"].weeks
    assert [*shown.index] == [f"{number}, {week}" for number, week in enumerate(weeks, 1)]
    for label, name in (("RW-Meta", "rw-meta"), ("RW-FTPL", "rw-ftpl")):
        for said, known in zip(shown[label], recorded(made, "VT", name, 0.25), strict=True):
            assert numbers(said) == pytest.approx(numbers(known), abs=0.011)  # half-widths rest on a rounded spread


def test_an_address_with_nonsense_shows_what_stands_there_at_first(visit: Visit) -> None:
    page = visit("?view=x&state=ZZ&level=7&show=nobody&week=-3&tolerance=%3Cb%3E")
    assert (page.input_value("#state"), page.input_value("#level")) == ("NM", "1")
    assert [*key(page, "one-state")] == ["best single hospital, total"]
    assert visit("?week=999").input_value("#week") == str(len(STATES["NM"].weeks) - 1)


def test_values_are_reached_by_keyboard_and_by_pointer_and_are_said(visit: Visit, made: Left) -> None:
    page = visit("?state=NM&level=0.25&show=rw-ftpl")
    page.focus("#week")
    for press, week in (("Home", 1), ("ArrowRight", 2), ("ArrowRight", 3), ("End", 12), ("ArrowLeft", 11)):
        page.keyboard.press(press)
        known = recorded(made, "NM", "rw-ftpl", 0.25)[week - 1]
        assert numbers(key(page, "one-state")["RW-FTPL"]) == pytest.approx(numbers(known), abs=0.011)
        assert page.text_content("#one-state .where") == f"{week}, {STATES['NM'].weeks[week - 1]}"
        assert page.get_attribute("#week", "aria-valuetext").startswith(
            f"{week}, {STATES['NM'].weeks[week - 1]}; RW-FTPL"
        )
    box = page.locator("#one-state .bk-CartesianFrame").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 5 / 11, box["y"] + 30)
    assert page.text_content("#one-state .where") == f"6, {STATES['NM'].weeks[5]}"
    known = recorded(made, "NM", "rw-ftpl", 0.25)[5]
    assert numbers(key(page, "one-state")["RW-FTPL"]) == pytest.approx(numbers(known), abs=0.011)


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
        page = tab.open(where)
        assert page.text_content("#one-state h2").startswith(opens)
        page.click("nav [data-view=all]")
        assert page.locator(".tile").count() == len(names)


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_the_chart_is_seen_without_scrolling(visit: Visit, width: int, height: int) -> None:
    page = visit(width=width)
    page.set_viewport_size({"width": width, "height": height})
    box = page.locator("#one-state .bk-CartesianFrame >> nth=0").bounding_box()
    assert box["height"] > 200
    assert box["y"] + box["height"] < height


def test_regret_ratio_and_difference_are_those_of_the_records(visit: Visit, made: Left) -> None:
    rival, rival_half = mean_and_half(made, "VT", "min-noise", 0.25)
    own, half = mean_and_half(made, "VT", "rw-ftpl", 0.25)
    best = STATES["VT"].density.cumsum(axis=0).max(axis=1)
    least, most = np.maximum(own - half, 0) / (rival + rival_half), (own + half) / (rival - rival_half)
    most = np.where(rival > rival_half, most, np.nan)  # the interval holds 0, so there is no largest ratio
    wanted = {
        "regret": (best - own, half),
        "difference": (own - rival, half + rival_half),
        "ratio": (own / rival, least, most),
    }
    assert np.isnan(most).any()
    assert np.isfinite(most).any()
    for quantity, columns in wanted.items():
        page = visit(f"?state=VT&level=0.25&show=rw-ftpl,min-noise&quantity={quantity}&reference=min-noise")
        shown = table(page, "one-state .panel:first-child")
        for said, *known in zip(shown["RW-FTPL"], *columns, strict=True):
            there = [each for each in known if np.isfinite(each)]
            rough = 0.03 * max(1, *map(abs, there)) if quantity == "ratio" else 0.03  # gains are written to 0.01
            assert numbers(said) == pytest.approx(there, abs=rough), quantity
        itself = 0 if quantity == "difference" else 1
        if quantity != "regret":
            assert {*shown["Min Noise"]} == {f"{itself:.2f}"}  # without a band


def test_two_levels_stand_side_by_side_on_one_scale(visit: Visit, made: Left) -> None:
    page = visit("?state=NM&level=1&beside=0.25&show=rw-ftpl&week=3")
    assert page.text_content("#one-state h2").endswith("μ = 1 and μ = 0.25")
    panels = page.locator(".panel:visible")
    assert [panels.nth(each).locator("h3").inner_text() for each in range(2)] == ["μ = 1", "μ = 0.25"]
    for number, mu in enumerate((1.0, 0.25)):
        said = panels.nth(number).locator(".key output").first.inner_text()
        assert numbers(said) == pytest.approx(numbers(recorded(made, "NM", "rw-ftpl", mu)[2]), abs=0.011)
    ends = "Bokeh.documents.slice(0, 2).map(each => each.roots()[0].y_range.end)"
    first, second = page.evaluate(ends)
    assert first == second > 0
    page.focus("#week-beside")
    page.keyboard.press("Home")
    assert page.locator(".where:visible").all_inner_texts() == [f"1, {STATES['NM'].weeks[0]}"] * 2
    page.select_option("#beside", "")
    assert page.locator(".panel:visible").count() == 1


def test_back_undoes_a_choice_and_not_a_week(visit: Visit) -> None:
    page = visit("?state=NM")
    page.select_option("#state", "VT")
    page.focus("#week")
    page.keyboard.press("Home")
    page.check("input[value=uniform]")
    page.click("nav [data-view=all]")
    assert page.is_visible("#all-states")
    page.go_back()
    assert page.is_visible("#one-state")
    assert page.is_checked("input[value=uniform]")
    page.go_back()
    assert not page.is_checked("input[value=uniform]")
    assert (page.input_value("#state"), page.input_value("#week")) == ("VT", "0")
    page.go_back()
    assert page.text_content("#one-state h2").startswith("NM")
    page.go_forward()
    assert page.text_content("#one-state h2").startswith("VT")


def test_presets_show_what_belongs_together(visit: Visit) -> None:
    page = visit("?show=uniform")
    assert page.locator("[data-preset]").all_inner_texts() == ["the paper’s four", "strongest rivals"]
    page.click("[data-preset] >> text=strongest rivals")
    checked = page.eval_on_selector_all("input[name=show]:checked", "all => all.map(each => each.value)")
    assert checked == ["rw-meta", "rw-meta-hedge", "optimised-sums"]
    assert page.get_attribute("[data-preset] >> text=strongest rivals", "aria-current") == "true"
    page.select_option("#state", "VT")
    assert page.text_content("#one-state .missing") == "Not played here: optimised sums."


def test_an_algorithm_is_defined_at_the_pointer_and_by_keyboard(visit: Visit) -> None:
    page = visit(kept=True)
    page.hover(".algorithm:has(input[value=rw-ftpl])")
    assert "noisy reports have the largest total" in page.text_content("#definition")
    page.focus("input[value=min-noise]")
    assert page.text_content("#definition").startswith("The paper's rival, by Agarwal and Singh.")
    page.keyboard.press("Tab")
    assert page.text_content("#definition").startswith("The tree of Min Noise")
    undefined = """all => all.filter(each =>
        !document.getElementById(each.getAttribute("aria-describedby")).textContent.trim()).length"""
    assert page.eval_on_selector_all("input[name=show]", undefined) == 0


def test_what_is_drawn_is_saved_as_data_and_as_a_picture(visit: Visit, made: Left, tmp_path: Path) -> None:
    page = visit("?state=VT&level=0.25&beside=∞&show=rw-ftpl")
    saved = {}
    for what in ("data", "picture"):
        with page.expect_download() as download:
            page.click(f"#one-state [data-save={what}]")
        saved[what] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[what])
    assert [path.name for path in saved.values()] == [f"VT-mu-0.25-mu-infinity-gain.{end}" for end in ("csv", "png")]
    written = pd.read_csv(saved["data"])
    assert {*written["data"]} == {"reports <of> 12 weeks"}
    for mu in (0.25, np.inf):
        part = written[written["mu"].replace("∞", "inf").astype(float) == mu]
        mean, half = mean_and_half(made, "VT", "rw-ftpl", mu)
        assert [*part["date"]] == [*STATES["VT"].weeks]
        assert part["value"].to_numpy() == pytest.approx(mean, abs=0.006)
        assert part["high"].isna().all() == (mu == np.inf)
        if mu < np.inf:
            assert part["high"].to_numpy() == pytest.approx(mean + half, abs=0.02)
    image = plt.imread(saved["picture"])
    assert image.shape[1] > image.shape[0] > 300
    vermilion = np.abs(image[..., :3] - np.array([213, 94, 0]) / 255).max(axis=-1) < 0.02
    left, right = np.array_split(vermilion, 2, axis=1)
    assert min(left.sum(), right.sum()) > 100  # the line of both levels


def test_the_drawings_of_all_states_are_saved_as_one_picture(visit: Visit, tmp_path: Path) -> None:
    page = visit("?view=all&level=0.25&show=rw-meta,rw-ftpl")
    with page.expect_download() as download:
        page.click("#all-states [data-save=picture]")
    download.value.save_as(tmp_path / "all.svg")
    assert download.value.suggested_filename == "all-states-mu-0.25-gain.svg"
    picture = ElementTree.parse(tmp_path / "all.svg").getroot()
    name = "{http://www.w3.org/2000/svg}"
    words = [each.text for each in picture.iter(f"{name}text")]
    assert words == [
        *("All states, cumulative gain, μ = 0.25", "RW-Meta", "RW-FTPL", "NM", "VT"),
        "Data: reports <of> 12 weeks",
    ]
    strokes = [[path.get("stroke") for path in each.iter(f"{name}path")] for each in picture.iter(f"{name}svg")][1:]
    assert [{"#0072B2", "#D55E00"} <= {*each} for each in strokes] == [True, True]


def test_a_caption_is_of_what_is_drawn(visit: Visit) -> None:
    page = visit("?state=NM&level=0.25&show=rw-ftpl")
    assert all(words in page.text_content("#one-state .caption") for words in ("Gain is", "Student", "Dotted"))
    page.select_option("#band", "none")
    page.select_option("#quantity", "regret")
    said = page.text_content("#one-state .caption")
    assert "Regret is" in said
    assert not any(words in said for words in ("Gain is", "Student", "Dotted"))
    page.click("nav [data-view=all]")
    assert "Dotted" not in page.text_content("#all-states .caption")


def test_a_chart_draws_its_lines_in_their_colours(visit: Visit) -> None:
    page = visit("?level=0.25&show=rw-meta,rw-ftpl&band=none")
    page.wait_for_selector("#one-state canvas", state="attached")
    pixels = page.locator("#one-state canvas").evaluate_all(
        """async all => {
             while (!Bokeh.documents.every(each => each.is_idle)) await new Promise(requestAnimationFrame);
             const seen = {};
             for (const canvas of all.filter(each => each.width)) {
               const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
               for (let at = 0; at < data.length; at += 4) {
                 const colour = `${data[at]},${data[at + 1]},${data[at + 2]}`;
                 seen[colour] = (seen[colour] ?? 0) + 1;
               }
             }
             return seen;
           }"""
    )
    for colour in ("0,114,178", "213,94,0"):  # blue and vermilion; a point has fewer than 64 pixels
        assert pixels[colour] > 200
    assert "0,158,115" not in pixels  # Min Noise is not shown


def test_a_chart_fits_when_it_is_shown_again(visit: Visit) -> None:
    page = visit("?view=amplification&measure=tradeoff", width=390)
    canvas = page.locator("#batching .bk-Figure:visible canvas >> nth=0")
    for measure, width in (("delta", 1280), ("tradeoff", 1280), ("delta", 390)):
        page.set_viewport_size({"width": width, "height": 900})
        page.select_option("#measure", measure)
        inner = page.locator("#batching .chart > div:visible").evaluate("each => Math.floor(each.clientWidth)")
        assert 0 < width - inner < 100
        sync_api.expect(canvas).to_have_attribute("width", re.compile(f"^({inner - 1}|{inner})$"))


def test_all_states_are_there_at_a_glance_and_lead_to_each(visit: Visit, made: Left) -> None:
    page = visit("?view=all&level=0.25&show=rw-meta,square-root")
    tiles = page.locator(".tile")
    assert [each.split(" ")[0] for each in tiles.all_inner_texts()] == ["NM", "VT"]
    values = [tiles.nth(each).locator(".value").all_inner_texts() for each in range(2)]
    assert values[1][1] == "–"  # the sums did not play there
    known = numbers(recorded(made, "VT", "rw-meta", 0.25)[-1])[0]
    assert float(values[1][0]) == pytest.approx(known, abs=0.006)
    assert table(page, "all-states").loc["VT", "square-root sums"] == ""
    page.focus("#week-of-all")
    page.keyboard.press("Home")
    first = numbers(recorded(made, "VT", "rw-meta", 0.25)[0])[0]
    assert float(tiles.nth(1).locator(".value").first.inner_text()) == pytest.approx(first, abs=0.006)
    assert page.text_content("#all-states .where") == f"1, {STATES['NM'].weeks[0]}"
    page.keyboard.press("End")
    last = sorted(panel.weeks[-1] for panel in STATES.values())  # VT has fewer weeks
    assert page.text_content("#all-states .where") == f"12, {last[0]} to {last[1]}"
    page.keyboard.press("Home")
    page.select_option("#sort", "gain")
    page.select_option("#scale", "shared")
    drawn = "all => all.map(each => each.getAttribute('stroke'))"
    assert page.eval_on_selector_all(".tile:has-text('VT') .chart path[stroke]", drawn) == ["#0072B2", "#555555"]
    box = page.locator(".tile:has-text('VT') .chart").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 3 / 4, box["y"] + 30)
    assert page.text_content("#all-states .where").startswith("7, ")  # three quarters of the way from 1 to 9
    page.locator(".tile", has_text="VT").focus()
    page.keyboard.press("Enter")
    assert page.text_content("#one-state h2").startswith("VT")
    assert page.is_visible("#one-state")
    assert not page.is_visible("#all-states")


def test_amplification_is_chosen_by_experts_level_round_and_tolerance(visit: Visit) -> None:
    page = visit("?view=amplification&mu=1&round=20&tolerance=0.1")
    fixed = "n = 3, μ = 1, round = 20, α = 0.1"
    assert page.text_content("#batching h2") == f"Privacy of one datum, type II error: {fixed}"
    page.focus("#at")
    page.keyboard.press("Home")
    assert {numbers(said)[0] for said in key(page, "batching").values()} == {1}
    page.keyboard.press("End")
    assert {numbers(said)[0] for said in key(page, "batching").values()} == {0}
    page.select_option("#measure", "delta")
    page.keyboard.press("Home")
    delta = {name: numbers(said)[0] for name, said in key(page, "batching").items()}
    assert delta["Monte Carlo, with band"] < delta["without batching"] == pytest.approx(0.383, abs=5e-4)  # 2 Φ(1/2) - 1
    page.select_option("#along", "tolerance")
    assert [*key(page, "batching")] == [
        f"α = {alpha}: {curve}"
        for alpha in (0.01, 0.1)
        for curve in ("analytic bound (the paper's)", "Monte Carlo, with band")
    ]
    shown = table(page, "batching")
    assert len(shown) == 41
    assert shown.notna().all(axis=None)


def test_without_scripts_the_table_of_totals_stands_there(visit: Visit) -> None:
    page = visit(scripts=False)
    assert page.is_visible("#totals td >> nth=0")
    assert not page.is_visible("form")
    assert not page.is_visible("nav")


def test_nothing_is_cut_on_a_small_screen(visit: Visit) -> None:
    page = visit(width=390)
    wide = """[...document.querySelectorAll("main :not(.scroll *)")]
        .filter(each => each.getBoundingClientRect().right > 391).length"""
    for view, section in (("state", "one-state"), ("all", "all-states"), ("amplification", "batching")):
        page.click(f"nav [data-view={view}]")
        assert page.is_visible(f"#{section}")
        assert page.evaluate("document.documentElement.scrollWidth") == 390, view
        assert page.evaluate(wide) == 0, view
