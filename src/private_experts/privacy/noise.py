"""Gaussian noise from two sources with one interface: seeded simulation, and secure noise for deployment.

Every number that the study reports comes from `SimulatedNoise`, because it can be repeated. It protects
nobody. Whoever knows the seed knows the noise, and floating-point Gaussians leak their operands through the
low bits (Mironov, 2012). `SecureNoise` draws a discrete Gaussian on a fixed grid from the operating system's
randomness, and adds it on that grid. So the low bits reveal nothing. It cannot be seeded.
"""

import functools
import itertools
import math
import os
import threading
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from private_experts.arrays import Array, Scale
from private_experts.descriptions import Described
from private_experts.errors import InputError
from private_experts.privacy.guarantees import GaussianDP, of_simulated_noise
from private_experts.tabular import UNIT, Bounds, check_possible, checked_bounds
from private_experts.validation import checked_number, generator, whole

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

_BLOCK = 2**15  # numbers of which noise, values and totals stay in the cache of a core
_TOGETHER = 2**19  # numbers, of all threads: to wait costs some 10,000
_Block = tuple[slice, slice]  # rows and columns


class Noise(Protocol):
    """A source of Gaussian noise for reports. [000, Section 2.2]

    Guarantees say that its noise was simulated, unless it has an attribute ``simulated = False``, as
    `SecureNoise` has.

    Examples
    --------
    Whatever has this one method will do, such as silence for a test:

    >>> import numpy as np
    >>> from private_experts.privacy import GaussianDP, privatize
    >>> class Silence:
    ...     def perturb(self, values, scale, repetitions):
    ...         return np.tile(values, (repetitions, 1))
    >>> privatize(np.array([0.25, 1.0]), GaussianDP(1.0, "local"), 0.1, Silence()).values.tolist()
    [[0.25, 1.0]]
    """

    def perturb(self, values: Array, scale: Scale, repetitions: int) -> Array:
        """Return `repetitions` independent copies of `values` plus N(0, scale^2) noise on each coordinate.

        Parameters
        ----------
        values : ndarray, shape (n,) or (repetitions, n)
            What is to be protected, in any unit.
        scale : float or ndarray, shape (n,)
            Standard deviation of the noise in that unit, at least 0: one for all coordinates, or one for
            each. With 0 the values are copied.
        repetitions : int
            Number of independent copies.

        Returns
        -------
        ndarray, shape (repetitions, n)
        """
        ...


def checked_scale(who: str, scale: Scale, n: int) -> Scale:
    """Return a noise scale for all n experts, or one for each, once certain that none is below 0."""
    if not isinstance(scale, np.ndarray):
        return checked_number(f"{who}: noise_scale", scale, 0)
    if scale.shape != (n,):
        raise InputError(
            f"{who}: noise_scale of shape {scale.shape}: write one number, or one for each of {n} experts"
        )
    for number in scale.tolist():
        checked_number(f"{who}: noise_scale", number, 0)
    return scale.astype(np.float64)


def scale_or_sensitivity(
    who: str,
    n: int,
    guarantee: GaussianDP,
    noise_scale: Any,
    sensitivity: float | None,
    bounds: Bounds | None = None,
) -> tuple[Any, Bounds | None]:
    """Return a given noise scale, or the one that gives the guarantee to n gains of a sensitivity.

    The scale is that of reports, whose gains are in [0, 1]. With it are the bounds of gains in the unit of
    the sensitivity, None without one.
    """
    # Exactly one: with both, the noise and the guarantee could contradict each other.
    if (noise_scale is None) == (sensitivity is None):
        raise InputError(
            f"{who}: write sensitivity, how far one person can move a round's gains, or noise_scale"
        )
    if sensitivity is None:
        if bounds is not None:
            raise InputError(
                f"{who}: bounds beside noise_scale, which is of gains in [0, 1]: write sensitivity"
            )
        return noise_scale, None
    low, high = UNIT if bounds is None else checked_bounds(bounds, who)
    checked_number(f"{who}: sensitivity", sensitivity, 0, ends=False)
    check_possible(who, sensitivity, n, (low, high), guarantee)
    return guarantee.noise_scale(sensitivity) / (high - low), (low, high)


def perturbed_by_expert(noise: Noise, values: Array, scale: Array | float, repetitions: int) -> Array:
    """Return copies (k, repetitions, n) of `values` (k, n) with noise of `scale`, each expert's own.

    One expert's draws come after another's, so that they are those of a mechanism for each expert alone.
    """
    (k, n), scales = values.shape, np.broadcast_to(scale, values.shape)
    if not scales.any():
        return np.repeat(values[:, None], repetitions, axis=1)
    # Noise of scale 1 in units of each scale: one call for all, in the order of experts, then rounds, then
    # copies.
    wide = np.repeat((values / scales).T, repetitions, axis=1)
    drawn = noise.perturb(wide, 1.0, n).reshape(n, k, repetitions)
    noisy: Array = np.ascontiguousarray(drawn.transpose(1, 2, 0)) * scales[:, None]
    return noisy


def checked_noise(noise: Noise, who: str) -> Noise:
    """Return a source of noise, and refuse what has no method `perturb`, such as a random generator."""
    if not callable(getattr(noise, "perturb", None)):
        raise InputError(
            f"{who}: noise of type {type(noise).__name__}; write SimulatedNoise(rng) or SecureNoise()"
        )
    return noise


def attained(guarantee: GaussianDP, noise: Noise) -> GaussianDP:
    """Return what a mechanism with this source of noise promises; it says whether noise was simulated."""
    # "is False": what does not say that it is real counts as simulated.
    return guarantee if getattr(noise, "simulated", True) is False else of_simulated_noise(guarantee)


class SimulatedNoise(Described):
    """Seeded Gaussian noise, for experiments only. [000, Section 2.2]

    Parameters
    ----------
    rng : numpy.random.Generator or int
        From `private_experts.randomness.rng_for`; or a seed. Two sources with one seed draw the same noise:
        what plays together shares one source.
    workers : int, optional
        How many threads draw at once, for rounds of a million numbers where cores are idle. Any number of
        them draws the same noise, also where a saved game goes on, which is another one than without threads.
        Games in threads of your own take a source each.

    Raises
    ------
    InputError
        When it is neither.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy import SimulatedNoise
    >>> from private_experts.randomness import rng_for
    >>> noise = SimulatedNoise(rng_for(0, "noise"))
    >>> reports = noise.perturb(np.array([0.25, 1.0]), scale=0.1, repetitions=5000)
    >>> reports.mean(axis=0).round(2).tolist(), reports.std(axis=0).round(2).tolist()
    ([0.25, 1.0], [0.1, 0.1])
    """

    STATE, DERIVED = (), ("_workers",)  # draws do not depend on how many workers there are, if any
    simulated = True

    def __init__(self, rng: np.random.Generator | int, workers: int | None = None) -> None:
        self._rng = generator(rng, "SimulatedNoise")
        self._workers = None if workers is None else whole(workers, "SimulatedNoise", "workers")
        if workers is not None:  # a state without is one of an older version too
            self._has_workers = True

    def perturb(self, values: Array, scale: Scale, repetitions: int) -> Array:
        """See `Noise.perturb`."""
        # Nothing is drawn: games without privacy must not depend on a generator's state.
        if not (scale.any() if isinstance(scale, np.ndarray) else scale):
            return np.broadcast_to(values, (repetitions, values.shape[-1])).copy()
        shape = repetitions, values.shape[-1]
        if self._workers is None:
            report = self._rng.standard_normal(shape)
            report *= scale
            report += values
            return report
        report = np.empty(shape)
        if values.ndim > 1:
            values = np.broadcast_to(values, shape)

        def draw(block: _Block, _: int, rng: np.random.Generator) -> None:
            part = report[block]
            rng.standard_normal(out=part)
            part *= scale[block[1]] if isinstance(scale, np.ndarray) else scale
            part += values[block[-values.ndim :]]

        self._in_blocks(shape, draw)
        return report

    def add(self, totals: Array, rounds: Sequence[Array], scale: float) -> list[int]:
        """Add what `perturb` returns for one copy in each round to totals (1, n), and return the leaders.

        Reports are never there as a whole, so that all is done in the cache.
        """

        def add(block: _Block, t: int, rng: np.random.Generator) -> tuple[float, int]:
            part = totals[block]
            report = _drawn(rng, part.size)
            report *= scale
            report += rounds[t][block[1]]
            part += report
            place = int(part.argmax())
            return part.item(place), block[1].start + place

        # The first of those that tie, as argmax says.
        largest = (max(parts, key=itemgetter(0)) for parts in self._in_blocks(totals.shape, add, len(rounds)))
        return [leader for _, leader in largest]

    def together(self, n: int) -> int:
        """Return in how many rounds of n numbers threads should draw before they wait for each other."""
        return 1 if self._workers in (None, 1) else max(1, _TOGETHER // n)

    def _in_blocks(
        self, shape: tuple[int, ...], work: Callable[[_Block, int, np.random.Generator], Any], rounds: int = 1
    ) -> list[list[Any]]:
        """Return what is done in each round and block; with threads each has a generator of its own."""
        blocks, workers = _blocks(*shape), self._workers
        if workers is None:
            return [[work(block, t, self._rng) for block in blocks] for t in range(rounds)]
        states = np.ones((rounds, len(blocks), 4), dtype=np.uint64)  # the last word counts the draws
        states[..., :3] = self._rng.integers(2**64, size=(rounds, len(blocks), 3), dtype=np.uint64)
        done, left = [[None] * len(blocks) for _ in range(rounds)], list(range(len(blocks)))

        def some() -> None:
            while True:
                try:
                    at = left.pop()  # whoever is free takes the next one
                except IndexError:
                    return
                for t in range(rounds):
                    done[t][at] = work(blocks[at], t, _generator_at(states[t, at]))

        # One task for each of the others, and not for each block: to hand one over takes as long as to draw
        # some thousand numbers.
        others: list[Future[None]] = []
        try:
            for _ in range(min(workers, len(blocks)) - 1):
                others.append(_pool(workers).submit(some))
            some()
        finally:
            left.clear()  # after an interrupt nothing more is begun, and what has begun is waited for
            begun = [other for other in others if not other.cancel()]
            for error in [other.exception() for other in begun]:  # of all before any is raised
                if error:
                    raise error
        return done

    def shares(self, rng: object) -> bool:
        """Return whether it draws from this generator."""
        return getattr(rng, "bit_generator", None) is self._rng.bit_generator


_of_thread = threading.local()


def _generator_at(state: Array) -> np.random.Generator:
    """Return this thread's generator with a state of random words; a new one costs 2,000 numbers.

    SFC64 draws normal numbers a tenth to a fifth faster than PCG64. A state that is random needs no mixing
    before.
    """
    if not hasattr(_of_thread, "rng"):
        _of_thread.rng = np.random.Generator(np.random.SFC64(0))
    rng: np.random.Generator = _of_thread.rng
    words = {"state": state}
    rng.bit_generator.state = {"bit_generator": "SFC64", "state": words, "has_uint32": 0, "uinteger": 0}
    return rng


def _drawn(rng: np.random.Generator, size: int) -> Array:
    """Return normal numbers, a block at most, in an array of this thread's that the next ones overwrite.

    A new array for each block takes a tenth longer in all.
    """
    if not hasattr(_of_thread, "numbers"):
        _of_thread.numbers = np.empty(_BLOCK)
    numbers: Array = _of_thread.numbers[:size]
    rng.standard_normal(out=numbers)
    return numbers


@functools.cache
def _pool(workers: int) -> "Executor":
    """Return threads, which are kept: to begin them takes as long as to draw 10,000 numbers."""
    from concurrent.futures import ThreadPoolExecutor  # few who import this room need it

    return ThreadPoolExecutor(workers)


if hasattr(os, "register_at_fork"):  # a process that is forked has none of the threads
    os.register_at_fork(after_in_child=_pool.cache_clear)


@functools.lru_cache
def _blocks(repetitions: int, n: int) -> list[_Block]:
    """Return which rows and columns of an array are drawn together, in blocks that lie in one piece."""
    rows, columns = max(1, _BLOCK // max(1, n)), max(1, -(-n // _BLOCK))
    edges = [n * column // columns for column in range(columns + 1)]
    return [
        (slice(row, row + rows), slice(start, end))
        for row in range(0, repetitions, rows)
        for start, end in itertools.pairwise(edges)
    ]


class SecureNoise(Described):
    """Discrete Gaussian noise from OpenDP (the optional extra ``secure``), for deployment. [000, Section 2.2]

    Values are rounded to a grid, and the noise is drawn on the same grid. Its step h is 2^-30, or 2^-20 of
    the noise's scale if that is less. Rounding may move two neighbours apart, each of their n coordinates by
    one step. So with an L2 sensitivity D the level mu is larger than that of exact noise by the factor ``1 +
    sqrt(n) h / D``. With a scale for each expert every one has a step of its own, and the factor is the
    largest ``1 + h / reach`` of an expert. There is deliberately no seed.

    Raises
    ------
    InputError
        When OpenDP is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy import SecureNoise
    >>> SecureNoise().perturb(np.array([0.25, 1.0]), scale=0.1, repetitions=3).shape  # doctest: +SKIP
    (3, 2)
    """

    _GRID, _FINER = -30, -20  # powers of 2: the largest step, and the largest in scales of the noise

    STATE = ()
    simulated = False

    def __init__(self) -> None:
        try:
            import opendp.prelude as dp
        except ImportError as error:
            raise InputError(
                "secure noise needs OpenDP: install it with pip install 'opendp>=0.12'"
            ) from error
        dp.enable_features("contrib")
        self._dp = dp

    def __deepcopy__(self, memo: object) -> "SecureNoise":
        """Return the source itself, which has no state."""
        return self

    def __reduce__(self) -> tuple[type["SecureNoise"], tuple[()]]:
        """Return how to make it again, as it has no state."""
        return SecureNoise, ()

    def perturb(self, values: Array, scale: Scale, repetitions: int) -> Array:
        """See `Noise.perturb`."""
        wide = np.broadcast_to(values, (repetitions, values.shape[-1]))
        if isinstance(scale, np.ndarray):
            # A grid for each expert: one step for all would round the experts of small noise too coarsely.
            return np.column_stack(
                [self._with_noise(*column) for column in zip(wide.T, scale.tolist(), strict=True)]
            )
        return self._with_noise(wide, scale)

    def laplace(self, values: Array, scale: float, repetitions: int) -> Array:
        """Do what `perturb` does with Laplace noise of one scale, for pure privacy."""
        wide = np.broadcast_to(values, (repetitions, values.shape[-1]))
        return self._with_noise(wide, scale, "laplace")

    def _with_noise(self, values: Array, scale: float, law: str = "gaussian") -> Array:
        """Return values, of any shape, plus noise of one scale."""
        if scale == 0:
            return values.copy()
        dp = self._dp
        # frexp(scale) - 1 is floor(log2), so the step is at most 2^-20 of the scale: rounding costs almost no
        # privacy.
        step = min(self._GRID, math.frexp(scale)[1] - 1 + self._FINER)
        domain = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=values.size)
        distance = dp.l2_distance(T=float) if law == "gaussian" else dp.l1_distance(T=float)
        mechanism = getattr(dp.m, f"make_{law}")(domain, distance, scale, k=step)
        return np.asarray(mechanism(values.ravel().tolist()), dtype=np.float64).reshape(values.shape)


def keeps_finite(noise: Noise) -> bool:
    """Return whether a source certainly makes finite values of finite ones, unless its scale is absurd.

    What is derived from ours, or was changed by hand, may do anything.
    """
    # By exact type: a derived source may return anything, and its reports have to be looked at.
    if type(noise) not in (SimulatedNoise, SecureNoise) or "perturb" in vars(noise):
        return False
    return type(noise) is SecureNoise or type(vars(noise)["_rng"]) is np.random.Generator
