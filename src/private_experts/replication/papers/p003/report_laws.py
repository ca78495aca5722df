"""The laws of private reports, by a route that is not the library's. [mathematics/003.md#drawn-reports]

Cells are listed one by one, reports of labels enumerated, and sums of Laplace variables have a closed form.
The class has two distributions, each sure of a label of its own.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product

import numpy as np
from scipy.special import gammaincc

from private_experts.arrays import Array, Bools, Ints
from private_experts.replication.papers.drawn_samples import LAPLACE

Outcomes = Mapping[int, float]  # the probability of each outcome


def sure(labels: int) -> Array:
    """Return two distributions: the first is sure of the first label, the second of the second."""
    return np.eye(2, labels)


@dataclass(frozen=True)
class LaplaceReports:
    """Noisy log-likelihoods, and their law for two sure distributions over two labels.

    [003, equations 3-9, 12-13]
    """

    horizon: int
    level: float  # of one number
    vector: bool  # all of them are reported, or a random one
    centred: bool = False  # the shift is taken off, and the middle of the span is 0
    experts: int = 2

    @property
    def width(self) -> float:
        """The bound on the span."""
        return math.log((self.experts + 1) * self.horizon)

    @property
    def scale(self) -> float:
        """Scale of the noise."""
        return self.width / self.level

    @property
    def shift(self) -> float:
        """The constant c'."""
        return self.scale * (2 * math.log(self.horizon) + math.log(self.experts))

    @property
    def factor(self) -> float:
        """The constant c."""
        return 1 / (self.width + 2 * self.shift)

    @property
    def rate(self) -> float:
        """Learning rate of two weights. [003, Section 4.1, Lemma 7] [mathematics/003.md#centred-reports]"""
        if self.centred:
            spread = self.width**2 / 8 + self.scale**2
            return min(math.sqrt(2 * math.log(2) / (self.horizon * spread)), 1 / (2 * self.scale))
        return math.sqrt((1 if self.vector else 2) * 2 * math.log(2) / self.horizon)

    def log_likelihoods(self, losses: Array, counts: Ints | Bools) -> Array:
        """Return the sums of so many noisy log-likelihoods, above that of a uniform law, behind losses."""
        if self.centred:
            return -losses - counts * self.width / 2
        return -losses / self.factor + counts * self.shift

    def learnt_from(self, reports: Array) -> Array:
        """Return what the weights add up, given the losses that were reported."""
        if not self.centred:
            return reports
        shown = reports != 0
        return -replace(self, centred=False).log_likelihoods(reports, shown) - shown * self.width / 2

    @cached_property
    def cells(self) -> tuple[Array, Array, Array]:
        """Return both clipped distributions on cells, laws by label, owners (labels, cells)."""
        f, mixed = sure(2), 1 / self.horizon
        owners = [y for y in (0, 1) for _ in range(math.ceil(2 * f[:, y].max()))]
        own = np.eye(2)[:, owners] / np.array([owners.count(y) for y in owners])
        law = (1 - mixed) * own + mixed / len(owners)
        # Both distributions are sure, so each is spread over cells as its label is.
        return law, law, np.eye(2)[:, owners]

    def outcomes(self, losses: Array) -> Ints:
        """Return which numbers were reported, and where each lies among the two that have no noise."""
        shown = losses != 0  # noise makes no 0
        logs = self.log_likelihoods(losses, shown) - math.log(2)
        bins, many = np.digitize(logs, self._edges), len(self._edges) + 1
        if self.vector:
            return bins @ np.array([many, 1])
        outcomes = ((many * np.arange(2) + bins) * shown).sum(axis=1)
        return np.where(shown.sum(axis=1) == 1, outcomes, -1)

    def law(self, label: int) -> Outcomes:
        """Return the law of the outcome."""
        values, cells, _ = self.cells
        ends = np.array([-math.inf, *self._edges, math.inf])
        chances = np.diff(LAPLACE.cdf((ends - np.log(values)[..., None]) / self.scale))  # (K, cells, bins)
        if self.vector:
            both = np.einsum("c,ca,cb->ab", cells[label], *chances)
        else:
            both = np.einsum("c,jca->ja", cells[label], chances) / 2
        return dict(enumerate(both.ravel().tolist()))

    @property
    def _edges(self) -> list[float]:
        low, high = (math.log(number) for number in sorted({*self.cells[0].ravel().tolist()}))
        # Where noise hides nothing one cut between the two numbers tells which of them it was.
        return [low, high] if high - low < 20 * self.scale else [(low + high) / 2]

    def mixture(self) -> Array:
        """Return the clipped distributions as predictions (K, labels): cells added up by owner."""
        values, _, owner = self.cells
        return values @ owner.T


def laplace_sums(sums: Array, counts: Ints) -> Array:
    """Return the distribution function of sums of so many standard Laplace variables, at `sums`.

    A sum is the difference of two Gamma variables. That which is reached last is ahead by what is left of it:
    k exponentials with probability ``C(2n - k - 1, n - 1) / 2^(2n - k)``, whichever of the two it is.
    """
    upper = np.zeros(sums.shape)
    for n in np.unique(counts).tolist():
        here = np.broadcast_to(counts == n, sums.shape)
        left = np.arange(1, n + 1)
        chances = [math.comb(2 * n - k - 1, n - 1) / 2 ** (2 * n - k) for k in left.tolist()]
        upper[here] = sum(
            chance * gammaincc(k, abs(sums[here])) for chance, k in zip(chances, left.tolist(), strict=True)
        )
    return np.where(sums > 0, 1 - upper, upper)


def label_channel(name: str, labels: int, epsilon: float) -> dict[int, Array]:
    """Return each report of a label, and its probability for each label: all are enumerated."""
    likelier, every = math.exp(epsilon), np.arange(labels)
    if name == "SubsetSelection":
        size = max(round(labels / (1 + likelier)), 1)
        weights = {
            sum(1 << y for y in chosen): np.where(np.isin(every, chosen), likelier, 1.0)
            for chosen in combinations(range(labels), size)
        }
    elif name == "HadamardResponse":
        rows = (1 << (labels - 1).bit_length()) - 1
        weights = {
            row - 1 + rows * minus: np.array(
                [likelier if (row & y).bit_count() % 2 == minus else 1.0 for y in range(labels)]
            )
            for minus, row in product((0, 1), range(1, rows + 1))
        }
    elif name in ("SignDesign", "AskComparison"):  # of two sure labels one is asked about
        answers = (np.isin(every, label) == yes for label, yes in product((0, 1), (True, False)))
        weights = {int(answer @ (1 << every)): np.where(answer, likelier, 1.0) for answer in answers}
    else:
        weights = {report: np.where(every == report, likelier, 1.0) for report in range(labels)}
    total = sum(weights.values(), np.zeros(labels))
    return {report: weight / total for report, weight in weights.items()}


def evidence(chances: Array) -> int:
    """Return whether a report speaks for the second label against the first (1), or the other way (-1)."""
    return int(np.sign(round(math.log(chances[1] / chances[0]), 9)))


def report_worth(name: str, labels: int, epsilon: float, horizon: int) -> float:
    """Return the difference of losses that a report makes which speaks for one of two sure distributions."""
    if name != "RandomizedResponse":
        return epsilon  # a posterior: the logarithm of the likelihood ratio
    # Unbiased estimates of smoothed log-likelihoods, scaled to [0, 1]. [003, Section 3, remark]
    flip = (labels - 1) / (math.exp(epsilon) + labels - 1)
    return math.log1p((horizon - 1) * labels) / (math.log(horizon * labels) * (1 + flip))


def evidence_of_a_set(labels: int, epsilon: float, label: int) -> Outcomes:
    """Return the law of what a set of labels says, as `evidence` has it, where there are too many to list."""
    likelier, size = math.exp(epsilon), max(round(labels / (1 + math.exp(epsilon))), 1)
    # Sets with a label, in units of which those without it are so many; of them the share without the other.
    without, alone = (labels - size) / size, (labels - size) / (labels - 1)
    own, other = likelier * alone / (likelier + without), alone / (likelier + without)
    signs = (1, -1) if label == 1 else (-1, 1)
    return {signs[0]: own, signs[1]: other, 0: 1 - own - other}


def evidence_law(channel: Mapping[int, Array], label: int, count: int) -> Outcomes:
    """Return the law of how many more of so many reports speak for the second label than for the first."""
    one = np.zeros(3)
    for chances in channel.values():
        one[1 + evidence(chances)] += chances[label]
    law = np.ones(1)
    for _ in range(count):
        law = np.convolve(law, one)
    return {k - count: chance for k, chance in enumerate(law.tolist())}
