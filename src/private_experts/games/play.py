"""Play an algorithm on a stream of gains."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from private_experts.algorithms.central import stretches
from private_experts.algorithms.credited_leader import Learner
from private_experts.algorithms.interface import Algorithm
from private_experts.arrays import Array, Indices
from private_experts.errors import InputError
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import Noise
from private_experts.privacy.reports import Reports, reporter


def private_reports(
    gains: Array,
    guarantee: GaussianDP,
    sensitivity: float | Sequence[float] | Array,
    noise: Noise,
    repetitions: int = 1,
    moved: int | None = None,
) -> Iterator[Reports]:
    """Yield the reports that leave the data's owner in each round: gains plus fresh noise.

    Parameters
    ----------
    gains : ndarray, shape (T, n)
        True gains, in [0, 1].
    guarantee : GaussianDP
        The local guarantee of each round's report.
    sensitivity : float or sequence of T floats; or ndarray, shape (n,) or (T, n)
        The largest L2 distance by which one person can change the gains of a round: one for all rounds, or one for
        each. Where `moved` is given: how far one person can move the gain of each expert, in all rounds or in each.
    noise : Noise
        Where the noise comes from.
    repetitions : int
        Number of independent copies.
    moved : int, optional
        How many experts' gains one person moves; for noise on each one's own count. See `privatize`.

    Yields
    ------
    Reports
        Of shape (repetitions, n).

    Raises
    ------
    InputError
        When the sensitivity is neither one number nor one for each round (or, with `moved`, not one for each expert),
        the guarantee is not local, the noise is no source of noise, or a round's gains are not in [0, 1].

    Examples
    --------
    Reports of three rounds. In the last one person can change more, so that its noise is larger:

    >>> import numpy as np
    >>> from private_experts.games import private_reports
    >>> from private_experts.privacy import GaussianDP, SimulatedNoise
    >>> from private_experts.randomness import rng_for
    >>> noise = SimulatedNoise(rng_for(0, "reports"))
    >>> reports = private_reports(np.full((3, 2), 0.5), GaussianDP(0.5, "local"), [0.01, 0.01, 0.1], noise)
    >>> [(report.values.shape, report.scale) for report in reports]
    [((1, 2), 0.02), ((1, 2), 0.02), ((1, 2), 0.2)]
    """
    bounds = np.asarray(sensitivity, dtype=np.float64)
    report = reporter(guarantee, noise, repetitions=repetitions, moved=moved)
    if moved is not None:
        if bounds.shape not in (gains.shape, gains.shape[1:]):
            raise InputError(
                f"sensitivity of shape {bounds.shape}: write how far one person moves each gain, {gains.shape}"
            )
        for round_gains, reach in zip(gains, np.broadcast_to(bounds, gains.shape), strict=True):
            yield report(round_gains, reach)
        return
    if bounds.shape not in ((), (len(gains),)):
        raise InputError(
            f"sensitivity of shape {bounds.shape}: write one number, or one for each of the {len(gains)} rounds"
        )
    for round_gains, bound in zip(gains, np.broadcast_to(bounds, len(gains)).tolist(), strict=True):
        # Each round is looked at when it is reported, not before: between two rounds anyone may write to the array.
        yield report(round_gains, bound)


def play(algorithm: Algorithm | Learner, reports: Iterable[Reports] | Iterable[Array]) -> Indices:
    """Play one game. In each round the algorithm acts, and then gets the round's report. [mathematics/000.md#setting]

    Parameters
    ----------
    algorithm : Algorithm or Learner
        A fresh algorithm; or learners, which need not be one.
    reports : iterable of T Reports or arrays
        What the algorithm is told after each action: `private_reports` for local algorithms, and the true gains
        (T, n) for central ones.

    Returns
    -------
    ndarray of int, shape (T, repetitions)
        The actions; of m learners (T, m, repetitions).

    Raises
    ------
    InputError
        When a local algorithm is told true gains, or anything else that its `update` refuses.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.algorithms import FollowTheLeader
    >>> from private_experts.games import play
    >>> play(FollowTheLeader(2, repetitions=3), np.tile([0.2, 0.9], (4, 1))).tolist()
    [[0, 0, 0], [1, 1, 1], [1, 1, 1], [1, 1, 1]]
    """
    parts = [np.asarray(played(rounds), dtype=np.intp) for rounds, played in stretches(algorithm, reports)]
    return np.concatenate(parts)
