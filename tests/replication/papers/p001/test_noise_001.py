"""What 001's learners draw has its law, and programs that draw less, or the same again, are noticed."""

import pytest

from private_experts.private_oco.gaussian import BallGaussian
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001.noise_001 import MECHANISMS
from tests.mutants.mutants_001 import half_the_spread
from tests.replication.papers.caught import caught

COPIES, SEED = 20_000, 3
GRID = {"mechanism": [*MECHANISMS]}


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_is_played_has_its_law(name: str) -> None:
    # So few copies need not decide every point, but what is wrong they show.
    assert decide([*MECHANISMS[name](GRID, COPIES, SEED)]) != "fails"


def test_half_the_spread_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    half_the_spread(BallGaussian)(monkeypatch)
    assert caught(lambda: [*MECHANISMS["GibbsEveryRound"](GRID, 3000, SEED)])
