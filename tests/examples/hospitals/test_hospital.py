"""A hospital draws once a week, on its own terms, and sends what it has stored."""

import json
import math
import shutil
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from examples.hospitals import hospital as hospital_module
from examples.hospitals.hospital import OUTBOX, SIMULATION, TOKEN, Hospital
from private_experts.errors import InputError
from private_experts.privacy import SecureNoise
from tests.each import each
from tests.examples.hospitals.deployment import FIGURES, FIRST, HOUSE, NAMES, SCALES, SECOND, WEEKS, Deployment, stored

CUT = "the line is cut"


def refused(deployment: Deployment, match: str, draws: int = 0, reports: int = 0) -> None:
    """The first hospital says in one line why it does nothing; so much was drawn and sent, then and before."""
    with pytest.raises(InputError, match=match) as caught:
        deployment.attend(FIRST)
    assert "\n" not in str(caught.value)
    assert len(deployment.draws) == draws
    assert len(deployment.sent()) == reports


def test_the_noise_is_that_of_the_terms_and_the_figure_stays_at_home(deployment: Deployment) -> None:
    deployment.play(1)
    truths = {FIRST: 31.4 / 120, SECOND: 22.6 / 80}
    assert deployment.draws == [(pytest.approx(truths[name]), pytest.approx(SCALES[name])) for name in NAMES]
    for name, report in zip(NAMES, map(json.loads, deployment.sent()), strict=True):
        assert report.keys() == {"hospital", "week", "value", "terms"}
        assert abs(report["value"] - truths[name]) > 1e-3 * SCALES[name]


def test_noise_is_secure_unless_something_else_is_written(deployment: Deployment, monkeypatch) -> None:
    pytest.importorskip("opendp", reason="secure noise needs the optional extra 'secure'")
    assert "noise" not in HOUSE
    monkeypatch.setattr(hospital_module, "SecureNoise", SecureNoise)
    deployment.play(1)
    for report in map(json.loads, deployment.sent()):
        assert report["terms"]["noise"] == "secure"
        assert (report["value"] * 2.0**30).is_integer()  # the grid of secure noise
    assert str(deployment.coordinator.setting.terms[FIRST].guarantee) == "1-GDP (local)"


@pytest.mark.parametrize("lost", ["request", "answer"])
def test_after_a_crash_the_same_bytes_are_sent_and_nothing_is_drawn(deployment: Deployment, lost: str) -> None:
    deployment.lose = ("/reports", lost)
    for tries in range(1, 4):
        refused(deployment, CUT, draws=1, reports=0 if lost == "request" else tries)
    deployment.lose = None
    assert deployment.attend(FIRST) == f"{FIRST}, week {WEEKS[0]}: reported"
    assert len(deployment.draws) == 1
    assert set(deployment.sent()) == {body for _, _, body, _ in deployment.counted()}
    assert set(deployment.sent()) == set(stored(deployment.house(FIRST)))


def test_a_report_is_on_the_disk_before_it_is_sent_or_it_is_not_sent(deployment: Deployment) -> None:
    found = []

    def ask(method: str, path: str, body: str | None) -> tuple[int, dict[str, Any]]:
        if path == "/reports":
            found.append(stored(deployment.house(FIRST)) == [body])
        return deployment.ask(deployment.tokens[FIRST], method, path, body)

    with closing(Hospital(deployment.house(FIRST), ask)) as hospital:
        hospital.attend()
    assert found == [True]
    deployment.attend(SECOND)
    with closing(sqlite3.connect(deployment.house(FIRST) / OUTBOX)) as outbox:
        outbox.execute("CREATE TRIGGER full BEFORE UPDATE ON reports BEGIN SELECT raise(ABORT, 'disk is full'); END")
    refused(deployment, "disk is full; nothing is sent that is not stored", draws=3, reports=2)


def test_the_first_draw_stays_when_two_processes_of_a_hospital_draw(deployment: Deployment) -> None:
    house, sent = deployment.house(FIRST), []
    with (
        closing(Hospital(house, lambda *ask: (200, {}))) as one,
        closing(Hospital(house, lambda *ask: (200, {}))) as two,
    ):
        sent = [process._draw(WEEKS[0]) for process in (one, two)]
        assert one._reconciled(WEEKS[0], None) == two._reconciled(WEEKS[0], None) == sent[0]
    assert sent[0] == sent[1]
    assert len(deployment.draws) == 2


def test_a_lost_outbox_takes_the_report_back_and_draws_nothing(deployment: Deployment) -> None:
    deployment.attend(FIRST)
    (deployment.house(FIRST) / OUTBOX).unlink()
    assert deployment.attend(FIRST).endswith("reported")
    assert len(deployment.draws) == 1
    assert stored(deployment.house(FIRST)) == deployment.sent()[:1]


def test_a_report_that_was_lost_with_its_outbox_is_not_drawn_again(deployment: Deployment) -> None:
    deployment.lose = ("/reports", "request")
    refused(deployment, CUT, draws=1)
    deployment.lose = None
    (deployment.house(FIRST) / OUTBOX).unlink()
    refused(deployment, "nothing is drawn: Another draw was begun for this week", draws=1)


def test_of_two_copies_of_a_hospital_one_draws_also_after_a_crash(deployment: Deployment) -> None:
    copy = shutil.copytree(deployment.house(FIRST), deployment.folder / "copy")
    deployment.lose = ("/draws", "answer")
    refused(deployment, CUT)
    deployment.lose = None
    with pytest.raises(InputError, match="nothing is drawn: Another draw was begun"):
        deployment.attend(FIRST, copy)
    assert deployment.attend(FIRST).endswith("reported")
    assert len(deployment.draws) == 1


def test_two_values_of_a_week_are_said_with_their_level(deployment: Deployment) -> None:
    deployment.attend(FIRST)
    with closing(sqlite3.connect(deployment.house(FIRST) / OUTBOX)) as outbox, outbox:
        outbox.execute("UPDATE reports SET body = ?", (deployment.report(value=0.5),))
    refused(deployment, f"Two are out, so the level of that week is {math.sqrt(1.5):.4g}", draws=1, reports=1)


@pytest.mark.parametrize("name", ["level", "unit", "bounds", "sensitivity", "noise"])
def test_other_terms_are_refused_before_a_draw_whoever_is_wrong(deployment: Deployment, name: str) -> None:
    others: dict[str, list[dict[str, Any]]] = {
        "level": [{"level": 2.0}, {"level": 0.5}],
        "unit": [{"unit": "patients"}],
        "bounds": [{"bounds": [0, 2]}],
        "sensitivity": [{"beds": 1200}, {"beds": 12}],
        "noise": [{"noise": "simulated", "seed": 7}],
    }
    own = json.loads((deployment.house(FIRST) / "setting.json").read_text())
    for other in others[name]:
        deployment.write(deployment.house(FIRST), own | other)
        refused(deployment, rf"nothing is drawn or sent, as the terms differ: .*{name} is .* here and .* there")
    assert {path for path, _ in deployment.requests} == {"/week"}
    assert stored(deployment.house(FIRST)) == []


@each(
    "announced", [{"terms": None}, {"terms": {}}, {"terms": "\n\x1b[2J"}, {"week": 7}, {"week": "../x"}, {"week": "\n"}]
)
def test_an_announcement_that_is_none_is_refused(deployment: Deployment, announced: Any) -> None:
    deployment.announced = announced
    refused(deployment, "nothing is drawn or sent, as the (terms differ: .* there|open week is)")


def test_terms_that_are_not_known_are_refused(deployment: Deployment) -> None:
    deployment.announced = {"terms": deployment.coordinator.setting.terms[FIRST].facts() | {"delta": 0.1}}
    refused(deployment, "as the terms differ: delta is not known here")


def test_a_wrong_token_and_that_of_another_hospital_are_refused_before_a_draw(deployment: Deployment) -> None:
    (deployment.house(FIRST) / TOKEN).write_text("guessed")
    refused(deployment, "nothing is drawn or sent: No hospital has this token")
    (deployment.house(FIRST) / TOKEN).write_text(deployment.tokens[SECOND])
    refused(deployment, "nothing is drawn or sent, as the token is that of 320002")


def test_seeded_noise_says_that_it_is_a_simulation(deployment: Deployment, capsys) -> None:
    deployment.change(deployment.desk, noise="simulated")
    for name in NAMES:
        deployment.change(deployment.house(name), noise="simulated", seed=7)
    deployment.coordinator.close()
    (deployment.desk / "reports.sqlite3").unlink()
    deployment.restart()
    deployment.play(1)
    assert capsys.readouterr().err == f"{SIMULATION}\n" * 2
    assert "protects nobody" in SIMULATION
    assert not deployment.draws
    assert [json.loads(body)["terms"]["noise"] for body in deployment.sent()] == ["simulated"] * 2
    (deployment.house(FIRST) / OUTBOX).unlink()
    with closing(Hospital(deployment.house(FIRST), lambda *ask: (200, {}))) as hospital:
        assert hospital._draw(WEEKS[0]) == deployment.sent()[0]  # the same seed, the same noise


def test_a_figure_that_is_not_there_yet_is_waited_for(deployment: Deployment) -> None:
    for rows in ([f"{WEEKS[0]},NM,"], ["2021-01-01,NM,7.5"]):
        deployment.figures(FIRST, rows)
        assert deployment.attend(FIRST) == f"{FIRST}, week {WEEKS[0]}: no figure yet"
    assert {path for path, _ in deployment.requests} == {"/week"}
    deployment.figures(FIRST, ["2020/08/07,NM,500"])  # more than beds counts as the bound
    assert deployment.attend(FIRST).endswith("reported")
    assert deployment.draws == [(1.0, pytest.approx(SCALES[FIRST]))]


def test_figures_that_are_none_are_refused_before_a_draw(deployment: Deployment) -> None:
    for rows, said in (
        (["2020-08-07,NM,-999999"], "the figure of week 2020-08-07 is suppressed"),
        (["2020-08-07,NM,-1"], "the figure of week 2020-08-07 is negative"),
        (["2020-08-07,NM,7.5", "2020-08-07,NM,8.5"], "has week 2020-08-07 of 320001 twice"),
        (["2020-08-07,NM,many"], "'many' is not a number"),
    ):
        deployment.figures(FIRST, rows)
        refused(deployment, said)
    deployment.change(deployment.house(FIRST), column="state")
    refused(deployment, r"column state is missing; name another in .*setting\.json")


def test_patients_are_another_unit_with_another_sensitivity(deployment: Deployment) -> None:
    deployment.renew(unit="patients", bounds=[0, 100])
    deployment.play(1)
    noise = pytest.approx(math.sqrt(2) / 100)
    assert deployment.draws == [(pytest.approx(FIGURES[name][0] / 100), noise) for name in NAMES]


def test_when_all_weeks_are_over_nothing_is_done(deployment: Deployment) -> None:
    deployment.play(len(WEEKS))
    assert deployment.attend(FIRST) == f"{FIRST}: all weeks are over"
    assert len(deployment.draws) == 2 * len(WEEKS)


def test_a_setting_that_is_wrong_is_refused_in_one_line(deployment: Deployment) -> None:
    own = json.loads((deployment.house(FIRST) / "setting.json").read_text())
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"hospital": "../x"}, "write its hospital_pk"),
        ({"beds": True}, "beds = True: write a whole number of at least 1"),
        ({"level": math.nan}, "level = nan: write a positive number"),
        ({"level": 1e9}, "which cannot be drawn"),
        ({"unit": "beds"}, "unit = 'beds': write one of 'patients per bed', 'patients'"),
        ({"bounds": [1, 0]}, "write the smaller one first"),
        ({"bounds": 1}, "write the least and the largest figure"),
        ({"noise": "none"}, "leave it out for secure noise, or write simulated"),
        ({"noise": "simulated"}, "seed = None: write a whole number"),
        ({"seed": 7}, "secure noise has none"),
        ({"mu": 1.0}, "has mu; the keys are"),
        ({"coordinator": "http://127.0.0.1:8017"}, "write its address like https://"),
        ({"coordinator": "https://127.0.0.1:99999"}, "write its address like https://"),
        ({}, r"authority\.pem: is no certificate"),
    ]
    for changes, said in wrong:
        deployment.write(deployment.house(FIRST), own | changes)
        with pytest.raises(InputError, match=said) as caught:
            Hospital(deployment.house(FIRST))
        assert "\n" not in str(caught.value)
