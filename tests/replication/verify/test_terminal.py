"""What fits a terminal, and when there are colours."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from private_experts.replication.ledger.evidence import Point
from private_experts.replication.verify import reader_report, terminal
from private_experts.replication.verify.recomputing import Answer, Question
from tests.replication.ledger.ledgers import KNOWN

ROOT = Path(__file__).parents[3]
WIDE = [Point({"n": n, "level": 0.5}, 1 / 3 / n, 1.0, 0.1 / n, 0.4, notes={"a_note": 1 / 7, "kept": n}) for n in (1, 2)]


@pytest.mark.parametrize("columns", [64, 80, 120])
def test_lists_and_evidence_fit(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    question = Question(KNOWN.claims["000/lemma-3"], seed=1)
    record = {"verdict": "holds", "points": 2, "worst": WIDE[0].row(), "seed": 1, "repetitions": 9}
    answer = Answer(question, [point.row() for point in WIDE], record, 0.1)
    lines = reader_report.heading(question, None, "noise 10 % too small") + reader_report.evidence(answer)
    lines += reader_report.agreements([(answer, None)], 0.1, ["Not compared: " + "so " * 50], [])
    assert max(map(len, lines)) <= columns
    listed = reader_report.listing([(claim, {}) for claim in KNOWN.claims.values()], ran=False)
    longest = max(len(name) for name in KNOWN.claims)
    assert max(map(len, listed)) <= max(columns, longest + len("  unknown  "))


def test_what_all_rows_have_in_common_is_said_once_and_margins_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [point.row() for point in WIDE]
    monkeypatch.setenv("COLUMNS", "30")
    lines = reader_report._table(rows)
    said = "\n".join(lines)
    assert said.startswith("All rows: level 0.5, high 0.4,")
    assert re.search(r"^n +value +low +kept$", said, re.MULTILINE)
    assert "Not shown: margin_high;" in said
    monkeypatch.delenv("COLUMNS")
    assert reader_report._table(rows)[0].split() == [*rows[0]]  # in a file there is room for all


def shown(*words: str, **variables: str) -> str:
    """Return what a command prints on a terminal of 80 columns."""
    outer, inner = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    environment |= {"TERM": "xterm", "COLUMNS": "80"} | variables
    command = [sys.executable, "-m", "private_experts", *words]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=inner, stderr=inner)
    os.close(inner)
    said = b""
    try:
        while part := os.read(outer, 65536):
            said += part
    except OSError:  # how Linux tells that the other end is closed
        pass
    process.wait(timeout=60)
    os.close(outer)
    return said.decode()


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_verdicts_have_colours_on_a_terminal_that_has_them(variables: dict[str, str], coloured: bool) -> None:
    said = shown("verify", "000/tree-nodes", "--results", "docs", **variables)
    assert ("\x1b[32mHOLDS\x1b[0m" in said) == coloured
    lines = re.sub(r"\x1b\[\d+m", "", said).split("\r\n")
    assert max(map(len, lines)) <= 80


def test_a_file_gets_no_colours(capsys: pytest.CaptureFixture[str]) -> None:
    assert terminal.coloured("  holds") == "  holds"
