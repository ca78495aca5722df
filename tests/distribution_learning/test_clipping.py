"""Clipped distributions agree with an enumeration of the cells."""

from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning.clipping import clip, smooth
from private_experts.errors import InputError
from private_experts.randomness import rng_for
from private_experts.replication.papers.p003.classes import dirichlet
from tests.each import each

CLASSES = {
    "dirichlet": dirichlet(3, 7, 0.4, rng_for(0, "clipping")),
    "a label that nobody gives": np.array([[0.2, 0.8, 0.0], [0.5, 0.5, 0.0]]),
    "sure labels": np.eye(4)[:2],
}


def by_cells(f: np.ndarray, horizon: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the cells' owners, the law of h(y) on cells for each label, and the clipped distributions."""
    labels = f.shape[1]
    owner = [y for y in range(labels) for _ in range(int(np.ceil(labels * f[:, y].max())))]
    mapped = np.zeros((labels, len(owner)))
    for y in range(labels):
        for cell, whose in enumerate(owner):
            own = owner.count(y)
            kept = (1 - 1 / horizon) * (whose == y) / own if own else (1 - 1 / horizon) / len(owner)
            mapped[y, cell] = kept + 1 / (horizon * len(owner))
    return np.array(owner), mapped, f @ mapped


@each("name", CLASSES)
@each("horizon", [2, 50])
def test_clipping_is_what_an_enumeration_of_cells_gives(name: str, horizon: int) -> None:
    f, clipped = CLASSES[name], clip(CLASSES[name], horizon)
    owner, mapped, on_cells = by_cells(f, horizon)
    assert clipped.total == len(owner)
    assert clipped.sizes.tolist() == np.bincount(owner, minlength=f.shape[1]).tolist()
    np.testing.assert_allclose(clipped.values[:, owner], on_cells, rtol=1e-12)
    onto_labels = mapped @ (owner[:, None] == np.arange(f.shape[1]))
    np.testing.assert_allclose(clipped.owners, onto_labels, rtol=1e-12, atol=1e-15)


@each("name", CLASSES)
def test_a_prediction_is_a_distribution_with_mass_wherever_one_of_the_class_has_any(name: str) -> None:
    f, horizon = CLASSES[name], 20
    clipped = clip(f, horizon)
    weights = rng_for(0, "weights").dirichlet(np.ones(len(f)), size=5)
    predicted = clipped.predict(weights)
    np.testing.assert_allclose(predicted.sum(axis=1), 1.0, rtol=1e-12)
    possible = f.max(axis=0) > 0
    assert (predicted[:, possible] >= 1 / (horizon * clipped.total)).all()
    assert (predicted[:, ~possible] == 0).all()


def test_many_rounds_are_clipped_one_by_one() -> None:
    f = dirichlet(6, 5, 1.0, rng_for(0, "rounds")).reshape(2, 3, 5)
    together = clip(f, 9)
    for at in range(2):
        alone = clip(f[at], 9)
        for field in ("sizes", "total", "values", "owners"):
            assert (getattr(together, field)[at] == getattr(alone, field)).all()


def test_users_end_up_in_cells_as_often_as_they_should() -> None:
    f, horizon, users = CLASSES["a label that nobody gives"], 3, 20_000
    clipped = clip(f, horizon)
    for label in range(3):
        drawn = clipped.draw(np.full(users, label), rng_for(0, "draw", label))
        shares = np.bincount(drawn, minlength=3) / users
        # Six standard deviations of a share: a false alarm once in 10^8.
        assert np.abs(shares - clipped.owners[label]).max() < 6 * 0.5 / np.sqrt(users)
        # Users who draw alone, as all do on their own devices; none moves in a quarter of the cases.
        rng = rng_for(0, "draw alone", label)
        alone = [int(clipped.draw(np.array([label]), rng)[0]) for _ in range(users // 4)]
        shares = np.bincount(alone, minlength=3) / len(alone)
        assert np.abs(shares - clipped.owners[label]).max() < 6 * 0.5 / np.sqrt(len(alone))


@each("f", [CLASSES["a label that nobody gives"], np.full((10, 1000), 1e-3)])
def test_a_cell_is_drawn_by_lot_as_often_as_the_horizon_says_to_the_digit(f: Any) -> None:
    horizon, users = 300, 20_000
    clipped, labels = clip(f, horizon), np.zeros(users, dtype=np.intp)
    rng, again = (rng_for(0, "lots of cells") for _ in range(2))
    cells = np.searchsorted(clipped.sizes.cumsum(), again.random(users) * clipped.total, side="right")
    moved = again.random(users) < 1 / horizon
    np.testing.assert_array_equal(clipped.draw(labels, rng), np.where(moved, cells, labels))


def test_smoothing_gives_each_label_one_cell() -> None:
    smoothed = smooth([[0.25, 0.75]], 10)
    assert smoothed.sizes.tolist() == [1, 1]
    np.testing.assert_allclose(smoothed.values, [[0.9 * 0.25 + 0.05, 0.9 * 0.75 + 0.05]])


@each(
    ("classes", "horizon", "word"),
    [
        ([[0.5, 0.4]], 10, "sum 1"),
        ([[1.5, -0.5]], 10, "at least 0"),
        ([0.5, 0.5], 10, "K rows"),
        ([[0.5, float("nan")]], 10, "sum 1"),
        ([[0.5, 0.5]], 1, "at least 2"),
    ],
)
def test_bad_input_is_named(classes: Any, horizon: int, word: str) -> None:
    with pytest.raises(InputError, match=word):
        clip(classes, horizon)
