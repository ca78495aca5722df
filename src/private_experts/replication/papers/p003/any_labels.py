"""One private bit about any number of labels: the design's certificate, bounds, the lower bound.

[mathematics/003.md#any-labels]
"""

import math
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.ask_comparison import AskComparison
from private_experts.distribution_learning.game import Risk, play_labels
from private_experts.distribution_learning.hadamard_response import hadamard
from private_experts.distribution_learning.label_answers import LabelAnswers
from private_experts.distribution_learning.label_learner import Mechanism
from private_experts.distribution_learning.risk import kl, total_variation
from private_experts.distribution_learning.sign_design import SignDesign, sphere_constant
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, flint, largest, precision, rational, sqrt
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.matrices import matrix
from private_experts.replication.balls.sums import gamma, rounded
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p003.channels import channels, law
from private_experts.replication.papers.p003.classes import dirichlet
from private_experts.replication.papers.p003.kl_risk import mechanism_of
from private_experts.replication.papers.p003.subset_reports import hospital_shares, wide_panels
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.intervals import mean_interval

_ROUNDING = 1e-9
_ENUMERATED = 12  # labels, of which all sign functions are listed
_EXCESS = 1e-3  # of the best design's largest value over n
_FEATURES = 8  # classes of a game, which take turns
_ANSWERS: Mapping[str, type[LabelAnswers]] = {"sign design": SignDesign, "comparison": AskComparison}
_PAPERS = {"Algorithm 1": "algorithm 1", "Algorithm 2": "algorithm 2"}
_RIVALS = {
    "Hadamard response": "Hadamard response",
    "subset selection": "subset selection",
    "randomised response": "posterior",
    **_PAPERS,
}


def _class(name: str, experts: int, labels: int, rng: np.random.Generator) -> Array:
    """Return a class (K, M). A number is an amplitude: distributions lean to random halves of the labels."""
    kind, _, number = name.partition(" ")
    if kind == "dirichlet":
        return dirichlet(experts, labels, float(number), rng)
    if kind == "peaks":  # each is nearly sure of a label of its own
        peaks = np.eye(experts, labels)[:, rng.permutation(labels)]
        return (1 - float(number)) / labels + float(number) * peaks
    assert not labels % 2
    order = rng.random((experts, labels)).argsort(axis=1)
    return (1 + float(number) * np.where(order < labels // 2, 1.0, -1.0)) / labels


def design(grid: Grid, seed: int) -> list[Point]:
    """No sign function has ``phi' S^-1 phi`` above the constant, S the design's mean products of signs.

    The largest of these is the largest ``|d|_1^2`` over the mean squared product of d with a sign, over all
    differences d. Up to 12 labels it is found by listing all sign functions, and is at least n for any
    design, and hardly more for the best one of all lists. For more labels it is bounded by Cauchy and Schwarz
    with weights of the labels, which is a proof.
    """
    points = []
    for where, name, experts, labels in cells_of(grid, "class", "K", "M"):
        rng = rng_for(seed, "design", name, experts, labels)
        f = _class(name, experts, labels, rng)
        vectors = SignDesign(experts, PureDP(1.0, "local"), labels=labels, horizon=2).directions(f)
        _, _, basis = np.linalg.svd(f[1:] - f[:1], full_matrices=False)
        signs = 2 / math.pi * np.arcsin(np.clip(vectors @ vectors.T, -1, 1))
        root = np.linalg.cholesky(np.linalg.inv(basis @ signs @ basis.T)).T @ basis
        with precision():
            # far more than the rounding of a few gamma functions
            most = ball(sphere_constant(experts - 1)) * (1 + ball(grid["slack"]) - rational("1e-9"))
            if labels <= _ENUMERATED:
                listed = np.array([*product([-1, 1], repeat=labels)])
                found = _listed(root, listed)
                least = experts - 1 - rational("1e-9")
                points.append(at_point({**where, "by": "no design has less"}, found, least, sense=">="))
                points.append(at_point({**where, "by": "listing"}, found, most))
                fewest = (experts - 1) * (1 + ball(grid["slack"]))
                best = _best(basis @ listed.T) @ basis
                points.append(at_point({**where, "by": "best design"}, _listed(best, listed), fewest))
            points.append(at_point({**where, "by": "weights"}, _bound_by_weights(root), most))
    return points


def _listed(root: Array, listed: Array) -> Ball:
    """Return the largest ``|root phi|^2`` of the sign functions phi of a list."""
    labels, n = root.shape[1], len(root)
    most = float(((root @ listed.T) ** 2).sum(axis=0).max())
    # Sums of both signs: what they lose is relative to the sum of sizes.
    sizes = rounded(float(np.square(np.abs(root).sum(axis=1)).sum()), labels + n + 1)
    lost = sizes * gamma(2 * labels + n + 1)
    return (most - lost).union(most + lost)


def _best(points: Array) -> Array:
    """Return a root of ``S^-1`` for nearly the largest determinant, S the spread of weighted points (n, k).

    Each weight is multiplied by its point's ``x' S^-1 x / n``, as Titterington does; their mean is 1.
    """
    n, count = points.shape
    weights = np.full(count, 1 / count)
    while True:
        inverse = np.linalg.inv((points * weights) @ points.T)
        lengths = (points * (inverse @ points)).sum(axis=0) / n
        if lengths.max() <= 1 + _EXCESS:
            return np.asarray(np.linalg.cholesky(inverse).T)
        weights *= lengths


def _bound_by_weights(root: Array) -> Ball:
    """Return a bound on ``|root phi|^2`` for all sign functions phi.

    It is at most the sum of lambda where Diag(lambda) - root' root has no negative eigenvalue. For multiples
    of weights this asks for the largest eigenvalue of the columns' spread, which is at most a norm of any
    similar matrix; in the basis of approximate eigenvectors hardly more.
    """
    weights = _lewis(root)
    seen = weights > 0
    of_labels = weights[seen].tolist()
    scaled = [
        [ball(entry) / sqrt(ball(weight)) for weight, entry in zip(of_labels, row, strict=True)]
        for row in root[:, seen].tolist()
    ]
    columns = flint().arb_mat(scaled)
    floats = root[:, seen] / np.sqrt(weights[seen])
    axes = matrix(np.linalg.eigh(floats @ floats.T)[1])
    similar = axes.inv() * columns * columns.transpose() * axes
    norm = largest(sum((abs(entry) for entry in row), ball(0)) for row in similar.tolist())
    return norm * sum(map(ball, of_labels), ball(0))


def _lewis(root: Array) -> Array:
    """Return weights of columns whose spread is even: each is its column's length in that metric."""
    weights = np.linalg.norm(root, axis=0)
    for _ in range(40):
        seen = weights > _ROUNDING * weights.max()
        spread = root[:, seen] / weights[seen] @ root[:, seen].T
        weights = np.sqrt(np.maximum((root * np.linalg.solve(spread, root)).sum(axis=0), 0.0))
    return weights


def _made(name: str, experts: int, labels: int, horizon: int, epsilon: float) -> Mechanism:
    if name in _RIVALS:
        return mechanism_of(_RIVALS[name], experts, labels, horizon, epsilon)
    return _ANSWERS[name](experts, PureDP(epsilon, "local"), labels=labels, horizon=horizon)


def _game(
    mechanism: Mechanism, pool: Array, repetitions: int, *key: str | int | float
) -> tuple[Risk, float, float]:
    """Play a pool of classes in turn; return risks, and KL risk and variation of equal weights."""
    seed, *rest = key
    assert isinstance(seed, int)
    classes = pool[np.arange(mechanism.horizon) % len(pool)]
    rng = rng_for(seed, "any labels", *rest, mechanism.horizon, repetitions)
    risk = play_labels(mechanism, classes, truth=0, repetitions=repetitions, rng=rng)
    mean = pool.mean(axis=1)
    never = float(kl(pool[:, 0], mean).mean()) * mechanism.horizon
    return risk, never, float(total_variation(pool[:, 0], mean).mean())


def _pool(name: str, experts: int, labels: int, seed: int) -> Array:
    rng = rng_for(seed, "pool", name, experts, labels)
    return np.array([_class(name, experts, labels, rng) for _ in range(_FEATURES)])


def bounds(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The KL risk and the averaged total variation are at most their bounds, which do not name the labels.

    Features take turns among random classes. Amplitudes and concentrations are those of the grid, from where
    all is learnt at once to where nothing is. Lazy is never to learn.
    """
    cells = cells_of(grid, "mechanism", "class", "K", "M", "eps")
    hard = cells_of(grid["searched"], "mechanism", "class", "K", "M", "eps")
    points = []
    for where, name, kind, experts, labels, epsilon in [*cells, *hard]:
        mechanism = _ANSWERS[name](experts, PureDP(epsilon, "local"), labels=labels, horizon=grid["T"])
        if kind == "searched":
            pool = _searched(mechanism, grid["searched"], seed, name, experts, labels, epsilon)
        else:
            pool = _pool(kind, experts, labels, seed)
        risk, *lazy = _game(mechanism, pool, repetitions, seed, name, kind, experts, labels, epsilon)
        stated = mechanism.risk_bound, mechanism.variation_bound
        for of, values, bound, never in zip(("KL", "variation"), risk, stated, lazy, strict=True):
            mean, low, high = (
                float(end) for end in mean_interval(values, intervals=2 * (len(cells) + len(hard)))
            )
            notes = {"share_of_bound": mean / bound}
            points.append(Point({**where, "risk": of}, mean, bound, low, high, notes=notes, lazy=never))
    return points


def _searched(mechanism: LabelAnswers, grid: Grid, seed: int, *key: str | int | float) -> Array:
    """Return features at which the mechanism's averaged total variation is the largest found.

    The local search begins at the amplitude of halves that is the hardest, and keeps what makes the mean
    larger in games that all have the same draws. (Of this bound more is used than of that on the KL risk.)
    """
    experts, labels = mechanism.experts, mechanism.labels
    rng = rng_for(seed, "search", *key)

    def variation(pool: Array) -> float:
        return float(_game(mechanism, pool, grid["copies"], seed, "search", *key)[0].variation.mean())

    starts = [_pool(f"halves {amplitude}", experts, labels, seed) for amplitude in grid["amplitudes"]]
    most, pool = max(((variation(start), start) for start in starts), key=lambda found: found[0])
    for _ in range(grid["steps"]):
        moved = pool * np.exp(rng.choice([0.1, 0.5]) * rng.standard_normal(pool.shape))
        moved /= moved.sum(axis=-1, keepdims=True)
        if (found := variation(moved)) > most:
            most, pool = found, moved
    return pool


def rivals(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Compare KL risks with that of the best of five rivals, each at the parameters that it chooses itself.

    Where a class is `won`, the mechanism's risk is at most a share of the rival's; where it is `lost`, the
    rival's of the mechanism's. Lazy is never to learn, against the rival.
    """
    pools = {kind: _pool(kind, grid["K"], grid["M"], seed) for side in ("won", "lost") for kind in grid[side]}
    return _against_rivals(grid, pools, repetitions, seed)


def rivals_hospital(grid: Grid, repetitions: int, seed: int, panels: Mapping[str, Panel]) -> list[Point]:
    """The same where a label is a patient's hospital, and candidates are hospitals' shares in some weeks."""
    wide = {state: hospital_shares(panel, grid["K"])[None] for state, panel in wide_panels(grid, panels)}
    return _against_rivals({**grid, "won": dict.fromkeys(wide, grid["won"])}, wide, repetitions, seed)


def _against_rivals(grid: Grid, pools: Mapping[str, Array], repetitions: int, seed: int) -> list[Point]:
    points = []
    games = sum(len(grid[side]) for side in ("won", "lost")) * len(grid["eps"])
    intervals = games * (len(_ANSWERS) + len(_RIVALS))
    for side, epsilon in product(("won", "lost"), grid["eps"]):
        for kind, shares in grid[side].items():
            pool = pools[kind]
            risks, never = {}, 0.0
            for name in (*shares, *_RIVALS):
                made = _made(name, grid["K"], pool.shape[2], grid["T"], epsilon)
                risk, never, _ = _game(made, pool, repetitions, seed, "rivals", name, kind, epsilon)
                risks[name] = tuple(map(float, mean_interval(risk.kl, intervals=intervals)))
            rival = min(_RIVALS, key=lambda name: risks[name][0])
            for name, share in shares.items():
                pair = (name, rival) if side == "won" else (rival, name)
                one, other = (risks[name] for name in pair)
                low, high = one[1] / other[2], one[2] / other[1] if other[1] > 0 else math.inf
                where = {"class": kind, "eps": epsilon, "mechanism": name, "is": side}
                lazy = never / other[0] if side == "won" else None
                notes = {"rival": rival, "paper_over_lazy": min(risks[own][0] for own in _PAPERS) / never}
                points.append(Point(where, one[0] / other[0], share, low, high, notes=notes, lazy=lazy))
    return points


def common_null(pairs: int, gap: float) -> tuple[Array, Array]:
    """Return the members (2, K, M) of the class, and their common null. [mathematics/003.md#common-null]"""
    size = 1 << int(pairs).bit_length()
    signs = hadamard(size)[1 : pairs + 1]
    members = np.stack([gap * (1 + signs) / size, gap * (1 - signs) / size])
    null = np.full(size, gap / size)
    return _with_rest(members, gap), _with_rest(null, gap)


def _with_rest(masses: Array, gap: float) -> Array:
    return np.concatenate([np.full((*masses.shape[:-1], 1), 1 - gap), masses], axis=-1)


def interactive_lower_bound(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The steps of the lower bound with interaction, for the class with a common null, and risks of plays.

    Lazy is to ignore privacy: the posterior given the labels themselves has a risk of at most log 2K.
    """
    points = []
    for where, pairs, epsilon, factor in cells_of(grid, "K", "eps", "T_over_least"):
        least = pairs / (2 * math.expm1(epsilon) ** 2)
        horizon = math.ceil(least * factor)
        gap = math.sqrt(least / horizon)
        (plus, minus), null = common_null(pairs, gap)
        most = gap**2 * math.expm1(epsilon) ** 2 / (4 * pairs)
        for name, pattern in channels(len(null) - 1, epsilon, seed):
            # The label that all members treat alike is reported as some other label is.
            channel = law(pattern, epsilon)[[0, *range(len(null) - 1)]]
            divergences = kl(null @ channel, np.concatenate([plus, minus]) @ channel)
            at = {**where, "step": f"mean divergence, {name}"}
            points.append(Point(at, float(divergences.mean()), most * (1 + _ROUNDING)))
        points.append(Point({**where, "step": "variation"}, math.sqrt(horizon * most / 2), 0.25 + _ROUNDING))
        rng = rng_for(seed, "pairs", pairs, epsilon, factor)
        for what, guess in {"null": null[None], "random": rng.dirichlet(np.ones(len(null)), size=50)}.items():
            both = [kl(side[:, None], guess) for side in (plus, minus)]
            apart = [total_variation(side[:, None], guess) for side in (plus, minus)]
            at = {**where, "step": f"a pair, {what} prediction"}
            bound = 2 * gap * math.log(2) * (1 - _ROUNDING)
            points.append(Point(at, float(np.add(*both).min()), bound, sense=">="))
            at = {**where, "step": f"variation of a pair, {what} prediction"}
            points.append(Point(at, float(np.add(*apart).min()), gap * (1 - _ROUNDING), sense=">="))
        stated = math.log(2) / 8**0.5 * math.sqrt(pairs * horizon) / math.expm1(epsilon)
        points.append(
            Point(
                {**where, "step": "constant"},
                horizon * gap * math.log(2) / 2,
                stated * (1 - 1 / horizon),
                sense=">=",
            )
        )
        for name in grid["mechanism"]:
            points.append(_played(where, name, (plus, minus), horizon, stated, repetitions, seed, grid))
    return points


def _played(
    where: Mapping[str, float],
    name: str,
    sides: Sequence[Array],
    horizon: int,
    stated: float,
    repetitions: int,
    seed: int,
    grid: Grid,
) -> Point:
    classes = np.concatenate([sides[0], sides[1]])
    experts, labels = classes.shape
    mechanism = _ANSWERS[name](experts, PureDP(where["eps"], "local"), labels=labels, horizon=horizon)
    risk, *_ = _game(mechanism, classes[None], repetitions, seed, "null", name, *where.values())
    cells = len(grid["mechanism"]) * len(cells_of(grid, "K", "eps", "T_over_least"))
    mean, low, high = (float(end) for end in mean_interval(risk.kl, intervals=cells))
    notes = {"times_the_bound": mean / stated, "T": horizon}
    at = {**where, "step": f"risk of {name}"}
    return Point(at, mean, stated, low, high, ">=", notes, 0.0, lazy=math.log(experts))
