"""The batches on the hospitals by mechanism: same hospitals same batches, and the largest noise counts."""

import math
from dataclasses import replace

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.privacy.own_counts import own_scales
from private_experts.replication.study.hospital_game import Game
from private_experts.replication.study.own_counts import own_count_batches
from private_experts.replication.study.own_counts.own_count_batches import batch_sizes_by_mechanism

WEEKS, ALPHA = 60, 0.01
GAINS = np.tile([0.95, 0.05, 0.05], (WEEKS, 1))


def hospitals(beds: list[float], repetitions: int = 100) -> Game:
    reach = np.tile(1 / np.array(beds), (WEEKS, 1))
    return Game("NM", GAINS, math.sqrt(2) * reach.max(axis=1), (math.inf, 1.0), repetitions, 3, 2, reach)


def test_equal_hospitals_have_the_same_batches_with_both_mechanisms() -> None:
    table = batch_sizes_by_mechanism(hospitals([5.0, 5.0, 5.0]), ALPHA).set_index("mechanism")
    assert [*table.index] == ["same", "own"]
    same, own = table.loc["same"], table.loc["own"]
    assert 0.05 < same["alone"] < 0.95
    assert abs(same["alone"] - own["alone"]) < 5 * math.hypot(same["alone_se"], own["alone_se"])
    assert (table["alone"] <= table["rms"] ** 2).all()
    assert (table["rms"] ** 2 * table["size"] >= 1).all()  # Jensen's inequality


def test_the_hospital_with_most_noise_sets_the_batches_on_own_counts() -> None:
    tables = [
        batch_sizes_by_mechanism(hospitals(beds), ALPHA) for beds in ([50.0, 50.0, 5.0], [50.0, 50.0, 50.0])
    ]
    (mixed, large) = (table.set_index("mechanism").loc["own"] for table in tables)
    assert mixed["alone"] - large["alone"] > 5 * math.hypot(mixed["alone_se"], large["alone_se"])


def test_batches_for_less_noise_than_the_reports_have_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_count_batches, "own_scales", lambda *arguments: 0.99 * own_scales(*arguments))
    with pytest.raises(InputError, match="noise of scale"):
        batch_sizes_by_mechanism(hospitals([50.0, 50.0, 5.0], 2), ALPHA)


def test_own_counts_need_beds() -> None:
    with pytest.raises(InputError, match="beds"):
        batch_sizes_by_mechanism(replace(hospitals([5.0, 5.0, 5.0], 2), reach=None), ALPHA)


def test_readers_get_a_row_for_each_level_with_both_mechanisms() -> None:
    table = batch_sizes_by_mechanism(hospitals([5.0, 5.0, 5.0], 4), ALPHA)
    (row,) = own_count_batches.batch_sizes_table(table).to_dict("records")
    assert (row["state"], row["μ"]) == ("NM", "1")
    alone = table.set_index("mechanism")["alone"]
    assert row["the paper's noise"].startswith(f"{alone['same']:.3f} ± ")
    assert row["own counts"].startswith(f"{alone['own']:.3f} ± ")
    without = batch_sizes_by_mechanism(replace(hospitals([5.0, 5.0, 5.0], 2), levels=(math.inf,)), ALPHA)
    assert own_count_batches.batch_sizes_table(without).empty
