"""Gain against the level in an average bed: where each point lies."""

import math

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.study.hospital_game import Game
from private_experts.replication.study.own_counts.average_level_figure import at_average, average_level_figure
from private_experts.replication.study.own_counts.own_games import average_levels

COUNT, FILE = {"NM": {"same": 0.1, "own": 0.7}}, {"NM": {"same": 0.2, "own": 0.6}}
GAINS = {
    "same/rw-meta": 20.0,
    "own/rw-meta": 30.0,
    "covered/same/rw-meta": 5.0,
    "covered/own/rw-meta": 8.0,
    "same/rw-ftpl": 99.0,
}


def totals() -> pd.DataFrame:
    played = [(name, mu, gain + mu) for name, gain in GAINS.items() for mu in (1.0, 0.5)]
    played += [("own/rw-meta", math.inf, 50.0), ("average/own/rw-meta", 1.0, 15.0)]
    rows = [
        {"state": "NM", "algorithm": name, "mu": mu, "repetition": r, "total": gain + r % 2 - 0.5}
        for name, mu, gain in played
        for r in range(6)
    ]
    return pd.DataFrame(rows)


def test_each_point_has_the_level_of_its_noise_and_of_what_the_promise_is_about() -> None:
    points = at_average(totals(), COUNT, FILE, {"NM": 10.0}, 0.95)
    found = {
        (row["about"], row["mechanism"], round(row["level"], 9)): round(row["gain"], 9)
        for row in points.to_dict("records")
    }
    assert found == {
        ("count", "same", 0.1): 2.1,
        ("count", "same", 0.05): 2.05,
        ("count", "own", 0.7): 3.1,
        ("count", "own", 0.35): 3.05,
        ("count", "own", 0.1): 1.5,
        ("file", "same", 0.2): 0.6,
        ("file", "same", 0.1): 0.55,
        ("file", "own", 0.6): 0.9,
        ("file", "own", 0.3): 0.85,
    }
    assert (points["pm"] > 0).all()
    figure = average_level_figure(points)
    assert [len(panel.containers) for panel in figure.axes] == [4]
    # at the average of the paper's noise for 1: 1.5 and 2.1
    assert "gives at μ = 1, own counts gain 71 % as much" in figure.get_suptitle().replace("\n", " ")
    none = average_level_figure(points.iloc[:0])
    assert none.get_suptitle() == "Without a private level there is nothing to compare"


def test_the_average_in_the_public_file_is_of_what_one_person_moves_there() -> None:
    beds = np.array([[10.0, 40.0], [20.0, 80.0]])
    covering = np.array([[0.3, 0.05], [0.1, 0.1]])
    game = Game(
        *("NM", np.full((2, 2), 0.5), math.sqrt(2) / beds.min(axis=1), (1.0,), 4, 1),
        reach=1 / beds,
        covering=covering,
    )
    weeks = [(0.2 * 0.3 + 0.8 * 0.05) / 0.3, 1.0]
    assert average_levels(game, in_public_file=True) == pytest.approx(
        {"same": np.mean(weeks) / math.sqrt(2), "own": 1 / math.sqrt(2)}
    )
