"""A curator's sums and reports with a mechanism for each expert, which fits that expert's own count.

A person in the data of some experts shifts what their mechanisms release, and no other's. The mechanisms draw
independent noise. So the levels of these experts compose. [mathematics/000.md#own-counts-central]
"""

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from private_experts.arrays import Array
from private_experts.descriptions import Described, draw_alike
from private_experts.errors import InputError
from private_experts.ownership import bind
from private_experts.privacy.correlated import CorrelatedReports
from private_experts.privacy.guarantees import GaussianDP, check_guarantee
from private_experts.privacy.participation import MOST_SHARED
from private_experts.privacy.reports import Reports
from private_experts.validation import checked_vector, whole


class Sums(Protocol):
    """Running sums of vectors that are released with noise, such as `TightTreeSums` and `MatrixSums`."""

    n: int
    guarantee: GaussianDP

    def add(self, vector: Array) -> None:
        """Append a vector, shape (n,)."""
        ...

    def release(self) -> Array:
        """Return the noisy sum of all vectors so far, shape (repetitions, n)."""
        ...


class Curator(Protocol):
    """What makes reports of vectors, such as `CorrelatedReports`."""

    n: int
    guarantee: GaussianDP

    def report(self, vector: Array) -> Reports:
        """Take in the vector of a round, shape (n,), and return its report."""
        ...


def own_share(guarantee: GaussianDP, moved: int = 2) -> GaussianDP:
    """Return an expert's share, where one person is in `moved` experts' data: ``mu / sqrt(moved)``.

    [mathematics/000.md#own-counts-central]

    Parameters
    ----------
    guarantee : GaussianDP
        What all mechanisms together are to promise.
    moved : int
        How many experts' gains one person moves.

    Returns
    -------
    GaussianDP

    Raises
    ------
    InputError
        When the guarantee is not Gaussian, or `moved` is no whole number of at least 1.

    Examples
    --------
    >>> from private_experts.privacy import GaussianDP, own_share
    >>> print(own_share(GaussianDP(1.0, "central")))
    0.707107-GDP (central)
    """
    level = check_guarantee(guarantee, "own counts", GaussianDP).mu / math.sqrt(
        whole(moved, "own counts", "moved")
    )
    return GaussianDP(level, guarantee.model, simulated=guarantee.simulated)


def _together(parts: Sequence[Sums] | Sequence[Curator], moved: int, who: str) -> GaussianDP:
    """Return the guarantee of mechanisms of one expert each: a person is in the `moved` worst."""
    if not parts or any(part.n != 1 and not getattr(part, "by_expert", False) for part in parts):
        raise InputError(
            f"{who}: write one mechanism for each expert, of vectors of length 1, or one with a sensitivity "
            "for each"
        )
    if len({id(part) for part in parts}) < len(parts):
        raise InputError(f"{who}: a mechanism stands there twice; make one for each expert")
    mus = [
        [check_guarantee(getattr(part, "share", part.guarantee), who, GaussianDP, "central").mu] * part.n
        for part in parts
    ]
    levels = np.concatenate(mus)
    # A person in `moved` experts' data may be in the worst ones.
    worst = np.sort(levels)[-moved:]
    # One simulated part is enough: a person in it is not protected.
    simulated = any(part.guarantee.simulated for part in parts)
    together = GaussianDP(float(np.sqrt(np.square(worst).sum())), "central", simulated=simulated)
    if together.mu < math.inf and draw_alike(parts):
        raise InputError(
            f"{who}: two mechanisms draw the same noise, which cancels between experts: give all one source, "
            'or each its own, such as rng_for(seed, "noise", expert)'
        )
    return together


def _together_moved(parts: Sequence[Sums] | Sequence[Curator], moved: int) -> Array | None:
    """Return how far one person moves the vectors of each round; None if a part does not say."""
    columns = []  # (rounds, experts); one number holds for all rounds
    for part in parts:
        reach: Any = getattr(part, "_made_with", {}).get("sensitivity", getattr(part, "sensitivity", None))
        if reach is None:
            return None
        columns.append(np.reshape(reach, (-1, part.n)))
    rounds = min((len(column) for column in columns if len(column) > 1), default=1)
    wide = np.concatenate(
        [np.broadcast_to(column[:rounds], (rounds, column.shape[1])) for column in columns], axis=1
    )
    moves: Array = np.sqrt(np.square(np.sort(wide, axis=1)[:, -moved:]).sum(axis=1))
    return moves


def _together_in_rounds(parts: Sequence[Any], moved: int, span: int, mu: float) -> Array | None:
    """Return what each two rounds share of mechanisms of one expert each, of the `moved` with the most."""
    # Asked again for as many rounds as the longest one serves: bands, which serve any number, say as many.
    for _ in range(2):
        found = []
        for part in parts:
            by_expert = hasattr(part, "gram_by_expert")
            grams = part.gram_by_expert(span) if by_expert else getattr(part, "gram", lambda _: None)(span)
            if grams is None or len(parts) * grams.size > MOST_SHARED:
                return None
            # in units of the level of all
            level = getattr(part, "share", part.guarantee).mu / mu
            found.append(level**2 * np.abs(grams if by_expert else grams[None]))
        sizes = [grams.shape[-1] for grams in found]
        span = max(sizes)
    rounds = min(sizes)  # nothing is released together after the first one ends
    # In two rounds a person may be with other experts, and shares nothing; with the same ones at most this.
    result: Array = np.sort(np.concatenate([grams[:, :rounds, :rounds] for grams in found]), axis=0)
    return np.asarray(result[-moved:].sum(axis=0))


class SideBySideSums(Described):
    """Running sums of vectors, of each coordinate by its own mechanism.

    Parameters
    ----------
    parts : sequence of sums
        A mechanism for each expert, of vectors of length 1, such as `TightTreeSums` with that expert's
        reaches as sensitivities; or, much faster, one for several experts, which has a sensitivity for each.
        Each draws noise of its own.
    moved : int
        How many experts' gains one person moves.

    Attributes
    ----------
    n : int
        Number of experts.
    guarantee : GaussianDP
        What all sums together promise to a person in the data of `moved` experts in one round; at most
        this is spent, as parts may spend most on different rounds.
    sensitivity : ndarray, shape (T,), or None
        How far this person moves the vector of each round, in L2 distance, if all parts say it of theirs.

    Raises
    ------
    InputError
        When there is no mechanism, or one is not central or of longer vectors, or two draw the same noise, or
        `moved` is no whole number of at least 1.

    Examples
    --------
    Hospitals of 20 and 200 beds:

    >>> import numpy as np
    >>> from private_experts.privacy import GaussianDP, SideBySideSums, SimulatedNoise
    >>> from private_experts.privacy import TightTreeSums, own_share
    >>> from private_experts.randomness import rng_for
    >>> noise, share = SimulatedNoise(rng_for(0, "sums")), own_share(GaussianDP(1.0, "central"))
    >>> reaches = [np.full(8, 1 / beds) for beds in (20, 200)]
    >>> sums = SideBySideSums([TightTreeSums(1, share, sensitivity=reach, noise=noise) for reach in reaches])
    >>> for _ in range(7):
    ...     sums.add(np.array([0.25, 1.0]))
    >>> str(sums.guarantee), sums.release().round(2).tolist()  # near 1.75 and 7
    ('1-GDP (central, simulated noise)', [[1.63, 7.02]])
    """

    STATE = ()

    def __init__(self, parts: Sequence[Sums], moved: int = 2) -> None:
        moved = whole(moved, "sums side by side", "moved")
        self.guarantee = _together(parts, moved, "sums side by side")
        self.sensitivity = _together_moved(parts, moved)
        self._parts, self._ends = tuple(parts), np.cumsum([part.n for part in parts])
        self._moved = moved
        self.n = int(self._ends[-1])

    def add(self, vector: Array) -> None:
        """Append a vector of finite numbers, shape (n,)."""
        whole_vector = checked_vector(vector, self.n, "sums side by side")
        for part, values in zip(self._parts, np.split(whole_vector, self._ends[:-1]), strict=True):
            bind(part, self)
            part.add(values)

    def release(self) -> Array:
        """Return the noisy sum of all vectors so far, shape (repetitions, n)."""
        for part in self._parts:
            bind(part, self)
        return np.concatenate([part.release() for part in self._parts], axis=-1)

    def gram(self, span: int) -> Array | None:
        """Return what each two rounds share, for the experts who share most. See `level_in_rounds`."""
        return _together_in_rounds(self._parts, self._moved, span, self.guarantee.mu)


class SideBySideReports(Described):
    """A curator's reports, of each expert by its own mechanism.

    Parameters
    ----------
    parts : sequence of curators
        As for `SideBySideSums`, such as `CorrelatedReports`.
    moved : int
        How many experts' gains one person moves.

    Attributes
    ----------
    n, guarantee, sensitivity
        As for `SideBySideSums`, of all reports together.

    Raises
    ------
    InputError
        As for `SideBySideSums`.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy import CorrelatedReports, GaussianDP, SideBySideReports
    >>> from private_experts.privacy import SimulatedNoise, own_share
    >>> from private_experts.privacy.factorization import square_root
    >>> from private_experts.randomness import rng_for
    >>> noise, share = SimulatedNoise(rng_for(0, "reports")), own_share(GaussianDP(1.0, "central"))
    >>> settings = {"strategy": square_root(3), "noise": noise}
    >>> curator = SideBySideReports(
    ...     [CorrelatedReports(1, share, sensitivity=np.full(3, 1 / beds), **settings) for beds in (20, 200)]
    ... )
    >>> curator.report(np.array([0.25, 1.0])).scale.round(3).tolist()
    [0.083, 0.008]
    """

    STATE = ()

    def __init__(self, parts: Sequence[Curator], moved: int = 2) -> None:
        moved = whole(moved, "reports side by side", "moved")
        self.guarantee = _together(parts, moved, "reports side by side")
        self.sensitivity = _together_moved(parts, moved)
        self._parts, self._ends = tuple(parts), np.cumsum([part.n for part in parts])
        self._moved = moved
        self.n = int(self._ends[-1])

    def report(self, vector: Array) -> Reports:
        """Take in the vector of a round, shape (n,), and return its report, with a scale for each expert."""
        whole_vector = checked_vector(vector, self.n, "reports side by side")
        for part in self._parts:
            bind(part, self)
        split = np.split(whole_vector, self._ends[:-1])
        for part, values in zip(self._parts, split, strict=True):
            if isinstance(part, CorrelatedReports):  # before any part releases what another one refuses
                part.check(values)
        made = [part.report(values) for part, values in zip(self._parts, split, strict=True)]
        values = np.concatenate([report.values for report in made], axis=-1)
        # Each mechanism states one scale or several; the report has one for each expert.
        scales = [np.broadcast_to(report.scale, report.values.shape[1]) for report in made]
        return Reports(values, self.guarantee, np.concatenate(scales))

    def gram(self, span: int) -> Array | None:
        """Return what each two rounds share, for the experts who share most. See `level_in_rounds`."""
        return _together_in_rounds(self._parts, self._moved, span, self.guarantee.mu)
