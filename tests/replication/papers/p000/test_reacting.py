"""Learners that react do what their rules say, from past reports alone."""

import numpy as np

from private_experts.randomness import rng_for
from private_experts.replication.papers.p000.reacting import Reacting, bank
from private_experts.replication.papers.p000.shortfall import Totals, regrets
from tests.each import each
from tests.noisy import report_of


@each(("way", "expected"), [("leader", 0), ("laggard", 1), ("latest winner", 2), ("next", 1)])
def test_each_way_names_its_expert(way, expected):
    learner = Reacting([(way, way)], 3, 1)
    for report in ([[5.0, 0.0, 1.0]], [[0.0, 1.0, 2.0]]):
        learner.update(report_of(np.array(report)))
    if way == "next":
        learner._actions[:] = 0
    assert learner.predict().tolist() == [[expected]]


def test_who_is_ahead_takes_the_first_way():
    pair = Reacting([("laggard", "leader")] * 2, 2, 1)
    # all totals are equal; the first starts a trifle ahead, ties go to 0
    assert pair.predict().tolist() == [[0], [0]]
    pair.update(report_of(np.array([1.0, 0.0])))
    assert pair.predict().tolist() == [[1], [0]]
    pair.update(report_of(np.array([1.0, 0.0])))
    assert pair.predict().tolist() == [[0], [1]]  # now the second is ahead, and opposes


def test_what_they_do_is_the_same_however_often_they_are_asked_and_does_not_look_ahead():
    reports = rng_for(0, "reacting").normal(size=(12, 5, 3))
    changed = reports.copy()
    changed[8:] += 1.0

    def played(stream, predictions):
        learners, actions = bank("mixed", 4, 3, 5), []
        for report in stream:
            for _ in range(predictions):
                action = learners.predict()
            actions.append(action)
            learners.update(report_of(report))
        return np.array(actions)

    np.testing.assert_array_equal(played(reports, 1), played(reports, 3))
    np.testing.assert_array_equal(played(reports, 1)[:9], played(changed, 1)[:9])


def test_the_noise_that_is_added_changes_no_mean_and_narrows_the_interval():
    rng = rng_for(0, "control")
    noise = rng.normal(0, 5, (2, 4000))
    played = Totals(10 - noise, noise, np.full(4000, 8.0))  # learners whose credits always are 10
    _, low, high = regrets(played, 1)["expectation"]
    assert low < 2 < high
    plain = (10 - noise - 8.0).std() / np.sqrt(4000)
    assert high - low < 8 * plain
