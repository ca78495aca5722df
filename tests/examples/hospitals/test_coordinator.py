"""The coordinator counts each report once, in its week, and forgets nothing; its page shows choices alone."""

import json
import math
import re
import shutil
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from examples.hospitals.choosing import choose
from examples.hospitals.coordinator import DATABASE, make_token
from private_experts.errors import InputError
from tests.examples.hospitals.conftest import DESK, FIGURES, FIRST, NAMES, SECOND, WEEKS, Deployment, stored

LONGEST = 86400.0 * DESK["days_open"]


def test_a_report_is_counted_once_and_no_other_one_is(deployment: Deployment) -> None:
    report = deployment.report()
    assert deployment.post(report) == (200, "The report is counted.")
    assert deployment.post(report) == (200, "The report was counted before, once.")
    for other in (deployment.report(value=0.5), report + " "):
        assert deployment.post(other)[0] == 409
    assert deployment.counted() == [(WEEKS[0], FIRST, report, 0.25)]
    assert deployment.coordinator._run("PRAGMA synchronous").fetchone() == (3,)
    second = sqlite3.connect(deployment.desk / DATABASE, timeout=0)
    with closing(second), pytest.raises(sqlite3.OperationalError, match="locked"):
        second.execute("SELECT * FROM reports")


def test_a_week_out_of_order_is_refused(deployment: Deployment) -> None:
    def posted(week: Any, **other: Any) -> tuple[int, str]:
        return deployment.post(deployment.report(week=week, **other))

    assert posted(WEEKS[1]) == (409, f"The week is not open yet: {WEEKS[0]} is.")
    deployment.play(1)
    deployment.now += LONGEST
    assert deployment.open_week() == WEEKS[2]
    assert posted(WEEKS[1]) == (410, f"The week is closed: {WEEKS[2]} is open.")
    for week in ("2020-08-08", "2030-01-04", 1, None, [], "\ud800"):
        assert posted(week)[0] == 422
    deployment.play(2)
    assert posted(WEEKS[0], value=0.5)[0] == 409
    assert posted(WEEKS[1]) == (410, "All weeks are over.")


def test_a_draw_is_begun_once_in_the_open_week_alone(deployment: Deployment) -> None:
    def begin(mark: Any, name: str = FIRST, week: str = WEEKS[0]) -> int:
        return deployment.post(json.dumps({"week": week, "mark": mark}), name, "/draws")[0]

    assert begin(32 * "a", week=WEEKS[1]) == 409
    assert [begin(mark) for mark in (32 * "a", 32 * "a", 32 * "b", 32 * "x")] == [200, 200, 409, 422]
    deployment.restart()
    assert [begin(32 * "b"), begin(32 * "a"), begin(32 * "b", SECOND)] == [409, 200, 200]


def test_a_wrong_token_and_that_of_another_hospital_are_refused(deployment: Deployment) -> None:
    old, deployment.tokens[FIRST] = deployment.tokens[FIRST], make_token(deployment.desk, FIRST)
    deployment.restart()
    for token in ("", "guessed", "é", old):
        for method, path in (("GET", "/week"), ("POST", "/draws"), ("POST", "/reports")):
            assert deployment.coordinator.answer(method, path, token, deployment.report().encode())[0] == 401
    assert deployment.post(deployment.report(), SECOND) == (
        403,
        "The report is of another hospital than the token.",
    )
    assert deployment.counted() == []
    assert [deployment.post(deployment.report(name), name)[0] for name in NAMES] == [200, 200]
    kept = b"".join(path.read_bytes() for path in deployment.desk.iterdir())
    assert not any(token.encode() in kept for token in deployment.tokens.values())


def test_a_report_on_other_terms_or_with_a_value_that_no_noise_gives_is_refused(
    deployment: Deployment,
) -> None:
    terms = deployment.coordinator.setting.terms[FIRST].facts()
    for name in terms:
        for other in (terms | {name: 0.5}, {key: terms[key] for key in terms if key != name}):
            status, sentence = deployment.post(deployment.report(terms=other))
            assert status == 422
            assert sentence.startswith(f"The terms are not those agreed on: {name} is ")
    assert deployment.post(deployment.report(terms=terms | {"delta": 0.1}))[0] == 422
    for value in (math.nan, math.inf, True, None, "0.5", [], 10**400, 1e300, 1.2, -0.2):
        assert deployment.post(deployment.report(value=value))[0] in (400, 422)
    assert deployment.counted() == []
    assert deployment.post(deployment.report(value=1.1))[0] == 200


def test_a_week_waits_for_all_reports_until_its_longest_time(deployment: Deployment) -> None:
    deployment.attend(FIRST)
    deployment.now = LONGEST - 1
    deployment.restart()  # its time begins again, so that an outage costs no report
    deployment.now += LONGEST - 1
    assert deployment.open_week() == WEEKS[0]
    deployment.now += 1
    assert deployment.open_week() == WEEKS[1]
    deployment.now += LONGEST - 1
    assert deployment.open_week() == WEEKS[1]
    deployment.play(1)
    assert deployment.open_week() == WEEKS[2]


def test_a_restart_keeps_the_reports_and_the_choices_which_follow_from_them(deployment: Deployment) -> None:
    setting, reports = deployment.coordinator.setting, []
    for _ in WEEKS:
        deployment.play(1)
        page, rows = deployment.coordinator.answer("GET", "/", "", b""), deployment.counted()
        reports.append({name: value for _, name, _, value in rows[-2:]})
        deployment.restart()
        assert (deployment.coordinator.answer("GET", "/", "", b""), deployment.counted()) == (page, rows)
        replayed = [choose(setting.terms, setting.seed, reports[:week]) for week in range(len(reports) + 1)]
        assert deployment.choices() == replayed
    assert deployment.attend(FIRST) == f"{FIRST}: all weeks are over"
    for fuller, emptier in ((FIRST, SECOND), (SECOND, FIRST)):
        assert choose(setting.terms, setting.seed, [{fuller: 0.9, emptier: 0.1}] * 6) == fuller
        assert choose(setting.terms, setting.seed, [{fuller: 0.9}] * 6) == fuller


def test_a_coordinator_that_is_put_back_gets_the_same_reports_again(deployment: Deployment) -> None:
    deployment.play(1)
    shutil.copy(deployment.desk / DATABASE, deployment.folder / "backup")
    deployment.play(2)
    choices, rows = deployment.choices(), deployment.counted()
    deployment.coordinator.close()
    shutil.copy(deployment.folder / "backup", deployment.desk / DATABASE)
    deployment.restart()
    deployment.play(2)
    assert (deployment.choices(), deployment.counted()) == (choices, rows)
    assert len(deployment.draws) == 6
    assert sorted(set(deployment.sent())) == sorted(
        body for name in NAMES for body in stored(deployment.house(name))
    )


def test_the_page_shows_the_choices_who_has_reported_and_the_level(deployment: Deployment) -> None:
    def page() -> str:
        return str(deployment.coordinator.answer("GET", "/", "", b"")[1])

    assert "1-GDP (local) for a patient; all weeks so far are 0-GDP" in page()
    deployment.play(2)
    # a draw that was begun counts, as its report may be lost on the way
    deployment.lose = ("/draws", "answer")
    with pytest.raises(InputError, match="cut"):
        deployment.attend(SECOND)
    choices, text = deployment.choices(), page()
    rows = re.findall(r'<tr><th scope="row">(.*)</th><td>(.*)</td><td>(.*)</td><td>(.*)</td></tr>', text)
    assert rows[0] == (WEEKS[2], choices[2], "0 of 2", f"{FIRST}, {SECOND}")
    assert rows[1:] == [(WEEKS[week], choices[week], "2 of 2", "none") for week in (1, 0)]
    assert f"In the week of {WEEKS[2]}, help <strong>{choices[2]}</strong>" in text
    assert f"1-GDP (local) for a patient; all weeks so far are {math.sqrt(3):.3g}-GDP" in text
    assert "Simulation" not in text
    deployment.renew(noise="simulated")
    assert "Simulation: the noise of these reports comes from a seed" in page()
    assert "1-GDP (local, simulated noise)" in page()


def test_a_reports_value_is_for_its_own_hospital_alone(deployment: Deployment) -> None:
    deployment.play(2)
    deployment.attend(FIRST)
    tokens, ask = deployment.tokens, deployment.coordinator.answer
    for name, counted in ((FIRST, deployment.sent()[-1]), (SECOND, None)):
        assert ask("GET", "/week", tokens[name], b"")[1]["yours"] == counted
    shown = f"{[ask('GET', path, tokens[SECOND], b'') for path in ('/', '/week')]}"
    numbers = [json.loads(body)["value"] for body in deployment.sent()]
    numbers += [figure / by for name in NAMES for figure in FIGURES[name] for by in (1, 80, 120)]
    for number in numbers:
        digits = f"{number:.1%} {100 * number:.1f} {number:.2f} {number:.3f} {number!r}".split()
        assert not any(written in shown for written in digits)
