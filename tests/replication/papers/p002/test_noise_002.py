"""What leaders of dyadic blocks draw has its law, and programs that draw less are noticed."""

import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p002.noise_002 import LAWS, MECHANISMS
from tests.mutants.mutants_002 import scaled_noise
from tests.replication.papers.caught import caught

COPIES, SEED = 20_000, 3
GRID = {"mechanism": [*MECHANISMS]}


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_is_played_has_its_law(name: str) -> None:
    # So few copies need not decide every point, but what is wrong they show.
    points = [*MECHANISMS[name](GRID, COPIES, SEED)]
    assert decide(points) != "fails"
    assert {point.where["selection"] for point in points} <= {"laplace", "gumbel"}


def test_half_the_noise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    scaled_noise(0.5)(monkeypatch)
    assert caught(lambda: [*MECHANISMS["RandomizedPrefix"](GRID, 5000, SEED)])


def test_the_second_route_to_the_law_of_noisy_maxima_is_right() -> None:
    # Two scores whose difference is two scales: e^-2 (1/2 + 2/4) is the chance of the lower one.
    assert LAWS["laplace"]((0.0, 1.0)) == pytest.approx([0.1353353, 0.8646647], abs=1e-4)
