import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from private_experts.replication.run.plan import words
from private_experts.replication.run.plan.jobs import Job
from tests.replication.run.plan.conftest import Desk


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


def told(
    desk: Desk, *pending: str, every: bool = False, took: Mapping[str, float] | None = None, **changes: Job
) -> list[str]:
    jobs = [changes.get(name, job)._replace(pending=name in pending) for name, job in desk.jobs.items()]
    return words.lines(desk.study(*jobs, took=took), desk.source(), 2, every)


def test_nothing_to_do_is_one_line(desk: Desk) -> None:
    assert told(desk) == ["Nothing would run: all 3 jobs stay."]


def test_an_edit_is_told_with_its_file_its_line_the_way_to_it_and_what_it_leads_to(desk: Desk) -> None:
    desk.edit("private_experts/rules.py", "return max(gains)", "return -max(gains)")
    assert told(desk, "bold", "table", took={"bold/games": 3.0, "table": 3.0}) == [
        "2 of 3 jobs would run, for about 6.0 s on 2 cores (6.0 s of work by the last run's times).",
        "",
        "What changed, newest first",
        "  1  private_experts/rules.py:1  best: changed",
        "     games: players:bold > helped > rules:best",
        "",
        "What would run  jobs  about  because of",
        "  games            1  3.0 s  1            bold",
        "  table            1  3.0 s  after games",
        "",
        "What stays: games",
    ]


def test_times_that_nobody_knows_are_not_made_up(desk: Desk) -> None:
    never = desk.jobs["bold"]._replace(record=None)
    Path("bold.csv").unlink()
    first, *_, bold, table, _, stays = told(desk, "bold", "table", bold=never)
    assert first.startswith("2 of 3 jobs would run. None of their kind has run here before")
    assert bold.split()[:6] == ["games", "1", "not", "known", "never", "ran"]
    assert "after games" in table
    assert stays == "What stays: games"


def test_causes_are_sorted_by_the_dates_of_their_files(desk: Desk) -> None:
    desk.edit("private_experts/rules.py", "return max(gains)", "return -max(gains)")
    desk.edit("private_experts/players.py", "return helped(gains)", "return helped(-gains)")
    files = [desk.root / "private_experts" / name for name in ("rules.py", "players.py")]
    for newest in files:
        for path in files:
            os.utime(path, (5 + (path == newest),) * 2)
        first = next(line for line in told(desk, "bold") if line.startswith("  1"))
        assert f"{newest.name}:" in first


def test_few_are_named_unless_all_are_asked_for(desk: Desk) -> None:
    desk.edit("private_experts/rules.py", "return max(gains)", "return -max(gains)")
    bold = desk.jobs["bold"]
    for number in range(6):
        desk.jobs[f"other {number}"] = bold._replace(rule=f"rule-{number}", wildcards={"n": "x" * 30})
        desk.jobs[f"more {number}"] = bold._replace(wildcards={"algorithm": f"{number}" * 30})
    pending = {*desk.jobs} - {"shy", "table"}
    few, all_of_them = (told(desk, *pending, every=every) for every in (False, True))
    assert "     and 4 other rules (--every shows all ways)" in few
    assert sum("players:bold > helped" in line for line in few) == 3
    assert sum("players:bold > helped" in line for line in all_of_them) == 7
    assert max(map(len, few)) <= 120
    assert any(line.endswith("and 5 more") for line in few)
    assert not any("more" in line for line in all_of_them)


def test_a_job_whose_cause_is_not_found_is_told_in_snakemakes_words(desk: Desk) -> None:
    odd = desk.jobs["bold"]._replace(said="Forced execution")
    assert any(line.endswith("Forced execution  bold") for line in told(desk, "bold", bold=odd))
