"""Words and configs that mean nothing."""

import copy
from pathlib import Path

import pytest

from private_experts.errors import told_in_one_line
from private_experts.replication.workflow import config as configuration
from private_experts.replication.yaml_text import load_yaml
from tests.bad_input.desk import assert_one_line
from tests.each import each


@each(
    ("words", "wrong"),
    [
        (["gmae"], "gmae"),
        (["games", "--hospital.adjacency", "moved"], "moved"),
        (["games", "--privacy_levels", "one"], "one"),
        (["games", "--repetitions", "2.5"], "2.5"),
        (["games", "--algorithm", "rw-ftpl"], "--panels"),
        (["reports", "--source", "web"], "web"),
        (["summary", "--colour", "blue"], "--colour"),
        ([], "COMMAND"),
    ],
)
def test_words_that_mean_nothing_are_named_after_the_usage(command, words, wrong):
    code, error = command(*words)
    assert code == 2
    assert "Traceback" not in error
    usage, *_, last = error.splitlines()
    assert usage.startswith("usage: private-experts")
    assert "error: " in last
    assert wrong in last


def test_an_unknown_command_is_answered_with_the_known_ones(command):
    _, error = command("gmae")
    assert all(name in error.splitlines()[-1] for name in ("reports", "panels", "games", "checks", "summary"))


@each(
    ("change", "words"),
    [
        ({"repetition": 5}, "unknown key 'repetition'; did you mean 'repetitions'?"),
        ({"privacy_levels": [0]}, "privacy_levels.0: 0 is not allowed; write a number at least 0.001"),
        ({"learners": {"family": "arima"}}, "learners"),
    ],
)
def test_a_misspelt_config_is_told_like_any_other_bad_input(capsys, change, words):
    folder = Path(__file__).parents[2] / "config"
    config = copy.deepcopy(load_yaml((folder / "study.yaml").read_text(encoding="utf-8")))
    with pytest.raises(SystemExit) as end, told_in_one_line():
        configuration.check(config | change, folder / "schema.yaml")
    error = capsys.readouterr().err
    assert_one_line(end.value.code, error)
    assert words in error
