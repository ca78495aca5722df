"""Follow the noisy leader, and restart when the sparse vector technique reports that the regret has grown."""

import math
from typing import Literal

import numpy as np

from private_experts.algorithms.all_windows import AllWindows
from private_experts.algorithms.central import CentralAlgorithm
from private_experts.algorithms.dyadic_blocks import DyadicBlocks, shortest_block
from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.phase_windows import Windows
from private_experts.arrays import Array, Indices
from private_experts.privacy.above_threshold import AboveThreshold, accuracy
from private_experts.privacy.guarantees import PureDP, check_guarantee
from private_experts.validation import (
    check_rounds_left,
    check_word,
    checked_number,
    generator,
    plain_numbers,
    whole,
)

_AT_ONCE = 1024  # rounds that are passed together: so many random numbers may be drawn twice


@plain_numbers
def printed_allowance(rounds: Array, n: int, horizon: int, epsilon: float, beta: float) -> Array:
    """Return the regret allowed in a window of `rounds` rounds, as printed. [004, Algorithm 2, line 7]

    ``16 log(NT / beta) / epsilon + 9 sqrt(w log(NT / beta))`` with ``w = rounds - 1``. No proof of it is
    known. Epsilon is the level of Algorithm 2. [mathematics/004.md#theorem-3-1]
    """
    level = math.log(n * horizon / beta)
    # As printed: `rounds - 1` and the constants are the paper's, so that its algorithm can be tested as it
    # stands.
    return 16 * level / epsilon + 9 * np.sqrt((rounds - 1) * level)


@plain_numbers
def proved_allowance(rounds: Array, n: int, horizon: int, epsilon: float, beta: float) -> Array:
    """Return the regret that a window of a stationary stream exceeds with probability at most beta.

    ``16 log(NT / beta) (1 + log(rounds)) / (epsilon / 2) + 10 sqrt 2 sqrt(rounds log(NT / beta))``. This is
    what the proof of [004, Theorem 3.1] gives when its sums are carried out. Algorithm 1 runs at the level
    epsilon / 2 that Algorithm 2 gives it. [mathematics/004.md#theorem-3-1]
    """
    level = math.log(n * horizon / beta)
    # Algorithm 1 runs at epsilon / 2, which doubles the 16 of its regret.
    return np.asarray(32 * level * (1 + np.log(rounds)) / epsilon + 10 * np.sqrt(2 * rounds * level))


def softmax_allowance(rounds: Array, n: int, horizon: int, epsilon: float, beta: float) -> Array:
    """Return what is proved in place of `proved_allowance` for softmax selections, that is, Gumbel noise.

    ``16 log(NT / beta) / (epsilon / 2) + (16 + 2 sqrt 2) sqrt(rounds log(NT / beta))``: the factor ``1 +
    log(rounds)`` is not needed. [mathematics/004.md#softmax]
    """
    level = math.log(n * horizon / beta)
    return 32 * level / epsilon + (16 + 2 * math.sqrt(2)) * np.sqrt(rounds * level)


def _of(rounds: Array, experts: Indices) -> Array:
    """Return the gains (T, repetitions) of experts (repetitions,) in rounds (T, 1 or repetitions, n)."""
    if rounds.shape[1] == 1:
        return np.asarray(rounds[:, 0, experts])
    return np.asarray(rounds[:, np.arange(experts.size), experts])


class RestartingLeader(CentralAlgorithm):
    """Algorithm 1 in phases. A phase ends when a window shows a regret that no stationary stream has.

    Every round asks AboveThreshold about windows that end there. A query is the regret of the window less
    ``allowance + alpha + 1``, where alpha is AboveThreshold's accuracy. [004, Algorithm 2;
    mathematics/004.md#algorithm-2]

    The printed algorithm costs more privacy than its theorem says, for two reasons. First, the regret of a
    window moves by up to 2 when one loss vector is replaced, and not by 1: the played expert's loss rises and
    the best expert's falls. [mathematics/004.md#e004-5] Second, the round that ends a phase belongs to the
    next phase as well.

    With ``printed=False`` the noise is that of a sensitivity of 2, which is the same as halving the queries,
    and the next phase begins with the next round. This is epsilon-DP. With ``printed=True`` plain composition
    gives 3/2 epsilon for rounds inside a phase, and 5/2 epsilon for rounds that end one.
    [mathematics/004.md#algorithm-2-privacy]

    Parameters
    ----------
    n : int
        Number of experts N.
    guarantee : PureDP
        The central guarantee that is paid for: half of it goes to Algorithm 1 and half to AboveThreshold.
        With ``printed=True`` the attribute `guarantee` is the weaker one that holds.
    horizon : int
        Number of rounds T, at least 2.
    rng : numpy.random.Generator or int
        Seeded noise is a simulation and protects nobody; see `private_experts.privacy.noise`.
    repetitions : int
        Number of independent copies.
    beta : float, optional
        Failure probability, ``1 / horizon`` if not given.
    windows : {"all", "dyadic"}
        ``all`` is the paper's choice, T (T + 1) / 2 queries, which keeps 8 n T bytes for each repetition.
        ``dyadic`` looks at the blocks of 2^k rounds of the phase when they end, if they are no shorter than
        `shortest_block`. These are at most 2 T queries, and nothing but totals is kept. A window of w rounds
        is made of at most 2 log2(w) blocks. So the regret that must be seen grows: alpha by the factor 2
        log2(w), and the square root by at most 7. [mathematics/004.md#dyadic-windows]
    allowance : {"printed", "proved"}
        `printed_allowance`, or what is proved for the selection: `proved_allowance` or `softmax_allowance`.
    selection : {"laplace", "gumbel"}
        The noise of Algorithm 1's selections; see `DyadicLeader`. Laplace is the paper's. With Gumbel noise
        the allowance that is proved has no factor log T. [mathematics/004.md#softmax]
    slack : float
        Factor on the allowance. Privacy does not depend on it. Below 1 nothing is proved about false alarms.
    printed : bool
        Whether to use the noise and the phase boundaries of the printed algorithm.
    moves_at_most_1 : bool
        Whether gains may be of any size; see `DyadicLeader`.

    Attributes
    ----------
    restarts : ndarray of int, shape (repetitions,)
        How many phases have ended.

    Raises
    ------
    InputError
        When a parameter is outside its range.

    Examples
    --------
    The best expert changes after 500 of 1000 rounds. With little privacy and a small allowance a restart
    helps:

    >>> from private_experts.algorithms import RestartingLeader
    >>> from private_experts.games import play, streams
    >>> from private_experts.privacy import PureDP
    >>> from private_experts.randomness import rng_for
    >>> leader = RestartingLeader(
    ...     2, PureDP(20.0, "central"), horizon=1000, rng=rng_for(0, "phases"), windows="dyadic", slack=0.2
    ... )
    >>> actions = play(leader, streams.turncoat(1000, 2))
    >>> leader.restarts.tolist(), actions[[499, 600, 999], 0].tolist(), str(leader.guarantee)
    ([1], [0, 0, 1], '20-DP (central, simulated noise)')
    """

    STATE = ("restarts", "_round")

    def __init__(
        self,
        n: int,
        guarantee: PureDP,
        *,
        horizon: int,
        rng: np.random.Generator | int,
        repetitions: int = 1,
        beta: float | None = None,
        windows: Literal["all", "dyadic"] = "all",
        allowance: Literal["printed", "proved"] = "printed",
        selection: Literal["laplace", "gumbel"] = "laplace",
        slack: float = 1.0,
        printed: bool = False,
        moves_at_most_1: bool = False,
    ) -> None:
        super().__init__("restarting leader", n, repetitions, largest=math.inf if moves_at_most_1 else 1.0)
        rng = generator(rng, "restarting leader")
        horizon = whole(horizon, "restarting leader", "horizon", least=2)
        epsilon = check_guarantee(guarantee, "restarting leader", PureDP, "central").epsilon
        beta = (
            1 / horizon if beta is None else checked_number("restarting leader: beta", beta, 0, 1, ends=False)
        )
        check_word("restarting leader: windows", windows, "all", "dyadic")
        check_word("restarting leader: allowance", allowance, "printed", "proved")
        slack = checked_number("restarting leader: slack", slack, 0, ends=False)
        # One replaced vector raises the played expert's loss and lowers the best one's, or the other way
        # round.
        sensitivity = 1.0 if printed else 2.0
        # Plain composition. A replaced vector really moves the queries by up to 2.
        # Printed, a round that ends a phase is asked about in two phases, so its queries are paid for twice.
        for_queries = epsilon / 2 * 2 / sensitivity
        self.guarantee = PureDP(epsilon / 2 + for_queries * (2 if printed else 1), "central", simulated=True)
        self.restarts = np.zeros(repetitions, dtype=np.intp)
        self._leader = DyadicLeader(
            n,
            PureDP(epsilon / 2, "central"),
            rng=rng,
            repetitions=repetitions,
            selection=selection,
            moves_at_most_1=moves_at_most_1,
        )
        # A generator of its own: rounds that are passed at once would else change the order of the leader's
        # draws.
        self._above = AboveThreshold(
            PureDP(epsilon / 2, "central"),
            rng=rng.spawn(1)[0],
            sensitivity=sensitivity,
            repetitions=repetitions,
        )
        self._printed = printed
        self._round = 0
        # Thresholds are indexed by a window's length, and log(0) at index 0 must not make a warning.
        lengths = np.arange(horizon + 1, dtype=np.float64)
        lengths[0] = 1.0  # no window is that short
        proved = proved_allowance if selection == "laplace" else softmax_allowance
        allowed = printed_allowance if allowance == "printed" else proved
        margin = slack * allowed(lengths, n, horizon, epsilon, beta) + 1

        def thresholds(queries: int) -> Array:
            return margin + accuracy(queries, epsilon / 2, beta, sensitivity)

        self._windows: Windows
        if windows == "dyadic":
            self._windows = DyadicBlocks(n, horizon, repetitions, shortest_block(horizon, thresholds))
        else:
            self._windows = AllWindows(n, horizon, repetitions, bounded=not moves_at_most_1)
        # Accuracy depends on the number of queries, so the kind of windows has to be known first.
        self.thresholds = thresholds(self._windows.most_windows)  # indexed by the window's number of rounds

    def predict(self) -> Indices:
        """Return the experts of the coming round, shape (repetitions,). See `Algorithm.predict`."""
        return self._leader.predict()

    def play_unchecked(self, gains: Array) -> Indices:
        """Play many rounds; those that need no look are passed at once. See `at_once`."""
        wide = gains.reshape(len(gains), -1, self.n)
        actions, played = np.empty((len(gains), self.repetitions), dtype=np.intp), 0
        while played < len(gains):
            actions[played] = self._leader.predict()
            # Neither past the horizon, nor past the end of a block, after which another leader plays.
            room = min(
                len(gains) - played, self.thresholds.size - 1 - self._round, self._leader.left - 1, _AT_ONCE
            )
            if room > 0 and self.largest > 1:
                ahead = wide[played : played + room]
                room = self._windows.steady(ahead, _of(ahead, actions[played]))
            if quiet := self._windows.quiet(room, self._above) if room > 0 else 0:
                part = slice(played, played + quiet)
                actions[part] = actions[played]
                self._windows.add_many(wide[part], _of(wide[part], actions[played]))
                self._leader.add_unchecked(gains[part])
                self._round += quiet
                played += quiet
            else:
                self.update_unchecked(gains[played])
                played += 1
        return actions

    def update_unchecked(self, gains: Array) -> None:
        """Take in the true gains of a round. See `CentralAlgorithm.update_unchecked`."""
        wide = np.atleast_2d(gains)
        check_rounds_left("restarting leader", self._round, self.thresholds.size - 1)
        self._round += 1
        leader = self._leader.predict()
        own = wide[0][leader] if len(wide) == 1 else wide[np.arange(leader.size), leader]
        above = self._windows.test(wide, own, self.thresholds, self._above)
        ends = bool(above.any())
        if ends and self._printed:  # the new phase begins with the round that ended the old one
            # Printed: the leader forgets before this round, which then counts as the first of the new phase.
            self._leader.restart(above)
        self._leader.update_unchecked(gains)
        if ends:
            # Here after it: the round that ended the phase is seen by nobody in the new one, and is paid for
            # once.
            if not self._printed:
                self._leader.restart(above)
            self._windows.restart(above, wide, own, keep=self._printed)
            self._above.restart(above)
        self.restarts += above
