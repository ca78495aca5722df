"""Which claims a reviewer with ten minutes should recompute: a random sample by importance.

A claim's weight is a product: severity of its erratum, strength, and 2 where repetitions decide. Without an erratum it
is 2 for what a paper states, 1 for what is our own. A seed draws the same claims again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from private_experts.randomness import rng_for
from private_experts.replication.ledger.ledger import Claim
from private_experts.replication.verify.recomputing import Question

# By severity of the erratum.
SEVERITY_WEIGHTS = {
    "fatal": 8.0,
    "rate not proved": 6.0,
    "constant": 4.0,
    "boundary": 2.0,
    "gap": 2.0,
}
# By strength, else by kind.
STRENGTH_WEIGHTS = {"loose": 0.5, "lenient": 0.25, "vacuous": 0.125, "by construction": 0.125}
OURS = "not in the paper"  # how the place of a claim of our own ends


def weight(claim: Claim, severity: str | None = None, strength: str | None = None) -> float:
    """Return how much a claim counts in a sample, by the severity of its erratum and the strength of its evidence."""
    stated = 1.0 if claim.place.endswith(OURS) else 2.0
    importance = SEVERITY_WEIGHTS.get(severity or "", 1.0) if claim.erratum else stated
    chance = 2.0 if Question(claim, seed=0).by_chance else 1.0
    return importance * STRENGTH_WEIGHTS.get(strength or claim.kind, 1.0) * chance


def drawn(weights: Mapping[str, float], count: int, seed: int) -> Sequence[str]:
    """Return names drawn without replacement in proportion to their weights; all when there are no more."""
    names, shares = list(weights), np.array(list(weights.values()))
    rng: Any = rng_for(seed, "sample of claims")
    chosen = rng.choice(len(names), size=min(count, len(names)), replace=False, p=shares / shares.sum())
    return [names[place] for place in chosen]
