"""The page "Which algorithm?" shows what its command prints, and its promise is the same for all."""

import re

import numpy as np
import pytest
import tables
import which

from private_experts.algorithms.base import BaseAlgorithm
from private_experts.privacy import GaussianDP, PureDP, SimulatedNoise, privacy_report, to_gaussian


@pytest.fixture(scope="module")
def streams() -> dict[str, which.Stream]:
    return which.streams()


def masked(text: str) -> list[str]:
    """Return lines without the numbers of cells, and without what is said of them."""
    lines = [line for line in text.splitlines() if not line.startswith("No better than")]
    return [re.sub(r"\*?-?\d+( ± \d+)?\*?(?= \|)", "#", line) if line[:1] == "|" else line for line in lines]


def test_the_page_has_the_tables_of_all_streams(
    streams: dict[str, which.Stream], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(which, "played", lambda *_: np.arange(2.0))  # numbers are masked
    shown = tables.table_in(which.PAGE, "comparison")
    assert masked(which.comparison(streams)) == masked(shown), "run python docs/which.py"
    assert len(streams) >= 4
    said = re.findall("^No better than uniform play: (.*)\\.$", shown, re.MULTILINE)
    italics = [len(re.findall(r"\*-?\d+ ± \d+\*", part)) for part in shown.split("No better than")[:-1]]
    assert [
        sum(1 + part.rpartition(" at ")[2].count(", ") for part in line.split("; ") if " at " in part)
        for line in said
    ] == italics


def test_a_table_of_the_page_is_what_is_played(streams: dict[str, which.Stream]) -> None:
    name = "Hospitals of NM"
    assert which.table(name, streams[name]) in tables.table_in(which.PAGE, "comparison"), (
        "run python docs/which.py"
    )


def test_the_promise_to_a_person_is_the_level_of_the_column(
    streams: dict[str, which.Stream], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By what algorithms state when they play, of a person in several rounds."""
    promised = []

    def noted(algorithm: BaseAlgorithm, gains: object, delays: int | None = None) -> np.ndarray:
        together = privacy_report(algorithm, delta=1e-6, rounds=which.PERSON).together
        mu = to_gaussian(together).mu if isinstance(together, PureDP) else together.mu
        promised.append(mu)
        return np.zeros((len(stream.gains), which.COPIES), dtype=int)

    monkeypatch.setattr(which, "COPIES", 2)
    monkeypatch.setattr(which, "play", noted)
    stream = streams["Hospitals of NM"]
    rows = [row for row in which.rows(stream) if len(row[2]) > 1]
    np.testing.assert_allclose(
        promised[-len(rows) * len(which.LEVELS) :], which.LEVELS * len(rows), rtol=1e-6
    )


def test_the_noise_is_for_the_person_who_moves_most() -> None:
    """Two experts are moved by the largest reach at once, and on own counts the worst two by theirs."""
    gains, reach = np.full((12, 3), 0.5), np.array([0.01, 0.02, 0.1])
    stream = which.Stream("test", gains, reach)
    assert stream.sensitivity == pytest.approx(np.hypot(0.1, 0.1))
    noise, rng = SimulatedNoise(1), np.random.default_rng(1)
    leader = which.LOCAL["`RWFTPL`"](stream, GaussianDP(1.0, "local"), noise, rng)
    assert leader.noise_scale == pytest.approx(stream.sensitivity)
    own = which.LOCAL_OWN["`RWFTPL`, own counts"](stream, GaussianDP(1.0, "local"), noise, rng)
    np.testing.assert_allclose(np.hypot(*(reach / own.noise_scale)[[1, 2]]), 1)
