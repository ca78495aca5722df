"""The summary: one set of words, at most six numbers, all of the run, and no name that is not explained."""

import re
from pathlib import Path

import pytest

from private_experts.replication.plotting.latex import escaped
from private_experts.replication.report import findings
from private_experts.replication.report.findings import ABSENT, LIMIT, WORDS, Findings, filled, found_numbers
from private_experts.replication.study.own_counts.own_counts_elsewhere import OWN_LEADS
from private_experts.replication.study.statements import BEST, NEGATIVE_REGRET

ROOT = Path(__file__).parents[3]
TABLES = {
    "table-2": "weeks,rw_meta,rw_ftpl,min_noise,min_regret,lead,lead_pm,best_hospital\n"
    "94,12,8,10,9,2,1,13\n90,15,12,9,10,1,2,13\n94,20,1,10,5,1,.5,13\n",
    "readings-statements": "kind,floor,statement,agrees,differs,undecided\n"
    f"trend,2t,{BEST.name},11,0,1\nA kind,2t,{BEST.name},8,1,3\nother,2t,{BEST.name},0,12,0\n"
    f"A kind,none,{BEST.name},0,12,0\nA kind,2t,runner-up,0,12,0\n",
    "readings": "what,floor,family,less_best_low\ntrend,2t,trend,0\nA kind,2t,kind,-.1\nother,2t,other,.1\n"
    "other,none,other,-.1\ntree: padded,,,\n",
    "generality-statements": f'statement,mu,agrees,undecided,differs\n"{BEST.words}",inf,30,2,3\n'
    f'"{BEST.words}",0.25,6,23,5\n"{NEGATIVE_REGRET.words}",inf,30,2,2\n'
    f'"{NEGATIVE_REGRET.words}",1,18,5,11\n"{NEGATIVE_REGRET.words}",0.5,9,0,25\n',
    "own-counts-elsewhere": f'state,mu,"{OWN_LEADS}","{OWN_LEADS} pm"\n'
    "AL,inf,-9,1\nAL,1,2,1\nKS,1,-.5,1\nME,1,-2,1\n",
    "own-counts": "mu,gain_rw_meta,gain_rw_meta_pm\ninf,-9,1\n1,2,1\n.5,2,1\n.1,.5,1\n",
}


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    for name, text in TABLES.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return tmp_path


def sentences(summary: Findings) -> list[str]:
    """Return what must stand wherever the summary stands, in this order."""
    each = [text for found in summary.findings for text in (found.title, found.found, found.limit)]
    return [summary.played, *each, summary.data]


def in_order(parts: list[str], text: str) -> bool:
    """Tell whether a text has these parts one after the other, with anything between them."""
    return bool(re.search(".*".join(map(re.escape, parts)), text, re.DOTALL))


def test_numbers_are_of_the_tables_and_of_the_less_favourable_learners(tables: Path) -> None:
    summary = " ".join(sentences(filled(tables)))
    for said in (
        "1.20 to 2.00 times",  # over the best of three rivals
        "clearly more than the paper's three rivals in most settings, and clearly",
        "and clearly less in at most one setting,",
        "no clear lead in most states and gains clearly less in some states;",  # 28 and 5 of 34
        # without mu = inf
        "gains clearly more in all settings but one with noise and clearly less in no setting",
        "in one state elsewhere it gains less",
        "94 of the paper's 148 weeks",  # of which the second is no table's
    ):
        assert said in summary


@pytest.mark.parametrize(
    ("table", "old", "new", "said"),
    [
        ("table-2", "12,8,10", "12,11.5,10", "1.04 to 2.00 times"),
        ("readings-statements", "8,1,3", "12,0,0", "rivals in all settings but one, and"),
        ("readings-statements", "8,1,3", "9,0,3", "and clearly less in no setting, with"),
        ("readings-statements", "8,1,3", "5,2,5", "rivals in some settings, and"),
        ("table-2", "9,10,1,2", "9,10,-1,2", "ends above its rivals in all settings but one, and"),
        ("table-2", "5,1,.5,13", "5,1,.5,20", "best in hindsight in some settings;"),
        ("generality-statements", "0.25,6,23,5", "0.25,30,2,2", "no clear lead in some states"),
        ("generality-statements", "0.25,6,23,5", "0.25,6,28,0", "and gains clearly less in no state;"),
        ("own-counts", ".1,.5,1", ".1,-2,1", "and clearly less in some settings, at"),
        (
            "generality-statements",
            "0.5,9,0,25",
            "0.5,18,0,16",
            "with moderate noise, it clearly beats that hospital in most states, and clearly trails it in "
            "some states.",  # with less noise it trails in fewer
        ),
        ("own-counts-elsewhere", "ME,1,-2", "ME,1,-.5", "in no state elsewhere it"),
    ],
)
def test_other_numbers_are_other_words(tables: Path, table: str, old: str, new: str, said: str) -> None:
    path = tables / f"{table}.csv"
    path.write_text(path.read_text().replace(old, new))
    summary = filled(tables)
    assert said in " ".join([*sentences(summary), summary.picture])


def test_tables_that_a_config_does_not_make_leave_gaps(tmp_path: Path) -> None:
    assert {number for number, _ in found_numbers(tmp_path).values()} == {ABSENT}
    assert "gains – times as much" in " ".join(sentences(filled(tmp_path)))


def test_readme_has_the_words_and_numbers_of_a_run() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("<!-- findings: begin -->")[2].partition("<!-- findings: end -->")[0].strip()
    words = WORDS.read_text(encoding="utf-8")
    blank = findings.markdown(filled(ROOT / "no tables"))
    written = re.escape(blank).replace(re.escape(ABSENT), "(.+?)")
    assert blank.count(ABSENT) == len(found_numbers(ROOT / "no tables")) == words.count("{")
    numbers = re.fullmatch(written, shown)
    assert numbers, "make docs writes README's summary"
    allowed = r"[\d. to]+|(every|most|some|no|one|at most one) \w+|all \w+ but one"
    assert all(re.fullmatch(allowed, number) for number in numbers.groups())


def test_readme_and_the_pdf_have_the_same_sentences(tables: Path) -> None:
    summary = filled(tables)
    assert in_order(sentences(summary), findings.markdown(summary))
    bare = re.sub(r"\\from\{[^}]*\}\{([^}]*)\}", r"\1", findings.latex(tables))
    assert in_order([escaped(text) for text in sentences(summary)], bare)
    assert LIMIT in findings.markdown(summary)
    assert not in_order(sentences(summary)[::-1], findings.markdown(summary))


def test_each_number_of_the_abstract_leads_to_the_tables_that_it_is_made_of(tables: Path) -> None:
    abstract = findings.latex(tables)
    assert r"\from{table-2}{1.20 to 2.00} times" in abstract
    assert r"\from{readings+readings-statements}{most settings}, and" in abstract
    assert r"\from{own-counts}{all settings but one} with noise" in abstract
    told = WORDS.read_text(encoding="utf-8").partition("\npicture:")[0]
    assert abstract.count(r"\from{") == told.count("{")
    for name in ("table-2", "readings", "generality-statements", "own-counts", "own-counts-elsewhere"):
        (tables / f"{name}.csv").unlink()
    assert {number for number, _ in found_numbers(tables).values()} == {ABSENT}
