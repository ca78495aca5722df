"""Private online learning with expert advice, and a replication of the five papers it comes from.

The names that matter most are here, and each is imported when it is first used. The packages have the rest.
"""

from private_experts.lazy import attach

# type checkers take it to be true; to import it from `typing` takes longer than all the rest
TYPE_CHECKING = False
if TYPE_CHECKING:
    from private_experts import (
        algorithms,
        distribution_learning,
        games,
        learners,
        privacy,
        private_oco,
        saving,
        walks,
    )
    from private_experts.algorithms import (
        RWFTPL,
        FixedShare,
        FollowTheLeader,
        FreshMeta,
        Hedge,
        HedgeMeta,
        NoisyFixedShare,
        PrefixFTPL,
        RestartingLeader,
        RWAdaBatch,
        RWMeta,
        ShrinkingDartboard,
        TreeFTPL,
        Uniform,
    )
    from private_experts.errors import InputError
    from private_experts.games import (
        TrendMeta,
        best_sequence,
        dynamic_regret,
        earned,
        experiment,
        play,
        private_reports,
        static_regret,
    )
    from private_experts.learners import (
        Autoregressions,
        LinearFilters,
        PosteriorMeans,
        TotalsLeader,
        trend_weights,
    )
    from private_experts.privacy import (
        ApproximateDP,
        GaussianDP,
        Ledger,
        MatrixSums,
        PureDP,
        Reports,
        SecureNoise,
        SimulatedNoise,
        compose,
        in_rounds,
        own_scales,
        privacy_report,
        privatize,
    )
    from private_experts.randomness import rng_for
    from private_experts.saving import load, save

__version__ = "0.4.0"  # the one place; the wheel, the command and CITATION.cff follow it

attach(__name__)

__all__ = [
    "RWFTPL",
    "ApproximateDP",
    "Autoregressions",
    "FixedShare",
    "FollowTheLeader",
    "FreshMeta",
    "GaussianDP",
    "Hedge",
    "HedgeMeta",
    "InputError",
    "Ledger",
    "LinearFilters",
    "MatrixSums",
    "NoisyFixedShare",
    "PosteriorMeans",
    "PrefixFTPL",
    "PureDP",
    "RWAdaBatch",
    "RWMeta",
    "Reports",
    "RestartingLeader",
    "SecureNoise",
    "ShrinkingDartboard",
    "SimulatedNoise",
    "TotalsLeader",
    "TreeFTPL",
    "TrendMeta",
    "Uniform",
    "algorithms",
    "best_sequence",
    "compose",
    "distribution_learning",
    "dynamic_regret",
    "earned",
    "experiment",
    "games",
    "in_rounds",
    "learners",
    "load",
    "own_scales",
    "play",
    "privacy",
    "privacy_report",
    "private_oco",
    "private_reports",
    "privatize",
    "rng_for",
    "save",
    "saving",
    "static_regret",
    "trend_weights",
    "walks",
]
