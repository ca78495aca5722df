"""What own counts cost beside the promise: levels of average persons, and gains at these."""

import math

import numpy as np
import pytest

from private_experts.replication.study.hospital_game import Game
from private_experts.replication.study.own_counts import own_games
from private_experts.replication.study.own_counts.own_counts_price import (
    price_numbers,
    price_table,
    sentence,
)
from private_experts.replication.study.own_counts.own_games import average_levels, play_averaged
from tests.replication.study.estimates import totals_of

BEDS = np.array([[10.0, 40.0], [20.0, 80.0]])
GAME = Game(
    *("NM", np.full((2, 2), 0.5), math.sqrt(2) / BEDS.min(axis=1), (math.inf, 1.0, 0.25), 4, 1),
    reach=1 / BEDS,
)
LEVELS = {"same": 0.05, "own": 0.7}


def test_the_average_level_is_over_beds_and_not_over_hospitals() -> None:
    # In both weeks the large hospital has four fifths of the beds, and a quarter of the small one's level.
    found = average_levels(GAME)
    assert found == pytest.approx({"same": (0.2 + 0.8 / 4) / math.sqrt(2), "own": 1 / math.sqrt(2)})


def test_own_counts_promise_less_where_the_average_is_that_of_the_papers_noise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def play(game: Game, learners: object, names: set[str]) -> list[object]:
        asked.append((game.levels, names))
        return []

    monkeypatch.setattr(own_games, "play", play)
    assert play_averaged(GAME, {}) == []
    ((levels, names),) = asked
    assert names == {"own/rw-meta"}
    assert list(levels) == pytest.approx([0.4])


def test_each_gain_is_of_its_contender_and_level() -> None:
    names = ("same/rw-meta", "average/own/rw-meta", "covered/same/rw-meta", "covered/own/rw-meta")

    def total(state: str, mu: float, name: str, r: int) -> float:
        return 10.0 * names.index(name) + mu + r % 2 + 100 * (state == "PA")

    played = totals_of(("PA", "NM"), (1.0, 0.25), names, 8, total)
    growth = {"NM": {"same": 2.9, "own": 6.5}, "PA": {"same": 3.6, "own": 7.4}}
    average = dict.fromkeys(growth, LEVELS)
    table = price_numbers(played, average, growth, [math.inf, 1.0, 0.25], 0.95)
    first, second = table.to_dict("records")
    gains = [first[f"{name}_{of}"] for name in ("matched", "covered") for of in ("same", "own")]
    assert gains == [1.5, 11.5, 20.75, 30.75]
    assert (second["matched_own"], second["public_own"]) == (111.5, 7.4)
    assert first["matched_own_pm"] > 0.3
    shown = price_table(table).iloc[0]
    assert shown["worst person in the public file, own counts"] == "6.5 μ"
    assert shown["RW-Meta, noise for the public file, μ = 0.25, paper's noise"].startswith("20.8 ± ")
    words = sentence([{str(name): str(cell) for name, cell in row.items()} for row in (first, second)])
    assert (
        "0.70 of the promised level (larger is worse), not 0.050 as with the paper's noise; at the "
        "latter, for μ = 1," in words
    )
    assert "gains 11.5 to 111.5 weeks at a full hospital, not 1.5 to 101.5" in words
    assert words.endswith("is 6.5 to 7.4 times the promised one, not 2.9 to 3.6")
    # A study may have other levels than its games of own counts, or none that is finite.
    other = price_numbers(played, average, growth, [2.0, 1.0], 0.95)
    assert (other["matched_mu"].iloc[0], other["covered_mu"].iloc[0]) == (1.0, 1.0)
    none = price_numbers(played.assign(mu=math.inf), average, growth, [math.inf], 0.95)
    assert (len(none), len(price_table(none)), sentence([])) == (0, 0, "")
