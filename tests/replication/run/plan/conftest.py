"""A study of three jobs with a package of its own: two players, and a table of what they gained."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import pytest

from private_experts.replication.command_line import FLAGS, PARAMS, Config, Output
from private_experts.replication.files import sha256
from private_experts.replication.run.fingerprint import Source, stamp
from private_experts.replication.run.plan.jobs import Job, Record, Study
from tests.replication.run.fingerprint.toy import put

PACKAGE = {
    "tables.py": "from private_experts.players import NAMES\n\n\ndef table():\n    return NAMES\n",
    "players.py": """
        from private_experts.rules import best, worst

        NAMES = ["bold", "shy"]


        def bold(gains):
            return helped(gains)


        def helped(gains):
            return best(gains)


        def shy(gains):
            return worst(gains)
        """,
    "rules.py": "def best(gains):\n    return max(gains)\n\n\ndef worst(gains):\n    return min(gains)\n",
}
LOCK = "numpy==2.1.0\nscipy==1.15\n"


def games(
    seed: Annotated[int, Config("seed")],
    columns: Annotated[Sequence[str], FLAGS],
    settings: Annotated[str, FLAGS],
    output: Output,
) -> None:
    """Play."""


def checks(asked: Annotated[str, PARAMS], output: Output) -> None:
    """Check."""


class Desk(NamedTuple):
    """A study in a folder, and how it was when its jobs ran."""

    root: Path
    jobs: dict[str, Job]

    def source(self) -> Source:
        return Source(self.root)

    def study(self, *jobs: Job, took: Mapping[str, float] | None = None) -> Study:
        made = frozenset(path for job in jobs for path in job.outputs)
        code, logs, config = self.root / "results/code", self.root / "logs", self.root / "study.yaml"
        return Study(jobs, made, [config], code, logs, took or {}, {"games": games, "checks": checks})

    def edit(self, file: str, old: str, new: str) -> None:
        """Edit a file, and renew the stamps as Snakemake does when it plans."""
        path = self.root / file
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))
        self.stamp()

    def stamp(self) -> None:
        source, lock = self.source(), self.root / "requirements.lock"
        for entry in ("players:bold", "players:shy", "tables:table"):
            stamp(f"private_experts.{entry}", self.root / "results/code", lock=lock, root=source)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "private_experts", PACKAGE)
    (tmp_path / "requirements.lock").write_text(LOCK)
    (tmp_path / "study.yaml").write_text("seed: 1\n")
    (tmp_path / "data.csv").write_text("1,2\n")
    desk = Desk(tmp_path, {})
    desk.stamp()
    code = tmp_path / "results/code"
    command = "private-experts --account games --seed 1 --columns a b --output {} 2> x.log"
    for name in ("bold", "shy"):
        inputs, output = [str(code / f"players.{name}.txt"), "data.csv"], f"{name}.csv"
        desk.jobs[name] = _done("games", {"algorithm": name}, inputs, output, command.format(output), ())
    inputs = [str(code / "tables.table.txt"), "bold.csv", "shy.csv"]
    desk.jobs["table"] = _done("table", {}, inputs, "table.md", "private-experts table", (0, 1))
    return desk


def _done(
    rule: str, wildcards: dict[str, str], inputs: list[str], output: str, command: str, after: Sequence[int]
) -> Job:
    Path(output).write_text(output)
    record = Record(inputs, {path: sha256(Path(path)) for path in inputs}, command, Path(output).stat().st_mtime)
    log = str(Path("logs", *wildcards.values(), f"{rule}.log").absolute())
    return Job(rule, wildcards, inputs, [output], log, command, True, after, record, False, "")
