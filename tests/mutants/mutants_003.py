"""Mutants of what draws in paper 003's algorithms: users' reports and cells, and their sums over many rounds.

What a round draws is changed in the generator that a program is given, so that formulas stay as they are.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning import label_mechanism, randomized_response, sign_design
from private_experts.distribution_learning.approximate import NoisyVector
from private_experts.distribution_learning.ask_comparison import AskComparison
from private_experts.distribution_learning.clipping import Clipped, clip
from private_experts.distribution_learning.hadamard_response import HadamardResponse
from private_experts.distribution_learning.label_answers import LabelAnswers
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.distribution_learning.randomized_response import RandomizedResponse
from private_experts.distribution_learning.scaling import Scaling
from private_experts.distribution_learning.sign_design import SignDesign
from private_experts.distribution_learning.subset_selection import SubsetSelection
from private_experts.distribution_learning.weighted_majority import WeightedMajority
from private_experts.privacy.guarantees import PureDP
from tests.mutants.mutant import Mutant, Patch, edited

Draw = np.ndarray
Change = Callable[
    [str, Draw, int], Draw
]  # the generator's method, what it drew, how often it was called before

CLAIM = "003/drawn-noise"
ROOM = "tests/replication/papers/p003/test_noise_003.py::test_what_is_drawn_has_its_stated_law"

MECHANISMS = "tests/distribution_learning/test_mechanisms.py"
ANY_LABELS = "tests/replication/papers/p003/test_any_labels.py"
LOWER = "test_the_lower_bound_holds_and_its_half_gap_does_not"


class Changed:
    """A generator whose draws are changed."""

    def __init__(self, rng: np.random.Generator, change: Change) -> None:
        self._rng, self._change, self._calls = rng, change, 0

    def __getattr__(self, name: str) -> Callable[..., Draw]:
        draw = getattr(self._rng, name)

        def changed(*given: Any, **more: Any) -> Draw:
            call, self._calls = self._calls, self._calls + 1
            return self._change(name, np.asarray(draw(*given, **more)), call)

        return changed


def drawing(kind: type, method: str, change: Callable[[], Change]) -> Patch:
    """The generator that a program is given draws otherwise; each mechanism has a change of its own."""

    def patch(put: pytest.MonkeyPatch) -> None:
        honest, changes = getattr(kind, method), defaultdict(change)

        def drawn_otherwise(self: Any, *given: Any) -> Any:
            changed = [
                Changed(each, changes[self]) if isinstance(each, np.random.Generator) else each
                for each in given
            ]
            return honest(self, *changed)

        put.setattr(kind, method, drawn_otherwise)

    return patch


def shared() -> Change:
    """All copies have the draw of the first one."""
    return lambda name, drawn, call: np.broadcast_to(drawn[:1], drawn.shape).copy()


def reused() -> Change:
    """Every round has the draws of the first."""
    kept: dict[Any, Draw] = {}
    return lambda name, drawn, call: kept.setdefault((name, drawn.shape, call), drawn).copy()


def never(name: str, drawn: Draw) -> Draw:
    """No event that a uniform number decides happens: it is above every probability."""
    return np.ones(drawn.shape) if name == "random" else drawn


def seldom(name: str, drawn: Draw) -> Draw:
    """Such events happen half as often."""
    return 2 * drawn if name == "random" else drawn


def truth_inside(name: str, drawn: Draw) -> Draw:
    """A set of labels always has the true one in it."""
    return np.zeros(drawn.shape) if name == "random" and drawn.ndim == 1 else drawn


def truth_seldom_outside(name: str, drawn: Draw) -> Draw:
    """A set of labels is without the true one half as often."""
    return 2 * drawn - 1 if name == "random" and drawn.ndim == 1 else drawn


def always(each: Callable[[str, Draw], Draw]) -> Callable[[], Change]:
    """Make a change that does this in every round."""
    return lambda: lambda name, drawn, call: each(name, drawn)


def later(each: Callable[[str, Draw], Draw]) -> Callable[[], Change]:
    """Make a change that does this in all rounds but the first, which begin with a generator's first call."""

    def made() -> Change:
        rounds = [0]

        def change(name: str, drawn: Draw, call: int) -> Draw:
            rounds[0] += call == 0
            return each(name, drawn) if rounds[0] > 1 else drawn

        return change

    return made


def one_question(name: str, drawn: Draw) -> Draw:
    """The same hyperplane is drawn for everyone."""
    return (
        np.broadcast_to(np.arange(1.0, drawn.shape[1] + 1), drawn.shape)
        if name == "standard_normal"
        else drawn
    )


def first_coordinate(name: str, drawn: Draw) -> Draw:
    """Users always report the first number."""
    if name == "integers":
        return 0 * drawn
    if name == "multinomial" and drawn.ndim == 2:
        return np.stack([drawn.sum(axis=1), *[0 * drawn[:, 0]] * (drawn.shape[1] - 1)], axis=1)
    return drawn


def scaled(method: str, factor: float) -> Patch:
    """Noise is so many times what it should be."""

    def patch(put: pytest.MonkeyPatch) -> None:
        honest = getattr(Scaling, method)
        put.setattr(Scaling, method, lambda self, *given: factor * honest(self, *given))

    return patch


def first_only(method: str, kept: bool = False) -> Patch:
    """After a mechanism's first round or stretch there is no noise, or it is that of the first one."""

    def patch(put: pytest.MonkeyPatch) -> None:
        honest, seen = getattr(Scaling, method), {}

        def laplace(self: Scaling, rng: np.random.Generator, given: Any) -> Draw:
            drawn = honest(self, rng, given)
            if (first := seen.setdefault((id(self), drawn.shape), drawn)) is drawn:
                return drawn
            return first.copy() if kept else 0 * drawn

        put.setattr(Scaling, method, laplace)

    return patch


def for_all(method: str, axis: int) -> Patch:
    """One draw is shared by all copies (axis 0) or by all numbers of a report (axis 1)."""

    def patch(put: pytest.MonkeyPatch) -> None:
        honest = getattr(Scaling, method)

        def laplace(self: Scaling, rng: np.random.Generator, given: Any) -> Draw:
            drawn = honest(self, rng, given)
            return drawn if axis >= drawn.ndim else np.repeat(drawn.take([0], axis), drawn.shape[axis], axis)

        put.setattr(Scaling, method, laplace)

    return patch


def bare_third(method: str) -> Patch:
    """Numbers from the third on have no noise, where all are drawn together."""

    def patch(put: pytest.MonkeyPatch) -> None:
        honest = getattr(Scaling, method)

        def laplace(self: Scaling, rng: np.random.Generator, given: Any) -> Draw:
            drawn = honest(self, rng, given)
            return drawn * (np.arange(drawn.shape[-1]) < 2) if drawn.ndim == 2 else drawn

        put.setattr(Scaling, method, laplace)

    return patch


def bare_third_reports(put: pytest.MonkeyPatch) -> None:
    """A user who reports the number of the third distribution, or of a later one, adds no noise."""
    honest = NoisyCoordinate.privatize

    def privatize(self: NoisyCoordinate, labels: Draw, classes: Draw, rng: np.random.Generator) -> Any:
        made, clipped = honest(self, labels, classes, rng), clip(classes, self.horizon)
        bare = self.scaling.losses(np.log(clipped.values[2:, labels].T), clipped.sizes.size)
        made.values[:, 2:] = np.where(made.values[:, 2:] != 0, bare, 0.0)
        return made

    put.setattr(NoisyCoordinate, "privatize", privatize)


def half_of_the_flips(put: pytest.MonkeyPatch, fewest: int = 5) -> None:
    """Signs are false half as often where there are so many labels."""
    honest = HadamardResponse.flip.fget  # type: ignore[attr-defined]
    put.setattr(
        HadamardResponse, "flip", property(lambda self: honest(self) / (2 if self.labels >= fewest else 1))
    )


def alone(each: Callable[[str, Draw], Draw]) -> Callable[[], Change]:
    """Make a change that does this where one user reports."""
    return always(lambda name, drawn: each(name, drawn) if len(drawn) == 1 else drawn)


def half_alone(put: pytest.MonkeyPatch) -> None:
    """A user who reports alone adds half of the noise."""
    honest = Scaling.laplace
    put.setattr(
        Scaling,
        "laplace",
        lambda self, rng, shape: honest(self, rng, shape) / (2 if shape[0] == 1 else 1),
    )


def half_of_many(put: pytest.MonkeyPatch) -> None:
    """Reports of more than three distributions have half of the noise."""
    honest = Scaling.laplace
    put.setattr(
        Scaling, "laplace", lambda self, *given: honest(self, *given) / (2 if self.experts > 3 else 1)
    )


def bare_long_sums(put: pytest.MonkeyPatch) -> None:
    """Sums of more than 3000 rounds have no noise."""
    honest = Scaling.total_laplace
    put.setattr(
        Scaling, "total_laplace", lambda self, rng, rounds: honest(self, rng, rounds) * (rounds <= 3000)
    )


def no_seldom_lottery(put: pytest.MonkeyPatch) -> None:
    """Users leave the cells of their label in games of fewer than twenty rounds alone."""
    honest = Clipped.draw
    put.setattr(
        Clipped,
        "draw",
        lambda self, labels, rng: labels if self.horizon >= 20 else honest(self, labels, rng),
    )


def own_cells_in_long_sums(put: pytest.MonkeyPatch) -> None:
    """In sums of games of twenty rounds and more users never leave the cells of their label."""
    honest = Clipped.owners.fget  # type: ignore[attr-defined]
    put.setattr(
        Clipped,
        "owners",
        property(lambda self: np.eye(self.sizes.shape[-1]) if self.horizon >= 20 else honest(self)),
    )


def no_lies_in_long_sums(put: pytest.MonkeyPatch) -> None:
    """Counts of more than 3000 reports are counts of true labels."""
    honest = randomized_response.label_counts

    def counts(rng: np.random.Generator, users: Draw, law: Draw) -> Draw:
        likeliest = law == law.max()
        true = honest(rng, users, likeliest / likeliest.sum())
        return np.where((users > 3000)[..., None], true, honest(rng, users, law))

    put.setattr(randomized_response, "label_counts", counts)


def truthful_from_the_third(kind: type, method: str, each: Callable[[str, Draw], Draw]) -> Patch:
    """Users with the third label, or a later one, report it."""

    def patch(put: pytest.MonkeyPatch) -> None:
        honest = getattr(kind, method)

        def changed(self: Any, labels: Draw, *given: Any) -> Any:
            def of_labels(name: str, drawn: Draw, call: int) -> Draw:
                return np.where(labels >= 2, each(name, drawn), drawn) if drawn.ndim == 1 else drawn

            return honest(self, labels, *given[:-1], Changed(given[-1], of_labels))

        put.setattr(kind, method, changed)

    return patch


def half_from_the_third(name: str, drawn: Draw) -> Draw:
    """Noise of single numbers is halved."""
    return drawn / 2 if name == "laplace" else drawn


def first_three(name: str, drawn: Draw) -> Draw:
    """Users report one of the first three numbers."""
    return drawn % 3 if name == "integers" else drawn


def two_lies(name: str, drawn: Draw) -> Draw:
    """Whoever lies names one of the two labels after his own."""
    return 1 + (drawn - 1) % 2 if name == "integers" else drawn


def others_in_order(put: pytest.MonkeyPatch) -> None:
    """The other labels of a set of three and more are the first ones."""
    honest = SubsetSelection._sets

    def in_order(name: str, drawn: Draw, call: int) -> Draw:
        return np.broadcast_to(np.linspace(0, 1, drawn.shape[-1]), drawn.shape).copy() if call == 0 else drawn

    put.setattr(
        SubsetSelection,
        "_sets",
        lambda self, labels, classes, rng: honest(
            self, labels, classes, Changed(rng, in_order) if self.size > 2 else rng
        ),
    )


def parts_alike(put: pytest.MonkeyPatch) -> None:
    """All parts of the users after the first draw the same sets."""
    honest, sums, parts = SubsetSelection._sets, SubsetSelection.total_losses, [0]

    def total_losses(self: SubsetSelection, *given: Any) -> Draw:
        parts[0] = 0
        return sums(self, *given)

    def sets(self: SubsetSelection, labels: Draw, classes: Draw, rng: np.random.Generator) -> Draw:
        parts[0] += 1
        return honest(self, labels, classes, rng if parts[0] < 2 else np.random.default_rng(0))

    put.setattr(SubsetSelection, "total_losses", total_losses)
    put.setattr(SubsetSelection, "_sets", sets)


def twice_the_level(put: pytest.MonkeyPatch) -> None:
    """Reports of labels keep, and state, twice the level that is asked for."""
    honest = label_mechanism.checked_pure_local

    def doubled(*given: Any) -> PureDP:
        asked = honest(*given)
        return replace(asked, epsilon=2 * asked.epsilon)

    put.setattr(label_mechanism, "checked_pure_local", doubled)


def no_noise(put: pytest.MonkeyPatch) -> None:
    """Neither reports nor sums carry any noise."""
    for method in ("laplace", "total_laplace"):
        scaled(method, 0.0)(put)


def half_the_noise(put: pytest.MonkeyPatch) -> None:
    """Reports and sums carry half of their noise, and the learner knows it."""
    put.setattr(Scaling, "noise", property(lambda self: self.width / self.level / 2))


def no_lies_in_sums(put: pytest.MonkeyPatch, share: float = 1.0) -> None:
    """Counts of reports are, by so much, counts of true labels."""
    honest = randomized_response.label_counts

    def counts(rng: np.random.Generator, users: Draw, law: Draw) -> Draw:
        likeliest = law == law.max()
        return honest(rng, users, share * likeliest / likeliest.sum() + (1 - share) * law)

    put.setattr(randomized_response, "label_counts", counts)


def own_cells(put: pytest.MonkeyPatch) -> None:
    """Users never leave the cells of their label."""
    put.setattr(Clipped, "draw", lambda self, labels, rng: labels)


def own_cells_in_sums(put: pytest.MonkeyPatch) -> None:
    """In sums users never leave the cells of their label."""
    put.setattr(Clipped, "owners", property(lambda self: np.eye(self.sizes.shape[-1])))


def truth_always_inside(put: pytest.MonkeyPatch) -> None:
    """The chance of the true label in a set is 1."""
    put.setattr(SubsetSelection, "inclusion", 1.0)


def nothing_learnt(put: pytest.MonkeyPatch) -> None:
    """Weights stay equal."""
    put.setattr(WeightedMajority, "update", lambda self, losses: None)


def nearly_one_function(put: pytest.MonkeyPatch) -> None:
    """A design has hardly more than one sign function."""
    honest = sign_design._directions

    def directions(classes: bytes, shape: tuple[int, int]) -> Draw:
        vectors = honest(classes, shape) + 1.0
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))

    put.setattr(sign_design, "_directions", directions)


def named_labels(put: pytest.MonkeyPatch) -> None:
    """A report of a bit names the label itself, and the learner knows it."""

    def named(self: LabelAnswers, asked: Draw, labels: Draw, rng: np.random.Generator) -> Draw:
        return np.eye(self.labels, dtype=bool)[labels]

    put.setattr(LabelAnswers, "_answered", named)
    put.setattr(LabelAnswers, "losses", lambda self, sets, classes: -np.log(1e-12 + sets @ classes.T))


def own_cells_alone(put: pytest.MonkeyPatch) -> None:
    """A user who reports alone never leaves the cells of the label."""
    honest = Clipped.draw
    put.setattr(
        Clipped,
        "draw",
        lambda self, labels, rng: labels if labels.size == 1 else honest(self, labels, rng),
    )


def first_coordinate_alone(put: pytest.MonkeyPatch) -> None:
    """A user who reports alone always reports the first number."""
    honest = NoisyCoordinate.privatize

    def privatize(self: NoisyCoordinate, labels: Draw, classes: Draw, rng: np.random.Generator) -> Any:
        def change(name: str, drawn: Draw, call: int) -> Draw:
            return 0 * drawn if name == "integers" and drawn.size == 1 else drawn

        return honest(self, labels, classes, Changed(rng, change))

    put.setattr(NoisyCoordinate, "privatize", privatize)


def half_of_many_more(put: pytest.MonkeyPatch) -> None:
    """Reports and sums of more than eight distributions have half of the noise."""
    put.setattr(
        Scaling, "noise", property(lambda self: self.width / self.level / (2 if self.experts > 8 else 1))
    )


def _noticed(mechanism: str, patch: Patch) -> Mutant:
    return Mutant(patch, CLAIM, f"{ROOM}[{mechanism}]")


_NOISE = {
    "no noise": partial(scaled, factor=0.0),
    "half the noise": partial(scaled, factor=0.5),
    "noise in the first round only": first_only,
    "noise reused between rounds": partial(first_only, kept=True),
    "noise shared by copies": partial(for_all, axis=0),
}
_LIES = {
    "no lies": always(never),
    "half of the lies": always(seldom),
    "lies in the first round only": later(never),
    "draws reused between rounds": reused,
    "draws shared by copies": shared,
}
_SETS = {
    "true label always inside": always(truth_inside),
    "true label outside half as often": always(truth_seldom_outside),
    "true label inside after the first round": later(truth_inside),
    "draws reused between rounds": reused,
    "draws shared by copies": shared,
}

MUTANTS: dict[str, Mutant] = {
    "003: no noise at all": _noticed("NoisyCoordinate", no_noise),
    "003: no noise, and the lower bound": Mutant(
        no_noise,
        "003/theorem-3",
        "tests/replication/papers/p003/test_lower_bound_class.py::test_what_is_played_keeps_its_level",
    ),
    "003: half the noise": _noticed("CentredCoordinate", half_the_noise),
    "003: half the noise, and the lower bound": Mutant(
        half_the_noise,
        "003/theorem-3",
        "tests/replication/papers/p003/test_lower_bound_class.py::test_what_is_played_keeps_its_level",
    ),
    "003: a user alone never leaves the cells": _noticed("NoisyVector", own_cells_alone),
    "003: a user alone reports the first number": _noticed("NoisyCoordinate", first_coordinate_alone),
    "003: half the noise of more than eight distributions": Mutant(
        half_of_many_more,
        CLAIM,
        "tests/distribution_learning/test_scaling.py::test_noise_has_its_scale_to_the_digit",
        "NoisyCoordinate",
    ),
    "003: sets always have the true label": _noticed("SubsetSelection", truth_always_inside),
    **{f"003: reports, {name}": _noticed("NoisyVector", made("laplace")) for name, made in _NOISE.items()},
    **{
        f"003: sums, {name}": _noticed("CentredCoordinate", made("total_laplace"))
        for name, made in _NOISE.items()
    },
    "003: reports, one noise for all numbers": _noticed("NoisyVector", for_all("laplace", 1)),
    "003: sums, one noise for all numbers": _noticed("NoisyVector", for_all("total_laplace", 1)),
    "003: reports, no noise from the third number on": _noticed("NoisyVector", bare_third("laplace")),
    "003: sums, no noise from the third number on": _noticed("NoisyVector", bare_third("total_laplace")),
    "003: sums of one number, no noise from the third on": _noticed(
        "NoisyCoordinate", bare_third("total_laplace")
    ),
    "003: reports of one number, no noise from the third on": _noticed("NoisyCoordinate", bare_third_reports),
    "003: HadamardResponse, half of the flips of many labels": _noticed(
        "HadamardResponse", half_of_the_flips
    ),
    "003: cells in sums, no lottery in long games": _noticed("NoisyCoordinate", own_cells_in_long_sums),
    **{
        f"003: {name}, no lies in long sums": _noticed(name, no_lies_in_long_sums)
        for name in ("RandomizedResponse", "ResponsePosterior", "HadamardResponse")
    },
    **{
        f"003: {kind.__name__}, no lies of labels from the third on": _noticed(
            kind.__name__, truthful_from_the_third(kind, "privatize", never)
        )
        for kind in (RandomizedResponse, HadamardResponse)
    },
    "003: SubsetSelection, labels from the third on always inside": _noticed(
        "SubsetSelection", truthful_from_the_third(SubsetSelection, "_sets", truth_inside)
    ),
    "003: one number, half the noise of labels from the third on": _noticed(
        "NoisyCoordinate", truthful_from_the_third(NoisyCoordinate, "privatize", half_from_the_third)
    ),
    "003: HadamardResponse, half of the flips of nine labels and more": _noticed(
        "HadamardResponse", partial(half_of_the_flips, fewest=9)
    ),
    "003: RandomizedResponse, lies among two labels": _noticed(
        "RandomizedResponse", drawing(RandomizedResponse, "privatize", always(two_lies))
    ),
    "003: SubsetSelection, others in order in sets of three": _noticed("SubsetSelection", others_in_order),
    "003: SubsetSelection, parts of the users alike": _noticed("SubsetSelection", parts_alike),
    "003: reports of more than three, half the noise": _noticed("NoisyVector", half_of_many),
    "003: long sums, no noise": _noticed("NoisyCoordinate", bare_long_sums),
    "003: one of the first three numbers": _noticed(
        "NoisyCoordinate", drawing(NoisyCoordinate, "privatize", always(first_three))
    ),
    "003: cells, no lottery in long games": _noticed("CentredCoordinate", no_seldom_lottery),
    **{
        f"003: {name}, half the noise of a lone user": _noticed(name, half_alone)
        for name in ("NoisyVector", "NoisyCoordinate")
    },
    **{
        f"003: {kind.__name__}, half of a lone user's lies": _noticed(
            kind.__name__, drawing(kind, "privatize", alone(seldom))
        )
        for kind in (RandomizedResponse, HadamardResponse)
    },
    "003: SubsetSelection, true label inside for a lone user": _noticed(
        "SubsetSelection", drawing(SubsetSelection, "_sets", alone(truth_inside))
    ),
    **{
        f"003: {name}, twice the level, and stated": _noticed(name, twice_the_level)
        for name in ("RandomizedResponse", "SubsetSelection")
    },
    **{
        f"003: {kind.__name__}, a twentieth less often false": Mutant(
            edited(getattr(kind, method), old, new),
            CLAIM,
            f"{MECHANISMS}::test_reports_are_true_as_often_as_the_level_allows_to_the_digit",
            "AskComparison" if kind is LabelAnswers else kind.__name__,
        )
        for kind, method, old, new in (
            (RandomizedResponse, "privatize", "< self.flip", "< 0.95 * self.flip"),
            (HadamardResponse, "privatize", "< self.flip", "< 0.95 * self.flip"),
            (LabelAnswers, "_answered", "< self.flip", "< 0.95 * self.flip"),
            (SubsetSelection, "_sets", "< self.inclusion", "< 1 - 0.95 * (1 - self.inclusion)"),
        )
    },
    **{
        f"003: {kind.__name__}, {what} among the first eight": Mutant(
            edited(getattr(kind, method), old, new),
            CLAIM,
            f"{MECHANISMS}::test_what_is_drawn_without_a_look_at_the_label_is_any_of_many",
            kind.__name__,
        )
        for kind, what, method, old, new in (
            (
                RandomizedResponse,
                "lies",
                "privatize",
                "integers(1, self.labels,",
                "integers(1, min(9, self.labels),",
            ),
            (HadamardResponse, "rows", "privatize", "integers(self._signs.shape[1],", "integers(8,"),
            (
                SubsetSelection,
                "other labels",
                "_sets",
                "rng.random((labels.size, self.labels))",
                "rng.random((labels.size, self.labels)) + (np.arange(self.labels) > 8)",
            ),
            (
                NoisyCoordinate,
                "numbers",
                "privatize",
                "integers(self.experts,",
                "integers(min(8, self.experts),",
            ),
        )
    },
    "003: cells, a twentieth fewer lotteries": Mutant(
        edited(Clipped.draw, "< 1 / self.horizon", "< 0.95 / self.horizon"),
        CLAIM,
        "tests/distribution_learning/test_clipping.py::"
        "test_a_cell_is_drawn_by_lot_as_often_as_the_horizon_says_to_the_digit",
        "NoisyVector",
    ),
    "003: cells, no lottery": Mutant(
        own_cells,
        CLAIM,
        "tests/distribution_learning/test_clipping.py::test_users_end_up_in_cells_as_often_as_they_should",
    ),
    "003: cells in sums, no lottery": Mutant(
        own_cells_in_sums,
        CLAIM,
        "tests/distribution_learning/test_clipping.py::test_users_end_up_in_cells_as_often_as_they_should",
    ),
    "003: cells, draws reused between rounds": _noticed(
        "NoisyVector", drawing(NoisyVector, "privatize", reused)
    ),
    "003: cells, draws shared by copies": _noticed("NoisyVector", drawing(NoisyVector, "privatize", shared)),
    "003: always the first number": _noticed(
        "NoisyCoordinate", drawing(NoisyCoordinate, "privatize", always(first_coordinate))
    ),
    "003: always the first number in sums": _noticed(
        "NoisyCoordinate", drawing(NoisyCoordinate, "totals", always(first_coordinate))
    ),
    "003: the number reused between rounds": _noticed(
        "NoisyCoordinate", drawing(NoisyCoordinate, "privatize", reused)
    ),
    "003: the number shared by copies": _noticed(
        "NoisyCoordinate", drawing(NoisyCoordinate, "privatize", shared)
    ),
    **{
        f"003: {kind.__name__}, {name}": _noticed(kind.__name__, drawing(kind, "privatize", change))
        for kind in (RandomizedResponse, HadamardResponse)
        for name, change in _LIES.items()
    },
    **{
        f"003: SubsetSelection, {name}": _noticed(
            "SubsetSelection", drawing(SubsetSelection, "_sets", change)
        )
        for name, change in _SETS.items()
    },
    **{
        f"003: {mechanism}, {name}": _noticed(mechanism, drawing(LabelAnswers, "_answered", change))
        for mechanism in ("SignDesign", "AskComparison")
        for name, change in _LIES.items()
    },
    "003: SignDesign, one question for all": _noticed(
        "SignDesign", drawing(SignDesign, "_sets", always(one_question))
    ),
    "003: AskComparison, always about the first distribution": _noticed(
        "AskComparison", drawing(AskComparison, "privatize", always(first_coordinate))
    ),
    "003: RandomizedResponse, no lies in sums": _noticed("RandomizedResponse", no_lies_in_sums),
    "003: HadamardResponse, half of the lies in sums": _noticed(
        "HadamardResponse", partial(no_lies_in_sums, share=0.5)
    ),
    "003: sums of reports shared by copies": _noticed(
        "ResponsePosterior", drawing(RandomizedResponse, "total_losses", shared)
    ),
    "003: nothing learnt": _noticed("ResponsePosterior", nothing_learnt),
    **{
        f"003: {name}": Mutant(patch, f"003/{claim}", f"{ANY_LABELS}::{test}")
        for name, patch, claim, test in (
            (
                "a design of nearly one function",
                nearly_one_function,
                "sign-design",
                "test_designs_see_all_differences",
            ),
            ("nothing learnt from one bit", nothing_learnt, "any-labels", "test_the_bounds_hold"),
            ("labels named, and the lower bound", named_labels, "interactive-lower-bound", LOWER),
        )
    },
}
