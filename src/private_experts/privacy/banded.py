"""Private sums whose noise looks back a fixed number of rounds, so that memory does not grow with the rounds.

[mathematics/000.md#banded]
"""

import math

import numpy as np

from private_experts.arrays import Array
from private_experts.descriptions import Described
from private_experts.errors import InputError
from private_experts.privacy.guarantees import GaussianDP, check_guarantee
from private_experts.privacy.noise import Noise, attained, checked_noise
from private_experts.privacy.participation import MOST_SHARED, Participation, level_in_rounds
from private_experts.validation import checked_number, checked_vector, whole

_ROUNDING = 1e-12


def root_band(width: int) -> Array:
    """Return the first coefficients of the square root of the prefix sums, scaled to length 1.

    [mathematics/000.md#banded]

    Parameters
    ----------
    width : int
        Number of coefficients b, at least 1. With 1 the reports are local ones.

    Returns
    -------
    ndarray, shape (width,)
        Positive and falling; entry k is the weight of the vector k rounds ago in what is released.

    Raises
    ------
    InputError
        When the width is no whole number of at least 1.

    Examples
    --------
    >>> from private_experts.privacy.banded import root_band
    >>> root_band(3).round(3).tolist()
    [0.848, 0.424, 0.318]
    """
    k = np.arange(1, whole(width, "banded sums", "width"))
    # The series of (1 - x)^(-1/2), by its ratio of neighbours: factorials would overflow at some hundred.
    entries = np.concatenate([[1.0], np.cumprod((2 * k - 1) / (2 * k))])
    # Length 1: a vector lies in `width` releases with these weights, and its level is the length of their
    # column.
    result: Array = entries / np.sqrt(entries @ entries)
    return result


def band_noise(coefficients: Array, rounds: int) -> Array:
    """Return the sums' standard deviation at mu = 1 and sensitivity 1. [mathematics/000.md#banded]

    Entry t - 1 is that of the sum of t vectors. With positive falling coefficients it grows like
    ``sqrt(t) / sum(coefficients)``. With others, such as (0.6, 0.8), it may grow at an exponential rate.
    """
    back = np.zeros(rounds)  # the coefficients of the inverse series
    for t in range(rounds):
        seen = min(t, len(coefficients) - 1)
        # The convolution with the coefficients has to give 1, 0, 0, ...: solved for the latest entry.
        back[t] = ((t == 0) - coefficients[1 : seen + 1] @ back[t - seen : t][::-1]) / coefficients[0]
    return np.sqrt(np.cumsum(np.cumsum(back) ** 2))


class BandedSums(Described):
    """Running sums of vectors; the last b - 1 releases help to cancel the noise. [mathematics/000.md#banded]

    In each round the vectors of the last b rounds, weighted by the coefficients, are released with noise. Its
    standard deviation is the sensitivity over mu. Solved for the latest vector, this is its report, and the
    reports are added up. All releases together are mu-GDP, however many rounds there are. Memory is 8 n (b
    (repetitions + 1) + repetitions) bytes whatever the number of rounds, and a round takes O(b n repetitions)
    operations.

    Parameters
    ----------
    n : int
        Length of the vectors.
    guarantee : GaussianDP
        A central guarantee, which all releases together have; its level is positive, and ``inf`` is no
        privacy.
    coefficients : ndarray, shape (b,)
        Weights of the latest vector, the one before, and so on, such as `root_band`. The first is positive,
        and their length (the root of the sum of squares) is at most 1. Unless they are positive and fall, the
        noise of the sums may grow at an exponential rate; see `band_noise`.
    sensitivity : float
        L2 distance by which one person can change a vector, positive. It is the caller's word.
    noise : Noise
        Where the noise comes from.
    repetitions : int
        Number of independent copies.

    Raises
    ------
    InputError
        When the guarantee is not central Gaussian privacy of a positive level, the coefficients would cost
        more than it, the sensitivity is not positive, `n` or `repetitions` is no whole number of at least 1,
        or the noise is no source of noise.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy import BandedSums, GaussianDP, SimulatedNoise
    >>> from private_experts.privacy.banded import root_band
    >>> from private_experts.randomness import rng_for
    >>> noise = SimulatedNoise(rng_for(0, "sums"))
    >>> guarantee, band = GaussianDP(1.0, "central"), root_band(4)
    >>> sums = BandedSums(2, guarantee, coefficients=band, sensitivity=0.01, noise=noise)
    >>> for _ in range(7):
    ...     sums.add(np.array([0.25, 1.0]))
    >>> sums.release().round(2).tolist()  # near 1.75 and 7
    [[1.75, 7.03]]
    """

    STATE = ("_count", "_data", "_solved", "_total")

    def __init__(
        self,
        n: int,
        guarantee: GaussianDP,
        *,
        coefficients: Array,
        sensitivity: float,
        noise: Noise,
        repetitions: int = 1,
    ) -> None:
        self.guarantee = attained(check_guarantee(guarantee, "banded sums", GaussianDP, "central"), noise)
        self._coefficients = _checked_coefficients(coefficients)
        sensitivity = checked_number("banded sums: sensitivity", sensitivity, 0, ends=False)
        self.n = n = whole(n, "banded sums", "n")
        self._repetitions = repetitions = whole(repetitions, "banded sums", "repetitions")
        self._sensitivity, self._scale = sensitivity, self.guarantee.noise_scale(1.0)
        self._noise = checked_noise(noise, "banded sums")
        self._count = 0
        # Rings of the last vectors and of the last solutions, both in units of the sensitivity.
        self._data = np.zeros((len(self._coefficients), n))
        self._solved = np.zeros((len(self._coefficients), repetitions * n))
        self._total = self._noise.perturb(np.zeros(n), self.guarantee.noise_scale(sensitivity), repetitions)

    def add(self, vector: Array) -> None:
        """Append a vector of finite numbers of any size, shape (n,), in the unit of the sensitivity."""
        width = len(self._coefficients)
        place = self._count % width
        # Divided by the sensitivity: in these units one person moves a vector by at most 1.
        self._data[place] = checked_vector(vector, self.n, "banded sums") / self._sensitivity
        # The weights of the rows of both rings; what was not yet played is zero there.
        weights = self._coefficients[(place - np.arange(width)) % width]
        released = self._noise.perturb(weights @ self._data, self._scale, self._repetitions).ravel()
        # The place still holds the solution of `width` rounds ago, which takes part no more.
        self._solved[place] = 0.0
        self._solved[place] = (released - weights @ self._solved) / self._coefficients[0]
        report = self._sensitivity * self._solved[place].reshape(self._total.shape)
        self._total = report if self._count == 0 else self._total + report
        self._count += 1

    def release(self) -> Array:
        """Return the noisy sum of all vectors so far. [mathematics/000.md#banded]

        Before the first vector it is noise alone, of one report's scale, so that a leader is drawn at random.
        Shape (repetitions, n).
        """
        return self._total.copy()

    def times_in(self, participation: Participation) -> float | None:
        """Return what a person in several rounds has. See `privacy_report`."""
        apart, count = participation.apart, participation.rounds
        # Products that never rise with the distance: the closest rounds are worst, and few of them share any.
        most = np.maximum.accumulate(self._at_distance()[::-1])[::-1][::apart][:count]
        pairs = count - np.arange(len(most))
        falling = max(1.0, math.sqrt(2 * float(pairs @ most) - count * float(most[0])))
        # Rounds of a person further apart than the band is wide share nothing, wherever they are.
        width = len(self._coefficients)
        rounds = (participation.rounds - 1) * max(width, participation.apart) + 1
        shared = self._at_distance()[:rounds]
        if not np.diff(shared).max(initial=-1.0) > 0 or rounds**2 > MOST_SHARED:
            return falling
        from scipy.linalg import toeplitz  # few who import this room need it

        true = toeplitz(np.pad(shared, (0, rounds - len(shared))))
        return min(falling, level_in_rounds(true, participation))

    def _at_distance(self) -> Array:
        """Return what two rounds share, by how far they are apart."""
        products = np.correlate(self._coefficients, self._coefficients, "full")
        return np.asarray(np.abs(products[len(self._coefficients) - 1 :]))

    def gram(self, span: int) -> Array | None:
        """Return what each two of as many rounds share, (span, span). See `TightTreeSums.gram`.

        Products are at least those of all larger distances, so that no later rounds share more.
        """
        from scipy.linalg import toeplitz  # few who import this room need it

        if span**2 > MOST_SHARED:
            return None
        falling = np.maximum.accumulate(self._at_distance()[::-1])[::-1]
        result: Array = toeplitz(np.pad(falling, (0, span))[:span])
        return result


def _checked_coefficients(coefficients: Array) -> Array:
    """Return a copy of coefficients that keep what is promised."""
    if (
        not isinstance(coefficients, np.ndarray)
        or coefficients.ndim != 1
        or not np.isfinite(coefficients).all()
    ):
        raise InputError("banded sums: coefficients: write an array of finite numbers, such as root_band(64)")
    if not (coefficients.size and coefficients[0] > 0):
        raise InputError("banded sums: coefficients: the first must be positive, or its vector is never seen")
    coefficients = coefficients.astype(np.float64)
    length = float(np.sqrt(coefficients @ coefficients))
    # Shorter is allowed: it wastes privacy, but promises nothing false.
    if length > 1 + _ROUNDING:
        raise InputError(f"banded sums: coefficients of length {length:g}: a vector would cost more than mu")
    return coefficients
