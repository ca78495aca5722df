"""What the reader's commands print fits the terminal, and has colours there alone."""

from private_experts.replication.verify import reader_report as report
from tests.replication.ledger.ledgers import KNOWN


def test_a_line_of_the_list_fits_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = report.listing(list(KNOWN.claims.values()), {})
    assert {len(line) for line in lines[:-2]} == {80}


def test_verdicts_have_colours_on_a_terminal_alone(monkeypatch):
    line = "000/theorem-1  holds  tight  it holds"
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert report.coloured(line) == line
    monkeypatch.setattr(report.sys.stdout, "isatty", lambda: True, raising=False)
    assert report.coloured(line) == "000/theorem-1  \x1b[32mholds\x1b[0m  tight  it holds"
    monkeypatch.setenv("NO_COLOR", "1")
    assert report.coloured(line) == line
