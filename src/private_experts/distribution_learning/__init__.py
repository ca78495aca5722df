"""Learning conditional distributions online from locally private labels. [mathematics/003.md#about]

Each user runs a mechanism on the label and sends the report that it makes. A learner takes `LabelReports` of
its own mechanism and nothing else, so a true label cannot reach it by mistake. What is in an array of labels
or in the rows of a class is looked at once a round.

Noise is drawn from seeded generators with ordinary floating-point arithmetic. It simulates the mechanisms and
protects nobody. A deployment needs Laplace noise on a fixed grid from a secure source, which this package
does not have.
"""

from typing import TYPE_CHECKING

from private_experts.lazy import attach

if TYPE_CHECKING:
    from private_experts.distribution_learning.approximate import NoisyVector
    from private_experts.distribution_learning.ask_comparison import AskComparison
    from private_experts.distribution_learning.centred import CentredCoordinate
    from private_experts.distribution_learning.game import play_labels
    from private_experts.distribution_learning.hadamard_response import HadamardResponse
    from private_experts.distribution_learning.label_learner import LabelLearner, Mechanism
    from private_experts.distribution_learning.label_reports import LabelReports
    from private_experts.distribution_learning.long_run import play_long
    from private_experts.distribution_learning.posterior import ResponsePosterior
    from private_experts.distribution_learning.pure import NoisyCoordinate
    from private_experts.distribution_learning.randomized_response import RandomizedResponse
    from private_experts.distribution_learning.sign_design import SignDesign
    from private_experts.distribution_learning.subset_selection import SubsetSelection

attach(__name__)

__all__ = [
    "AskComparison",
    "CentredCoordinate",
    "HadamardResponse",
    "LabelLearner",
    "LabelReports",
    "Mechanism",
    "NoisyCoordinate",
    "NoisyVector",
    "RandomizedResponse",
    "ResponsePosterior",
    "SignDesign",
    "SubsetSelection",
    "play_labels",
    "play_long",
]
