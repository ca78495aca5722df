"""From when on the bounds say something: they are below T log K, which equal weights never exceed."""

import math
from bisect import bisect_left

from private_experts.distribution_learning import CentredCoordinate, NoisyCoordinate
from private_experts.privacy.guarantees import PureDP
from tests.each import each


def first_informative(kind: type[NoisyCoordinate], experts: int) -> int:
    """Return the least number of rounds at which the bound at epsilon = 1 is below T log K."""

    def below(horizon: int) -> bool:
        bound = kind(experts, PureDP(1.0, "local"), horizon=horizon).risk_bound
        return bound < horizon * math.log(experts)

    return 3 + bisect_left(range(3, 10**13), True, key=below)


@each(
    ("experts", "centred", "algorithm_2"),
    [(2, 891, 7_030_757), (4, 1019, 8_027_670), (256, 62_330, 516_423_188)],
)
def test_centred_reports_say_something_thousands_of_times_earlier(
    experts: int, centred: int, algorithm_2: int
) -> None:
    """Theorem 5 of 003 says nothing for a million rounds and more. [mathematics/003.md#bound-informative]"""
    assert first_informative(CentredCoordinate, experts) == centred
    assert first_informative(NoisyCoordinate, experts) == algorithm_2
