"""What is drawn for reports and for running sums, as they leave the mechanism. [verdicts.md#drawn-noise]

Noise is what was released, less what would be without noise. Independent normals are made of it by the
covariance over the rounds that the mechanism's description implies.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from private_experts.algorithms.prefix_ftpl import PrefixFTPL
from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.games.play import play, private_reports
from private_experts.privacy.banded import BandedSums, root_band
from private_experts.privacy.correlated import CorrelatedReports, MatrixSums
from private_experts.privacy.factorization import square_root
from private_experts.privacy.noise import Noise, SecureNoise
from private_experts.privacy.reports import privatize
from private_experts.privacy.side_by_side import SideBySideReports, SideBySideSums, own_share
from private_experts.privacy.tight_tree import TightTreeSums
from private_experts.privacy.tree import TreeSums
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.drawn_game import CENTRAL, FAINT, LOCAL, MOVE, DrawnGame
from private_experts.replication.papers.p000.gaussian_leaders import whitened
from private_experts.replication.papers.p000.sum_covariances import (
    matrix_reports,
    matrix_sums,
    tight_tree,
    tree,
)

_LONG = 17  # rounds, so that a node of 16 vectors is released
_OPPOSITE = (1 / MOVE, -1 / MOVE)  # how a datum moves two experts, in units of its reach
_OWN = (1.0, -0.5)  # likewise where each expert's mechanism fits its own count


def simulated_reports(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """Reports have noise for their round's sensitivity, or for each expert's own count."""
    game = DrawnGame("Reports", grid, repetitions, seed)
    reach = _uneven(game.rounds)

    def released(gains: Array, side: int) -> Array:
        made = private_reports(gains, LOCAL, reach, game.noise("shared", side), repetitions)
        return np.stack([report.values for report in made], axis=1)

    one = np.diag(reach**2)
    yield from _compared(game, released, np.array([one, one]), np.eye(len(reach)), reach, part="one scale")
    counts = (reach / MOVE)[:, None] * np.abs(_OWN)

    stated: list[float] = []

    def released_by_count(gains: Array, side: int) -> Array:
        noise = game.noise("own", side)
        made = [*private_reports(gains, LOCAL, counts, noise, repetitions, moved=2)]
        stated.extend(report.largest_scale for report in made)
        return np.stack([report.values for report in made], axis=1)

    own = 2 * np.array([np.diag(column**2) for column in counts.T])
    yield from _compared(
        game, released_by_count, own, np.eye(len(reach)), reach / MOVE, _OWN, part="own counts"
    )
    wrong = float(np.abs(np.array(stated) - np.tile(reach, 2)).max())
    where = {**game.where("own counts: stated"), "aspect": "scale", "place": "largest difference"}
    yield Point(where, wrong, 1e-12)
    # Gains of another unit, in which all amounts are a quarter as large.
    unit, noise = (-0.125, 0.125), game.noise("another unit")
    drawn = [
        (privatize(np.zeros(2), FAINT, r / 16, noise, repetitions=repetitions, bounds=unit).values - 0.5) / r
        for r in (0.4, 3.0)
    ]
    made = [*private_reports(np.zeros((2, 2)), LOCAL, reach[:2] / 4, noise, repetitions, bounds=unit)]
    drawn += [(report.values - 0.5) / r for report, r in zip(made, reach[:2], strict=True)]
    yield from game.normal("another unit", np.stack(drawn, axis=1))
    yield from _single_copies(game, lambda *key: game.noise("single copies", *key))
    noise, of_copies = game.noise("gains per copy"), game.rng("gains").random((repetitions, 2))
    made = [privatize(of_copies, FAINT, r / 4, noise, repetitions=repetitions) for r in (0.4, 3.0)]
    drawn = [(report.values - of_copies) / r for report, r in zip(made, (0.4, 3.0), strict=True)]
    yield from game.normal("gains per copy", np.stack(drawn, axis=1))
    # Own counts, of a person who moves three experts: in another unit, and with gains of each copy.
    noise, counts = game.noise("three own counts"), np.array([0.1, 0.4, 1.6])
    wide, of_copies = np.sqrt(3) * counts, game.rng("three gains").random((repetitions, 3))
    quarters: dict[str, Any] = {"moved": 3, "bounds": unit, "repetitions": repetitions}
    drawn = [
        (privatize((gains - 0.5) / 4, FAINT, counts / 16, noise, **quarters).values - gains) / wide
        for gains in (np.full(3, 0.5), of_copies)
    ]
    yield from game.normal("own counts in another unit", np.stack(drawn, axis=1))


def _single_copies(game: DrawnGame, source: Callable[..., Noise]) -> Iterator[Point]:
    """Compare reports that are made one by one, as by a real user: of one scale, and of own counts."""
    noise, gains, counts = source(), np.array([0.2, 0.9]), np.array([0.3, 2.0])
    # Made alone, a report costs as much as many together: a fourth of the copies, so twice the slack.
    of_copies = np.broadcast_to(gains, (game.copies // 4, 2))
    one = [report.values[0] for report in private_reports(of_copies, LOCAL, 0.4, noise)]
    own = [report.values[0] for report in private_reports(of_copies, FAINT, counts / 4, noise, moved=2)]
    drawn = (np.array(one) - gains) / 0.4, (np.array(own) - gains) / (MOVE * counts)
    yield from game.normal("single copies", np.stack(drawn, axis=1), slacks=2)


def secure_noise(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """Secure noise is normal too. It cannot be seeded, so a test plays it, and not the claim."""
    game = DrawnGame("SecureNoise", grid, repetitions, seed)
    try:
        source = SecureNoise()
    except InputError as reason:
        yield Point({**game.where("not run"), "place": str(reason)}, 0.0, 0.0)
        return
    yield from _single_copies(game, lambda: source)
    for part, scale in (("one scale", 0.5), ("own counts", np.array([0.5, 3.0]))):
        drawn = [source.perturb(np.zeros(2), scale, repetitions) / scale for _ in range(3)]
        yield from game.normal(part, np.stack(drawn, axis=1))


def correlated_reports(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """A curator's reports have the noise of the strategy, which is correlated over the rounds."""
    game = DrawnGame("CorrelatedReports", grid, repetitions, seed)
    reach, strategy = _uneven(game.rounds), square_root(game.rounds)

    def released(gains: Array, side: int) -> Array:
        curator = CorrelatedReports(
            2, CENTRAL, strategy=strategy, sensitivity=reach, noise=game.noise(side), repetitions=repetitions
        )
        return np.stack([curator.report(vector).values for vector in gains], axis=1)

    both = np.array([matrix_reports(strategy, reach)] * 2)
    yield from _compared(game, released, both, np.eye(len(reach)), reach)


def side_by_side_reports(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """Reports of each expert by its own mechanism: a person in two of them meets the noise of both."""
    game = DrawnGame("SideBySideReports", grid, repetitions, seed)
    reach, strategy = np.ones(game.rounds), square_root(game.rounds)

    def released(gains: Array, side: int) -> Array:
        settings: dict[str, Any] = {
            "strategy": strategy,
            "noise": game.noise(side),
            "repetitions": repetitions,
        }
        curator = SideBySideReports(
            [
                CorrelatedReports(1, own_share(CENTRAL), sensitivity=abs(own) * reach, **settings)
                for own in _OWN
            ]
        )
        return np.stack([curator.report(vector).values for vector in gains], axis=1)

    def released_together(gains: Array, side: int) -> Array:
        columns = reach[:, None] * np.abs(_OWN)
        curator = SideBySideReports(
            [
                CorrelatedReports(
                    2,
                    own_share(CENTRAL),
                    sensitivity=columns,
                    strategy=strategy,
                    noise=game.noise("together", side),
                    repetitions=repetitions,
                )
            ]
        )
        return np.stack([curator.report(vector).values for vector in gains], axis=1)

    both = 2 * np.array([matrix_reports(strategy, abs(own) * reach) for own in _OWN])
    for part, made in (("one by one", released), ("one object", released_together)):
        yield from _compared(game, made, both, np.eye(len(reach)), reach, _OWN, part=part)


def tree_sums(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """Sums of a dyadic tree, padded or not, for one sensitivity or one for each round."""
    game = DrawnGame("TreeSums", grid, repetitions, seed)
    even, uneven = np.full(_LONG, MOVE), _uneven(_LONG)
    for part, reach, padded in (
        ("padded", even, True),
        ("as it is", even, False),
        ("uneven", uneven, False),
        ("uneven, padded", uneven, True),
    ):
        sensitivity = reach if reach is uneven else MOVE

        def make(noise: Noise, sensitivity: float | Array = sensitivity, padded: bool = padded) -> TreeSums:
            return TreeSums(
                2,
                CENTRAL,
                horizon=_LONG,
                sensitivity=sensitivity,
                noise=noise,
                padded=padded,
                repetitions=repetitions,
            )

        # Padding hides more than the guarantee needs, so that the attack is on sums without it.
        yield from _of_sums(game, make, tree(reach, padded), reach, part=part, attacked=not padded)


def tight_tree_sums(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """Sums of a tree whose nodes have just enough noise, with and without averages over the tree."""
    game = DrawnGame("TightTreeSums", grid, repetitions, seed)
    reach = _uneven(_LONG)
    for part, refined in (("left nodes", False), ("refined", True)):

        def make(noise: Noise, refined: bool = refined) -> TightTreeSums:
            return TightTreeSums(
                2, CENTRAL, sensitivity=reach, noise=noise, refined=refined, repetitions=repetitions
            )

        yield from _of_sums(game, make, tight_tree(reach, refined), reach, part=part)


def matrix_mechanism_sums(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """Sums of correlated reports."""
    game = DrawnGame("MatrixSums", grid, repetitions, seed)
    reach, strategy = _uneven(game.rounds), square_root(game.rounds)

    def make(noise: Noise) -> MatrixSums:
        return MatrixSums(
            2, CENTRAL, strategy=strategy, sensitivity=reach, noise=noise, repetitions=repetitions
        )

    yield from _of_sums(game, make, matrix_sums(strategy, reach), reach)


def banded_sums(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """Sums whose noise the last releases help to cancel."""
    game = DrawnGame("BandedSums", grid, repetitions, seed)
    reach, band = np.full(_LONG, MOVE), root_band(4)
    strategy = sum(band[lag] * np.eye(_LONG, k=-lag) for lag in range(4))

    def make(noise: Noise) -> BandedSums:
        return BandedSums(
            2, CENTRAL, coefficients=band, sensitivity=MOVE, noise=noise, repetitions=repetitions
        )

    yield from _of_sums(game, make, matrix_sums(strategy, reach), reach)


def side_by_side_sums(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """Sums of each expert by a tree of its own, made one by one or in one object."""
    game = DrawnGame("SideBySideSums", grid, repetitions, seed)
    reach, share = np.ones(game.rounds), own_share(CENTRAL)
    columns = reach[:, None] * np.abs(_OWN)

    def apart(noise: Noise) -> SideBySideSums:
        return SideBySideSums(
            [
                TightTreeSums(
                    1, share, sensitivity=column, noise=noise, refined=True, repetitions=repetitions
                )
                for column in columns.T
            ]
        )

    def together(noise: Noise, refined: bool = True) -> SideBySideSums:
        return SideBySideSums(
            [
                TightTreeSums(
                    2, share, sensitivity=columns, noise=noise, refined=refined, repetitions=repetitions
                )
            ]
        )

    for part, make, refined in (
        ("a tree for each expert", apart, True),
        ("one object for all trees", together, True),
        ("one object for all left nodes", partial(together, refined=False), False),
    ):
        both = 2 * np.array([tight_tree(column, refined) for column in columns.T])
        yield from _of_sums(game, make, both, reach, _OWN, part=part)
    strategy = square_root(game.rounds)

    def by_matrix(noise: Noise) -> SideBySideSums:
        sums = MatrixSums(
            2, share, strategy=strategy, sensitivity=columns, noise=noise, repetitions=repetitions
        )
        return SideBySideSums([sums])

    both = 2 * np.array([matrix_sums(strategy, column) for column in columns.T])
    yield from _of_sums(game, by_matrix, both, reach, _OWN, part="one object for all matrices")


def _uneven(rounds: int) -> Array:
    """Return sensitivities, of which every third is half as large."""
    return MOVE * np.where(np.arange(rounds) % 3 == 2, 0.5, 1.0)


class _Recorded:
    """Sums that record what they release to the leader that plays on them."""

    def __init__(self, sums: Any) -> None:
        self.n, self.guarantee, self.add = sums.n, sums.guarantee, sums.add
        self._sums = sums
        self.released: list[Array] = []

    def release(self) -> Array:
        """Return the sums, and record them."""
        self.released.append(self._sums.release())
        return self.released[-1]


def _of_sums(
    game: DrawnGame,
    make: Callable[[Noise], Any],
    covariances: Array,
    reach: Array,
    own: tuple[float, float] = _OPPOSITE,
    *,
    part: str = "",
    attacked: bool = True,
) -> Iterator[Point]:
    """Compare what sums released to their leader, before the first round and after each but the last."""

    def released(gains: Array, side: int) -> Array:
        sums = _Recorded(make(game.noise(part, side)))
        play(PrefixFTPL(sums), gains)
        return np.stack(sums.released, axis=1)

    rounds = len(reach)
    counted = np.tril(np.ones((rounds, rounds)), -1)
    covariances = np.broadcast_to(covariances, (2, rounds, rounds))
    yield from _compared(game, released, covariances, counted, reach, own, part=part, attacked=attacked)


def _compared(
    game: DrawnGame,
    released: Callable[[Array, int], Array],
    covariances: Array,
    counted: Array,
    reach: Array,
    own: tuple[float, float] = _OPPOSITE,
    *,
    part: str = "",
    attacked: bool = True,
) -> Iterator[Point]:
    """Compare the noise of released vectors (copies, rounds, 2), and attack the datum that shows most.

    Without noise `counted` times the gains would be released. A datum moves the experts by `own`, times its
    reach. The covariances (2, rounds, rounds) are those of the two experts' independent noise.
    """
    shown = np.einsum("st,isr,rt->it", counted, np.linalg.inv(covariances), counted)
    worst = int(np.argmax(np.square(own) @ shown * reach**2))
    streams = np.full((2, len(reach), 2), 0.5)
    move = reach[worst] * np.array(own)
    streams[:, worst] = np.maximum(-move, 0.0), np.maximum(move, 0.0)
    sides = [released(gains, side) - counted @ streams[0] for side, gains in enumerate(streams)]
    yield from game.normal(f"{part or 'all'}: noise", whitened(sides[0], covariances))
    if attacked:
        rounds = len(reach)
        joint = np.zeros((2 * rounds, 2 * rounds))
        joint[:rounds, :rounds], joint[rounds:, rounds:] = covariances
        first, second = (np.concatenate([side[:, :, 0], side[:, :, 1]], axis=1) for side in sides)
        shift = np.concatenate([move[i] * counted[:, worst] for i in range(2)])
        yield from game.attack(f"{part or 'all'}: attack", (first, second), shift, joint)
