"""What the reader's commands print fits the terminal, and has colours there alone."""

import re
from dataclasses import asdict, replace

from private_experts.replication.ledger.evidence import Point
from private_experts.replication.verify import reader_report as report
from private_experts.replication.verify.recomputing import Answer, Question
from tests.replication.ledger.ledgers import KNOWN

FAILS = {"verdict": "fails"}
SURE = KNOWN.claims["000/tree-nodes"]


def test_a_line_of_the_list_fits_the_terminal_which_is_not_without_width(monkeypatch):
    for columns, width in (("1", 40), ("39", 40), ("41", 41), ("80", 80)):
        monkeypatch.setenv("COLUMNS", columns)
        assert report.width() == width
    lines = report.listing(list(KNOWN.claims.values()), {})
    assert {len(line) for line in lines[:-2]} == {80}


def test_each_statement_of_a_claim_has_a_line_below_it():
    part = {"name": "growth", "verdict": "fails", "expected": "holds"}
    above, below, *_ = report.listing([SURE], {SURE.id: {"verdict": "holds", "statements": [part]}})
    assert above.startswith(SURE.id)
    assert below.split() == ["growth", "fails"]


def test_what_does_not_fit_in_a_line_goes_on_further_to_the_right(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    first, *lines = report.heading(Question(SURE, 1), None)
    assert first.startswith(f"{SURE.id}  (")
    for line, *more in map(str.splitlines, lines):
        assert re.match(" {2}[^ ]", line)
        assert all(re.match(" {6}[^ ]", part) for part in more)
    assert any("\n" in line for line in lines)


def test_a_claim_of_three_repetitions_has_chance_in_it():
    rows = [Point({"n": 2}, 1.0, 2.0).row()]
    record = {"verdict": "holds", "points": 1, "repetitions": 3, "seed": 5, "worst": rows[0]}
    for cap, chance in ((2, "deterministic"), (3, "3 repetitions, seed 5")):
        question = Question(replace(SURE, cap=cap), 5)
        assert f"; 1 points, {chance}, " in report.evidence(Answer(question, rows, record), None)[-1]


def test_where_a_printed_proof_alone_fails_the_terminal_says_so():
    claims = [KNOWN.claims[f"004/{name}/as-printed"] for name in ("theorem-3-1-proof", "leader-sign")]
    slips = [KNOWN.errata[claim.erratum] for claim in claims]
    entries = {claim.id: FAILS | {"erratum": asdict(slip)} for claim, slip in zip(claims, slips, strict=True)}
    listed = [line for line in report.listing(claims, entries) if "as-printed" in line]
    answers = [Answer(Question(claim, 1), [], FAILS) for claim in claims]
    told = [report.line(answer, None, slip) for answer, slip in zip(answers, slips, strict=True)]
    for lines in (listed, told):
        assert ["fails (proof)" in line for line in lines] == [True, False]


def test_verdicts_have_colours_on_a_terminal_alone(monkeypatch):
    line = "000/theorem-1  holds  tight  it holds"
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert report.coloured(line) == line
    monkeypatch.setattr(report.sys.stdout, "isatty", lambda: True, raising=False)
    assert report.coloured(line) == "000/theorem-1  \x1b[32mholds\x1b[0m  tight  it holds"
    monkeypatch.setenv("NO_COLOR", "1")
    assert report.coloured(line) == line
