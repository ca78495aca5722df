"""Hospitals and a coordinator in this process: what a hospital sends goes to the desk, and is noted."""

import json
import shutil
from pathlib import Path
from typing import Any

from examples.hospitals.hospital import TOKEN, Hospital
from examples.hospitals.sending import Answer, Line
from examples.hospitals.server import application
from examples.hospitals.setting import Setting
from examples.hospitals.store import DATABASE
from examples.hospitals.tokens import HASHES, Tokens
from examples.hospitals.world import COORDINATOR, HOSPITALS, make_world
from private_experts.privacy import SimulatedNoise
from private_experts.randomness import rng_for
from tests.examples.hospitals.desk import HASHES as DESK_HASHES
from tests.examples.hospitals.desk import SETTING, TOKENS, Desk


class Recorder:
    """A source of noise that notes what it was asked to protect, and how; its values lie on the grid."""

    def __init__(self, *key: object) -> None:
        self.asked: list[tuple[object, ...]] = []
        self._noise = SimulatedNoise(rng_for(0, "hospital", *key))

    def perturb(self, values, scale, repetitions):
        self.asked.append((values.ravel().tolist(), *scale.tolist()))
        return (self._noise.perturb(values, scale, repetitions) * 2**30).round() / 2**30


class DeskLine(Line):
    """A line to a coordinator in this process; `sent` are the bodies of its reports."""

    def __init__(self, desk: Desk, token: str) -> None:
        self.desk, self.token, self.sent, self.renew = desk, token, [], None
        self.announced: Any = None  # in the place of the week's announcement

    def week(self) -> dict[str, Any]:
        return super().week() | (self.announced or {})

    def _no_coordinator(self) -> Exception:
        return AssertionError("no coordinator")

    def _exchange(self, method: str, path: str, content: dict[str, Any] | None) -> Answer:
        body = b"" if content is None else json.dumps(content).encode()
        if path == "/reports":
            self.sent.append(body)
        answer = self.desk.ask(method, path, body, Authorization=f"Bearer {self.token}")
        return answer.status, answer.told


class Street:
    """A world of hospitals with the desk's tokens; all of it can be stopped, changed on the disk, and begun again."""

    def __init__(self, folder: Path, patients: dict[str, dict[int, int]], setting: Setting = SETTING) -> None:
        self.folder, self.setting = folder, setting
        make_world(folder, setting, patients)
        for name in setting.hospitals:
            (self.house(name) / TOKEN).write_text(TOKENS[name])
        self.said: list[str] = []
        self.desk = self._desk()
        self.hospitals: dict[str, Hospital] = {}
        self.lines: dict[str, DeskLine] = {}
        self.noise = {name: Recorder(name) for name in setting.hospitals}

    def _desk(self) -> Desk:
        return Desk(self.folder / COORDINATOR / DATABASE, self.setting)

    def house(self, name: str) -> Path:
        return self.folder / HOSPITALS / name

    def begin(self, *names: str) -> None:
        """Begin hospitals, all if none is named, as after a restart."""
        for name in names or self.setting.hospitals:
            self.noise[name] = Recorder(name, len(self.said), len(self.noise[name].asked))
            self.hospitals[name] = Hospital(self.house(name), self.noise[name])
            before = self.lines.get(name)
            self.lines[name] = DeskLine(self.desk, self.hospitals[name].token)
            self.lines[name].sent = before.sent if before else []

    def attend(self, *names: str) -> None:
        """Let hospitals do what is due, all if none is named."""
        for name in names or self.hospitals:
            self.hospitals[name].attend(self.lines[name], self.said.append)

    def weeks(self, count: int) -> None:
        """Play whole weeks."""
        for _ in range(count):
            self.attend()
            self.desk.now += self.setting.longest
            assert self.desk.coordinator.close_if_due()

    def restore(self, backup: Path) -> None:
        """Put the coordinator's folder back as it was, and begin it again; hospitals go on as they run."""
        self.desk.close()
        shutil.rmtree(self.folder / COORDINATOR)
        shutil.copytree(backup, self.folder / COORDINATOR)
        self.desk = self._desk()
        for line in self.lines.values():
            line.desk = self.desk

    def add(self, name: str, week: int, patients: int) -> None:
        """Add a figure to the file of a hospital, as somebody does each week."""
        with (self.house(name) / "patients.csv").open("a") as file:
            file.write(f"{week},{patients}\n")

    def tokens_from_file(self) -> None:
        """Let the desk read tokens from its folder, as a coordinator's process does."""
        (self.folder / COORDINATOR / HASHES).write_text(json.dumps(DESK_HASHES))
        tokens = Tokens(self.folder / COORDINATOR / HASHES, self.setting.hospitals)
        self.desk.app = application(self.desk.coordinator, tokens.owner)

    def close(self) -> None:
        self.desk.close()
