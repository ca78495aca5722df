"""Claims about the hospitals are not run, and say why, on panels that lack what they speak of."""

import math
from dataclasses import replace
from typing import Any

import pytest

from private_experts.replication.ledger.evidence import NotRunError
from private_experts.replication.papers.p000.batches import proxy_law_hospital
from private_experts.replication.papers.p000.best_models import table_2_best_models
from private_experts.replication.papers.p000.own_count_claims import gain
from private_experts.replication.papers.p000.own_count_rates import saved
from tests.each import each
from tests.replication.papers.p000.hand_made import GRID, STATES
from tests.replication.papers.small_checks import SEED

WITHOUT_BEDS = {state: replace(panel, beds=None) for state, panel in STATES.items()}
NM = {"NM": STATES["NM"]}
NAMED = {"statement": ["the best models by name"], "more": {}}
MORE = {"statement": ["it varies more with the level"], "more": {}}
SAVED = {"levels": [1.0], "noise": [1.6], "bound": [[1, 1]]}
SIZES = {"eta": [1.0], "alpha": [1.0], "t": [60], "b": [1], "least": 0.02}


@each(
    ("check", "given", "panels", "why"),
    [
        (gain, (GRID, 10, SEED), WITHOUT_BEDS, "no beds of each hospital"),
        (saved, (SAVED,), WITHOUT_BEDS, "no beds of each hospital"),
        (table_2_best_models, (GRID | NAMED, 10, SEED), NM, "speaks of PA as well"),
        (table_2_best_models, (GRID | MORE, 10, SEED), NM, "to be compared"),
        (table_2_best_models, (GRID | MORE | {"mu": [math.inf]}, 10, SEED), STATES, "to be compared"),
        (proxy_law_hospital, (SIZES, 10, SEED), NM, "as short as these"),
    ],
)
def test_it_says_what_is_missing(check: Any, given: tuple[Any, ...], panels: Any, why: str) -> None:
    with pytest.raises(NotRunError, match=why):
        check(*given, panels=panels)
