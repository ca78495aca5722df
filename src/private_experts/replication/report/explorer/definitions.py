"""What each algorithm of the explorer does, in a sentence or two."""

from private_experts.replication.study.hospital_game import LEARNER
from private_experts.replication.study.players import Contender

_LEARNERS = "RW-Meta's learners (twelve regressions and RW-FTPL, in the study)"
_OWN = "Each hospital scales its noise to its own beds, at the same level."

DEFINITIONS = {
    "rw-meta": f"The paper's algorithm. Credits {_LEARNERS} with the noisy gains of what they named, and "
    "follows the one with the largest credit plus extra noise, of variance at least 2t in week t.",
    "rw-meta-no-floor": "RW-Meta whose extra noise need not have any least variance.",
    "rw-meta-centred": (
        "RW-Meta with the centred covariance, which never needs more extra noise than the paper's."
    ),
    "rw-meta-centred-no-floor": (
        "RW-Meta with the centred covariance, and no least variance of the extra noise."
    ),
    "rw-meta-fresh": (
        f"Follows the one of {_LEARNERS} with the largest credit plus normal noise, fresh each week. Its "
        "bound on the regret also holds for learners that react to the reports."
    ),
    "rw-meta-gumbel": "RW-Meta with Gumbel noise and normal noise that are fresh each week.",
    "rw-meta-hedge": (
        f"Draws one of {_LEARNERS} by exponential weights on their credits, without added noise. Its "
        "bound also holds for learners that react to the reports."
    ),
    "rw-ftpl": "The paper's first algorithm. Names the hospital whose noisy reports have the largest total.",
    "noisy-fixed-share": (
        "Exponential weights on reports with Gaussian noise, which never forget a hospital wholly."
    ),
    "laplace-fixed-share": (
        "Exponential weights on reports with Laplace noise, which never forget a hospital wholly."
    ),
    "min-noise": "The paper's rival, by Agarwal and Singh. A curator adds up true figures in a tree of noisy "
    "sums, with the least noise that gives the level, and names the leader.",
    "min-regret": "The tree of Min Noise, with more noise where that makes its bound on the regret smaller.",
    "dyadic-leader": "In each block of weeks, twice as long as the last, names the noisy leader of the block "
    "before.",
    "dyadic-softmax": "The dyadic leader, drawn by the exponential mechanism.",
    "randomized-prefix": (
        "In each block of weeks, names a hospital drawn by a random part of the block before."
    ),
    "restarting-leader": (
        "A private leader that forgets the past when a window of weeks shows that gains have changed."
    ),
    "shrinking-dartboard": (
        "Keeps its hospital with a probability that falls with the loss, and so seldom switches."
    ),
    "hedge": "Exponential weights on true gains.",
    "fixed-share": "Exponential weights on true gains, which never forget a hospital wholly.",
    "tree-tight": "Names the leader of sums from a tree in which each node has the noise it needs.",
    "tree-honaker": (
        "Names the leader of sums from a tree of noisy sums that are averaged where they overlap."
    ),
    "square-root": "Names the leader of sums whose noise is correlated by a square-root factorisation.",
    "optimised-sums": "Names the leader of sums whose noise is correlated in the best way for these weeks.",
    "central-learners": (
        f"A curator with {_LEARNERS}, and noise correlated as their forecasts need it. Credits are "
        "averaged over eight weeks."
    ),
    "local-learners": "The choice of learners by credit, central, on the local reports.",
    "own-counts-rw-ftpl": f"RW-FTPL. {_OWN}",
    "own-counts-rw-meta": f"RW-Meta. {_OWN}",
    "own-counts-learners": (
        f"Follows the one of {_LEARNERS} with the largest credit, without extra noise. {_OWN}"
    ),
    "own-counts-posterior-means": (
        "Names the hospital with the largest expected density, by filters that know the noise of each "
        f"report. {_OWN}"
    ),
    "posterior-means": (
        "Names the hospital with the largest expected density, by filters that know the noise of each "
        "report, which is the paper's."
    ),
    "follow-the-leader": "Names the hospital with the largest true total.",
    "uniform": "Names a hospital at random, whatever the reports say.",
}


def definition(name: str, contenders: dict[str, Contender]) -> str:
    """Return what an algorithm does; of a new player that is not defined here, what it promises."""
    if name.startswith(LEARNER):
        window, _, strength = name.removeprefix(LEARNER).partition("-")
        weeks = window.removeprefix("w")
        return (
            f"A regression on the last {weeks} noisy reports of each hospital, with {strength} "
            "regularisation."
        )
    known = contenders.get(name)
    return DEFINITIONS.get(name) or (f"Keeps {known.promise} ({known.model})." if known else "")
