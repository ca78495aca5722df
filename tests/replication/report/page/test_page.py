"""The page as a file: whatever the papers say is on it, and wrong input is told in one line."""

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from private_experts.errors import InputError
from private_experts.replication.ledger.ledger import MAIN_FIGURES, code_of
from private_experts.replication.ledger.verdicts import is_papers
from private_experts.replication.report import claims_stages, findings
from private_experts.replication.report.page import page_document
from private_experts.replication.report.page.evidence_rows import SHOWN
from private_experts.replication.report.page.page_document import flush_left
from private_experts.replication.study.statements import RATIO
from tests.each import each
from tests.replication.report.page.conftest import LEDGER, MANY, left, small, verdicts, write
from tests.replication.report.page.reading import filled, unpacked
from tests.replication.report.test_findings import in_order, sentences

Build = Callable[..., str]
VERDICTS = verdicts(LEDGER)
Change = Callable[[dict[str, Path]], object]


def of(name: str, change: Callable[[dict[str, Any]], object]) -> Change:
    """Return what changes a record that a run left, in its place."""

    def changes(options: dict[str, Path]) -> None:
        record = json.loads(options[name].read_text(encoding="utf-8"))
        change(record)
        options[name].write_text(json.dumps(record), encoding="utf-8")

    return changes


def changed(**changes: Any) -> Change:
    """Return what changes the first claim of a ledger."""
    return of("ledger", lambda record: record["claims"][0].update(changes))


class Seen(HTMLParser):
    """Ids, tags and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id" and value]

    def updatepos(self, i: int, j: int) -> int:
        """Do not count lines: nobody asks where a tag stands."""
        return j


@pytest.fixture(scope="module")
def text(everything: Path) -> str:
    return filled(everything.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def seen(text: str) -> Seen:
    return Seen(text)


def test_every_claim_erratum_figure_and_paper_of_the_ledger_is_on_the_page(text: str, seen: Seen) -> None:
    assert len(seen.ids) == len({*seen.ids})
    assert {*LEDGER.claims} <= {*seen.ids}
    assert {claim.erratum for claim in LEDGER.claims.values() if claim.erratum} <= {*seen.ids}
    assert {f"figure/{name}" for name in LEDGER.figures} <= {*seen.ids}
    assert all(paper in text for paper in LEDGER.papers)
    assert {*LEDGER.claims} <= {*re.findall(r"<code>private-experts verify (\S+)</code>", text)}


def test_every_anchor_resolves_and_every_file_is_there(everything: Path, seen: Seen) -> None:
    links = [attributes["href"] or "" for tag, attributes in seen.tags if tag == "a"]
    anchors = {link.partition("#")[2] for link in links if link.startswith(("#", "?"))}
    assert len(anchors) > len(LEDGER.claims)
    assert anchors <= {*seen.ids}
    files = {link.partition("#")[0] for link in links if not link.startswith(("#", "?", "https:"))}
    assert len(files) > len(LEDGER.claims)
    assert {link for link in files if not (everything.parent / link).exists()} == set()


def test_the_main_figures_come_before_the_others(text: str) -> None:
    main, further = text.split("<h3>Further figures</h3>")
    assert tuple(re.findall(r'<figure id="figure/([^"]+)"', main)) == MAIN_FIGURES
    assert "<h3>Main figures</h3>" in main
    assert '<figure id="figure/' in further


def test_every_picture_has_words_and_nothing_is_fetched(seen: Seen) -> None:
    pictures = [attributes for tag, attributes in seen.tags if tag == "img"]
    assert len(pictures) == len(LEDGER.figures) + 1  # with that of the summary
    for attributes in pictures:
        assert len(attributes["alt"] or "") > 20
        assert (attributes["src"] or "").startswith("data:image/svg+xml,")
    for tag, attributes in seen.tags:
        assert "style" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        if tag in ("script", "link", "iframe", "object", "video", "audio"):
            assert attributes.get("src") is None
            assert (attributes.get("href") or "data:,") == "data:,"
        if tag == "a" and re.match(r"[a-z]+:|//", attributes["href"] or ""):
            assert attributes["href"] in LEDGER.addresses.values()


def test_the_policy_names_the_style_and_the_scripts_that_stand_there(text: str, seen: Seen) -> None:
    metas = [attributes for tag, attributes in seen.tags if tag == "meta"]
    (policy,) = [str(m["content"]) for m in metas if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; img-src data:;")
    parts = re.findall(r"<(?:style|script)>(.*?)</(?:style|script)>", text, re.DOTALL)
    assert len(parts) == 3
    hashes = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in parts]
    assert re.findall(r"sha256-([^']+)", policy) == hashes
    assert "unsafe" not in policy


def test_a_claim_links_to_its_mathematics_and_is_found_by_the_words_of_its_formulas(
    text: str, seen: Seen
) -> None:
    links = [attributes["href"] or "" for tag, attributes in seen.tags if tag == "a"]
    wanted = [claim for claim in LEDGER.claims.values() if claim.mathematics]
    assert wanted
    for claim in wanted:
        anchor = f"docs/mathematics/{claim.paper}.md#{claim.mathematics}"
        assert any(link.endswith(anchor) for link in links), claim.id
    parts = unpacked(text)
    for name, claim in LEDGER.claims.items():
        _, _, place, said, words, rest = parts[name].split("\t")
        assert (place, said) == (claim.place, " ".join(claim.statement.split()))
        assert all(" ".join(passage.split()) in words for passage in (claim.rule, claim.note))
        assert " ".join(claim.latex.split()) in rest
        assert f" {claim.mathematics} " in rest


def test_the_page_begins_with_the_summary_where_the_data_are_the_projects(
    text: str, everything: Path, build: Build
) -> None:
    def first_screen(page: str) -> str:
        words_said = re.sub(r"<[^>]+>", "", page.partition("<h1>")[2].partition("<nav ")[0])
        return " ".join(unescape(words_said).split())

    parts = sentences(findings.filled(everything.parent / "tables"))
    assert len(parts) > 10
    assert in_order(parts, first_screen(text))
    assert first_screen(text).index("Five questions") < first_screen(text).index(parts[1])
    other = first_screen(build(synthetic=True))
    assert [part for part in parts if part in other] == []
    assert "This run used other data" in other


def test_every_figure_links_to_its_script_its_data_and_what_is_proved(text: str) -> None:
    for name, figure in LEDGER.figures.items():
        shown = text.partition(f'<figure id="figure/{name}">')[2].partition("</figure>")[0]
        # The path stands there in words, for a reader of the page alone, to whom the link leads nowhere.
        [(path, named)] = re.findall(r'href="([^"]+\.py)">([^<]+)<', shown)
        assert path.endswith(f"../{named}")
        assert (Path(__file__).parents[4] / named[named.index("src/") :]).is_file(), named
        assert f"<code>paper/figures/{name}</code>: " in shown
        assert re.search(rf'<a href="figures/{name}\.svg">\s*<img', shown)  # at full size
        for claim in figure.claims:
            assert f"#{LEDGER.claims[claim].mathematics}</a>" in shown
        source = re.search(r'Source: <a href="([^"]+)">\w', shown)
        assert source or not figure.claims or "Source:" not in figure.caption, name
        assert not source or source[1].endswith((f"/{name}.csv", *(f"#{claim}" for claim in figure.claims)))


def test_code_is_listed_and_of_a_long_table_how_many_rows_are_left_out_and_which_are_vacuous(
    text: str,
) -> None:
    for part in ("stages.rw_meta", "d" * 64, "checks.p000.tree_baseline:tree_nodes", "e" * 64):
        assert part in text
    first = next(iter(LEDGER.claims))
    assert re.search(rf"{MANY - SHOWN} more points are in.*{first}\.csv</a>", text)
    assert text.count("19 of them vacuous") == 1
    assert 'id="fails-alone"' in text  # a statement that fails and belongs to no erratum


def test_a_claim_links_to_the_public_version_of_its_paper(text: str) -> None:
    assert {*LEDGER.addresses} == {*LEDGER.papers}
    for name, claim in LEDGER.claims.items():
        start = text.index(f'id="{name}"')
        card = text[start : text.index("</tbody>", start)]
        assert f'paper {claim.paper}: <a href="{LEDGER.addresses[claim.paper]}"' in card, name
        # of the code that the page shows, as an edit above it does not check the claim again
        assert f"</a>, line {code_of(claim)['line']}<" in card, name
        told = [f'<p class="label">{label}</p>' in card for label in ("Counterexample", "Nearest to failing")]
        verdict = VERDICTS[name]["verdict"]
        assert told == [verdict == "fails", verdict in ("holds", "undecided")], name


def test_the_code_of_every_check_is_in_the_page_once_and_shown_by_its_claim_and_module(
    everything: Path,
) -> None:
    text = everything.read_text(encoding="utf-8")
    parts = unpacked(text)
    inside = [re.search(r'class="code" data-parts="([^"]*)"', part) for part in parts.values()]
    wanted = [found[1].split() for found in inside if found]
    assert Counter(names[0] for names in wanted) == Counter(claim.check for claim in LEDGER.claims.values())
    modules = re.findall(r'<details class="module" data-parts="([^"]*)"', text)
    listed = [name for module in modules for name in parts[module].split('"')[1].split()]
    pieces = {name for names in wanted for name in names}
    assert pieces == {*listed} == {name for name in parts if ":" in name}
    assert len(listed) == len({*listed})


def test_what_is_opened_later_is_not_in_the_page_itself(everything: Path) -> None:
    text = everything.read_text(encoding="utf-8")
    page, parts = Seen(text), unpacked(text)
    places = [name for _, seen in page.tags for name in (seen.get("data-parts") or "").split()]
    assert len(places) == len({*places})
    assert {*places} <= {*parts}
    assert len(page.tags) < 15_000
    headings = [tag for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
    assert headings.count("h1") == 1
    assert all(int(later[1]) <= int(former[1]) + 1 for former, later in pairwise(headings))


def test_what_the_papers_do_not_say_stands_apart_from_their_errata(text: str, seen: Seen) -> None:
    own, others = text.split('<section id="elsewhere"')
    papers = {name: is_papers(vars(erratum)) for name, erratum in LEDGER.errata.items()}
    for name, counts in papers.items():
        assert (f'<details class="card" id="{name}"' in own) == counts, name
        assert (f'<details class="card" id="{name}"' in others) == (not counts), name
    assert f'Errata <span class="n">{sum(papers.values())}</span>' in text


def test_a_link_to_filtered_claims_says_how_many_it_shows(text: str, seen: Seen) -> None:
    shown = Counter(
        (attributes["data-paper"], attributes["data-verdict"])
        for _, attributes in seen.tags
        if "data-verdict" in attributes and "step" not in (attributes["class"] or "").split()
    )
    found = text[text.index('id="found"') : text.index('id="data"')]
    links = re.findall(r'href="\?paper=(\w+)&amp;verdict=([\w%]+)#claims">(\d+) ', found)
    assert {(paper, verdict.replace("%20", " ")): int(count) for paper, verdict, count in links} == shown


def test_what_rests_on_our_weeks_says_so(text: str, build: Build) -> None:
    box = text[text.index("<h3>The reproduction of Table 2</h3>") :]
    for said in (
        "(on 72 weeks of the paper's 148",
        "of confirmed patients where the paper's seem to be confirmed and suspected",
        "it leads its three rivals in 6 of 34 states, and gains less than one of them in 5",
    ):
        assert said in box
    for said in (
        "it holds in 19 of 24 cells",
        "has 0.71 of the promised level (larger is worse), not 0.060 to 0.080",
        "is 0.90 at μ = ∞ and 0.90 at μ = 0.25, where the printed totals give 0.90 and 0.87",
        "in New York, whose file has both, the ratio is 0.97, 0.94 with confirmed patients",
        "of 2 other states that were tried, it gains more on own counts in 1 at each level",
    ):
        assert said in text
    assert "of the paper's 148)" not in build(synthetic=True)


def test_other_states_are_read_if_this_run_has_tried_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[list[dict[str, str]]] = []
    monkeypatch.setattr(page_document, "view", lambda *_, **parts: given.append(parts["own_elsewhere"]))
    monkeypatch.setattr(page_document, "render", lambda seen: "")
    options = left(tmp_path, ledger=small(7))
    claims_stages.page(**options)
    of("manifest", lambda record: record.update(outputs={}))(options)  # left by a run of another config
    claims_stages.page(**options)
    assert [len(rows) for rows in given] == [2, 0]


def test_a_statement_that_fails_is_named_on_the_first_screen_and_in_the_row_of_its_claim(text: str) -> None:
    statement = f'<span class="verdict fails">fails</span> {RATIO.words}'
    first = text.index('id="data"')
    assert statement in text[:first]
    assert statement in text[first:]


def test_a_small_run_says_so_before_its_verdicts_and_beside_its_figures(text: str, build: Build) -> None:
    built = build(of("manifest", lambda record: record["config"]["values"].update(evidence={"quick": True})))
    assert built.index("SMALL RUN") < built.index('class="summary"')
    assert built.count('alt="As a full run draws it: ') == built.count("<figure id=") > 0
    assert "SMALL RUN" not in text
    assert "As a full run draws it" not in text


def test_the_state_of_the_data_comes_first_and_is_loud_when_synthetic(text: str, build: Build) -> None:
    assert text.index("State of the data: real hospital reports") < text.index('id="claims"')
    seen = " ".join(text[text.index('id="data"') : text.index('id="verdicts"')].split())
    for words_said in (
        "6 are there, 4 of these, in another colour, copied by hand, and 142 are missing",
        "a figure that repeats and is not 0 is taken as hidden",
        "A zero can mean that nothing was reported",
        "confirmed, where the paper seems to count confirmed and suspected",
        "With noise on own counts, in a public file with hidden small figures the worst level is 6.5",
    ):
        assert words_said in seen
    for words_said in ("copied by hand", "A zero can mean", "The promise is about"):
        assert words_said not in build(synthetic=True)
    assert "ab" * 32 in text
    assert "SYNTHETIC" not in text
    loud = build(synthetic=True)
    assert "<title>SYNTHETIC DATA" in loud
    assert '<section id="data" aria-labelledby="data-title" class="synthetic">' in loud
    assert loud.count("SYNTHETIC DATA") >= 4
    assert "real hospital reports" not in loud
    for compares in ("How it differs", "Other learners have another slope"):
        assert compares in text
        assert compares not in loud
    assert "other games to decide the lead" not in loud  # which were not played


@each(
    ("kind", "title"), [("file", "the file of a user"), ("healthdata", "real hospital reports, downloaded")]
)
def test_a_page_of_other_data_says_whose_they_are_and_that_verdicts_are_as_found(
    text: str, build: Build, kind: str, title: str
) -> None:
    built = build(of("manifest", lambda record: record["data"].update(kind=kind)))
    assert f"State of the data: {title}</h2>" in built
    words_said = "Verdicts that rest on data are shown as found"
    assert (words_said in built, words_said in text) == (True, False)


def test_what_the_papers_say_cannot_become_part_of_the_pages_code(build: Build) -> None:
    words = "</script><script>alert(1)</script><img src=x onerror=alert(1)> \"'&"
    page = build(changed(statement=words, note=words, rule=words, place=words, command=words, reason=words))
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert page.count("&lt;/script&gt;") >= 5


def test_a_page_without_any_time_or_erratum_is_a_page(build: Build) -> None:
    def forget(options: dict[str, Path]) -> None:
        options["logs"] = options["logs"] / "none"
        alone = {"erratum": None, "expected": None}
        of("ledger", lambda record: record.update(claims=[record["claims"][0] | alone], figures=[]))(options)

    page = build(forget)
    assert "Nothing was measured." in page
    assert "The papers have no errata." in page


@each(
    ("change", "words_said"),
    [
        (lambda o: o["manifest"].write_text("{}"), "manifest.json: 'code' is missing"),
        (changed(latex=r"\frac{1}"), "claims: 000/tree-nodes: the formula"),
        (
            lambda o: write(evidence := o["evidence"] / "000/tree-nodes.csv", f"{evidence.read_text()}1\n"),
            "tree-nodes.csv: a row is longer or shorter",
        ),
        (
            lambda o: (o["paper"] / "figures/figure-2.svg").write_bytes(b"\xff\xfe"),
            "figure-2.svg: is not text",
        ),
    ],
)
def test_input_that_is_garbled_is_told_in_one_line(change: Change, words_said: str, build: Build) -> None:
    with pytest.raises(InputError, match=re.escape(words_said)) as built:
        build(change)
    assert "\n" not in str(built.value)


def test_indentation_goes_but_in_code_scripts_and_styles() -> None:
    kept = "<pre>a\n  b</pre>", '<script type="x">\n  c\n</script>', "<style>\n  d</style>"
    assert flush_left(f"<p>\n  <i>x  y</i>\n\n    {kept[0]}\n  {kept[1]}{kept[2]}\n  </p>") == (
        f"<p>\n<i>x  y</i>\n{kept[0]}\n{kept[1]}{kept[2]}\n</p>"
    )
