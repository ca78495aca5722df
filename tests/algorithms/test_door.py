"""What somebody else's class is told of a round: gains within its bounds, or reports."""

import numpy as np
import pytest

from private_experts.algorithms.door import door
from private_experts.errors import InputError
from private_experts.privacy import GaussianDP, PureDP, Reports, SimulatedNoise, TreeSums
from tests.each import each

LOCAL = GaussianDP(1.0, "local")


class Somebodys:
    """It keeps what it is told."""

    def __init__(self, guarantee, **settings):
        self.guarantee, self.heard = guarantee, []
        vars(self).update(settings)

    def update(self, told):
        self.heard.append(told)


class OfItsClass(Somebodys):
    sensitivity, bounds = 1.0, (10.0, 50.0)

    @property
    def largest(self):
        raise AssertionError("nobody asked for it")


class InSlots:
    __slots__ = ("bounds", "guarantee", "heard", "sensitivity", "unset")

    def __init__(self, guarantee):
        self.guarantee, self.heard, self.sensitivity, self.bounds = guarantee, [], 1.0, (10.0, 50.0)

    def update(self, told):
        self.heard.append(told)


@each(
    ("settings", "taken", "refused"),
    [
        ({}, 1.0, 1.5),
        ({"largest": 3.0}, 3.0, 3.5),
        ({"sensitivity": []}, 1.0, 1.5),  # of no part yet, so that nothing is stated
        ({"sensitivity": 1.0, "bounds": (10.0, 50.0)}, 50.0, 5.0),
        ({"bounds": (10.0, 50.0)}, 50.0, 5.0),
        *((kind, 50.0, 5.0) for kind in (OfItsClass, InSlots)),
    ],
)
def test_a_curator_is_told_gains_within_its_bounds(settings, taken, refused):
    kind, settings = (Somebodys, settings) if isinstance(settings, dict) else (settings, {})
    made = kind(PureDP(1.0, "central"), **settings)
    tell = door(made)
    tell([taken, taken])
    tell({2: np.array([taken, taken])})  # of several rounds
    with pytest.raises(InputError, match=r"(Somebodys|OfItsClass|InSlots).*write numbers from"):
        tell([refused, taken])
    assert made.heard[0].tolist() == [taken, taken]
    assert [*made.heard[1]] == [2]
    assert len(made.heard) == 2
    door(free := Somebodys(PureDP(np.inf, "central")))([9.0, -9.0])
    assert free.heard == [[9.0, -9.0]]  # without privacy no bounds are promised


def test_sums_are_of_one_curator_alone():
    sums = TreeSums(2, GaussianDP(1.0, "central"), horizon=4, sensitivity=1.0, noise=SimulatedNoise(0))
    first, second = (Somebodys(GaussianDP(1.0, "central"), sums=sums) for _ in range(2))
    door(first)([0.5, 1.0])
    with pytest.raises(InputError, match="Somebodys: its TreeSums has played for another algorithm"):
        door(second)


def test_a_local_algorithm_is_told_reports_for_its_sensitivity():
    made = Somebodys(LOCAL, sensitivity=20.0, bounds=(10.0, 50.0))
    report = Reports(np.zeros((1, 2)), LOCAL, 0.5)
    door(made)(report)
    with pytest.raises(InputError, match="true gains never reach"):
        door(made)(np.zeros(2))
    with pytest.raises(InputError, match=r"moves by 0\.5, and a report has noise for 0\.4"):
        door(made)(Reports(np.zeros((1, 2)), LOCAL, 0.4))
    assert made.heard == [report]


def test_an_update_that_is_built_in_is_looked_at_too():
    class Kept:
        guarantee = PureDP(1.0, "central")

        def __init__(self):
            self.heard = []
            self.update = self.heard.append

    tell = door(kept := Kept())
    tell([0.5, 1.0])
    with pytest.raises(InputError, match=r"Kept.*write numbers from"):
        tell([1.5, 0.0])
    assert [gains.tolist() for gains in kept.heard] == [[0.5, 1.0]]
