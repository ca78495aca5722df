"""Backups that are put back, figures that come late, outboxes that are rolled back: nothing is lost or drawn twice."""

import errno
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from examples.hospitals.__main__ import main
from examples.hospitals.hospital import Hospital, read_patients
from examples.hospitals.outbox import Noisy, Outbox
from examples.hospitals.sending import Answer
from examples.hospitals.serving import serve
from examples.hospitals.store import DATABASE, Store, backup
from examples.hospitals.world import COORDINATOR
from private_experts.errors import InputError
from tests.each import each
from tests.examples.hospitals.desk import SETTING, TOKENS, good
from tests.examples.hospitals.street import DeskLine, Recorder, Street

LONG = replace(SETTING, weeks=9)
NAMES = LONG.hospitals


def figures(*but: tuple[str, int]) -> dict[str, dict[int, int]]:
    """Return figures of all weeks but some."""
    return {name: {week: 10 + week for week in range(1, 10) if (name, week) not in but} for name in NAMES}


@pytest.fixture
def street(tmp_path: Path) -> Iterator[Street]:
    street = Street(tmp_path / "world", figures(("H02", 4)), LONG)
    street.begin()
    yield street
    street.close()


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def draws(street: Street) -> int:
    return sum(len(noise.asked) for noise in street.noise.values())


def test_after_a_backup_is_put_back_hospitals_send_the_same_again_and_nothing_is_drawn(
    street: Street, tmp_path
) -> None:
    street.weeks(2)
    street.attend("H01")
    assert backup(street.folder / COORDINATOR, tmp_path / "backup") == (3, 7)
    street.weeks(4)
    street.attend("H01")
    before, choices = street.desk.store.reports(7), street.desk.coordinator.choices(9)
    sent = {name: list(line.sent) for name, line in street.lines.items()}
    drawn = draws(street)

    street.restore(tmp_path / "backup")
    assert street.desk.coordinator.week == 3
    now = street.desk.now
    for _ in range(4):
        street.attend()
        assert street.desk.coordinator.close_if_due()  # nobody waits for a time that has passed already
    street.attend("H01")
    assert street.desk.now == now
    assert street.desk.store.reports(7) == before
    assert street.desk.coordinator.choices(9) == choices
    assert draws(street) == drawn
    for name, line in street.lines.items():
        again = line.sent[len(sent[name]) :]
        assert again
        assert set(again) <= set(sent[name])  # byte for byte
    street.attend()
    assert not street.desk.coordinator.close_if_due()  # from here on a week takes its time
    assert draws(street) == drawn + 2


def test_nobody_who_has_not_reported_is_passed_over_by_hospitals_that_say_they_are_ahead(street: Street) -> None:
    street.attend("H02")
    assert street.lines["H01"].ahead(1)[0] == street.lines["H02"].ahead(1)[0] == 200
    assert street.lines["H03"].ahead(2)[0] == 200  # of a week that is not open
    assert not street.desk.coordinator.close_if_due()
    street.attend("H03")
    assert street.desk.coordinator.close_if_due()
    assert street.desk.store.reports(1)[0].keys() == {"H02", "H03"}
    street.attend()
    assert not street.desk.coordinator.close_if_due()  # it was said of week 1 alone


def test_that_a_database_was_put_back_is_said(street: Street, tmp_path: Path, capsys) -> None:
    backup(street.folder / COORDINATOR, tmp_path / "backup")
    street.weeks(1)
    street.attend()
    street.restore(tmp_path / "backup")
    street.attend()
    assert capsys.readouterr().err.count("reports of weeks after 1, the open one. If the database was put back") == 1


def test_a_backup_says_what_is_in_it_and_is_for_its_owner_alone(
    street: Street, tmp_path: Path, monkeypatch, capsys
) -> None:
    street.weeks(1)
    assert backup(street.folder / COORDINATOR, tmp_path / "backup") == (2, 3)
    files = list((tmp_path / "backup").iterdir())
    assert {file.name for file in files} == {DATABASE, "setting.json", "tokens.json"}
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    with pytest.raises(InputError, match=r"no backup was made \(it is there already"):
        backup(street.folder / COORDINATOR, tmp_path / "backup")
    with pytest.raises(InputError, match="name the folder of a coordinator"):
        backup(tmp_path, tmp_path / "other")
    with monkeypatch.context() as disk:
        disk.setattr("os.fsync", full)
        with pytest.raises(InputError, match=r"no backup was made \(.*No space left"):
            backup(street.folder / COORDINATOR, tmp_path / "again")
    assert not list(tmp_path.glob("again*"))
    assert main(["backup", str(street.folder / COORDINATOR), str(tmp_path / "again")]) == 0
    assert "again: a backup of week 2 with 3 reports" in capsys.readouterr().out


@each("left", ["missing", "empty", "without weeks"])
def test_an_empty_database_is_refused_unless_it_is_meant(tmp_path_factory, left: str) -> None:
    path = tmp_path_factory.mktemp("store") / DATABASE
    if left == "empty":
        path.write_bytes(b"")
    elif left == "without weeks":
        Store(path, LONG.text(), new=True).close()
    with pytest.raises(InputError, match="has no week; put back a backup with its whole folder, or say --new"):
        Store(path, LONG.text())
    assert path.exists() == (left != "missing")
    Store(path, LONG.text(), new=True).close()


def test_a_database_that_is_not_empty_is_not_begun_as_new_one(street: Street) -> None:
    with pytest.raises(InputError, match=r"--new: .* has weeks already; leave it out, so that a loss is noticed"):
        serve(street.folder / COORDINATOR, 1, new=True)


def test_a_copy_of_the_file_alone_lacks_the_open_week_at_most_and_hospitals_fill_it(street: Street, tmp_path) -> None:
    street.weeks(3)
    street.attend()
    alone = tmp_path / "alone"
    alone.mkdir()
    for file in (DATABASE, "setting.json", "tokens.json"):  # without its journal
        shutil.copy(street.folder / COORDINATOR / file, alone / file)
    before = street.desk.store.reports(4)
    drawn = draws(street)
    street.restore(alone)
    assert street.desk.coordinator.week == 4
    assert street.desk.store.reports(3) == before[:3]
    assert street.desk.store.reports(4)[3] == {}
    street.attend()
    assert street.desk.store.reports(4) == before
    assert draws(street) == drawn


def test_a_figure_that_is_added_while_a_hospital_runs_is_reported(street: Street) -> None:
    street.weeks(3)
    for _ in range(3):
        street.attend()
    assert "H02" not in street.desk.store.reports(4)[3]
    street.add("H02", 4, 33)
    street.attend()
    assert street.noise["H02"].asked[-1][0] == [33 / 120]
    assert "H02" in street.desk.store.reports(4)[3]
    assert street.said == []


@each("first", ["week;patients", "Week,Patients", "week", "1,20", ""])
def test_a_file_with_other_columns_is_told(tmp_path_factory, first: str) -> None:
    path = tmp_path_factory.mktemp("house") / "patients.csv"
    path.write_text(f"{first}\n1;20\n")
    with pytest.raises(InputError, match="its first line is not week,patients"):
        read_patients(path)


@each(("file", "said"), [("patients.csv", "row 2: write a new week"), ("token", "write the token alone")])
def test_a_hospital_that_is_started_while_a_file_is_edited_waits(tmp_path_factory, capsys, file, said) -> None:
    street = Street(tmp_path_factory.mktemp("world") / "world", figures(), LONG)
    path, began = street.house("H01") / file, []
    right = path.read_text()
    path.write_text("week,patients\nx,y\n" if file == "patients.csv" else "")
    pauses = iter([lambda: None, lambda: path.write_text(right)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.sleep", lambda _: next(pauses)())
        patch.setattr(Hospital, "take_part", lambda hospital, *_: began.append((hospital.name, hospital.token)))
        main(["hospital", str(street.house("H01")), "--address", "http://127.0.0.1:1"])
    assert began == [("H01", TOKENS["H01"])]
    told = capsys.readouterr().out
    assert told.startswith(f"H01: {path}: {said}")
    assert told.count("\n") == 1
    street.close()


@each(("shortest", "pause"), [(0.1, 0.025), (2.0, 0.5), (7 * 86400.0, 10.0)])
def test_a_hospital_asks_often_enough_and_not_too_often(monkeypatch, shortest: float, pause: float) -> None:
    hospital, pauses = object.__new__(Hospital), list[float]()
    hospital.setting = replace(LONG, shortest=shortest, longest=2 * shortest)
    monkeypatch.setattr(hospital, "attend", lambda *_: not pauses)
    monkeypatch.setattr("time.sleep", pauses.append)
    hospital.take_part(DeskLine.__new__(DeskLine))
    assert pauses == [pause]


def test_half_a_number_is_not_read(street: Street) -> None:
    street.weeks(3)
    path = street.house("H02") / "patients.csv"
    whole = path.read_text()
    for half in ("4", "4,", "4,3", "4,33"):
        path.write_text(whole + half)
        street.attend("H02")
    assert len(street.noise["H02"].asked) == 3
    assert street.said == []
    street.attend("H02")
    street.attend("H02")
    assert street.said == ["H02: the last line of patients.csv is not read until it has an end of line"]
    path.write_text(whole + "4,33\n")
    street.attend("H02")
    assert street.noise["H02"].asked[-1][0] == [33 / 120]


def test_a_disk_without_room_is_told_and_the_report_is_drawn_and_sent_when_there_is_some(street, monkeypatch) -> None:
    with monkeypatch.context() as disk:
        disk.setattr("os.fsync", full)
        street.attend("H01")
        street.attend("H01")
    outbox = street.house("H01") / "outbox"
    assert street.said == [f"H01: {outbox / '0001.mark'}: No space left on device"]
    assert [path.name for path in outbox.glob("[!.]*")] == []
    assert street.lines["H01"].sent == []
    street.attend("H01")
    assert len(street.lines["H01"].sent) == 1


def test_a_file_that_is_wrong_for_a_while_is_told_once_and_read_again(street: Street) -> None:
    street.weeks(3)
    path = street.house("H02") / "patients.csv"
    whole = path.read_text()
    path.write_text(whole + "4,many\n")
    street.attend("H02")
    street.attend("H02")
    assert len(street.said) == 1
    assert "row 10: write a new week" in street.said[0]
    path.write_text(whole + "4,33\n")
    street.attend("H02")
    assert "H02" in street.desk.store.reports(4)[3]
    path.write_text(whole + "4,many\n")  # a trouble that comes back is told again
    street.attend("H02")
    assert street.said == [street.said[0]] * 2


def test_a_figure_that_comes_after_its_week_is_told_and_not_drawn(street: Street) -> None:
    street.weeks(5)
    street.add("H02", 4, 33)
    drawn = draws(street)
    street.attend()
    street.attend()
    assert street.said == ["H02, week 4: closed without its report, and now it is too late; it is not reported"]
    assert draws(street) == drawn + 3  # of week 6
    assert 4 not in Outbox(street.house("H02") / "outbox", street.house("H02") / "drawn.log").weeks()


def test_a_hospital_that_was_away_says_which_weeks_it_missed(street: Street) -> None:
    street.weeks(1)
    for _ in range(2):
        street.desk.now += 10.0
        assert street.desk.coordinator.close_if_due()
    street.begin("H03")
    street.attend("H03")
    assert street.said == ["H03, weeks 2 and 3: closed without its report, and now it is too late; it is not reported"]


@each("how", ["the outbox", "the outbox and the log"])
def test_an_outbox_that_was_rolled_back_draws_nothing_again(tmp_path_factory, how: str) -> None:
    street = Street(tmp_path_factory.mktemp("world") / "world", figures(), LONG)
    street.begin()
    street.weeks(2)
    house, old = street.house("H01"), tmp_path_factory.mktemp("old")
    shutil.copytree(house / "outbox", old / "outbox")
    shutil.copy(house / "drawn.log", old / "drawn.log")
    street.weeks(1)
    street.attend()
    sent, counted = set(street.lines["H01"].sent), street.desk.store.reports(4)
    shutil.rmtree(house / "outbox")
    shutil.copytree(old / "outbox", house / "outbox")
    if how == "the outbox and the log":
        shutil.copy(old / "drawn.log", house / "drawn.log")
    street.begin("H01")
    for _ in range(2):
        street.attend()
    assert street.noise["H01"].asked == []
    assert [line for line in street.said if "taken back" in line] == [
        f"H01, week {week}: its report was here no more; taken back from the coordinator, not drawn" for week in (3, 4)
    ]
    assert set(street.lines["H01"].sent) == sent
    assert street.desk.store.reports(4) == counted
    street.close()


def test_of_two_copies_of_a_hospital_that_run_at_once_one_draws(street: Street, tmp_path: Path) -> None:
    shutil.copytree(street.house("H01"), tmp_path / "copy" / "H01")
    noise = Recorder("copy")
    copy = Hospital(tmp_path / "copy" / "H01", noise)

    class Meanwhile(DeskLine):  # the copy comes when this hospital was told that it may draw, and has not sent yet
        def report(self, week: int, value: float, scale: float) -> Answer:
            line = DeskLine(self.desk, self.token)
            copy.attend(line, street.said.append)
            assert line.sent == []
            return super().report(week, value, scale)

    street.hospitals["H01"].attend(Meanwhile(street.desk, street.lines["H01"].token), street.said.append)
    assert street.said == ["H01, week 1: not drawn: Another draw for week 1 was begun: a figure is released only once."]
    assert (len(street.noise["H01"].asked), noise.asked) == (1, [])
    copy.attend(DeskLine(street.desk, street.lines["H01"].token), street.said.append)
    assert noise.asked == []


def test_a_folder_that_is_put_back_draws_nothing_for_a_week_whose_report_was_not_counted(street, tmp_path) -> None:
    shutil.copytree(street.house("H01"), tmp_path / "old")

    class Cut(DeskLine):
        def report(self, week: int, value: float, scale: float) -> Answer:
            return 503, {"error": "heard, and not counted"}

    street.hospitals["H01"].attend(Cut(street.desk, street.lines["H01"].token), street.said.append)
    assert len(street.noise["H01"].asked) == 1
    shutil.rmtree(street.house("H01"))
    shutil.copytree(tmp_path / "old", street.house("H01"))
    street.begin("H01")
    street.attend("H01")
    assert street.noise["H01"].asked == []
    assert "H01, week 1: not drawn: Another draw" in street.said[-1]


def test_a_hospital_that_was_killed_before_it_drew_may_draw(street: Street) -> None:
    mark = street.hospitals["H01"]._outbox.mark(1)
    assert street.lines["H01"].begin_draw(1, mark)[0] == 200
    street.begin("H01")
    street.attend("H01")
    assert len(street.noise["H01"].asked) == 1
    assert len(street.desk.store.reports(1)[0]) == 1


def test_what_was_drawn_and_is_lost_on_both_sides_is_not_drawn_again(street: Street, tmp_path: Path) -> None:
    street.weeks(1)
    backup(street.folder / COORDINATOR, tmp_path / "backup")
    street.attend()
    shutil.rmtree(street.house("H01") / "outbox")
    street.restore(tmp_path / "backup")
    street.begin("H01")
    street.attend()
    street.attend()
    assert street.noise["H01"].asked == []
    assert street.said.count("H01, week 2: drawn before and lost here; not drawn again") == 1
    assert street.desk.store.reports(2)[1].keys() == {"H02", "H03"}


def test_a_draw_is_bound_to_its_week_even_when_the_open_week_goes_back(street: Street, tmp_path: Path) -> None:
    # Everything that the coordinator and the outbox know is gone; the log alone, as on another disk, is left.
    log = tmp_path / "other-disk.log"
    street.hospitals = {"H01": Hospital(street.house("H01"), street.noise["H01"], log)}
    street.attend()
    shutil.rmtree(street.house("H01") / "outbox")
    again = Hospital(street.house("H01"), street.noise["H01"], log)
    assert again.report(1, LONG.promise()) is None
    assert len(street.noise["H01"].asked) == 1


def test_two_values_of_one_week_are_counted_and_end_the_hospital(street: Street) -> None:
    street.desk.report("H01", good(value=0.5))  # an earlier draw, which the outbox does not know
    street.hospitals["H01"]._outbox.keep(1, Noisy(0.25, LONG.scale("H01")))
    with pytest.raises(InputError, match=r"two reports are out, 0\.5 at the coordinator and 0\.25 here.*level 1\.225"):
        street.attend("H01")
    assert street.lines["H01"].sent == []

    house = street.house("H01")  # what README says to do then
    (house / "outbox" / "0001.json").write_text(f"[0.5, {LONG.scale('H01')!r}]")
    (house / "drawn.log").write_text("")
    street.begin("H01")
    street.weeks(2)
    assert [week.get("H01") is not None for week in street.desk.store.reports(2)] == [True, True]


def test_a_value_that_the_log_does_not_know_is_not_taken_back(street: Street) -> None:
    street.hospitals["H01"]._outbox.keep(1, Noisy(0.25, LONG.scale("H01")))
    street.desk.report("H01", good(value=0.5))
    shutil.rmtree(street.house("H01") / "outbox")
    street.begin("H01")
    with pytest.raises(InputError, match="the coordinator has another report of week 1 than was drawn"):
        street.attend("H01")


@each(
    ("left", "lost"), [("", {1, 2}), ("1", {1, 2}), ("2 abc", {1, 2}), ("x y\n", None), ("1 " + "g" * 64 + "\n", None)]
)
def test_a_log_that_a_kill_left_half_written_goes_on(tmp_path_factory, left: str, lost: set[int] | None) -> None:
    house = tmp_path_factory.mktemp("house")
    outbox = Outbox(house / "outbox", house / "log")
    outbox.keep(1, Noisy(0.25, 0.1))
    with (house / "log").open("a") as log:
        log.write(left)
    if lost is None:
        with pytest.raises(InputError, match="restore the log"):
            Outbox(house / "outbox", house / "log")
        return
    again = Outbox(house / "outbox", house / "log")
    again.keep(2, Noisy(0.5, 0.1))
    shutil.rmtree(house / "outbox")
    assert Outbox(house / "outbox", house / "log").lost() == lost


def test_a_report_that_was_kept_and_not_logged_before_a_kill_is_logged_at_the_start(tmp_path: Path) -> None:
    Outbox(tmp_path / "outbox", tmp_path / "log").keep(1, Noisy(0.25, 0.1))
    (tmp_path / "log").unlink()
    assert Outbox(tmp_path / "outbox", tmp_path / "log").logged().keys() == {1}
