"""Laws at several tolerances: at the study's own they are its laws, and a larger tolerance makes larger batches."""

from pandas.testing import assert_frame_equal

from private_experts.replication.study.batching import batch_size_laws, tolerances

N, LEVELS, HORIZON, ROUNDS = 3, [1.0, 0.5], 60, [20, 40]
ALPHAS = [0.001, 0.01, 0.1]


def test_at_the_studys_tolerance_the_laws_are_those_of_the_study() -> None:
    ours = tolerances.computed(N, LEVELS, HORIZON, ROUNDS, ALPHAS)
    study = batch_size_laws.computed(N, LEVELS, HORIZON, ROUNDS, 0.01)
    for name in tolerances.BOUNDS:
        mine = ours[(ours["tolerance"] == 0.01) & (ours["law"] == name)].drop(columns="tolerance")
        assert_frame_equal(mine.reset_index(drop=True), study[study["law"] == name].reset_index(drop=True))
    drawn = tolerances.simulated(N, LEVELS, HORIZON, ROUNDS, 50, ALPHAS, 7)
    known = batch_size_laws.simulated(N, LEVELS, HORIZON, ROUNDS, [], 50, 0.01, 7)
    mine = drawn[drawn["tolerance"] == 0.01].drop(columns="tolerance")
    known = known[known["law"] == "simulation"].drop(columns="control")
    assert_frame_equal(mine.reset_index(drop=True), known.reset_index(drop=True))


def test_a_larger_tolerance_makes_larger_batches() -> None:
    bounds = tolerances.computed(N, LEVELS, HORIZON, ROUNDS, ALPHAS)
    drawn = tolerances.simulated(N, LEVELS, HORIZON, ROUNDS, 50, ALPHAS, 7)
    for table, mean in ((bounds, bounds["size"] * bounds["weight"]), (drawn, drawn["size"] / 50)):
        by = mean.groupby([table[name] for name in ("law", "mu", "round", "tolerance")]).sum().unstack()
        assert len(by) == 4 * table["law"].nunique()
        assert (by[ALPHAS[-1]] > by[ALPHAS[0]]).all()
