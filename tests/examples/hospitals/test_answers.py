"""Every report gets the right answer, and a refused one leaves no mark."""

import json
import re
import sqlite3

import pytest

from examples.hospitals import server
from examples.hospitals.reading import FAR, Report, read_report
from examples.hospitals.store import Store
from tests.each import each
from tests.examples.hospitals.desk import HASHES, SETTING, TOKENS, Answer, Desk, good

S = SETTING.scale("H01")
FARTHEST = 1 + FAR * S

REFUSED = {
    "no JSON": (b"hello", 400),
    "nothing": (b"", 400),
    "half of it": (b'{"week": 1, "value": 0.2', 400),
    "no UTF-8": (b'{"week": 1, "value": 0.25, "scale": "\xff"}', 400),
    "a NUL byte": (b'{"week": 1\x00}', 400),
    "a list": ([1, 0.25, S], 400),
    "a number": (0.25, 400),
    "NaN": (b'{"week": 1, "value": NaN, "scale": 0.1}', 400),
    "infinity": (b'{"week": 1, "value": -Infinity, "scale": 0.1}', 400),
    "a name twice": (b'{"week": 1, "week": 2, "value": 0.25, "scale": 0.1}', 400),
    "deep": (b"[" * 900, 400),
    "endless digits": (b'{"week": ' + b"1" * 900 + b', "value": 1, "scale": 1}', 422),
    "an overflow": (b'{"week": 1, "value": 1e999, "scale": 0.1}', 422),
    "a huge whole number": (b'{"week": 1, "value": 1' + b"0" * 400 + b', "scale": 0.1}', 422),
    "a field too few": ({"week": 1, "value": 0.25}, 422),
    "a field too many": (good() | {"patients": 17}, 422),
    "text for a value": (good() | {"value": "0.25"}, 422),
    "null": (good() | {"value": None}, 422),
    "true": (good() | {"value": True}, 422),
    "a week that is true": (good() | {"week": True}, 422),
    "a broken week": (good() | {"week": 1.5}, 422),
    "week 0": (good(week=0), 422),
    "a week after the last": (good(week=5), 422),
    "too large": (good(value=round(FARTHEST) + 1.0), 422),
    "too small": (good(value=-round(FARTHEST) - 1.0), 422),
    "absurd": (good(value=1e300), 422),
    "less noise": (good() | {"scale": S * (1 - 1e-6)}, 422),
    "more noise": (good() | {"scale": S * 2}, 422),
    "no noise": (good() | {"scale": 0}, 422),
    "off the grid": (good(value=1 / 3), 422),
    "not open yet": (good(week=2), 409),
}


@each("what", list(REFUSED))
def test_what_is_wrong_is_refused_in_one_sentence(desk: Desk, what: str) -> None:
    body, status = REFUSED[what]
    answer = desk.report("H01", body)
    assert (answer.status, list(answer.told)) == (status, ["error"])
    assert re.fullmatch(r"[A-Z][^\n]{10,150}\.", answer.sentence)
    assert desk.coordinator.choices(9)[-1].reported == 0


def test_a_right_report_is_counted_and_on_the_disk(desk: Desk, tmp_path) -> None:
    answer = desk.report("H02", good(hospital="H02"))
    assert (answer.status, answer.sentence) == (200, "The report is counted.")
    assert desk.store.reports(1) == [{"H02": 0.25}]
    desk.close()
    again = Store(tmp_path / "reports.sqlite3", SETTING.text())
    assert again.reports(1) == [{"H02": 0.25}]
    again.close()


@each("value", [-FAR * S, 1 + FAR * S, 0.0, 1.0])
def test_the_whole_range_is_taken(value: float) -> None:
    on_grid = int(value * 2**30) / 2**30
    assert read_report(json.dumps(good(value=on_grid)).encode(), SETTING, "H01") == Report(1, on_grid)


def test_a_whole_number_is_a_number(desk: Desk) -> None:
    assert desk.report("H01", good(value=1)).status == desk.report("H01", good(value=1.0)).status == 200


def test_a_report_that_comes_twice_counts_once(desk: Desk) -> None:
    assert [desk.report("H01", good()).sentence for _ in range(3)] == [
        "The report is counted.",
        *["The report was already counted, once."] * 2,
    ]
    assert desk.coordinator.choices(1)[0].reported == 1


def test_another_report_of_the_same_week_is_refused_and_the_first_one_stays(desk: Desk) -> None:
    desk.report("H01", good(value=0.25))
    assert desk.report("H01", good(value=0.5)).status == 409
    assert desk.store.reports(1) == [{"H01": 0.25}]


def test_a_late_report_is_refused_and_a_late_repeat_is_not(desk: Desk) -> None:
    desk.report("H01", good())
    desk.now = 10.0
    assert desk.coordinator.close_if_due()
    late = desk.report("H02", good(hospital="H02"))
    assert (late.status, late.sentence) == (410, "Week 1 is closed: report for week 2, when you have its figure.")
    assert desk.report("H01", good()).status == 200  # its first answer may have been lost
    assert desk.store.reports(1) == [{"H01": 0.25}]


def test_when_all_weeks_are_over_nothing_is_taken(desk: Desk) -> None:
    for _ in range(SETTING.weeks):
        desk.now += 10.0
        assert desk.coordinator.close_if_due()
    desk.now += 1000.0
    assert not desk.coordinator.close_if_due()
    answer = desk.report("H01", good(week=4))
    assert (answer.status, answer.sentence) == (410, "All weeks are closed: nothing more is reported.")


RIGHT = TOKENS["H01"]
WRONG = ["", "Bearer", "Bearer ", "Bearer guessed", f"Basic {RIGHT}", RIGHT, f"Bearer {RIGHT}x", "Bearer \xe9"]
WRONG += [f"Bearer {RIGHT[:-1]}", f"Bearer {HASHES['H01'][0]}"]


@each("header", WRONG)
def test_without_a_hospitals_token_nothing_is_read(desk: Desk, header: str) -> None:
    headers = {"Authorization": header} if header else {}
    answer = desk.ask("POST", "/reports", b"not even JSON", **headers)
    assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")


def test_a_token_speaks_for_its_own_hospital_alone(desk: Desk) -> None:
    for place, hospital in enumerate(TOKENS):
        assert desk.report(hospital, good(value=place / 4, hospital=hospital)).status == 200
    assert desk.store.reports(1) == [{"H01": 0.0, "H02": 0.25, "H03": 0.5}]


@each("pieces", [[b"x" * 1001], [b"x" * 600, b"x" * 600], [b"x"] * 1001])
def test_a_large_body_is_not_read_to_its_end(desk: Desk, pieces: list[bytes]) -> None:
    def endless():
        yield from pieces

    answer = desk.ask("POST", "/reports", endless(), Authorization=f"Bearer {TOKENS['H01']}")
    assert (answer.status, answer.headers["connection"]) == (413, "close")


HALF = [b'{"week": 1, "value": 0.25, ']


def test_a_slow_body_is_not_waited_for(desk: Desk, monkeypatch) -> None:
    monkeypatch.setattr(server, "SLOWEST", 0.02)
    answer = desk.ask("POST", "/reports", HALF, "hangs", Authorization=f"Bearer {TOKENS['H01']}")
    assert (answer.status, answer.headers["connection"]) == (408, "close")
    assert desk.store.reports(1) == [{}]


def test_a_body_that_breaks_off_counts_nothing(desk: Desk) -> None:
    answer = desk.ask("POST", "/reports", HALF, "breaks off", Authorization=f"Bearer {TOKENS['H01']}")
    assert (answer.status, answer.sentence) == (400, "The body broke off: send the report again.")
    assert desk.store.reports(1) == [{}]


def ask(desk: Desk, method: str, path: str, body: bytes = b"", hospital: str = "H01") -> Answer:
    return desk.ask(method, path, body, Authorization=f"Bearer {TOKENS[hospital]}")


def test_a_hospital_is_told_its_own_reports_and_nobody_elses(desk: Desk) -> None:
    desk.report("H01", good())
    assert ask(desk, "GET", "/held").told == {"held": [[1, 0.25]]}
    assert ask(desk, "GET", "/held", hospital="H02").told == {"held": []}
    assert [ask(desk, "GET", "/week", hospital=name).told["reported"] for name in ("H01", "H02")] == [True, False]
    assert "reported" not in desk.ask("GET", "/week").told
    for path in ("/held", "/week"):
        assert desk.ask("GET", path, Authorization="Bearer guessed").status == 401
    assert desk.ask("GET", "/held").status == desk.ask("POST", "/ahead", b'{"week": 1}').status == 401


MARK = b'"mark": "abcdefghijklmnopqrstuvwx"'


@each(("path", "body", "status"), [
    ("/ahead", b'{"week": 1}', 200), ("/ahead", b'{"week": 9}', 200),
    *[("/ahead", body, 400) for body in (b"", b"[1]", b"{", b'{"week": 1, "week": 1}')],
    ("/ahead", b"{}", 422), ("/ahead", b'{"week": 1, "x": 1}', 422),
    *[("/ahead", b'{"week": %b}' % week, 422) for week in (b'"1"', b"true", b"1.0")],
    ("/draws", b'{"week": 1, %b}' % MARK, 200),
    *[("/draws", b'{"week": %d, %b}' % (week, MARK), 409) for week in (2, 0)],
    ("/draws", b'{"week": 1, "mark": "bbcdefghijklmnopqrstuvwx"}', 409),  # it was begun with another mark
    ("/draws", b"", 400), ("/draws", b"7", 400),
    *[("/draws", body, 422) for body in (b'{"week": 1}', b'{"week": 1, "mark": 7}', b'{"week": 1, "mark": "a"}')],
])  # fmt: skip
def test_who_is_ahead_or_begins_a_draw_must_say_of_which_week(desk: Desk, path: str, body: bytes, status: int) -> None:
    answer = ask(desk, "POST", path, body)
    assert answer.status == status
    assert re.fullmatch(r"[A-Z][^\n]{10,150}\.", answer.sentence)


NOTHING = [("GET", "/reports", 405), ("POST", "/", 405), ("GET", "/x", 404), ("PUT", "/week", 405)]


@each(("method", "path", "status"), NOTHING)
def test_what_is_not_there_is_said_in_json(desk: Desk, method: str, path: str, status: int) -> None:
    answer = desk.ask(method, path)
    assert answer.status == status
    assert answer.sentence.startswith("There is nothing here: POST /reports")


def test_a_full_disk_is_told_and_nothing_is_counted(desk: Desk, monkeypatch, capsys) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("disk is full")

    monkeypatch.setattr(desk.store, "add", full)
    answer = desk.report("H01", good())
    assert answer.status == 503
    assert "counted nothing" in answer.sentence
    assert "disk is full" in capsys.readouterr().err


def test_an_error_of_the_coordinator_shows_no_traceback(desk: Desk, monkeypatch) -> None:
    monkeypatch.setattr(desk.coordinator, "accept", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):  # the server writes it into its log
        desk.report("H01", good())
    assert b"ZeroDivision" not in desk.last.body
    assert (desk.last.status, list(desk.last.told)) == (500, ["error"])
