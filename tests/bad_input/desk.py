"""A folder with inputs, what earlier runs wrote, and the words of the commands that read and write them."""

from pathlib import Path

from private_experts.replication.stage_cli import flat
from private_experts.replication.study import players

HEADER = "hospital_pk,collection_week,state,patients,beds\n"
WEEKS = ("2021-01-01", "2021-01-08", "2021-01-15")
GOOD = HEADER + "".join(
    f"{pk},{week},NM,{patients}.5,{beds}\n"
    for pk, patients, beds in (("010001", 60, 80), ("010002", 40, 90))
    for week in WEEKS
)
PLAYERS = players.names()
WINDOW = ["--hospital.first_week", "2020-08-07", "--hospital.last_week", "2023-06-04"]
COLUMNS = ["--hospital.columns.patients", "patients", "--hospital.columns.beds", "beds"]
COLUMNS += ["--hospital.columns.participation", "patients"]
OLD = b"what an earlier run wrote\n"


def assert_one_line(code, error):
    assert code == 2
    assert "Traceback" not in error
    assert error.startswith("private-experts: ")
    assert error.endswith("\n")
    assert error.count("\n") == 1


def learners(**changes):
    """Return the section of the config that RW-Meta and its rivals ask for."""
    return {"learners": {"family": "trend", "windows": [2], "strengths": {"a": 1}} | changes}


class Desk:
    """A folder with inputs and, in a folder of its own, what earlier runs wrote."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"
        games = ("totals.csv", "curves.csv", "report-noise.csv")
        tables = ("reports.csv", "quality.csv", "suppression.csv", *games)
        for name in ("provenance.json", "panels/NM.csv", *tables):
            path = self.out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(OLD)

    def save(self, content, name="input.csv") -> Path:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.out)): path.read_bytes()
            for path in self.out.rglob("*")
            if path.is_file()
        }

    def reports(self, path, *more, source="file"):
        words = ["reports", "--source", source, "--columns", "patients", "beds", *WINDOW, *COLUMNS]
        words += ["--file", path] if path else []
        words += ["--output", self.out / "reports.csv", "--provenance", self.out / "provenance.json"]
        return [*words, *more]

    def panels(self, path, *more, states=("NM",), required=("NM",)):
        words = ["panels", "--reports", path, "--states", *states, "--hospital.states", *required]
        words += [*COLUMNS, "--hospital.suppressed_value", "2"]
        words += ["--hospital.participation_minimum", "100", "--hospital.smallest_beds", "0"]
        words += WINDOW
        words += ["--folder", self.out / "panels", "--suppression", self.out / "suppression.csv"]
        return [*words, "--quality", self.out / "quality.csv", *more]

    def game(self, player, panel, *more, levels=("1",), repetitions="3", seed="1", settings=None):
        words = ["games", "--algorithm", player, "--panels", panel, "--privacy_levels", *levels]
        words += ["--repetitions", repetitions, "--seed", seed]
        if player in PLAYERS and "learners" in players.sections(player):
            words += ["--settings", *flat(settings or learners())]
        for name in ("totals", "curves", "report-noise"):
            words += [f"--{name}", self.out / f"{name}.csv"]
        return [*words, *more]

    def panel(self) -> Path:
        # as many as all players need
        figures = [(f"2021-01-{day:02}", 80.0, 0.75, 0.25) for day in range(1, 17)]
        rows = ["week,smallest_beds,010001,010002", *(",".join(map(str, row)) for row in figures)]
        beds = ["week,010001,010002", *(f"{week},80.0,80.0" for week, *_ in figures)]
        self.save("\n".join(beds) + "\n", "NM.beds.csv")
        return self.save("\n".join(rows) + "\n", "NM.csv")

    def three_stages(self):
        return self.reports(self.save(GOOD)), self.panels(self.save(GOOD)), self.game("rw-ftpl", self.panel())
