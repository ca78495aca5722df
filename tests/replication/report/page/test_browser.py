"""The page in a real browser, from disk: Debian's Chromium, driven by Playwright."""

import base64
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from private_experts.replication.ledger.ledger import MAIN_FIGURES, gathered
from private_experts.replication.ledger.ranking import rows_of
from private_experts.replication.report.page.evidence_rows import SHOWN
from private_experts.replication.report.page.pictures import data_uri
from tests.replication.browsing import Tab, launched, needs_chromium, sync_api
from tests.replication.ledger.ledgers import everything as everything_known
from tests.replication.report.page.conftest import LEDGER, MANY, built, small, verdicts
from tests.replication.report.page.reading import CONTRAST, chosen, open_all, searched, shown

pytestmark = needs_chromium

FEW = small(16)  # enough for most of what is asked here; the whole ledger takes a browser longer
NAMES = [*FEW.claims]
GATHERED = gathered(FEW, verdicts(FEW))["claims"]
WORTH = {claim["id"]: claim["grade"]["known"] for claim in GATHERED}
ROW_OF = rows_of(GATHERED)
ROWS = [name for name, row in ROW_OF.items() if name == row]  # as they stand on the page
WHOLE = rows_of(everything_known()["claims"])


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return built(tmp_path_factory.mktemp("few"), FEW).as_uri()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a page of seven claims, for what takes longest; verdicts of all kinds are among them."""
    return built(tmp_path_factory.mktemp("tiny"), small(3))


@pytest.fixture(scope="module")
def tab(browser: Any) -> Tab:
    return Tab(browser, own=r"file:.*/paper/index\.html([?#]|$)")


@pytest.fixture
def visit(tab: Tab, address: str) -> Iterator[Any]:
    """Return a function that opens the page, or another; in the end nothing failed, nothing was fetched."""

    def opened(where: str = "", whole: Path | None = None, **how: Any) -> Any:
        page = tab.open((whole.as_uri() if whole else address) + where, **how)
        if how.get("scripts", True):
            page.wait_for_selector("html.ready")
        return page

    with tab.watched():
        yield opened


# The whole page is laid out once, for the narrowest screen that is asked about.
PHONE = 390


def test_the_page_is_small_until_its_parts_are_opened_and_every_picture_loads(
    visit: Any, everything: Path
) -> None:
    page = visit(width=PHONE, whole=everything)
    assert page.evaluate("document.getElementsByTagName('*').length") < 15_000
    assert page.locator("figure img").count() == len(LEDGER.figures)
    page.evaluate("location.hash = 'E000-6'")  # why a theorem fails is seen beside its erratum
    page.wait_for_selector("[id='E000-6'][open] .pictures img")
    assert page.eval_on_selector_all(
        "img", "all => all.every(each => each.complete && each.naturalWidth > 0)"
    )


# What a reader would type, and claims of which one must be among the first that are found: the very first
# where a name is typed, one of the first four where words of the papers are.
FIRST = {
    "lower bound against adaptive adversaries": "004/theorem-5-1",  # its title
    "lower bound adaptive adversary": "004/theorem-5-1",  # in other endings
    "000/theorem-3": "000/theorem-3/as-printed",  # an id, in the row of the mended form
    "theorem-3": "000/theorem-3/as-printed",  # the end of ids
    "Theorem 3": "000/theorem-3/as-printed",
    "Theorem 4.1, the privacy of P-COMW": "001/theorem-4-1",
    "highest density of COVID patients": "000/table-2-words",  # the paper's own words
    "dp-ftrl": "001/rivals",  # words of others
}
# By what it is called, though others have the same place; the mended form may be in its row.
CALLED = {"lemma 3": "/lemma-3", "lemma 3.3": "004/theorem-3-1", "theorem 5.2": "004/theorem-5-2-privacy"}
PHRASES = {
    "follow the perturbed leader": ("000/regret-rw-ftpl", "000/table-1-rate"),
    "1.5-3x": ("000/table-2-words",),
    "90%": ("000/table-2-words",),  # where the claims have a space
    "per-hospital noise": ("000/own-counts-level",),
    "without requiring smoothness": ("001/rates",),
    "log-Sobolev inequality": ("001/lemma-3-2",),
    "regularizer": ("001/regret", "001/lemma-a2"),  # as spelled in America
    "gap-dependent regret": ("002/theorem-1",),
    "randomized responses": ("003/randomised-response",),
    "sequential probability assignments": ("003/theorem-5",),
    "tracking the best expert": ("004/theorem-3-6",),
    "shifting stochastic adversary": ("004/shifting-lower-bound", "004/theorem-3-6"),
    "privasy budget": ("001/gaussian-plays",),  # misspelled; what spends all of epsilon
}


def test_a_claim_is_found_by_its_name_and_by_the_words_of_the_papers(visit: Any, everything: Path) -> None:
    page = visit(width=PHONE, whole=everything, kept=True)
    asked = [*FIRST, *CALLED, *PHRASES]
    found = dict(zip(asked, searched(page, *asked), strict=True))
    assert {words: found[words][0] for words in FIRST} == FIRST
    assert {words: found[words][0] for words, name in CALLED.items() if name not in found[words][0]} == {}
    near = {words: found[words][:4] for words in PHRASES}
    assert {words: near[words] for words, wanted in PHRASES.items() if not {*wanted} & {*near[words]}} == {}
    joined, apart = searched(page, "MinNoise", "Min Noise")
    assert joined == apart
    assert joined[0] in ("000/table-2-words", "000/table-2-printed-words")
    nowhere = ("fake news", "install", "bitcoin", "license", "bandit")
    assert searched(page, *nowhere) == [[] for _ in nowhere]
    page.fill("#q", "privasy bujet")
    assert shown(page)
    assert page.text_content("#count").startswith("No claim has all of these words. The nearest are ")
    page.fill("#q", "")


def test_headlines_and_what_does_not_hold_stand_alone_until_others_are_asked_for(
    visit: Any, everything: Path
) -> None:
    seen = "all => all.filter(each => each.checkVisibility()).map(each => each.id)"
    rows = {name for name, row in WHOLE.items() if name == row}
    found = verdicts(LEDGER)
    open_in = {row for name, row in WHOLE.items() if found[name]["verdict"] != "holds"}
    first = {name for name in rows if LEDGER.claims[name].headline} | open_in

    def visible() -> set[str]:
        return {*page.eval_on_selector_all(".claim", seen)}

    page = visit(width=PHONE, whole=everything)
    assert visible() == first
    assert page.text_content("#count").startswith(f"{len(first)} of ")
    assert page.evaluate("document.documentElement.scrollHeight") / 900 < 60
    page.select_option("#verdict", "holds")
    assert len(visible()) > 100
    page.select_option("#verdict", "")
    assert visible() == first
    other = min(rows - first)
    page.evaluate(f"location.hash = '{other}'")  # one that is linked to is shown among all others
    page.wait_for_function("document.getElementById('rest').hidden")
    assert rows <= visible()
    page = visit(width=PHONE, whole=everything)
    page.click("#rest button")
    assert visible() == rows
    figure = "figure/" + next(name for name in LEDGER.figures if name not in MAIN_FIGURES)
    seen_now = f"document.getElementById('{figure}').checkVisibility()"
    assert not page.evaluate(seen_now)
    page.evaluate(f"location.hash = '{figure}'")  # what is linked to in a fold unfolds it
    page.wait_for_function(seen_now)
    page = visit(width=PHONE, whole=everything, scripts=False)
    assert visible() == rows


def test_what_is_printed_leads_and_its_mended_form_stands_in_its_row(visit: Any, everything: Path) -> None:
    page = visit(width=PHONE, whole=everything, kept=True)
    found, fatal = chosen(page, ("#q", "Theorem 3"), ("#only", "fatal"))
    assert found[0] == "000/theorem-3/as-printed"
    assert "000/theorem-3" not in found
    assert {"000/theorem-3/as-printed", "004/theorem-5-2-privacy/as-printed"} <= {*fatal}
    assert all(LEDGER.errata[LEDGER.claims[name].erratum or ""].severity == "fatal" for name in fatal)
    row = page.locator("[id='000/theorem-3/as-printed'] .row")
    assert "As printed" in row.text_content()
    assert "Mended, not the paper's" in row.locator(".mended").text_content()
    assert row.locator(".mended .verdict").text_content() == "holds"
    assert not page.is_visible("[id='000/theorem-3']")
    (kept,) = chosen(page, ("#verdict", "holds"))
    assert "000/theorem-3" in kept
    assert "000/theorem-3/as-printed" not in kept


def test_steps_stand_below_an_open_claim_or_where_they_are_asked_for(visit: Any, everything: Path) -> None:
    page = visit(width=PHONE, whole=everything)
    page.click("#rest button")
    steps = [name for name, claim in LEDGER.claims.items() if claim.step_of == "003/theorem-3"]
    assert not {*steps} & {*shown(page)}
    page.click("[id='003/theorem-3'] .toggle")
    seen = shown(page)
    assert seen[seen.index("003/theorem-3") + 1 :][: len(steps)] == steps
    page.click("[id='003/theorem-3'] .toggle")
    assert not {*steps} & {*shown(page)}
    assert steps[0] in searched(page, steps[0])[0]
    counted = sum(not claim.step_of for claim in LEDGER.claims.values())
    assert page.text_content("#count") == f"{counted} claims"


WIDTH = "document.documentElement.scrollWidth"


def test_no_statement_of_any_paper_is_wider_than_a_phone_and_every_formula_has_a_size(
    visit: Any, everything: Path
) -> None:
    page = visit(width=PHONE, whole=everything, kept=True)
    seen = "all => all.filter(each => each.checkVisibility()).length"
    open_all(page, few=False)
    pieces = ".claim details.code .piece"
    assert page.eval_on_selector_all(pieces, seen) == page.locator(pieces).count() > 200
    assert page.evaluate(WIDTH) == PHONE
    for kind, least in ((".formula", 15), ("math", 4)):
        sizes = page.eval_on_selector_all(
            kind, "all => all.map(each => each.getBoundingClientRect()).map(box => [box.width, box.height])"
        )
        assert len(sizes) >= len(LEDGER.claims)
        assert min(width for width, _ in sizes) > least
        assert min(height for _, height in sizes) > min(least, 10)


def test_nothing_can_be_fetched_even_by_code_that_tries(visit: Any, tab: Tab) -> None:
    page = visit()
    blocked = page.evaluate(
        """() => new Promise(done => {
             document.addEventListener("securitypolicyviolation", event => done(event.effectiveDirective));
             new Image().src = "https://example.org/x.png";
           })"""
    )
    assert blocked == "img-src"
    assert tab.troubles
    assert all("https://example.org/x.png" in trouble for trouble in tab.troubles)
    tab.troubles.clear()


def test_filters_narrow_the_ledger_and_stand_in_the_address(visit: Any) -> None:
    page = visit(kept=True)
    assert shown(page) == ROWS
    page.select_option("#verdict", "fails")
    failing = shown(page)
    assert 0 < len(failing) < len(NAMES)
    claims = [name for name, claim in FEW.claims.items() if not claim.step_of]
    found = [name for name in failing if name in claims]
    assert page.text_content("#count") == f"{len(found)} of {len(claims)} claims shown"
    assert page.get_attribute("#count", "aria-live") == "polite"
    page.select_option("#only", "surprising")
    assert shown(page) == [NAMES[1]]
    assert page.url.endswith("?verdict=fails&only=surprising")
    page.reload()
    assert shown(page) == [NAMES[1]]
    assert page.input_value("#verdict") == "fails"
    page.click("button[type=reset]")
    page.wait_for_url(re.compile(r"^[^?]*$"))
    assert shown(page) == ROWS


def test_each_filter_shows_what_the_ledger_says(visit: Any) -> None:
    page = visit(kept=True)
    claims = FEW.claims

    def said_by(name: str) -> str:
        erratum = claims[name].erratum
        return FEW.errata[erratum].said_by if erratum else ""

    wanted = (
        ("kind", "exact", {name for name in claims if claims[name].kind == "exact"}),
        ("standing", "SEED", {name for name in claims if "SEED" in claims[name].standing}),
        ("paper", "000", {name for name in claims if claims[name].paper == "000"}),
        ("verdict", "not run", {NAMES[3]}),
        ("known", "counterexample", {name for name, worth in WORTH.items() if worth == "counterexample"}),
        ("only", "erratum", {name for name in claims if said_by(name) == "paper"}),
        ("only", "elsewhere", {name for name in claims if said_by(name) not in ("paper", "")}),
        ("only", "vacuous", {NAMES[0]}),
    )
    choices = [(f"#{field}", value) for field, value, _ in wanted]
    for ids, (field, value, fitting) in zip(chosen(page, *choices), wanted, strict=True):
        within = {name for name in fitting if ROW_OF[name] in fitting - {name} and not claims[name].step_of}
        assert {*ids} == fitting - within, (field, value)  # a row shows its mended form


def test_the_search_asks_for_all_words_in_statement_place_rule_code_and_formula(visit: Any) -> None:
    page = visit(kept=True)
    claim = FEW.claims["000/tree-nodes"]
    for words in (
        "dyadic TREE datum",
        claim.place,
        claim.latex.split()[0],
        "000/tree-nodes",
        claim.statement,
    ):
        page.fill("#q", words)
        assert "000/tree-nodes" in shown(page), words
        assert len(shown(page)) < len(NAMES), words
    page.fill("#q", "tree noise")
    assert page.text_content("#count").endswith("claims shown, best first")
    page.fill("#q", "xqz 7771")
    assert shown(page) == []
    assert page.is_visible("#none")
    page.press("#q", "Escape")
    assert shown(page) == ROWS
    assert not page.is_visible("#none")


def test_a_link_to_a_claim_opens_it_even_when_it_is_filtered_away(visit: Any) -> None:
    page = visit(f"?verdict=holds#{NAMES[1]}")
    sheet = page.locator(f"[id='{NAMES[1]}'] .sheet")
    assert sheet.is_visible()
    assert NAMES[1] in shown(page)
    assert page.locator(".sheet:visible").count() == 1
    page.evaluate(f"location.hash = '{NAMES[5]}'")
    sync_api.expect(page.locator("[aria-expanded=true]")).to_have_count(2)
    erratum = next(claim.erratum for claim in FEW.claims.values() if claim.erratum)
    page.click(f"#ledger a.erratum >> text={erratum} >> nth=0")
    assert page.url.endswith(f"#{erratum}")


def test_it_works_by_keyboard(visit: Any) -> None:
    page = visit()
    here = "document.activeElement.closest('.claim')?.id || document.activeElement.id"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("/")
    assert page.evaluate(here) == "q"
    page.keyboard.type("/")  # a slash in a word is a slash
    assert page.input_value("#q") == "/"
    page.keyboard.press("Escape")
    page.focus("#q")
    page.keyboard.type("000")
    first, second, last = shown(page)[0], shown(page)[1], shown(page)[-1]
    for key, wanted in (("ArrowDown", first), ("ArrowDown", second), ("End", last), ("Home", first)):
        page.keyboard.press(key)
        assert page.evaluate(here) == wanted
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    toggle = page.locator(f"[id='{first}'] .toggle")
    sheet = f"[id='{toggle.get_attribute('aria-controls')}']"
    for key, opened in (("Enter", True), ("Space", False), ("Enter", True), ("Escape", False)):
        if key == "Escape":  # from inside what is open
            page.locator(f"{sheet} .command button").focus()
        page.keyboard.press(key)
        assert toggle.get_attribute("aria-expanded") == str(opened).lower()
        assert page.is_visible(sheet) == opened
        assert page.evaluate(here) == first
    page.keyboard.press("ArrowUp")
    assert page.evaluate(here) == "q"
    page.keyboard.press("Escape")
    assert page.input_value("#q") == ""


def test_an_open_claim_shows_its_figure_and_its_command_can_be_copied(visit: Any) -> None:
    page = visit()
    page.click("#rest button")
    name = next(name for name in NAMES if any(name in figure.claims for figure in FEW.figures.values()))
    page.click(f"[id='{name}'] .toggle")
    assert page.locator(f"[id='{name}'] .pictures img").first.evaluate("each => each.naturalWidth") > 0
    button = page.locator(f"[id='{name}'] .command button")
    button.click()
    sync_api.expect(button).to_have_text("Copied")
    page.fill("#q", "")
    page.focus("#q")
    page.keyboard.press("Control+v")
    assert page.input_value("#q") == f"private-experts verify {name}"


def test_without_javascript_statements_are_there_and_the_page_says_where_the_rest_is(
    visit: Any, tiny: Path
) -> None:
    page = visit(whole=tiny, scripts=False)
    assert page.locator(".claim .statement").first.is_visible()
    assert page.is_visible(".without a[href='claims.md']")
    assert not page.is_visible("#filters")
    assert not page.is_visible(".told img")  # nothing is drawn broken, and its file is named
    assert page.text_content(".seen a") == "The picture: figures/figure-2-cell.svg"
    assert not page.is_visible(".card")
    page = visit(whole=tiny)
    assert not page.is_visible(".without")


def test_text_stands_out_from_what_lies_behind_it_in_light_and_in_dark(visit: Any) -> None:
    page = visit()
    open_all(page)
    assert page.evaluate(WIDTH) == 1280
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        count, worst = page.evaluate(CONTRAST)
        assert count > 500
        assert worst == [], scheme
    page.evaluate("document.documentElement.style.setProperty('--dim', '#999')")
    assert page.evaluate(CONTRAST)[1] != []  # the measurement sees what cannot be read


def test_an_audit_of_accessibility_finds_nothing(visit: Any, tiny: Path) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-core is not installed"
    ).Axe()
    # Contrast is measured above, in both schemes and in a fraction of the time.
    options = {"resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": False}}}

    def violations(**overrides: Any) -> list[str]:
        found = axe.run(page, options=overrides or options).response["violations"]
        return [f"{violation['id']}: {violation['nodes'][0]['html'][:120]}" for violation in found]

    page = visit(whole=tiny)
    open_all(page)
    assert violations() == []
    page = visit(whole=tiny, width=PHONE, kept=True)
    assert violations() == []
    page.evaluate("document.querySelector('img').removeAttribute('alt')")
    assert [violation.partition(":")[0] for violation in violations(runOnly=["image-alt"])] == ["image-alt"]


def test_an_open_claim_has_all_its_points_and_its_code(visit: Any) -> None:
    page = visit()
    page.click("#rest button")
    claim = page.locator(f"[id='{NAMES[0]}']")
    rows = claim.locator(".evidence tbody tr")
    claim.locator(".toggle").click()
    assert rows.count() == SHOWN
    assert f"{MANY - SHOWN} more points" in claim.locator("tfoot").text_content()
    cells = [claim.locator(f".evidence tbody tr >> nth={place} >> td").count() for place in (0, SHOWN - 1)]
    assert cells[0] == cells[1]
    claim.locator("details.code summary").click()
    page.wait_for_selector(f"[id='{NAMES[0]}'] .piece pre b")
    assert "def tree_nodes" in claim.locator(".piece").first.text_content()


def test_a_drawing_in_fewer_bytes_looks_the_same(browser: Any) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    figure = Figure(figsize=(4, 3))
    axis = figure.subplots()
    steps = np.linspace(0, 6, 60)
    axis.errorbar(steps, np.sin(steps), yerr=0.2, marker="s", ls="--", label="a line")
    axis.scatter(steps, np.cos(steps), c=["r", "b"] * 30)
    axis.fill_between(steps, np.sin(steps), alpha=0.3)
    axis.legend()
    text = io.StringIO()
    figure.savefig(text, format="svg")
    whole = "data:image/svg+xml;base64," + base64.b64encode(text.getvalue().encode()).decode()
    page = browser.new_page()
    shots = []
    for address in (whole, data_uri(text.getvalue())):
        page.set_content(f'<img src="{address}" width="640">')
        page.wait_for_function("document.images[0].complete")
        shots.append(image.open(io.BytesIO(page.locator("img").screenshot())).convert("L"))
    one, other = (np.asarray(shot, dtype=float) for shot in shots)
    assert (one < 128).mean() > 0.01  # something is drawn
    assert np.abs(one - other).mean() < 2
    assert np.corrcoef(one.ravel(), other.ravel())[0, 1] > 0.98
