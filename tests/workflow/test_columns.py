"""A table that lacks a column is refused in one line, by every stage that reads a table."""

import csv
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from private_experts.replication.plotting import figures, tables
from private_experts.replication.report import job_record
from private_experts.replication.stage_cli import is_rule
from private_experts.replication.workflow.cli import stages
from tests.bad_input.desk import assert_one_line
from tests.workflow.conftest import Asking, Project

# Tables among the inputs of a stage that it lists or links to, and does not open. The notebook's cells read
# tables as they like, and cost a kernel each time.
NOT_OPENED = {"manifest": "/paper/", "page": "/paper/tables/(?!table-2)", "notebook": ""}
# columns of a table that a stage need not have, before the others of that table are taken for granted
SPARE = 3
Command = Callable[..., tuple[int, str]]


class Reading(NamedTuple):
    """A stage's command in one job, and the tables that it reads."""

    stage: str
    words: list[str]
    tables: list[str]


def readings(source_text: str) -> Iterator[Reading]:
    """Yield one job of each kind from what a dry run prints."""
    for block in re.split(r"^(?:local)?rule (?=\w+:$)", source_text, flags=re.MULTILINE)[1:]:
        command = re.search(r"private-experts --account (.*?) +2> ", block, re.DOTALL)
        inputs = re.search(r"^    input: (.*)$", block, re.MULTILINE)
        if command and inputs:
            words = shlex.split(command[1])
            stage = words[0].replace("-", "_")
            tables = [path for path in inputs[1].split(", ") if path.endswith(".csv")]
            closed = NOT_OPENED.get(stage)
            yield Reading(
                stage, words, [path for path in tables if closed is None or not re.search(closed, path)]
            )


@contextmanager
def lacking(path: Path, column: str) -> Iterator[None]:
    """Take a column out of a table, and put it back in the end."""
    before = path.read_text(encoding="utf-8")
    rows = list(csv.reader(before.splitlines()))
    place = rows[0].index(column)
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([*row[:place], *row[place + 1 :]] for row in rows)
    try:
        yield
    finally:
        path.write_text(before, encoding="utf-8")


def test_every_stage_refuses_a_table_that_lacks_a_column_that_it_needs(
    project: Project, asking: Asking, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root)
    found = list(readings(asking(project, "--forceall", "-n", "-p")))
    rules = {name for name, stage in stages().items() if is_rule(stage)}
    rules -= {"own_counts_elsewhere"}  # a study of one state has no others
    assert {stage_columns.stage for stage_columns in found} == rules
    for module, name in ((figures, "save"), (tables, "write")):  # what lacks nothing need not be drawn
        monkeypatch.setattr(module, name, lambda *_: None)
    for name in ("check", "refuse_changes"):  # no file is any more what its job wrote
        monkeypatch.setattr(job_record, name, lambda *_: ())
    seen: set[tuple[str, str, str]] = set()
    refused: Counter[str] = Counter()
    spare: Counter[tuple[str, str]] = Counter()
    for stage, words, read in found:
        for table in read:
            header = Path(table).read_text(encoding="utf-8").partition("\n")[0].split(",")
            kind = next((name for name in ("panels", "claims") if f"/{name}/" in table), str(header))
            for column in header[:2] if kind == "panels" else header:  # the others are hospitals
                # Without a column to spare a stage runs as a whole, which takes its time.
                if (stage, kind, column) in seen or spare[stage, kind] == SPARE:
                    continue
                seen.add((stage, kind, column))
                with lacking(Path(table), column):
                    code, error = command(*words)
                if code == 0:
                    spare[stage, kind] += 1
                    continue
                assert_one_line(code, error)
                named = column in error and "is missing" in error
                assert named or re.search("is not (a|of the) panel", error), (stage, table, error)
                refused[stage] += 1
    assert refused.keys() == {stage_columns.stage for stage_columns in found if stage_columns.tables}
