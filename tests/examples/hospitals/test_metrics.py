"""Metrics keep to the grammar of Prometheus' text format 0.0.4, and say what the page says."""

import re
from pathlib import Path

import pytest

from examples.hospitals.metrics import _family
from examples.hospitals.setting import Setting
from tests.examples.hospitals.desk import SETTING, TOKENS, Desk, good

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
VALUE = r"[-+]?(?:\d+(?:\.\d*)?(?:e[-+]?\d+)?|Inf)|NaN"
SAMPLE = re.compile(rf"({NAME})(?:\{{((?:{LABEL},)*(?:{LABEL})?)\}})?[ \t]+({VALUE})(?:[ \t]+-?\d+)?")
ESCAPES = {r"\\": "\\", r"\"": '"', r"\n": "\n"}

Metrics = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def parsed(text: str) -> Metrics:
    """Read the format by its grammar: metrics in groups, of one HELP and one TYPE before the first sample."""
    assert text.endswith("\n")
    found: Metrics = {}
    kinds: dict[str, str] = {}
    helped, group = set(), ""
    for line in text.splitlines():
        if match := re.fullmatch(rf"# HELP ({NAME}) (?:[^\\\n]|\\[\\n])*", line):
            group = match[1]
            assert group not in helped
            helped.add(group)
        elif match := re.fullmatch(rf"# TYPE ({NAME}) (counter|gauge|histogram|summary|untyped)", line):
            assert match[1] == group
            assert group not in kinds
            kinds[group] = match[2]
        else:
            match = SAMPLE.fullmatch(line)
            assert match, line
            assert match[1] == group  # of the group that is open
            assert group in kinds
            assert group.endswith("_total") == (kinds[group] == "counter")
            pairs = re.findall(r'([^=,]+)="((?:[^"\\]|\\.)*)"', match[2] or "")
            labels = tuple((name, re.sub(r"\\.", lambda code: ESCAPES[code[0]], value)) for name, value in pairs)
            assert len(dict(labels)) == len(labels)
            assert (group, labels) not in found
            found[group, labels] = float(match[3])
    assert helped == kinds.keys()
    return found


def measured(desk: Desk) -> Metrics:
    answer = desk.ask("GET", "/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return parsed(answer.body.decode())


def test_metrics_say_what_the_coordinator_knows(desk: Desk) -> None:
    for hospital in TOKENS:
        desk.report(hospital, good(hospital=hospital))
    desk.now += 1.0
    assert desk.coordinator.close_if_due()
    desk.report("H02", good(2, hospital="H02"))
    desk.report("H02", b"{")
    desk.now += 3.0
    found = measured(desk)
    of = {hospital: (("hospital", hospital),) for hospital in TOKENS}
    assert found["hospitals_week", ()] == 2
    assert found["hospitals_weeks", ()] == SETTING.weeks
    assert found["hospitals_week_open_seconds", ()] == 3.0
    assert found["hospitals_week_overdue_seconds", ()] == 0.0
    assert [found["hospitals_reported", of[name]] for name in TOKENS] == [0, 1, 0]
    assert [found["hospitals_reports", of[name]] for name in TOKENS] == [1, 2, 1]
    assert [found["hospitals_spent_level", of[name]] for name in TOKENS] == pytest.approx([0.5**0.5, 1.0, 0.5**0.5])
    assert found["hospitals_spent_level_all", ()] == pytest.approx(1.5**0.5)
    assert found["hospitals_chosen", of[desk.coordinator.choices(1)[0].hospital]] == 1
    assert found["hospitals_answers_total", (("status", "200"),)] == 4
    assert found["hospitals_answers_total", (("status", "400"),)] == 1
    desk.now += 100.0
    assert measured(desk)["hospitals_week_overdue_seconds", ()] == 93.0


def test_when_all_weeks_are_over_the_last_one_tells_who_has_reported(desk: Desk) -> None:
    for week in range(1, SETTING.weeks + 1):
        for hospital in ("H01", "H03"):
            desk.report(hospital, good(week, hospital=hospital))
        desk.now += SETTING.longest
        assert desk.coordinator.close_if_due()
    found = measured(desk)
    assert found["hospitals_week", ()] == SETTING.weeks + 1
    assert [found["hospitals_reported", (("hospital", hospital),)] for hospital in TOKENS] == [1, 0, 1]


def test_errors_of_the_coordinator_are_counted(desk: Desk, monkeypatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(desk.coordinator, "accept", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            desk.report("H01", good())
    assert measured(desk)["hospitals_answers_total", (("status", "500"),)] == 1


def test_labels_are_hospitals_and_statuses_alone(desk: Desk) -> None:
    desk.report("H01", good())
    labels = {label for _, labels in measured(desk) for label in labels}
    assert labels == {("hospital", name) for name in TOKENS} | {("status", "200")}


def test_any_name_of_a_hospital_is_escaped(tmp_path: Path) -> None:
    odd = {'a"b', '"', '<img onerror="x">', "ä{}=,"}
    desk = Desk(tmp_path / "odd", Setting(dict.fromkeys(odd, 80), 1.0, 2, 0, 1.0, 2.0))
    found = measured(desk)
    assert {labels[0][1] for name, labels in found if name == "hospitals_reports"} == odd
    desk.close()


def test_any_text_of_a_label_is_escaped() -> None:
    for text in ("a\\n", "a\nb", '\\"', "\n\\"):
        assert parsed(_family("a", "gauge", "b", [({"hospital": text}, 1)])) == {("a", (("hospital", text),)): 1.0}
