"""All windows of a phase that end with the last round, whose regret Algorithm 2 tests. [004, Algorithm 2]"""

import numpy as np

from private_experts.arrays import Array, Bools, Indices
from private_experts.privacy.above_threshold import AboveThreshold

# in scales of a query's noise: what is as much further from the threshold does not count beside the nearest
_FAR = 40.0
_STEEPEST = 300.0  # in scales of a query's noise: how much may be added to a regret until the next look
# a query that is as much above the threshold is counted as if it were no further: a bound of e^40 is enough
_SURE = 20.0
_BLOCK = 64  # windows that begin one after another, which are ruled out together
_FEW_ROWS = 8  # repetitions whose look takes about as long as that of one


class AllWindows:
    """All windows of the phase that end with the last round. [mathematics/004.md#quiet-rounds]

    Most rounds need no look. Whether some query of a round is above is decided by one exponential variable:
    it is when the round's hazard exceeds it (`AboveThreshold.hazard`). Where gains are in [0, 1] a window's
    regret grows by at most 1 a round, and its threshold grows as well. So after a look at all windows a bound
    on the hazard is known for some rounds. Of other gains (not `bounded`) it is known until one grows by more
    than any before. Where the variable is above this bound, there is nothing to look
    at. Nothing is approximated but by rounding. `most_windows` is an upper bound on the number of windows
    that are looked at in all rounds together.

    A look needs the windows that are about as near to the threshold as the nearest. Those of a block have no
    more regret than the least total before them allows, and no smaller threshold than the shortest of them.
    So most blocks are ruled out by two numbers.
    """

    STATE = ("_ahead", "_first", "_bound", "_until", "_round", "_steepest")
    DERIVED = ("_spans", "_rise", "_span", "_least", "_whole")

    def __init__(self, n: int, horizon: int, repetitions: int, *, bounded: bool = True) -> None:
        self.most_windows = horizon**2
        self._bounded = bounded  # whether gains are in [0, 1]
        self._steepest = 1.0  # by how much a regret may grow in a round, as far as bounds know
        # totals of gains less own gains, before each round
        self._ahead = np.zeros((n, repetitions, horizon + 1))
        self._first = np.zeros(repetitions, dtype=np.intp)  # how many rounds came before the phase
        self._bound = np.full(repetitions, np.inf)  # on the hazard of a round
        # At first no round is covered, so the first round is looked at whatever the variable is.
        self._until = np.zeros(repetitions, dtype=np.intp)  # for which rounds it holds
        self._round = 0
        self._span = np.zeros(repetitions, dtype=np.intp)  # for how many rounds it held at the last look
        # Numbers of rounds, and by what factors the distances exp(-margin) of windows may grow in them, by
        # the window's length; once thresholds are known.
        self._spans, self._rise = np.zeros(0, dtype=np.intp), np.zeros((0, 0))
        # the least of `_ahead` in each block, and for how many blocks it is known
        self._least, self._whole = np.zeros((n, repetitions, horizon // _BLOCK + 1)), 0

    def test(self, gains: Array, own: Array, thresholds: Array, above: AboveThreshold) -> Bools:
        """See `Windows.test`."""
        self.add(gains, own)
        # The variable comes first: where it exceeds a bound on the hazard, no margin has to be known.
        patience = above.patience()
        ends = np.zeros(own.size, dtype=np.bool_)
        looked = (patience < self._bound) | (self._until < self._round)
        if 0 < np.count_nonzero(looked) <= _FEW_ROWS:
            # A look at few rows takes about as long with those whose bounds end soon.
            looked |= 2 * (self._until - self._round) < self._span
        rows = np.flatnonzero(looked)
        if rows.size:
            ends[rows] = above.exceeds(self._look(rows, thresholds, above), patience, rows)
        return ends

    def add(self, gains: Array, own: Array) -> None:
        """Take in a round. Its gains and those of the played experts are as in `Windows.test`."""
        # Prefix sums: the regret of any window is a difference of two, and the maximum over experts is of the
        # difference.
        self._ahead[:, :, self._round + 1] = self._ahead[:, :, self._round] + (gains - own[:, None]).T
        self._round += 1
        if not self._bounded and (growth := float((gains.max(axis=-1) - own).max())) > self._steepest:
            # Bounds are void, so that all are looked at; twice, so that this does not come often.
            self._steepest = 2 * growth
            self._spans, self._until[:] = self._spans[:0], self._round - 1

    def steady(self, gains: Array, own: Array) -> int:
        """See `Windows.steady`."""
        steep = ((gains.max(axis=-1) - own) > self._steepest).any(axis=1)
        return int(steep.argmax()) if steep.any() else len(gains)

    def quiet(self, most: int, above: AboveThreshold) -> int:
        """See `Windows.quiet`."""
        most = min(most, int(self._until.min()) - self._round)
        return above.patient(most, self._bound) if most > 0 else 0

    def add_many(self, gains: Array, own: Array) -> None:
        """See `Windows.add_many`."""
        now, then = self._round, self._round + len(gains)
        self._ahead[:, :, now + 1 : then + 1] = (gains - own[..., None]).T
        kept = self._ahead[:, :, now : then + 1]
        kept.cumsum(axis=2, out=kept)
        self._round = then

    def regrets(self, rows: Indices, start: int = 0) -> Array:
        """Return the regrets of windows that end now, (rows, rounds so far - start), by first round."""
        ends = self._ahead[:, rows, self._round]
        return np.asarray((ends[:, :, None] - self._ahead[:, rows, start : self._round]).max(axis=0))

    def restart(self, which: Bools, gains: Array, own: Array, keep: bool) -> None:
        """See `Windows.restart`."""
        self._first[which] = self._round - 1 if keep else self._round
        self._until[which] = self._round

    def _look(self, rows: Indices, thresholds: Array, above: AboveThreshold) -> Array:
        """Return the hazard of this round in the repetitions `rows`, and bound that of the rounds to come."""
        start = int(self._first[rows].min())
        starts = self._near(rows, start, thresholds, above)
        margins = self._margins(rows, starts, thresholds, above)
        lengths, nearest = self._round - starts, np.maximum(margins.min(axis=1, keepdims=True), 0.0)
        kept = (margins < nearest + _FAR).any(axis=0)  # the others add less to the hazard than rounding does
        margins, lengths = margins[:, kept], lengths[kept]
        left_out = self._round - start - lengths.size
        now = above.hazard(margins)
        bounds = self._bounds(margins, lengths, thresholds, above, rows)
        # What is left out may come nearer by `_steepest` a round, so it is bounded at the end of each span
        # and not dropped.
        further = nearest + _FAR - self._steepest * self._spans / above.query_scale
        bounds += left_out * above.hazard(further[..., None])
        # A look in so many rounds, and whenever the bound is not enough: this many looks a round.
        best = (bounds + 1 / self._spans).argmin(axis=1)
        self._bound[rows] = bounds[np.arange(rows.size), best]
        self._span[rows] = self._spans[best]
        self._until[rows] = self._round + self._span[rows]
        return now

    def _margins(self, rows: Indices, starts: Indices, thresholds: Array, above: AboveThreshold) -> Array:
        """Return the margins of the windows that begin there, (rows, starts)."""
        ends = self._ahead[:, rows, self._round, None]
        if starts.size == self._round - starts[0]:  # no block is left out
            ahead = self._ahead[:, rows, starts[0] : self._round]
        else:
            ahead = self._ahead[:, rows[:, None], starts]
        regrets = (ends - ahead).max(axis=0)
        margins = above.margins(regrets - thresholds[self._round - starts], rows)
        # Rows began their phases at different rounds; a window that begins before a row's phase is no query
        # of it.
        margins[starts < self._first[rows, None]] = np.inf
        return margins

    def _near(self, rows: Indices, start: int, thresholds: Array, above: AboveThreshold) -> Indices:
        """Return where windows begin, from `start` on, without blocks that are too far in all rows."""
        whole, known = self._round // _BLOCK, self._whole
        if whole > known:
            new = self._ahead[:, :, known * _BLOCK : whole * _BLOCK]
            self._least[:, :, known:whole] = new.reshape(*new.shape[:2], -1, _BLOCK).min(axis=3)
            self._whole = whole
        blocks = np.arange(start // _BLOCK, whole)
        if not blocks.size:
            return np.arange(start, self._round)
        latest = (blocks + 1) * _BLOCK - 1
        ends = self._ahead[:, rows, self._round, None]
        most = (ends - self._least[:, rows, blocks[0] : whole]).max(axis=0)
        least = above.margins(most - thresholds[self._round - latest], rows)
        # The newest window is one of every row's, so its nearest is no further than the nearest of these.
        some = np.append(np.unique(latest[least.argmin(axis=1)]), self._round - 1)
        nearest = np.maximum(self._margins(rows, some, thresholds, above).min(axis=1, keepdims=True), 0.0)
        near = blocks[(least < nearest + _FAR).any(axis=0)]
        starts = (near[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
        rest = np.arange(max(start, whole * _BLOCK), self._round)
        return np.concatenate([starts[starts >= start], rest])

    def _bounds(
        self,
        margins: Array,
        lengths: Indices,
        thresholds: Array,
        above: AboveThreshold,
        rows: Indices,
    ) -> Array:
        """Return bounds on a round's hazard within each of the spans, shape (rows, spans).

        Thresholds are concave, so when each round adds the same to the regret, a margin is least at the
        beginning or at the end. That goes for windows that are yet to start as well. With ``x =
        exp(-margin)``, a window adds at most ``x / 2 + x^2 / 4`` to the hazard, so that a matrix product
        gives the sums for all spans.
        """
        last = thresholds.size - 1
        if not self._spans.size:
            # The factors are squared below, and e^600 is still a number.
            longest = max(1, min(last, int(_STEEPEST * above.query_scale / self._steepest)))
            self._spans = 2 ** np.arange(longest.bit_length())
            after = np.minimum(np.arange(last + 1)[:, None] + self._spans, last)
            growth = self._steepest * self._spans - thresholds[after] + thresholds[:, None]
            with np.errstate(over="ignore"):  # with hardly any noise
                self._rise = np.exp(np.maximum(growth, 0.0) / above.query_scale)
        x, rise = np.exp(-np.maximum(margins, -_SURE)), self._rise[lengths]
        with np.errstate(over="ignore", invalid="ignore"):
            old = x @ rise / 2 + (x * x) @ (rise * rise) / 4
        # 0 times infinity: nothing is known of such a window, so the bound says nothing either.
        old[np.isnan(old)] = np.inf
        # Of windows that start within a span, concavity leaves the shortest and the longest as candidates.
        ends = np.stack([np.ones_like(self._spans), self._spans], axis=1)
        new = above.margins((self._steepest * ends - thresholds[ends]).ravel(), rows).reshape(
            rows.size, *ends.shape
        )
        return np.asarray(old + self._spans * above.hazard(new))
