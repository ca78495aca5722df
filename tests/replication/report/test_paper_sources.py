"""The sources of both papers, of the letter and of the notebook fit together, without running any."""

import math
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from private_experts.replication.report import proofs, report_facts, short_tables
from private_experts.replication.report.notebook import entries
from private_experts.replication.report.typeset import FACTS, PAPERS
from private_experts.replication.study.published import FIRST_WEEK, LAST_WEEK, WEEKS, printed
from tests.each import each
from tests.replication.ledger.ledgers import KNOWN, everything
from tests.sources import unbalanced

ROOT = Path(__file__).parents[3]
PREAMBLE, REPORT, THEOREMS = (
    (ROOT / f"paper/{name}.tex").read_text(encoding="utf-8") for name in ("preamble", *PAPERS)
)
BOTH = REPORT + THEOREMS
NOTEBOOK = ROOT / "paper/replication.py"
CELLS = NOTEBOOK.read_text(encoding="utf-8")
RULES = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted((ROOT / "workflow/rules").glob("*.smk"))
)

# In Debian's texlive-latex-base and texlive-latex-recommended, and what those depend on.
PACKAGES = {
    *("geometry", "amsmath", "amssymb", "amsthm", "array", "booktabs", "graphicx", "hyperref", "tabularx")
}

INPUTS = {*re.findall(r"\\(?:input|tableifmade)\{([^}#]+)\}", PREAMBLE + BOTH)}
SHORT = [*short_tables.TABLES, "short-numbers", "number-sources", "findings"]


def _made(kind: str, name: str) -> bool:
    """Tell whether a rule makes this table or figure."""
    listed = [names for names in re.findall(r"name=\[([^\]]*)\]", RULES) if f'"{name}"' in names]
    return f"<paper>/{kind}/{name}" in RULES or bool(listed)


def test_the_papers_balance_and_ask_for_no_package_beyond_debians_two():
    assert [unbalanced(text) for text in (PREAMBLE, REPORT, THEOREMS)] == [""] * 3
    used = re.findall(r"\\usepackage(?:\[[^\]]*\])?\{([^}]*)\}", PREAMBLE + BOTH)
    assert {name for names in used for name in names.split(",")} == PACKAGES
    assert (PREAMBLE + BOTH).isascii()
    assert unbalanced(REPORT.replace(r"\end{abstract}", "")) != ""
    assert unbalanced(REPORT.replace(r"\caption{Verdicts", r"\caption{{Verdicts")) != ""
    assert unbalanced("100 \\% { % }\n}") == ""


def test_everything_it_inputs_and_all_figures_of_the_ledger_are_made_by_a_rule():
    assert {*SHORT, "preamble", FACTS.removesuffix(".tex")} == INPUTS
    assert not _made("tables", "table-3")
    assert [short.source for short in short_tables.TABLES.values() if not _made("tables", short.source)] == []
    assert f'"<paper>/{FACTS}"' in RULES

    figures = {figure["name"]: figure["draw"] for figure in everything()["figures"]}
    assert {"figure-1", "figure-2"} <= figures.keys()
    assert [name for name, draw in figures.items() if not draw and not _made("figures", name)] == []


def test_every_theorem_of_the_second_paper_has_its_proof_there():
    requests = proofs.requests(THEOREMS)
    shown, stated = (
        {request[1:] for request in requests if request[0] == kind} for kind in ("proofs", "statement")
    )
    assert len(stated) == THEOREMS.count(r"\begin{theorem}") > 5
    assert stated <= shown


def test_every_number_that_the_prose_cites_is_made_of_a_table_and_none_is_idle():
    assert {*re.findall(r"\\numberof\{([^}#]+)\}", BOTH)} == {*short_tables.NUMBERS}
    sources = {number.source for number in short_tables.NUMBERS.values()} - KNOWN.claims.keys()
    assert [source for source in sources if not _made("tables", source)] == []


# Numbers that may be typed, by where they are from. All results are written by the run.
GIVEN = (
    # of the papers
    *(f"{WEEKS} weeks", f"over {WEEKS}", "8, 16, 32 and 64 weeks", "1.5 to 3", "about 0.9", r"round 90\%"),
    *("add up to 100 (paper: 100 suspected cases)", "Theorem~5.2", "Theorem 5.2", "sensitivity 1."),
    "first gains 1 in every round",
    # of the data and their source
    *("below 4 are suppressed", f"{FIRST_WEEK} to {LAST_WEEK}", "E003-1, E003-4"),
    # settings of the study and of its tables
    *("100 games", r"95\,\%", r"99.9\,\%", "for 2 patients", r"$\mu = 0.25$", r"$\mu \ge 0.5$"),
    *(r"$\mu = 1$", "$k = 2$", "$k = 1$", "$r_i = 1/b_i$", "$1/\\varepsilon$", "$1, \\dots, m$", "$2t$"),
    "a level of 1 ",
)
_NAMES = re.compile(
    r"\\(?:ref|pageref|label|cite|(?:number|value|bound|point|proofs|statement|figure)of|tableifmade"
    r"|texttt|setlength|vspace)"
    r"(?:\{[^{}]*\})+|p\{[^}]*\}|claim 00\d/[\w/.-]+|(?<!\\)%.*"
)
_PLACES = re.compile(r"(?:Theorem|Table|Algorithm|Section|Remark)[~ ]\d\b|\(\d\)~")
_FORMULA = re.compile(r"\$[^$]+\$")
_VALUE = re.compile(r"(?<![\d.])\d(?![\d.])")
_EQUAL = re.compile(r"(?:=|\\approx|\\sim)\s*(?:\{\})?\s*-?\d|^\$-?\d")
_COUNT = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|twenty|thirty|forty|fifty|"
    "hundred|thousand|a dozen|half|a third|a quarter"
)
# How the outcome of a run would be told in words: so many of so many, so many times; and twice, which a
# formula's words may say as well.
_MANY_OF_MANY = re.compile(
    rf"\b(?:(?:{_COUNT}) (?:out )?of (?:the |our |all )*(?:{_COUNT}|cells|states|settings|weeks|claims)|"
    rf"(?:{_COUNT}) (?:times|per ?cent|cells|settings|claims|errata|points)|in (?:{_COUNT}) states)\b",
    re.IGNORECASE,
)
_TWICE = re.compile(r"\b(?:twice|thrice|double|triple)\b")


def typed(text: str) -> list[str]:
    """Return the numbers that are typed in a paper, but for names and places.

    A single digit of a formula is a constant, unless the formula says that something equals it. Words are
    numbers where they tell an outcome.
    """
    words = " ".join(_NAMES.sub("", text.partition(r"\begin{document}")[2]).split())
    for given in GIVEN:
        words = words.replace(given, "")
    words = _FORMULA.sub(
        lambda formula: formula[0] if _EQUAL.search(formula[0]) else _VALUE.sub("", formula[0]), words
    )
    words = _PLACES.sub("", re.sub(r"\\begin\{tabbing\}.*?\\end\{tabbing\}", "", words))
    return [*re.findall(r".{0,20}\d[\d.]*", words), *_MANY_OF_MANY.findall(words), *_TWICE.findall(words)]


def test_no_number_that_is_typed_is_a_result():
    assert typed(REPORT) == typed(THEOREMS) == []
    assert [given for given in GIVEN if given not in " ".join(BOTH.split())] == []


@each(
    ("old", "new", "found"),
    [
        (r"up to \numberof{own gain}\,\% more", r"up to 51\,\% more", "up to 51"),
        (r"$\Delta_t = ", r"$0.9\Delta_t = ", "$0.9"),
        (r"in \numberof{cells ahead}", "in nine of twelve cells", "nine of twelve"),
        (r"up to \numberof{own gain}\,\% more", "twice as much", "twice"),
    ],
)
def test_a_result_that_is_typed_is_found(old, new, found):
    assert REPORT.count(old) >= 1
    assert any(place.endswith(found) for place in typed(REPORT.replace(old, new, 1)))


# Parts of the mathematics with numbers, but without a claim: where their numbers are from.
SHOWN = {
    "000:fresh-noise": "constants of the normal law",
    "000:independence-rates": "computed again by tests/algorithms/test_hedge_bounds.py",
    "000:adaptive-rate": "computed again by tests/algorithms/test_hedge_bounds.py",
    "leaders:means": "constants that the proof gives, of claim 002/whole-blocks-constants",
}


def without_source(parts: Mapping[str, str]) -> list[str]:
    """Return the parts with a number of two digits or more, for which no claim is named and none is about."""
    about = set(re.findall(r"csname claims@([\w:-]+)\\", report_facts.facts(everything())))
    return [
        name
        for name, part in parts.items()
        if re.search(r"(?<![\d./:\w-])(?:\d+\.\d+|\d{2,})(?![\w:/-])", _NOT_NUMBERS.sub("", part))
        or _MANY_OF_MANY.search(part)
        if name not in about and not re.search(r"`00\d/[\w/-]+`", part)
    ]


# Years of works, addresses, lemmas of a paper by number, and short names of papers.
_NOT_NUMBERS = re.compile(r"\]\([^)]*\)|\b(?:19|20)\d\d\b|\b00\d\b|\d{4}\.\d{5}|[A-Z]\w+ \d\.\d+")


def test_numbers_of_proofs_are_of_claims_or_computed_again():
    parts = {
        f"{document}:{anchor}": proofs._part(ROOT / f"docs/mathematics/{document}.md", anchor)
        for kind, document, anchor in proofs.requests(BOTH)
        if kind == "proofs"
    }
    assert len(parts) > 30
    assert without_source(parts) == [name for name in parts if name in SHOWN]
    for outcome in ("is at most 1.37", "is near 235", "holds in nine of twelve cells"):
        assert without_source({"000:nothing": f"It {outcome}."}) == ["000:nothing"]


def test_the_letter_says_what_the_paper_prints_what_readme_found_and_what_claims_expect():
    letter, readme = ((ROOT / name).read_text(encoding="utf-8") for name in ("paper/letter.md", "README.md"))
    weeks = re.search(r"(\d+) of the paper's (\d+) weeks", readme)
    assert f"On {weeks[1]} of the {weeks[2]} weeks" in letter
    least, most = (
        f"{printed(*cell)[ratio]:.2f}"
        for cell, ratio in ((("NM", 0.25), "ratio_to_min_noise"), (("CA", math.inf), "ratio_to_min_regret"))
    )
    assert (
        f"{least} over Min Noise (New Mexico, 0.25)\n   and {most} over Min Regret (California, no" in letter
    )
    expected = KNOWN.claims["000/table-2-words"].statements
    assert "about 0.9 of the best linear model on average, as you say" in letter
    assert (expected["best"], expected["about 90 % on average"]) == ("holds", "holds")


def test_whatever_writes_a_number_says_where_it_is_from():
    facts = report_facts.facts(everything())
    commands = re.findall(r"\\newcommand\{\\(\w+)\}\{(.*)\}", facts)
    assert {name for name, text in commands if not text.startswith(r"\from{")} == {
        *("replicationauthors", "replicationversion", "replicationdate", "replicationdoi", "otherdatawarning")
    }
    cited = re.findall(r"csname claim@(00\d/[^@]*)@[\w ]+\\endcsname\{(.*)\}", facts)
    assert len(cited) > 400
    assert [name for name, text in cited if not re.match(r"\\from\{00\d/[\w/-]+\}\{", text)] == []
    for name in KNOWN.claims:
        assert rf"\csname rests@{name}\endcsname{{claim \href{{index.html\#{name}}}" in facts


def test_every_fact_that_the_prose_cites_is_there():
    given = re.findall(r"\\newcommand\{\\(\w+)\}", report_facts.facts(everything()))
    assert [name for name in given if f"\\{name}" not in PREAMBLE + BOTH] == []
    facts = r"\\([a-z]*(?:replication|verdict|claims|expected|repetitions|warning)[a-z]*)"
    assert {*re.findall(facts, BOTH)} - {*given} == set()


def test_every_claim_that_the_prose_cites_is_in_the_ledger():
    cited = re.findall(r"\\(?:value|bound)of\{([^}#]+)\}|(?<!/)\b(00[0-4]/[a-z0-9/-]+)", BOTH)
    names = {one or other for one, other in cited}
    assert len(names) > 8
    cited_name, claims = report_facts.cited_name, KNOWN.claims.items()
    known = {cited_name(name, part) for name, claim in claims for part in ("", *claim.statements)}
    assert names - known == set()


def test_what_the_notebook_reads_is_an_input_of_its_rule():
    rule = RULES.partition("\nrule notebook:")[2]
    for kind in ("table", "picture"):
        names = re.findall(rf'results\.{kind}\("([^"]+)"\)', CELLS)
        assert names
        for name in names:
            made_by = name.removesuffix("-cell").replace("-", "_")  # a cell of Figure 2 comes with it
            assert f"rules.{made_by}.output" in rule, name
    assert "results.panel(" in CELLS
    assert 'panels("study", study.states)' in rule
    assert "rules.ledger.output.ledger" in rule


def test_all_library_code_that_the_notebook_calls_is_named_in_its_imports(tmp_path):
    assert {
        "private_experts.algorithms:RWAdaBatch",
        "private_experts.replication.report.notebook_reader:find",
    } <= set(entries(NOTEBOOK))
    source = tmp_path / "n.py"
    source.write_text("import private_experts.games.streams\n")
    with pytest.raises(ValueError, match=r"write `from private_experts\.games\.streams import`"):
        entries(source)
