"""The deployment of the README in the folder of a test: its settings, its figures, its certificate."""

import contextlib
import json
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from examples.hospitals import hospital as hospital_module
from examples.hospitals.coordinator import Coordinator, make_token
from examples.hospitals.hospital import AUTHORITY, OUTBOX, TOKEN, Hospital
from private_experts.errors import InputError

ROOT = Path(__file__).parents[3]
README = (ROOT / "examples/hospitals/README.md").read_text(encoding="utf-8")
DESK, HOUSE = (json.loads(text) for text in re.findall(r"```json\n(.*?)```", README, re.DOTALL))
HEADER = re.findall(r"```text\n(.*?)\n", README)[0]
WEEKS = ("2020-08-07", "2020-08-14", "2020-08-21", "2020-08-28")
FIRST, SECOND = NAMES = ("320001", "320002")
FIGURES = {FIRST: (31.4, 52.1, 18.7, 44.9), SECOND: (22.6, 9.3, 61.8, 37.2)}


class CountedNoise:
    """In the place of secure noise: notes what it protects, and with which scale."""

    simulated = False
    draws: list[tuple[float, float]]

    def perturb(self, values, scale, repetitions):
        self.draws.append((float(values[0]), float(scale[0])))
        return values[None] + scale * np.random.default_rng(len(self.draws)).standard_normal()


class Deployment:
    """A coordinator and two hospitals in this process, with a clock that stands still unless it is moved."""

    def __init__(self, folder: Path, draws: list[tuple[float, float]]) -> None:
        self.folder, self.draws, self.now = folder, draws, 0.0
        self.desk = folder / "desk"
        self.desk.mkdir()
        (self.desk / "setting.json").write_text(json.dumps(DESK | {"weeks": len(WEEKS)}))
        self.tokens = {name: make_token(self.desk, name) for name in NAMES}
        for name in NAMES:
            self.house(name).mkdir()
            own = HOUSE | {"hospital": name, "beds": DESK["hospitals"][name]}
            (self.house(name) / "setting.json").write_text(json.dumps(own))
            (self.house(name) / TOKEN).write_text(self.tokens[name])
            self.figures(
                name, [f"{week},NM,{figure}" for week, figure in zip(WEEKS, FIGURES[name], strict=True)]
            )
        self.coordinator = Coordinator(self.desk, lambda: self.now)
        self.requests: list[tuple[str, str]] = []  # the path and body of all that hospitals sent
        self.lose: tuple[str, str] | None = None  # a path, and whether the request or the answer is lost
        self.announced: dict[str, Any] = {}  # in the place of what the coordinator announces

    def house(self, name: str) -> Path:
        return self.folder / name

    def change(self, folder: Path, **changes: Any) -> None:
        setting = folder / "setting.json"
        setting.write_text(json.dumps(json.loads(setting.read_text()) | changes))

    def figures(self, name: str, rows: list[str]) -> None:
        (self.house(name) / "reports.csv").write_text(
            "\n".join([HEADER, *(f"{name},{row}" for row in rows), ""])
        )

    def restart(self) -> None:
        """Begin the coordinator again, as after a kill."""
        self.coordinator.close()
        self.coordinator = Coordinator(self.desk, lambda: self.now)

    def renew(self, **changes: Any) -> None:
        """Begin a new game, with other settings of all."""
        for folder in (self.desk, *map(self.house, NAMES)):
            self.change(folder, **changes)
        self.coordinator.close()
        (self.desk / "reports.sqlite3").unlink()
        self.restart()

    def ask(self, house: Path, method: str, path: str, body: str | None) -> tuple[int, Any]:
        """Pass on what a hospital asks; a report must be on its disk before."""
        assert path != "/reports" or body in stored(house)
        if self.lose == (path, "request"):
            raise InputError("the line is cut")
        self.requests.append((path, body or ""))
        status, answer = self.coordinator.answer(
            method, path, (house / TOKEN).read_text(), (body or "").encode()
        )
        if self.lose == (path, "answer"):
            raise InputError("the line is cut")
        return status, answer | self.announced if path == "/week" and isinstance(answer, dict) else answer

    def attend(self, name: str, folder: Path | None = None) -> str:
        """Start a hospital, let it do what is due, and end it."""
        house = folder or self.house(name)
        with contextlib.closing(Hospital(house, lambda *request: self.ask(house, *request))) as hospital:
            return hospital.attend()

    def play(self, weeks: int) -> None:
        for name in weeks * NAMES:
            assert self.attend(name).endswith("reported")

    def sent(self) -> list[str]:
        return [body for path, body in self.requests if path == "/reports"]

    def open_week(self) -> Any:
        return self.coordinator.answer("GET", "/week", self.tokens[FIRST], b"")[1]["week"]

    def choices(self) -> list[str]:
        return [week.choice for week in self.coordinator._weeks()]

    def counted(self) -> list[tuple[Any, ...]]:
        return self.coordinator._run("SELECT week, hospital, body, value FROM reports").fetchall()

    def report(self, name: str = FIRST, week: Any = WEEKS[0], value: Any = 0.25, **other: Any) -> str:
        """Return a report that is right for a hospital, unless something else is asked for."""
        terms = self.coordinator.setting.terms[name].facts()
        return json.dumps({"hospital": name, "week": week, "value": value, "terms": terms} | other)

    def post(self, body: str, name: str = FIRST, path: str = "/reports") -> tuple[int, str]:
        """Send a body with the token of a hospital; return the status and the sentence of the answer."""
        status, answer = self.coordinator.answer("POST", path, self.tokens[name], body.encode())
        return status, dict(answer)["answer" if status == 200 else "error"]

    def certify(self) -> None:
        """Make the certificate of the README, and give it to the hospitals."""
        command = re.findall(r"(openssl req.*?)\n```", README, re.DOTALL)[0].replace("desk/", "")
        subprocess.run(command, shell=True, cwd=self.desk, check=True, capture_output=True)
        for name in NAMES:
            shutil.copy(self.desk / "tls.pem", self.house(name) / AUTHORITY)


def stored(house: Path) -> list[str]:
    """Return the reports that are on the disk of a hospital, by the eyes of another process."""
    with contextlib.closing(sqlite3.connect(house / OUTBOX)) as outbox:
        return [
            body
            for (body,) in outbox.execute("SELECT body FROM reports WHERE body IS NOT NULL ORDER BY week")
        ]


@pytest.fixture
def deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployment]:
    draws: list[tuple[float, float]] = []
    monkeypatch.setattr(hospital_module, "SecureNoise", type("Counted", (CountedNoise,), {"draws": draws}))
    deployment = Deployment(tmp_path, draws)
    yield deployment
    deployment.coordinator.close()
