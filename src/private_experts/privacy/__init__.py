"""What privacy costs: guarantees, noise, selection, prefix sums, trade-off curves; no algorithm, no data."""

from typing import TYPE_CHECKING

from private_experts.lazy import attach

if TYPE_CHECKING:
    from private_experts.privacy import (
        banded,
        exact_composition,
        factorization,
        gaussian_mechanism,
        gaussian_mixtures,
        strategies_in_rounds,
    )
    from private_experts.privacy.above_threshold import AboveThreshold
    from private_experts.privacy.accountant import Ledger, compose
    from private_experts.privacy.banded import BandedSums
    from private_experts.privacy.composition import in_rounds
    from private_experts.privacy.conversions import pure_within, to_gaussian
    from private_experts.privacy.correlated import CorrelatedReports, MatrixSums
    from private_experts.privacy.guarantee_report import PrivacyReport, privacy_report
    from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP
    from private_experts.privacy.noise import Noise, SecureNoise, SimulatedNoise
    from private_experts.privacy.own_counts import (
        fixed_rates,
        informed_scales,
        own_level,
        own_scales,
        shared_scale,
    )
    from private_experts.privacy.participation import Participation
    from private_experts.privacy.reports import Reports, privatize
    from private_experts.privacy.selection import exponential_mechanism, laplace_report_noisy_max
    from private_experts.privacy.side_by_side import SideBySideReports, SideBySideSums, own_share
    from private_experts.privacy.tight_tree import TightTreeSums
    from private_experts.privacy.tree import TreeSums

attach(__name__)

__all__ = [
    "AboveThreshold",
    "ApproximateDP",
    "BandedSums",
    "CorrelatedReports",
    "GaussianDP",
    "Ledger",
    "MatrixSums",
    "Noise",
    "Participation",
    "PrivacyReport",
    "PureDP",
    "Reports",
    "SecureNoise",
    "SideBySideReports",
    "SideBySideSums",
    "SimulatedNoise",
    "TightTreeSums",
    "TreeSums",
    "banded",
    "compose",
    "exact_composition",
    "exponential_mechanism",
    "factorization",
    "fixed_rates",
    "gaussian_mechanism",
    "gaussian_mixtures",
    "in_rounds",
    "informed_scales",
    "laplace_report_noisy_max",
    "own_level",
    "own_scales",
    "own_share",
    "privacy_report",
    "privatize",
    "pure_within",
    "shared_scale",
    "strategies_in_rounds",
    "to_gaussian",
]
