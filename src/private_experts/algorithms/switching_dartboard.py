"""The private shrinking dartboard over all sequences of experts with few switches, without listing them."""

import math

import numpy as np

from private_experts.algorithms.central import CentralAlgorithm
from private_experts.algorithms.dartboard_parameters import DartboardParameters
from private_experts.algorithms.dartboard_privacy import settle
from private_experts.algorithms.sequence_weights import SequenceWeights, count_sequences, drawn_states
from private_experts.arrays import Array, Indices
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from private_experts.validation import check_rounds_left, generator, whole


class SwitchingDartboard(CentralAlgorithm):
    """Runs the shrinking dartboard on whole sequences of experts, and plays their experts. [004, Theorem 4.1]

    This is the reduction of dynamic to static regret, with `ShrinkingDartboard` as the static algorithm. It
    has that algorithm's guarantee, and its regret with the number of sequences in place of the number of
    experts. A round costs ``S n`` operations. A fresh sequence is drawn by its present expert and its number
    of switches so far. Losses lie in the past, so its future is uniform among all ways to go on, and is drawn
    step by step. [mathematics/001.md#switching-dartboard]

    Parameters
    ----------
    n : int
        Number of experts.
    guarantee : PureDP or ApproximateDP
        A central guarantee, from which the parameters follow as for `ShrinkingDartboard` with all sequences.
    horizon : int
        Number of rounds T.
    switches : int
        Largest number S of switches of a sequence, at least 0.
    rng, repetitions, batched, parameters
        As for `ShrinkingDartboard`. With batches sequences switch between them only, which costs the best
        sequence up to ``batch`` rounds for each switch.

    Attributes
    ----------
    guarantee : PureDP or ApproximateDP
        Central, and no weaker than what was asked for; see `dartboard_epsilon`.
    draws : ndarray of int, shape (repetitions,)
        How many sequences were drawn so far.

    Raises
    ------
    InputError
        When a parameter is outside its range, or more rounds are played than the horizon says.

    Examples
    --------
    Without a limit on the draws the play follows a change of the best expert, but nothing is private:

    >>> import math
    >>> from private_experts.algorithms import DartboardParameters, SwitchingDartboard
    >>> from private_experts.games import play, streams
    >>> from private_experts.privacy import PureDP
    >>> from private_experts.randomness import rng_for
    >>> settings = {"horizon": 100, "switches": 1, "parameters": DartboardParameters(0.4, 0.4, math.inf)}
    >>> algorithm = SwitchingDartboard(
    ...     2, PureDP(math.inf, "central"), rng=rng_for(0, "darts"), repetitions=100, **settings
    ... )
    >>> actions = play(algorithm, streams.turncoat(100, 2))
    >>> actions[[49, 99]].mean(axis=1).round(2).tolist(), str(algorithm.guarantee)
    ([0.05, 1.0], 'no privacy')
    """

    STATE = ("draws", "_actions", "_made", "_losses", "_seen", "_before", "_kept", "_open", "_stay")

    def __init__(
        self,
        n: int,
        guarantee: PureDP | ApproximateDP,
        *,
        horizon: int,
        switches: int,
        rng: np.random.Generator | int,
        repetitions: int = 1,
        batched: bool = False,
        parameters: DartboardParameters | None = None,
    ) -> None:
        super().__init__("switching dartboard", n, repetitions)
        n, repetitions = self.n, self.repetitions
        horizon = whole(horizon, "switching dartboard", "horizon")
        switches = whole(switches, "switching dartboard", "switches", least=0)
        # With given parameters the number does not matter; it can have thousands of digits.
        sequences = count_sequences(horizon, self.n, switches) if parameters is None else self.n
        settings, self.guarantee = settle(
            "switching dartboard", guarantee, sequences, horizon, batched, parameters
        )
        eta, self._p, self._budget, self._batch = settings
        self.draws = np.ones(repetitions, dtype=np.intp)
        self._horizon, self._batches = horizon, math.ceil(horizon / self._batch)
        self._weights = SequenceWeights(n, self._batches, switches)
        self._step = math.log1p(-eta) / self._batch
        self._losses: Array = np.zeros((1, n))  # of the batch so far
        self._seen = 0
        self._switches = switches
        self._rng = generator(rng, "switching dartboard")
        self._shape = repetitions, n
        self._actions = np.zeros(repetitions, dtype=np.intp)
        self._made = np.zeros(repetitions, dtype=np.intp)  # switches of the sequence so far
        self._begin(np.arange(repetitions))
        # The last lottery, as in `ShrinkingDartboard`, and the chance that the sequence stayed with its
        # expert.
        self._before, self._kept, self._open = (
            self._actions,
            np.zeros(repetitions),
            np.ones(repetitions, np.bool_),
        )
        self._stay = np.ones(repetitions)

    def predict(self) -> Indices:
        """Return the experts of the coming round, shape (repetitions,). See `Algorithm.predict`."""
        return self._actions.copy()

    def probabilities(self) -> Array:
        """Return the law (repetitions, n) of the coming round's expert, given the sequences and draws before.

        See `BaseAlgorithm.probabilities`.
        """
        if self._seen % self._batch:  # no lottery is held within a batch
            return np.eye(self.n)[self._actions]
        kept, away = np.where(self._open, self._kept, 1.0), (1 - self._stay) / max(self.n - 1, 1)
        law: Array = (1 - kept)[:, None] * np.exp(self._weights.log_law) + (kept * away)[:, None]
        law[np.arange(kept.size), self._before] += kept * (self._stay - away)
        return law

    def update_unchecked(self, gains: Array) -> None:
        """Take in the true gains of a round. See `CentralAlgorithm.update_unchecked`."""
        check_rounds_left("switching dartboard", self._seen, self._horizon)
        self._losses = self._losses + (1 - gains)
        self._seen += 1
        if self._seen % self._batch == 0:
            self._lottery(self._step * self._losses)
            self._losses = np.zeros((1, self._losses.shape[1]))

    def _lottery(self, change: Array) -> None:
        """Add a batch's change to the log-weights, move the sequences on, and draw where the lottery does."""
        of_own = np.take_along_axis(np.broadcast_to(change, self._shape), self._actions[:, None], axis=1)[
            :, 0
        ]
        self._weights.add(change)
        self._before, self._kept, self._open = (
            self._actions,
            (1 - self._p) * np.exp(of_own),
            self.draws < self._budget,
        )
        self._go_on()
        anew = self._rng.uniform(size=self._actions.size) >= self._kept
        where = np.flatnonzero(anew & self._open)
        self._begin(where)
        self.draws[where] += 1

    def _begin(self, where: Indices) -> None:
        """Draw the present expert and the switches so far of fresh sequences."""
        joint = self._weights.log_joint
        wide = np.broadcast_to(joint, (self._shape[0], *joint.shape[1:]))[where]
        self._made[where], self._actions[where] = drawn_states(wide, self._rng)

    def _go_on(self) -> None:
        """Move the sequences on to the coming round."""
        left = self._batches - self._weights.round  # batches after the coming one
        if left < 0:
            self._actions, self._stay = self._actions.copy(), np.ones(self._actions.size)
            return
        # The future of a sequence is uniform among its ways to go on, so the chance to stay is a ratio of two
        # counts.
        spare = self._switches - self._made
        ways = self._weights.log_ways
        self._stay = np.exp(ways[left, spare] - ways[left + 1, spare])
        stay = self._rng.uniform(size=spare.size) < self._stay
        race = self._rng.gumbel(size=self._shape)
        # A switch goes to another expert, uniformly: the present one takes no part in the race.
        np.put_along_axis(race, self._actions[:, None], -np.inf, axis=1)
        self._actions = np.where(stay, self._actions, race.argmax(axis=1))
        self._made += ~stay
