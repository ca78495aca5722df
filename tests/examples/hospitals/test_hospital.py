"""A hospital draws once a week, on its own terms, and sends what it has stored."""

import json
import math
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from examples.hospitals import hospital as hospital_module
from examples.hospitals.coordinator import TOKENS, Coordinator, read_coordinator_setting, read_hashes
from examples.hospitals.hospital import OUTBOX, SIMULATION, TOKEN, Hospital
from private_experts.errors import InputError
from private_experts.privacy import SecureNoise
from tests.examples.hospitals.conftest import (
    DESK,
    FIGURES,
    FIRST,
    HOUSE,
    NAMES,
    SECOND,
    WEEKS,
    Deployment,
    stored,
)


def refused(deployment: Deployment, match: str, draws: int = 0, reports: int = 0) -> None:
    """The first hospital says in one line why it does nothing; so much was drawn and sent in all."""
    with pytest.raises(InputError, match=match) as caught:
        deployment.attend(FIRST)
    assert "\n" not in str(caught.value)
    assert len(deployment.draws) == draws
    assert len(deployment.sent()) == reports


@pytest.mark.parametrize(("most", "moved"), [(1, (1 / 120, 1 / 80)), (90, (1, 1))])
def test_the_noise_is_that_of_the_terms_and_the_figure_stays_at_home(
    deployment: Deployment, most, moved
) -> None:
    deployment.renew(unit="patients per bed" if most == 1 else "patients", bounds=[0, most])
    deployment.play(1)
    for name, by, draw, body in zip(NAMES, moved, deployment.draws, deployment.sent(), strict=True):
        truth, scale = FIGURES[name][0] * by / most, math.sqrt(2) * by / most
        assert draw == (pytest.approx(truth), pytest.approx(scale))
        assert json.loads(body).keys() == {"hospital", "week", "value", "terms"}
        assert abs(json.loads(body)["value"] - truth) > 1e-3 * scale


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
def test_after_a_crash_the_same_bytes_are_sent_and_nothing_is_drawn(
    deployment: Deployment, lost: str
) -> None:
    deployment.lose = ("/reports", lost)
    for tries in range(1, 4):
        refused(deployment, "the line is cut", draws=1, reports=0 if lost == "request" else tries)
    deployment.lose = None
    assert deployment.attend(FIRST) == f"{FIRST}, week {WEEKS[0]}: reported"
    assert len(deployment.draws) == 1
    assert set(deployment.sent()) == {body for _, _, body, _ in deployment.counted()}
    assert set(deployment.sent()) == set(stored(deployment.house(FIRST)))


def test_what_cannot_be_stored_is_not_sent(deployment: Deployment) -> None:
    deployment.play(1)
    with closing(sqlite3.connect(deployment.house(FIRST) / OUTBOX)) as outbox:
        outbox.execute(
            "CREATE TRIGGER full BEFORE UPDATE ON reports BEGIN SELECT raise(ABORT, 'disk is full'); END"
        )
    refused(deployment, "disk is full; nothing is sent that is not stored", draws=3, reports=2)


def test_the_first_draw_stays_when_two_processes_of_a_hospital_draw(deployment: Deployment) -> None:
    house = deployment.house(FIRST)
    one, two = Hospital(house, lambda *ask: (200, {})), Hospital(house, lambda *ask: (200, {}))
    with closing(one), closing(two):
        assert one._draw(WEEKS[0]) == two._draw(WEEKS[0]) == one._reconciled(WEEKS[0], None)
    assert len(deployment.draws) == 2


@pytest.mark.parametrize("counted", [True, False])
def test_a_lost_outbox_takes_the_report_back_if_counted_and_draws_none(
    deployment: Deployment, counted: bool
) -> None:
    deployment.lose = ("/reports", "answer" if counted else "request")
    refused(deployment, "the line is cut", draws=1, reports=int(counted))
    deployment.lose = None
    (deployment.house(FIRST) / OUTBOX).unlink()
    if counted:
        assert deployment.attend(FIRST).endswith("reported")
        assert stored(deployment.house(FIRST)) == deployment.sent()[:1]
    else:
        refused(deployment, "nothing is drawn: Another draw was begun for this week", draws=1)
    assert len(deployment.draws) == 1


def test_of_two_copies_of_a_hospital_one_draws_also_after_a_crash(deployment: Deployment) -> None:
    copy = shutil.copytree(deployment.house(FIRST), deployment.folder / "copy")
    deployment.lose = ("/draws", "answer")
    refused(deployment, "the line is cut")
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


def test_other_terms_are_refused_before_a_draw_whoever_is_wrong(deployment: Deployment) -> None:
    own = json.loads((deployment.house(FIRST) / "setting.json").read_text())
    simulated = {"noise": "simulated", "seed": 7}
    others = [
        {"level": 2.0},
        {"level": 0.5},
        {"unit": "patients"},
        {"bounds": [0, 2]},
        {"beds": 1200},
        {"beds": 12},
    ]
    for other in (*others, simulated):
        (deployment.house(FIRST) / "setting.json").write_text(json.dumps(own | other))
        name = next(iter(other)).replace("beds", "sensitivity")
        refused(
            deployment, rf"nothing is drawn or sent, as the terms differ: .*{name} is .* here and .* there"
        )
    assert {path for path, _ in deployment.requests} == {"/week"}
    assert stored(deployment.house(FIRST)) == []


def test_an_announcement_that_is_none_is_refused(deployment: Deployment) -> None:
    terms = deployment.coordinator.setting.terms[FIRST].facts()
    for other in (None, {}, "\n\x1b[2J", terms | {"delta": 0.1}, terms | {"level": True}):
        deployment.announced = {"terms": other}
        refused(deployment, "nothing is drawn or sent, as the terms differ")
    for week in (7, "../x", "\n", []):
        deployment.announced = {"week": week}
        refused(deployment, "nothing is drawn or sent, as the open week is")


def test_a_wrong_token_and_that_of_another_hospital_are_refused_before_a_draw(deployment: Deployment) -> None:
    (deployment.house(FIRST) / TOKEN).write_text("guessed")
    refused(deployment, "nothing is drawn or sent: No hospital has this token")
    (deployment.house(FIRST) / TOKEN).write_text(deployment.tokens[SECOND])
    refused(deployment, "nothing is drawn or sent, as the token is that of 320002")


def test_seeded_noise_says_that_it_is_a_simulation(deployment: Deployment, capsys) -> None:
    deployment.renew(noise="simulated", seed=7)
    deployment.play(1)
    assert capsys.readouterr().err == f"{SIMULATION}\n" * 2
    assert "protects nobody" in SIMULATION
    assert not deployment.draws
    assert [json.loads(body)["terms"]["noise"] for body in deployment.sent()] == ["simulated"] * 2
    (deployment.house(FIRST) / OUTBOX).unlink()
    with closing(Hospital(deployment.house(FIRST), lambda *ask: (200, {}))) as hospital:
        assert hospital._draw(WEEKS[0]) == deployment.sent()[0]  # the same seed, the same noise


def test_each_week_and_hospital_has_noise_of_its_own_from_one_seed_too(deployment: Deployment) -> None:
    deployment.renew(noise="simulated", seed=7)
    drawn = set()
    for name in NAMES:
        with closing(Hospital(deployment.house(name), lambda *ask: (200, {}))) as hospital:
            drawn |= {hospital._noise(week).perturb(np.zeros(1), 1.0, 1).item() for week in WEEKS}
    assert len(drawn) == len(NAMES) * len(WEEKS)


def test_a_figure_that_is_not_there_yet_is_waited_for(deployment: Deployment) -> None:
    for rows in ([f"{WEEKS[0]},NM,"], ["2021-01-01,NM,7.5"]):
        deployment.figures(FIRST, rows)
        assert deployment.attend(FIRST) == f"{FIRST}, week {WEEKS[0]}: no figure yet"
    assert {path for path, _ in deployment.requests} == {"/week"}


@pytest.mark.parametrize(
    ("patients", "beds", "told"), [(500, 120, "4.16667"), (120, 120, "1"), (49, 49, "1"), (119, 120, "")]
)
def test_a_figure_at_the_bound_or_above_counts_as_it_and_the_hospital_is_told(
    deployment: Deployment, capsys: pytest.CaptureFixture[str], patients: int, beds: int, told: str
) -> None:
    """As many patients as beds are a copy of the column of beds."""
    deployment.change(deployment.house(FIRST), beds=beds)
    deployment.change(deployment.desk, hospitals=DESK["hospitals"] | {FIRST: beds})
    deployment.renew()
    deployment.figures(FIRST, [f"2020/08/07,NM,{patients}"])
    assert deployment.attend(FIRST).endswith("reported")
    assert deployment.draws == [(pytest.approx(min(patients / beds, 1)), pytest.approx(math.sqrt(2) / beds))]
    warning = r"week 2020-08-07: (\S+) patients per bed counts as 1, the upper bound; see if "
    assert re.findall(warning, capsys.readouterr().err) == [told] * bool(told)


def test_figures_that_are_none_are_refused_before_a_draw(deployment: Deployment) -> None:
    twice = "320001 reports week 2020-08-07 twice with different figures"
    for rows, message in (
        ("NM,-999999", "the figure of week 2020-08-07 is suppressed"),
        (f"NM,7.5\n{FIRST},{WEEKS[0]},NM,8.5", twice),
        (f"NM,\n{FIRST},{WEEKS[0]},NM,8.5", twice),
        # what the study refuses
        ("NM,1,1,234", "line 2 has 6 cells, and the header 4; write numbers without commas"),
        *((f"NM,{wrong}", f"'{wrong}' is not a number; write a number") for wrong in ("1_000", "١٢")),
        ("NM,999999", "'999999' is -999999 without its sign; write that"),
        ('NM,"7.5\n"', "line 2: a quote is open at its end"),
        (f'"NM\n",7.5\n{SECOND},2020-08-07,"NM",7.5', "line 2: a quote is open at its end"),
        (f"NM,7.5\n32-0001,{WEEKS[0]},NM,8.5", "'32-0001' is '320001' in other rows; write one of the two"),
    ):
        deployment.figures(FIRST, [f"{WEEKS[0]},{rows}"])
        refused(deployment, message)
    deployment.figures(FIRST, [f"{WEEKS[0]},NM,7.5"])
    figures = "has no figures; name a column of numbers"
    for column, message in (("state", figures), ("hospital_name", figures), ("beds", "is missing")):
        deployment.change(deployment.house(FIRST), column=column)
        refused(deployment, f"column {column} {message}")
    deployment.change(deployment.house(FIRST), column=HOUSE["column"])
    file = deployment.house(FIRST) / "reports.csv"
    file.write_text(file.read_text()[:-2])  # the last digit is to come
    refused(deployment, r"reports\.csv: the last line has no end; wait until it is written, or end it")


def test_a_key_that_appears_twice_is_refused_before_a_draw(deployment: Deployment) -> None:
    setting = deployment.house(FIRST) / "setting.json"
    setting.write_text(setting.read_text().replace('"reports"', '"reports": "old.csv", "reports"'))
    refused(deployment, r"setting\.json: is not valid JSON \(key reports appears twice; keep one of them\)")
    for name in ("setting.json", TOKENS):
        path = deployment.desk / name
        path.write_text(path.read_text().replace(f'"{FIRST}"', f'"{FIRST}": 1, "{FIRST}"'))
        with pytest.raises(InputError, match=rf"{name}: is not valid JSON \(key {FIRST} appears twice"):
            read_coordinator_setting(deployment.desk) if name != TOKENS else read_hashes(path)


def test_a_file_that_is_wrong_is_refused_in_one_line(deployment: Deployment) -> None:
    deployment.coordinator.close()
    desk, house = deployment.desk / "setting.json", deployment.house(FIRST) / "setting.json"
    own, begun = json.loads(house.read_text()), DESK | {"weeks": 4}
    wrong: list[tuple[Path, Any, str]] = [
        (house, own | {"level": math.nan}, "level = nan: write a positive number"),
        (house, own | {"level": 1e9}, "which cannot be drawn"),
        (house, own | {"noise": "simulated"}, "seed = None: write a whole number"),
        (house, own | {"seed": 7}, "secure noise has none"),
        (house, own | {"mu": 1.0}, "has mu; the keys are"),
        (house, own | {"coordinator": "http://127.0.0.1:8017"}, "write its address like https://"),
        (house, own, r"authority\.pem: is no certificate"),
        (desk, begun | {"level": 2.0}, "was begun with another setting"),
        (desk, begun | {"weeks": 10**9}, "write a date such as 2020-08-07, and how many follow"),
        (deployment.desk / "reports.sqlite3", "no database " * 100, "is it another file"),
    ]
    for path, facts, message in wrong:
        before = path.read_bytes()
        path.write_text(json.dumps(facts))
        with pytest.raises(InputError, match=message) as caught:
            (Hospital if path == house else Coordinator)(path.parent)
        assert "\n" not in str(caught.value)
        path.write_bytes(before)
