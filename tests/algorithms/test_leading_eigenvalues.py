import numpy as np
import pytest

from private_experts.algorithms import leading_eigenvalues as module
from private_experts.algorithms.leading_eigenvalues import leading_eigenvalues
from private_experts.randomness import rng_for
from tests.each import each

MANY = 1100  # more than are taken at once
LARGE = 49  # powers are taken in single precision


def rng(*key):
    return rng_for(0, "test leading eigenvalues", *key)


def agreements(m, rounds, groups, centred):
    """What RW-Meta asks about: how often learners agreed, less a common shift."""
    actions = rng("agreements", m, rounds, groups).integers(0, groups, (MANY, rounds, m))
    sigma = (actions[..., :, None] == actions[..., None, :]).sum(axis=1).astype(float)
    if centred:
        centring = np.eye(m) - 1 / m
        return centring @ sigma @ centring
    return sigma - sigma.mean(axis=(-2, -1), keepdims=True)


def multiple(m):
    """Roots of every multiplicity from 1 to m, in a random basis."""
    roots = np.where(np.arange(m) < 1 + np.arange(MANY)[:, None] % m, 1.0, -1.0)
    basis = np.linalg.qr(rng("multiple", m).normal(size=(MANY, m, m)))[0]
    return (basis * roots[:, None]) @ basis.swapaxes(1, 2)


def near(m):
    """The two largest roots are 1e-16 to 1 apart, in a random basis; in every third matrix -1 is larger."""
    gaps = 10.0 ** np.linspace(-16, 0, MANY)
    roots = np.column_stack([np.full(MANY, 0.9), 0.9 * (1 - gaps), *np.full((m - 2, MANY), 0.1)])
    roots[::3, -1] = -1.0
    basis = np.linalg.qr(rng("near", m).normal(size=(MANY, m, m)))[0]
    matrices = (basis * roots[:, None]) @ basis.swapaxes(1, 2)
    return (matrices + matrices.swapaxes(1, 2)) / 2


def scaled(m):
    """Sizes over 600 decades, and both signs."""
    half = rng("scaled", m).normal(size=(MANY, m, m)) * 10.0 ** np.linspace(-300, 300, MANY)[:, None, None]
    return half + half.swapaxes(1, 2)


def plain(m):
    """Zero, diagonal and tridiagonal matrices: nothing is left to reflect."""
    matrices = np.zeros((MANY, m, m))
    matrices[1::2] = np.diag(np.arange(m) - m / 2)
    matrices[2::4] += np.eye(m, k=1) + np.eye(m, k=-1)
    return matrices


SHAPES = [(3, 1, 2), (13, 1, 3), (13, 40, 6), (13, 40, 13)]
CASES = [
    *(agreements(*shape, centred) for shape in SHAPES for centred in (True, False)),
    multiple(3),
    multiple(13),
    near(3),
    near(13),
    scaled(5),
    scaled(13),
    plain(3),
    plain(13),
    -np.abs(scaled(4)),
    *(cases[::7] for cases in (multiple(LARGE), near(LARGE), scaled(LARGE), plain(LARGE))),
    agreements(LARGE, 40, 6, True)[::7],
]


LAPACKS = [np.linalg.eigvalsh(matrices) for matrices in CASES]
every_case = each(("matrices", "expected"), zip(CASES, LAPACKS, strict=True))


@every_case
def test_they_are_lapacks_to_rounding(matrices, expected):
    size, m = np.abs(expected).max(axis=-1), matrices.shape[-1]
    assert (np.abs(leading_eigenvalues(matrices) - expected[:, -1]) <= 1e-14 * m * size).all()
    above_all = np.where(np.arange(len(matrices)) % 2, 1.01 * size, size * m)  # some are told by the norm
    np.testing.assert_array_equal(leading_eigenvalues(matrices, above_all), above_all)
    assert leading_eigenvalues(matrices[:0], above_all[:0]).shape == (0,)


@every_case
def test_where_none_is_above_the_least_that_is_asked_for_it_is_returned(matrices, expected):
    places, size = np.arange(len(matrices)), np.abs(expected).max(axis=-1)
    # Of each multiple stand all kinds of matrices.
    least = np.abs(expected[:, -1]) * np.choose(places // 3 % 4, [0.5, 0.999, 1.001, 5.0])
    found = leading_eigenvalues(matrices, least)
    assert (np.abs(found - np.maximum(expected[:, -1], least)) <= 1e-14 * matrices.shape[-1] * size).all()
    below = least > expected[:, -1] + 1e-13 * size
    np.testing.assert_array_equal(found[below], least[below])


NO_LEAST = np.full(MANY, -np.inf)


def geometric(ratio, m):
    basis = np.linalg.qr(rng("geometric", ratio).normal(size=(MANY, m, m)))[0]
    return (basis * ratio ** np.arange(m)) @ basis.swapaxes(1, 2)


CERTAIN = [(geometric(0.88, 13), 1), (geometric(0.88, LARGE), 1), (multiple(13)[1::13], 0)]


@each(("matrices", "certain"), CERTAIN)
def test_what_is_left_to_lapack_is_what_is_not_certain(matrices, certain):
    assert (module._by_squaring(matrices, NO_LEAST[: len(matrices)])[1] == certain).mean() > 0.99


@pytest.mark.parametrize(("share", "certain"), [(0.2, True), (0.3, False)])
@pytest.mark.parametrize(("m", "power"), [(3, 128), (LARGE, 64)])
def test_another_eigenvalue_must_be_as_far_as_the_certificate_says(m, power, share, certain):
    """The sum of 128th powers, in single precision of 64th, may be a quarter above the largest of them."""
    matrices = np.tile(np.diag([1.0, share ** (1 / power), *np.full(m - 2, 0.1)]), (MANY, 1, 1))
    assert (module._by_squaring(matrices, NO_LEAST)[1] == certain).all()


@pytest.mark.parametrize(("m", "certain"), [(60, True), (300, False)])
def test_powers_that_may_have_lost_small_numbers_certify_nothing(m, certain):
    matrices = np.diag(np.where(np.arange(m), 0.8, 1.0))[None]  # a fifth of the norm, and a fourteenth
    assert module._by_squaring(matrices, NO_LEAST[:1])[1] == certain


def test_stacks_of_any_shape_and_few_matrices_are_taken():
    matrices = agreements(13, 40, 6, centred=False)
    assert leading_eigenvalues(matrices.reshape(11, 100, 13, 13)).shape == (11, 100)
    assert leading_eigenvalues(matrices[0]) == pytest.approx(leading_eigenvalues(matrices)[0], rel=1e-13)
    assert leading_eigenvalues(matrices[:0]).shape == (0,)


def test_whole_numbers_are_taken_for_numbers():
    matrices = np.broadcast_to(np.diag([3, 1, 2]), (1000, 3, 3))
    np.testing.assert_allclose(leading_eigenvalues(matrices), 3.0)
