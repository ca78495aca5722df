"""A hospital protects itself: noise from its own copy of the setting, drawn once for each week."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from examples.hospitals.hospital import LIMIT, Hospital, density
from examples.hospitals.outbox import Noisy, Outbox
from examples.hospitals.private_files import alone, write_private
from examples.hospitals.reading import RefusedError, read_mark
from examples.hospitals.serving import serve
from examples.hospitals.setting import Setting, read_setting
from examples.hospitals.store import DATABASE
from examples.hospitals.tokens import HASHES, owner, read_hashes
from examples.hospitals.world import COORDINATOR, HOSPITALS, invented_beds, invented_patients, make_world
from private_experts.errors import InputError
from tests.each import each
from tests.examples.hospitals.desk import SETTING
from tests.examples.hospitals.street import Recorder

PROMISE = SETTING.promise()
PATIENTS = {"H01": {1: 20, 3: 500}, "H02": {1: 30}, "H03": {}}


@pytest.fixture
def world(tmp_path: Path) -> Path:
    make_world(tmp_path / "world", SETTING, PATIENTS)
    return tmp_path / "world"


def house(world: Path, name: str = "H01") -> tuple[Hospital, Recorder]:
    noise = Recorder()
    return Hospital(world / HOSPITALS / name, noise), noise


def test_the_figure_is_the_share_of_beds_and_the_noise_that_which_was_agreed_on(world: Path) -> None:
    hospital, noise = house(world)
    report = hospital.report(1, PROMISE)
    assert noise.asked == [([20 / 80], SETTING.scale("H01"))]
    assert report is not None
    assert report.scale == SETTING.scale("H01") == pytest.approx(np.sqrt(2) / 80)
    assert report.value != 20 / 80


def test_a_house_with_more_patients_than_beds_is_full(world: Path) -> None:
    hospital, noise = house(world)
    hospital.report(3, PROMISE)
    assert noise.asked == [([1.0], SETTING.scale("H01"))]
    assert density(500, SETTING, "H01") == 1.0


def test_noise_is_drawn_once_for_each_week_also_after_a_restart(world: Path) -> None:
    hospital, noise = house(world)
    first = hospital.report(1, PROMISE)
    assert hospital.report(1, PROMISE) == first
    again, other = house(world)
    assert again.report(1, PROMISE) == first
    assert len(noise.asked) == 1
    assert other.asked == []


def test_of_two_draws_at_once_the_first_stays(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / "outbox", tmp_path / "drawn.log")
    assert outbox.keep(1, Noisy(0.25, 0.1)) == Noisy(0.25, 0.1)
    assert outbox.keep(1, Noisy(0.5, 0.1)) == Noisy(0.25, 0.1)
    assert [path.name for path in (tmp_path / "outbox").glob("[!.]*")] == ["0001.json"]


def test_a_byte_order_mark_is_no_part_of_a_file(world: Path) -> None:
    plain = house(world)[0]
    for file in ("patients.csv", "setting.json", "token", LIMIT):
        path = world / HOSPITALS / "H01" / file
        path.write_text("\ufeff" + path.read_text())
    marked = house(world)[0]
    assert marked.patients() == {1: 20, 3: 500}
    assert (marked.setting, marked.token) == (plain.setting, plain.token)


@each(("file", "folder", "warned"), [
    (0o644, 0o755, True), (0o640, 0o750, True), (0o620, 0o711, True),
    (0o600, 0o755, False), (0o644, 0o700, False), (0o700, 0o755, False),
])  # fmt: skip
def test_a_secret_that_others_can_read_or_change_is_told(tmp_path_factory, capsys, file, folder, warned) -> None:
    world = tmp_path_factory.mktemp("open") / "world"
    make_world(world, SETTING, PATIENTS)
    (world / HOSPITALS / "H01").chmod(folder)
    for name in ("token", "patients.csv", LIMIT):
        capsys.readouterr()
        (world / HOSPITALS / "H01" / name).chmod(file)
        house(world)
        (world / HOSPITALS / "H01" / name).chmod(0o600)
        told = capsys.readouterr().err
        assert (
            told.endswith(f"{name}: other users can read or change it; say chmod 600 {world}/hospitals/H01/{name}\n")
            == warned
        )
        assert told.count("\n") == warned


@each("name", [HASHES, DATABASE])
def test_what_others_can_read_or_change_at_the_coordinator_is_told(tmp_path_factory, capsys, name: str) -> None:
    coordinator = tmp_path_factory.mktemp("open") / "world" / COORDINATOR
    make_world(coordinator.parent, SETTING, PATIENTS)
    coordinator.chmod(0o755)
    (coordinator / name).chmod(0o666)
    capsys.readouterr()
    with pytest.raises(InputError, match="is not of this machine alone"):
        serve(coordinator, 1, "0.0.0.0")
    assert capsys.readouterr().err.count(f"{name}: other users can read or change it") == 1


def test_a_draft_that_somebody_else_made_is_not_written_into(tmp_path: Path) -> None:
    theirs = tmp_path / "token.part"
    theirs.write_text("")
    theirs.chmod(0o666)
    with theirs.open() as reading:
        write_private(tmp_path / "token", "secret")
        assert reading.read() == ""
    assert (tmp_path / "token").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["token"]


def test_a_damaged_mark_is_refused_by_the_coordinator_and_not_by_a_traceback(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / "outbox", tmp_path / "drawn.log")
    (tmp_path / "outbox" / "0001.mark").write_bytes(b"\xff" * 24)
    with pytest.raises(RefusedError, match="The mark must have 24 small letters"):
        read_mark(json.dumps({"week": 1, "mark": outbox.mark(1)}).encode())


def test_of_two_processes_that_draw_at_once_one_waits_and_takes_the_others_draw(tmp_path: Path) -> None:
    folder = tmp_path / "outbox"
    outbox = Outbox(folder, tmp_path / "drawn.log")
    with ThreadPoolExecutor(1) as pool:
        with alone(folder):
            kept = pool.submit(outbox.keep, 1, Noisy(0.5, 0.1))
            time.sleep(0.1)
            assert not kept.done()
            write_private(folder / "0001.json", "[0.25, 0.1]")
        assert kept.result(5.0) == Noisy(0.25, 0.1)


def test_without_a_figure_nothing_is_drawn(world: Path) -> None:
    hospital, noise = house(world)
    assert hospital.report(2, PROMISE) is None
    assert noise.asked == []


FILES = {HASHES, "setting.json", DATABASE, DATABASE + ".lock"}


def test_the_coordinators_folder_has_no_token_and_no_figure(world: Path) -> None:
    tokens = [path.read_text() for path in (world / HOSPITALS).glob("*/token")]
    kept = b"".join(path.read_bytes() for path in (world / COORDINATOR).iterdir())
    assert len(set(tokens)) == 3
    assert not any(token.encode() in kept for token in tokens)
    assert {path.name for path in (world / COORDINATOR).iterdir()} == FILES
    hashes = json.loads((world / COORDINATOR / HASHES).read_text())
    assert [owner(token, hashes) for token in sorted(tokens, key=lambda each: owner(each, hashes))] == [*SETTING.beds]


def test_each_house_is_open_to_its_owner_alone(world: Path) -> None:
    paths = [world / COORDINATOR, *(world / HOSPITALS).iterdir()]
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o700}
    assert {file.stat().st_mode & 0o777 for path in paths for file in path.iterdir()} == {0o600}


@each(("file", "text", "said"), [
    ("patients.csv", "week,patients\n1,20\n1,21\n", "row 3: write a new week"),
    ("patients.csv", "week,patients\n0,20\n", "row 2: write a new week"),
    ("patients.csv", "week,patients\n1,-1\n", "row 2: write a new week"),
    ("patients.csv", "week,patients\n1,nan\n", "row 2: write a new week"),
    ("patients.csv", "week,beds\n1,20\n", "its first line is not week,patients"),
    ("patients.csv", "week,patients\n1," + 200_000 * "2" + "\n", "is no CSV file"),
    ("token", "one\ntwo", "write the token alone, on one line"),
    ("token", "one\x00two", "write the token alone, on one line"),
    ("token", "", "write the token alone, on one line"),
    ("patients.csv", b"\xff\xfew\x00", "is no UTF-8 text; save it as UTF-8"),
    ("setting.json", 100_000 * "[", "is not JSON"),
    ("setting.json", SETTING.text().replace('"mu": 1.0', '"mu": 1e-320'), "mu = 1e-320: write 1.8e-08 to 7.1e"),
    ("setting.json", SETTING.text().replace('"mu": 1.0', '"mu": 1e300'), "write 1.8e-08 to 7.1e"),
    ("setting.json", SETTING.text().replace('"H01": 80', '"H01": 1' + 400 * "0"), "write the beds of two or more"),
    ("setting.json", "{", "is not JSON"),
    ("setting.json", "{}", "must have exactly the keys"),
    ("setting.json", SETTING.text().replace('"mu": 1.0', '"mu": 0'), "mu = 0: write a positive number"),
    ("setting.json", SETTING.text().replace('"weeks": 4', '"weeks": true'), "weeks = True: write a whole number"),
    ("setting.json", SETTING.text().replace('"H01": 80', '"H01": 0'), "write the beds of two or more"),
    ("setting.json", SETTING.text().replace('"shortest": 1.0', '"shortest": 11'), "shortest = 11 is more than"),
    ("setting.json", SETTING.text().replace('"H01"', '"H09"'), "H01 is not in the setting"),
])  # fmt: skip
def test_a_file_that_is_wrong_is_told_in_one_line(tmp_path_factory, file: str, text: str | bytes, said: str) -> None:
    world = tmp_path_factory.mktemp("house") / "world"
    make_world(world, SETTING, PATIENTS)
    (world / HOSPITALS / "H01" / file).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=said) as caught:
        house(world)
    assert "\n" not in str(caught.value)


@each("name", ["\ud800", "H\x1b[2J", "a\nb", "\u202eb", "../../x", "a/b", "a\\b", "..", ".", "", " "])
def test_a_name_that_is_no_name_of_a_folder_or_not_printable_is_refused(tmp_path_factory, name: str) -> None:
    folder = tmp_path_factory.mktemp("house")
    facts = json.loads(SETTING.text())
    (folder / "setting.json").write_text(json.dumps(facts | {"beds": facts["beds"] | {name: 80}}))
    with pytest.raises(InputError) as caught:
        read_setting(folder)
    told = f"{caught.value}"
    assert told == f"setting.json: beds: {name!r}: write a name of printable signs without / or \\"
    assert told.isprintable()


@each("text", ["", "[1,2,3]", "[0.25]", "7", "{}", "null", "[NaN, 0.1]", '["0.25", "0.1"]', 100_000 * "["])
def test_a_report_that_cannot_be_read_is_not_drawn_again(tmp_path_factory, text: str) -> None:
    house = tmp_path_factory.mktemp("house")
    outbox = Outbox(house / "outbox", house / "drawn.log")
    outbox.keep(1, Noisy(0.25, 0.1))
    outbox._path(1).write_text(text)
    with pytest.raises(InputError, match=r"0001\.json: is no report such as") as caught:
        outbox.kept(1)
    assert "\n" not in str(caught.value)


@each(
    "text",
    [
        "[]",
        "{}",
        "3",
        "{",
        100_000 * "[",
        json.dumps(dict.fromkeys(SETTING.beds, 7)),
        '{"H01": ["x"]}',
        json.dumps({name: [] for name in SETTING.beds}),
    ],
)
def test_hashes_that_are_wrong_are_told_in_one_line(tmp_path_factory, text: str) -> None:
    path = tmp_path_factory.mktemp("coordinator") / HASHES
    path.write_text(text)
    with pytest.raises(InputError, match=r"is not JSON|must have a list of hashes") as caught:
        read_hashes(path, SETTING.hospitals)
    assert "\n" not in str(caught.value)


@each("file", ["patients.csv", "setting.json", "token"])
def test_a_file_that_is_missing_is_told_in_one_line(tmp_path_factory, file: str) -> None:
    world = tmp_path_factory.mktemp("house") / "world"
    make_world(world, SETTING, PATIENTS)
    (world / HOSPITALS / "H01" / file).unlink()
    with pytest.raises(InputError, match=f"{file}: .*start makes it"):
        house(world)


def test_the_invented_world_has_gaps_and_hospitals_that_take_turns() -> None:
    setting = Setting(invented_beds(20, 0), 1.0, 60, 0, 1.0, 2.0)
    patients = invented_patients(setting)
    assert all(0 <= count <= setting.beds[name] for name, weeks in patients.items() for count in weeks.values())
    missing = 20 * 60 - sum(map(len, patients.values()))
    assert 0 < missing < 60
    fullest = {
        max(patients, key=lambda name: patients[name].get(week, 0) / setting.beds[name]) for week in range(1, 61)
    }
    assert len(fullest) > 3
