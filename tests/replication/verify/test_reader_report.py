"""What the reader's commands print fits the terminal, and has colours there alone."""

from dataclasses import asdict

from private_experts.replication.verify import reader_report as report
from private_experts.replication.verify.recomputing import Answer, Question
from tests.replication.ledger.ledgers import KNOWN

FAILS = {"verdict": "fails"}


def test_a_line_of_the_list_fits_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = report.listing(list(KNOWN.claims.values()), {})
    assert {len(line) for line in lines[:-2]} == {80}


def test_a_terminal_of_no_width_counts_as_a_narrow_one(monkeypatch):
    for columns, width in (("1", 40), ("39", 40), ("41", 41)):
        monkeypatch.setenv("COLUMNS", columns)
        assert report.width() == width


def test_where_a_printed_proof_alone_fails_the_terminal_says_so():
    claims = [KNOWN.claims[f"004/{name}/as-printed"] for name in ("theorem-3-1-proof", "leader-sign")]
    slips = [KNOWN.errata[claim.erratum] for claim in claims]
    entries = {claim.id: FAILS | {"erratum": asdict(slip)} for claim, slip in zip(claims, slips, strict=True)}
    listed = [line for line in report.listing(claims, entries) if "as-printed" in line]
    told = [
        report.line(Answer(Question(claim, 1), [], FAILS), None, slip)
        for claim, slip in zip(claims, slips, strict=True)
    ]
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
