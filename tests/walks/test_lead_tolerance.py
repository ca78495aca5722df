"""Rules that spend the tolerance: their probabilities by other routes, their sizes, and their proxy law."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from private_experts.algorithms import RWAdaBatch
from private_experts.errors import InputError
from private_experts.games import play, private_reports
from private_experts.privacy import GaussianDP, Reports, SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.papers.p000.exact_batches import size_laws
from private_experts.replication.papers.p000.exact_rules import exact_rule
from private_experts.walks import LeadTolerance, compute_delay, proxy_survival
from private_experts.walks.batch_rules import paper_rule
from private_experts.walks.delay import log_tolerance
from private_experts.walks.exact_delay import overtaken
from private_experts.walks.gap import density
from private_experts.walks.lead_tolerance import passage_log_bound
from private_experts.walks.levy_bound import sharper_log_bound
from tests.each import each

RULES = ["sharper", "exact"]
LEADS = np.concatenate([[0.0], np.geomspace(0.01, 400, 60)])
LOCAL = GaussianDP(1.0, "local")


def effective(law: Any) -> float:
    """The root mean square level of a datum, in units of mu, from the probabilities of the sizes 1, 2, ..."""
    return math.sqrt(float((law / np.arange(1, len(law) + 1)).sum()))


def test_a_path_comes_down_by_the_inverse_gaussian_law() -> None:
    for lead, eta, time, rho in ((3.0, 0.7, 4, 0.5), (8.0, 2.0, 10, 1.0), (20.0, 1.5, 9, 1.0)):
        mean, shape = lead / rho, lead**2 / (2 * eta**2)
        expected = stats.invgauss(mean / shape, scale=shape).cdf(time)
        assert math.exp(passage_log_bound(lead, eta, time, rho)) == pytest.approx(expected, rel=1e-9)


def test_a_path_without_noise_falls_and_one_without_drift_is_reflected() -> None:
    assert np.exp(passage_log_bound([2.0, 3.0, 4.0], 0.0, 3, 1.0)).tolist() == [1.0, 1.0, 0.0]
    assert math.exp(passage_log_bound(3.0, 1.0, 4, 0.0)) == pytest.approx(math.erfc(3 / (2 * 1.0 * 2)))
    assert np.exp(passage_log_bound([0.0, 1e4], 1.0, 1, 1.0)).tolist() == [1.0, 0.0]


@each("eta", [0.3, 1.0, 4.0])
def test_two_updates_are_an_integral_and_many_are_between_the_bounds(eta: float) -> None:
    rule, step = LeadTolerance("exact", eta, 2, 0.01), math.sqrt(2) * eta
    for lead in (0.5, 2.0, 2 + 4 * step):
        stays = integrate.quad(
            lambda x, lead=lead: (
                stats.norm.pdf((x - lead + 1) / step) / step * stats.norm.cdf((x - 1) / step)
            ),
            0,
            lead + 12 * step,
            epsabs=1e-13,
            points=[lead],
        )[0]
        assert 1 - math.exp(rule.log_change(lead, 2)) == pytest.approx(stays, abs=2e-6)
    for updates in (1, 5, 30, 90):
        exact = rule.log_change(LEADS, updates)
        assert (exact <= passage_log_bound(LEADS, eta, updates, 1.0) + 1e-12).all()
        assert (
            passage_log_bound(LEADS, eta, updates, 1.0) <= sharper_log_bound(LEADS, eta, updates, 2, 1.0)
        ).all()


@each("n", [2, 7])
def test_the_table_is_the_probability_never_less_and_little_more(n: int) -> None:
    leads, probability = overtaken(12, 1.5, 1.0, 60.0)
    rule = LeadTolerance("exact", 1.5, n, 0.01)
    for updates in (1, 4, 12):
        true = np.minimum((n - 1) * probability[updates], 1.0)
        stated = np.exp(rule.log_change(leads, updates))
        some = true > 1e-10
        assert (stated[some] >= true[some] * (1 - 1e-12)).all()
        assert (stated[some] <= true[some] * (1 + 3e-6)).all()
    path = passage_log_bound(110.0, 1.5, np.array([64, 65]), 1.0) + math.log(n - 1)
    found = rule.log_change(110.0, np.array([64, 65]))  # the last that the table has, and the first beyond
    assert found[0] < path[0] - 0.01
    assert found[1] == path[1]


def test_leads_that_are_asked_for_have_the_probabilities_of_the_nodes() -> None:
    leads, probability = overtaken(5, 0.8, 0.5, 12.0)
    _, chosen = overtaken(5, 0.8, 0.5, 12.0, leads[::3])
    np.testing.assert_allclose(chosen, probability[:, ::3], rtol=1e-12)


@each("kind", RULES)
@each(("eta", "n", "completed"), [(0.0, 2, 5), (0.05, 3, 40), (1.0, 2, 0), (1.0, 20, 500), (6.0, 5, 100)])
def test_a_size_is_the_largest_that_the_lead_allows(kind: Any, eta: float, n: int, completed: int) -> None:
    rule = LeadTolerance(kind, eta, n, 0.01)
    sizes = rule.sizes(LEADS, completed)
    assert rule.allows(LEADS, sizes, completed + sizes).all()
    for more in (1, 2, 5):
        assert not rule.allows(LEADS, sizes + more, completed + sizes + more).any()
    assert (np.diff(sizes) >= 0).all()
    assert sizes[0] == 1
    np.testing.assert_array_equal(rule.sizes(LEADS, completed, 7), np.minimum(sizes, 7))
    assert (sizes >= compute_delay(LEADS, eta, n, 0.01, completed)).all()
    some = sizes[(sizes > 1) & (sizes < 90)]
    least = rule.least_lead(some, completed + some)
    assert (rule.sizes(least + 1e-6, completed) >= some).all()
    assert (rule.sizes(np.maximum(least - 1e-6, 0), completed) < some).all()


@each("n", [2, 10])
def test_the_exact_rule_is_that_of_another_program(n: int) -> None:
    ours, other = LeadTolerance("exact", 1.5, n, 0.01).table(60), exact_rule(60, 1.5, n, 0.01)
    for one, two in zip(ours, other, strict=True):
        known = np.isfinite(two)
        np.testing.assert_allclose(one[known], two[known], atol=1e-4)  # the other interpolates more coarsely
    ends = np.arange(2, 60)
    once = 1 - 1.5 * math.sqrt(2) * stats.norm.ppf(np.exp(log_tolerance(n, 0.01, ends)) / (n - 1))
    least = LeadTolerance("exact", 1.5, n, 0.01).least_lead(2, ends)
    assert (least >= once - 1e-12).all()
    np.testing.assert_allclose(least, once, atol=2e-6)


def test_the_level_of_a_datum_falls_and_that_which_the_proxy_law_guarantees_too() -> None:
    eta, t, horizon = 4.5, 40, 60
    true = [effective(size_laws(np.zeros(horizon), eta, [t], paper_rule(horizon, eta, 2, 0.01))[0, 1:])]
    effective_sizes = [effective(-np.diff(proxy_survival(t, eta, 2, 0.01, 20), append=0.0))]
    for kind in ("sharper", "exact"):
        rule = LeadTolerance(kind, eta, 2, 0.01)
        true.append(effective(size_laws(np.zeros(horizon), eta, [t], rule.table(horizon))[0, 1:]))
        effective_sizes.append(effective(-np.diff(rule.proxy_survival(t, 20), append=0.0)))
    assert true == sorted(true, reverse=True)
    assert effective_sizes == sorted(effective_sizes, reverse=True)
    assert all(one < other < 1.06 * one for one, other in zip(true, effective_sizes, strict=True))
    assert effective_sizes[2] < 0.9 * true[0]


@each("kind", RULES)
def test_a_larger_batch_is_as_likely_as_the_integral_over_all_leads_says(kind: Any) -> None:
    rule, t, beyond = LeadTolerance(kind, 4.5, 2, 0.1), 20, np.linspace(0, 250, 2500)
    found = rule.proxy_survival(t, 8)
    for b in (2, 4, 8):
        gaps = density(float(rule.least_lead(b + 1, t + b)) + beyond, 2, 4.5 * math.sqrt(t - b + 1))
        integral = integrate.trapezoid(gaps * -np.expm1(rule.log_change(beyond, b - 1)), beyond)
        assert found[b] == pytest.approx(integral, rel=1e-4)


@each("kind", RULES)
def test_the_algorithm_has_the_sizes_of_the_rule(kind: Any) -> None:
    repetitions, horizon, noise = 4000, 40, SimulatedNoise(rng_for(0, "played", kind))
    leader = RWAdaBatch(
        2, LOCAL, noise_scale=1.0, noise=noise, alpha=0.1, repetitions=repetitions, horizon=horizon, rule=kind
    )
    play(leader, private_reports(np.zeros((horizon, 2)), LOCAL, 1.0, noise, repetitions))
    law = size_laws(np.zeros(horizon), 1.0, [25], LeadTolerance(kind, 1.0, 2, 0.1).table(horizon))[0]
    found = np.bincount(leader.containing_sizes()[24], minlength=horizon + 1) / repetitions
    larger, share = 1 - np.cumsum(law)[:10], 1 - np.cumsum(found)[:10]
    assert (np.abs(share - larger) <= 4.9 * np.sqrt(larger * (1 - larger) / repetitions) + 1e-9).all()


def test_the_exact_rule_refuses_noise_of_several_scales() -> None:
    noise = SimulatedNoise(rng_for(0, "scales"))
    with pytest.raises(InputError, match="of one scale"):
        RWAdaBatch(2, LOCAL, noise_scale=[1.0, 0.5], noise=noise, rule="exact")
    RWAdaBatch(2, LOCAL, noise_scale=[1.0, 0.5], noise=noise, rule="sharper")
    leader = RWAdaBatch(2, LOCAL, noise_scale=1.0, noise=noise, rule="exact")
    for scale in (0.5, np.array([1.0, 0.5])):
        with pytest.raises(InputError, match="of every expert"):
            leader.update(Reports(np.zeros((1, 2)), LOCAL, scale))
    leader.update(Reports(np.zeros((1, 2)), LOCAL, np.ones(2)))


@each(
    ("change", "message"),
    [
        ({"rule": "best"}, "rule"),
        ({"eta": -1.0}, "eta"),
        ({"alpha": 0.0}, "alpha"),
        ({"rho": -1.0}, "rho"),
        ({"n": 1}, "n"),
    ],
)
def test_bad_settings_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        LeadTolerance(**({"rule": "exact", "eta": 1.0, "n": 2, "alpha": 0.01} | change))
