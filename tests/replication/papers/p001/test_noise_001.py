"""What 001's learners draw has its law, on the quick grid of the claim.

`tests/mutants/mutants_001.py` names these tests: each fails when its learner draws less, or the same again.
"""

import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001.noise_001 import MECHANISMS

COPIES, SEED = 20_000, 3
GRID = {"mechanism": [*MECHANISMS]}


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_is_played_has_its_law(name: str) -> None:
    # So few copies need not decide every point, but what is wrong they show.
    assert decide([*MECHANISMS[name](GRID, COPIES, SEED)]) != "fails"
