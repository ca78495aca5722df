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
from private_experts.distribution_learning.clipping import Clipped
from private_experts.distribution_learning.hadamard_response import HadamardResponse
from private_experts.distribution_learning.label_answers import LabelAnswers
from private_experts.distribution_learning.label_sets import LabelSets
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.distribution_learning.randomized_response import RandomizedResponse
from private_experts.distribution_learning.scaling import Scaling
from private_experts.distribution_learning.sign_design import SignDesign
from private_experts.distribution_learning.subset_selection import SubsetSelection
from private_experts.distribution_learning.weighted_majority import WeightedMajority
from tests.mutants.mutant import Mutant, Patch, edited, replaced, together

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


def truth_inside(name: str, drawn: Draw) -> Draw:
    """A set of labels always has the true one in it."""
    return np.zeros(drawn.shape) if name == "random" and drawn.ndim == 1 else drawn


def truth_seldom_outside(name: str, drawn: Draw) -> Draw:
    """A set of labels is without the true one half as often."""
    return 2 * drawn - 1 if name == "random" and drawn.ndim == 1 else drawn


def alone(each: Callable[[str, Draw], Draw]) -> Callable[[], Change]:
    """Make a change that does this where one user reports."""
    return always(lambda name, drawn: each(name, drawn) if len(drawn) == 1 else drawn)


def first_coordinate(name: str, drawn: Draw) -> Draw:
    """Users always report the first number."""
    if name == "integers":
        return 0 * drawn
    if name == "multinomial" and drawn.ndim == 2:
        return np.stack([drawn.sum(axis=1), *[0 * drawn[:, 0]] * (drawn.shape[1] - 1)], axis=1)
    return drawn


def noisy(method: str, change: Callable[[Scaling, Draw, Draw], Draw]) -> Patch:
    """Noise of reports or of sums is made of what is drawn, and of what was drawn in the first round."""

    def patch(put: pytest.MonkeyPatch) -> None:
        honest, seen = getattr(Scaling, method), {}

        def changed(self: Scaling, rng: np.random.Generator, given: Any) -> Draw:
            drawn = honest(self, rng, given)
            return change(self, drawn, seen.setdefault((id(self), drawn.shape), drawn))

        put.setattr(Scaling, method, changed)

    return patch


def _for_all_numbers(scale: Scaling, drawn: Draw, first: Draw) -> Draw:
    return np.repeat(drawn[:, :1], drawn.shape[1], axis=1) if drawn.ndim == 2 else drawn


def _bare_third(scale: Scaling, drawn: Draw, first: Draw) -> Draw:
    return drawn * (np.arange(drawn.shape[-1]) < 2) if drawn.ndim == 2 else drawn


def true_counts(share: float = 1.0, beyond: int = -1) -> Patch:
    """Counts of more than so many reports are, by so much, counts of true labels."""

    def made(honest: Any) -> Any:
        def counts(rng: np.random.Generator, users: Draw, law: Draw) -> Draw:
            likeliest = law == law.max()
            true = honest(rng, users, share * likeliest / likeliest.sum() + (1 - share) * law)
            return (
                true if beyond < 0 else np.where((users > beyond)[..., None], true, honest(rng, users, law))
            )

        return counts

    return replaced(randomized_response, "label_counts", made)


half_the_noise = edited(Scaling.noise.func, "self.level", "self.level / 2")  # and the learner knows it
no_noise = together(
    *(noisy(method, lambda scale, drawn, first: 0 * drawn) for method in ("laplace", "total_laplace"))
)
nothing_learnt = replaced(WeightedMajority, "update", lambda honest: lambda self, losses: None)
# The same for labels, which is stated as well.
twice_the_level = replaced(
    label_mechanism,
    "checked_pure_local",
    lambda honest: lambda *given: replace(asked := honest(*given), epsilon=2 * asked.epsilon),
)


def _nearly_one_direction(honest: Any) -> Any:
    def directions(classes: bytes, shape: tuple[int, int]) -> Draw:
        vectors = honest(classes, shape) + 1.0
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))

    return directions


# A report of a bit names the label itself, and the learner knows it.
named_labels = together(
    replaced(
        LabelAnswers,
        "_answered",
        lambda honest: lambda self, asked, labels, rng: np.eye(self.labels, dtype=bool)[labels],
    ),
    replaced(LabelAnswers, "losses", lambda honest: lambda self, sets, f: -np.log(1e-12 + sets @ f.T)),
)


def _noticed(mechanism: str, patch: Patch) -> Mutant:
    return Mutant(patch, CLAIM, f"{ROOM}[{mechanism}]")


def by_law(mechanism: str, function: Any, old: str, new: str) -> Mutant:
    """A mechanism of the claim has another law with other words in a function."""
    return _noticed(mechanism, edited(function, old, new))


def by_draws(kind: type, method: str, change: Callable[[], Change], mechanism: str = "") -> Mutant:
    """It has another law where the generator that a method is given draws otherwise."""
    return _noticed(mechanism or kind.__name__, drawing(kind, method, change))


def by_digits(test: str, mechanism: str, function: Any, old: str, new: str) -> Mutant:
    """It is noticed by a test of numbers, one by one, with other words in a function."""
    return Mutant(edited(function, old, new), CLAIM, test, mechanism)


_NOISE: dict[str, Callable[[Scaling, Draw, Draw], Draw]] = {
    "no noise": lambda scale, drawn, first: 0 * drawn,
    "half the noise": lambda scale, drawn, first: 0.5 * drawn,
    "noise in the first round only": lambda scale, drawn, first: drawn if first is drawn else 0 * drawn,
    "noise reused between rounds": lambda scale, drawn, first: first.copy(),
    "noise shared by copies": lambda scale, drawn, first: np.repeat(drawn[:1], len(drawn), axis=0),
    "one noise for all numbers": _for_all_numbers,
    "no noise from the third number on": _bare_third,
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
    **{name: _LIES[name] for name in ("draws reused between rounds", "draws shared by copies")},
}
_RESPONSES = (RandomizedResponse, HadamardResponse)
_USERS = "rng.integers(self.experts, size=labels.size)"  # which number a user reports
_KEYS = "rng.random((labels.size, self.labels))"  # of labels
_OWNERS = "1 - 1 / self.horizon, 0.0)"  # the chance to stay in the cells of the label
_NUMBER, _SUBSET = NoisyCoordinate.privatize, SubsetSelection._sets
of_number = partial(by_law, "NoisyCoordinate", _NUMBER)
of_set = partial(by_law, "SubsetSelection", _SUBSET)
of_flip = partial(by_law, "HadamardResponse", HadamardResponse.flip.fget)
_EDITS: dict[str, Mutant] = {
    "a user alone never leaves the cells": by_law(
        "NoisyVector", Clipped.draw, "(moved,", "(moved & (labels.size > 1),"
    ),
    "cells, no lottery in long games": by_law(
        "CentredCoordinate", Clipped.draw, "(moved,", "(moved & (self.horizon < 20),"
    ),
    "cells in sums, no lottery in long games": by_law(
        "NoisyCoordinate", Clipped.owners.fget, _OWNERS, "1 - (self.horizon < 20) / self.horizon, 0.0)"
    ),
    "a user alone reports the first number": of_number(_USERS, f"(labels.size > 1) * {_USERS}"),
    "one of the first three numbers": of_number(_USERS, f"{_USERS} % 3"),
    "one number, half the noise of labels from the third on": of_number(
        "exact.shape)", "exact.shape) / (1 + (labels >= 2))"
    ),
    "reports of one number, no noise from the third on": of_number(
        "exact.shape)", "exact.shape) * (shown < 2)"
    ),
    "sets always have the true label": by_law(
        "SubsetSelection", SubsetSelection.inclusion.fget, "return 1 /", "return 1.0 #"
    ),
    "SubsetSelection, labels from the third on always inside": of_set(
        "< self.inclusion", "< np.where(labels < 2, self.inclusion, 2)"
    ),
    "SubsetSelection, others in order in sets of three": of_set(
        _KEYS, f"np.where(self.size > 2, np.linspace(0, 1, self.labels), {_KEYS})"
    ),
    "SubsetSelection, parts of the users alike": by_law(
        "SubsetSelection",
        LabelSets.total_losses,
        "rng), classes",
        "np.random.default_rng(0) if start else rng), classes",
    ),
    "HadamardResponse, half of the flips of many labels": of_flip(
        "return 1 /", "return (0.5 if self.labels >= 5 else 1) /"
    ),
    "HadamardResponse, half of the flips of nine labels and more": of_flip(
        "return 1 /", "return (0.5 if self.labels >= 9 else 1) /"
    ),
    "RandomizedResponse, lies among two labels": by_law(
        "RandomizedResponse", RandomizedResponse.privatize, "labels + others", "labels + 1 + (others - 1) % 2"
    ),
    **{
        f"{kind.__name__}, no lies of labels from the third on": by_law(
            kind.__name__, kind.privatize, "< self.flip", "< self.flip * (labels < 2)"
        )
        for kind in _RESPONSES
    },
    "reports of more than three, half the noise": by_law(
        "NoisyVector", Scaling.laplace, "size=shape)", "size=shape) / (1 + (self.experts > 3))"
    ),
    "long sums, no noise": by_law(
        "NoisyCoordinate", Scaling.total_laplace, "self.noise *", "(rounds <= 3000) * self.noise *"
    ),
    **{
        f"{name}, half the noise of a lone user": by_law(
            name, Scaling.laplace, "size=shape)", "size=shape) / (1 + (shape[0] == 1))"
        )
        for name in ("NoisyVector", "NoisyCoordinate")
    },
}
_TRUE = f"{MECHANISMS}::test_reports_are_true_as_often_as_the_level_allows_to_the_digit"
_ANY = f"{MECHANISMS}::test_what_is_drawn_without_a_look_at_the_label_is_any_of_many"
_SCALE = "tests/distribution_learning/test_scaling.py::test_noise_has_its_scale_to_the_digit"
_CELLS = "tests/distribution_learning/test_clipping.py::test_users_end_up_in_cells_as_often_as_they_should"
_LOT = (
    "tests/distribution_learning/test_clipping.py::"
    "test_a_cell_is_drawn_by_lot_as_often_as_the_horizon_says_to_the_digit"
)
_DIGITS: dict[str, Mutant] = {
    "half the noise of more than eight distributions": by_digits(
        _SCALE, "NoisyCoordinate", Scaling.noise.func, "self.level", "self.level / (1 + (self.experts > 8))"
    ),
    **{
        f"{function.__qualname__.partition('.')[0]}, a twentieth less often false": by_digits(
            _TRUE, mechanism, function, "< self.flip", "< 0.95 * self.flip"
        )
        for mechanism, function in (
            *((kind.__name__, kind.privatize) for kind in _RESPONSES),
            ("AskComparison", LabelAnswers._answered),
        )
    },
    "SubsetSelection, a twentieth less often false": by_digits(
        _TRUE, "SubsetSelection", _SUBSET, "< self.inclusion", "< 1 - 0.95 * (1 - self.inclusion)"
    ),
    "RandomizedResponse, lies among the first eight": by_digits(
        _ANY,
        "RandomizedResponse",
        RandomizedResponse.privatize,
        "integers(1, self.labels,",
        "integers(1, min(9, self.labels),",
    ),
    "HadamardResponse, rows among the first eight": by_digits(
        _ANY, "HadamardResponse", HadamardResponse.privatize, "integers(self._signs.shape[1],", "integers(8,"
    ),
    "SubsetSelection, other labels among the first eight": by_digits(
        _ANY, "SubsetSelection", _SUBSET, _KEYS, f"{_KEYS} + (np.arange(self.labels) > 8)"
    ),
    "NoisyCoordinate, numbers among the first eight": by_digits(
        _ANY, "NoisyCoordinate", _NUMBER, "integers(self.experts,", "integers(min(8, self.experts),"
    ),
    "cells, a twentieth fewer lotteries": by_digits(
        _LOT, "NoisyVector", Clipped.draw, "< 1 / self.horizon", "< 0.95 / self.horizon"
    ),
    "cells, no lottery": by_digits(_CELLS, "", Clipped.draw, "np.where(moved, uniform, labels)", "labels"),
    "cells in sums, no lottery": by_digits(_CELLS, "", Clipped.owners.fget, _OWNERS, "1.0, 1.0)"),
}
_DRAWS: dict[str, Mutant] = {
    "cells, draws reused between rounds": by_draws(NoisyVector, "privatize", reused),
    "cells, draws shared by copies": by_draws(NoisyVector, "privatize", shared),
    "always the first number": by_draws(NoisyCoordinate, "privatize", always(first_coordinate)),
    "always the first number in sums": by_draws(NoisyCoordinate, "totals", always(first_coordinate)),
    "the number reused between rounds": by_draws(NoisyCoordinate, "privatize", reused),
    "the number shared by copies": by_draws(NoisyCoordinate, "privatize", shared),
    "AskComparison, always about the first distribution": by_draws(
        AskComparison, "privatize", always(first_coordinate)
    ),
    "sums of reports shared by copies": by_draws(
        RandomizedResponse, "total_losses", shared, "ResponsePosterior"
    ),
    "SubsetSelection, true label inside for a lone user": by_draws(
        SubsetSelection, "_sets", alone(truth_inside)
    ),
    **{
        f"{kind.__name__}, half of a lone user's lies": by_draws(kind, "privatize", alone(seldom))
        for kind in _RESPONSES
    },
    **{
        f"{kind.__name__}, {name}": by_draws(kind, "privatize", change)
        for kind in _RESPONSES
        for name, change in _LIES.items()
    },
    **{
        f"SubsetSelection, {name}": by_draws(SubsetSelection, "_sets", change)
        for name, change in _SETS.items()
    },
    **{
        f"{mechanism}, {name}": by_draws(LabelAnswers, "_answered", change, mechanism)
        for mechanism in ("SignDesign", "AskComparison")
        for name, change in _LIES.items()
    },
}
_NO_LIES_IN_LONG_SUMS = ("RandomizedResponse", "ResponsePosterior", "HadamardResponse")
_PATCHES: dict[str, tuple[str, Patch]] = {
    "no noise at all": ("NoisyCoordinate", no_noise),
    "half the noise": ("CentredCoordinate", half_the_noise),
    **{f"reports, {name}": ("NoisyVector", noisy("laplace", change)) for name, change in _NOISE.items()},
    **{
        f"sums, {name}": (
            "CentredCoordinate" if "number" not in name else "NoisyVector",
            noisy("total_laplace", change),
        )
        for name, change in _NOISE.items()
    },
    "sums of one number, no noise from the third on": (
        "NoisyCoordinate",
        noisy("total_laplace", _bare_third),
    ),
    **{f"{name}, no lies in long sums": (name, true_counts(beyond=3000)) for name in _NO_LIES_IN_LONG_SUMS},
    "RandomizedResponse, no lies in sums": ("RandomizedResponse", true_counts()),
    "HadamardResponse, half of the lies in sums": ("HadamardResponse", true_counts(share=0.5)),
    **{
        f"{name}, twice the level, and stated": (name, twice_the_level)
        for name in ("RandomizedResponse", "SubsetSelection")
    },
    "SignDesign, one question for all": (
        "SignDesign",
        edited(
            SignDesign._sets,
            "rng.standard_normal((labels.size, self.experts))",
            "np.tile(np.arange(1.0, self.experts + 1), (labels.size, 1))",
        ),
    ),
    "nothing learnt": ("ResponsePosterior", nothing_learnt),
}
_LEVEL = "tests/replication/papers/p003/test_lower_bound_class.py::test_what_is_played_keeps_its_level"
_CLAIMS: dict[str, tuple[Patch, str, str]] = {
    "no noise, and the lower bound": (no_noise, "theorem-3", _LEVEL),
    "half the noise, and the lower bound": (half_the_noise, "theorem-3", _LEVEL),
    "a design of nearly one function": (
        replaced(sign_design, "_directions", _nearly_one_direction),
        "sign-design",
        f"{ANY_LABELS}::test_designs_see_all_differences",
    ),
    "nothing learnt from one bit": (nothing_learnt, "any-labels", f"{ANY_LABELS}::test_the_bounds_hold"),
    "labels named, and the lower bound": (named_labels, "interactive-lower-bound", f"{ANY_LABELS}::{LOWER}"),
}

_ALL: dict[str, Mutant] = {
    **{name: _noticed(mechanism, patch) for name, (mechanism, patch) in _PATCHES.items()},
    **_EDITS,
    **_DRAWS,
    **_DIGITS,
    **{name: Mutant(patch, f"003/{claim}", test) for name, (patch, claim, test) in _CLAIMS.items()},
}
MUTANTS = {f"003: {name}": mutant for name, mutant in _ALL.items()}
