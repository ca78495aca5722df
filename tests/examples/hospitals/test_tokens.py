"""Real hospitals begin with a setting that is written by hand, and tokens that are made for it."""

import errno
import re
from pathlib import Path

import pytest

from examples import hospitals
from examples.hospitals.__main__ import main
from examples.hospitals.hospital import Hospital
from examples.hospitals.server import application
from examples.hospitals.setting import read_setting
from examples.hospitals.store import DATABASE
from examples.hospitals.tokens import Tokens
from tests.each import each
from tests.examples.hospitals.desk import SETTING, Desk
from tests.examples.hospitals.street import DeskLine, Recorder


def full() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_real_hospitals_begin_with_a_setting_and_the_tokens_that_are_made_for_it(tmp_path: Path, capsys) -> None:
    text = re.search(r"```json\n(.*?)```", (Path(hospitals.__file__).parent / "README.md").read_text(), re.DOTALL)[1]
    coordinator, houses = tmp_path / "coordinator", tmp_path / "houses"
    coordinator.mkdir()
    (coordinator / "setting.json").write_text(text)
    assert main(["tokens", str(coordinator), str(houses)]) == 0
    setting = read_setting(coordinator)
    tokens = Tokens(coordinator / "tokens.json", setting.hospitals)
    found = {path.parent.name: path.read_text() for path in houses.glob("*/token")}
    assert {name: tokens.owner(token) for name, token in found.items()} == {name: name for name in setting.beds}
    files = [coordinator / "tokens.json", *houses.glob("*/token")]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert not any(token in capsys.readouterr().out for token in found.values())
    desk = Desk(coordinator / DATABASE, setting)
    desk.app = application(desk.coordinator, tokens.owner)
    for name in setting.hospitals:
        for file, content in (
            ("setting.json", text),
            ("patients.csv", "week,patients\n1,20\n"),
            ("largest-level", "1"),
        ):
            (houses / name / file).write_text(content)
        hospital = Hospital(houses / name, Recorder(name))
        hospital.attend(DeskLine(desk, hospital.token))
    assert desk.store.reported(1) == set(setting.beds)
    desk.close()


@each("left", ["tokens.json", "houses", "a disk without room"])
def test_first_tokens_are_made_once_and_wholly(tmp_path_factory, capsys, left: str) -> None:
    folder = tmp_path_factory.mktemp("coordinator")
    (folder / "setting.json").write_text(SETTING.text())
    with pytest.MonkeyPatch.context() as patch:
        if left == "a disk without room":
            room = [True] * 4  # for two tokens
            patch.setattr("os.fsync", lambda _: room.pop() if room else full())
        elif left == "houses":
            (folder / left).mkdir()
        else:
            (folder / left).write_text("{}")
        before = sorted(path.name for path in folder.glob("[!.]*"))
        with pytest.raises(SystemExit):
            main(["tokens", str(folder), str(folder / "houses")])
    assert capsys.readouterr().err.count("\n") == 1
    assert sorted(path.name for path in folder.glob("[!.]*")) == before
