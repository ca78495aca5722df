"""One algorithm per file; all share `predict` and `update` (see `interface`)."""

from typing import TYPE_CHECKING

from private_experts.lazy import attach

if TYPE_CHECKING:
    from private_experts.algorithms.baselines import FollowTheLeader, Uniform
    from private_experts.algorithms.bernoulli_resampled import BernoulliResampled
    from private_experts.algorithms.central import CentralAlgorithm
    from private_experts.algorithms.credited_leader import CreditedLeader, Learner
    from private_experts.algorithms.dartboard_parameters import DartboardParameters
    from private_experts.algorithms.dartboard_privacy import calibrated_parameters
    from private_experts.algorithms.decorrelation import Decorrelation
    from private_experts.algorithms.delayed import Delayed
    from private_experts.algorithms.dyadic_leader import DyadicLeader
    from private_experts.algorithms.fixed_share import FixedShare
    from private_experts.algorithms.fresh_meta import FreshMeta
    from private_experts.algorithms.fresh_scales import (
        gumbel_scales,
        scales_for_any_horizon,
        scales_for_horizon,
    )
    from private_experts.algorithms.hedge import Hedge
    from private_experts.algorithms.hedge_bounds import textbook_bound, textbook_rate
    from private_experts.algorithms.hedge_meta import HedgeMeta
    from private_experts.algorithms.interface import Algorithm
    from private_experts.algorithms.known_advice import KnownAdvice
    from private_experts.algorithms.noisy_fixed_share import NoisyFixedShare
    from private_experts.algorithms.pool_parameters import PoolParameters, pool_regret
    from private_experts.algorithms.pooled_draws import PooledDraws
    from private_experts.algorithms.prefix_ftpl import PrefixFTPL, PrefixSums
    from private_experts.algorithms.randomized_prefix import RandomizedPrefix
    from private_experts.algorithms.restarting_leader import RestartingLeader
    from private_experts.algorithms.rw_adabatch import RWAdaBatch, simulate_batches
    from private_experts.algorithms.rw_ftpl import RWFTPL
    from private_experts.algorithms.rw_meta import RWMeta
    from private_experts.algorithms.shrinking_dartboard import ShrinkingDartboard
    from private_experts.algorithms.sleeping_hedge import SleepingHedge
    from private_experts.algorithms.sleeping_softmax import SleepingSoftmax
    from private_experts.algorithms.smoothed_leader import SmoothedLeader
    from private_experts.algorithms.switching_dartboard import SwitchingDartboard
    from private_experts.algorithms.switching_softmax import SwitchingSoftmax
    from private_experts.algorithms.tree_ftpl import TreeFTPL

attach(__name__)

__all__ = [
    "RWFTPL",
    "Algorithm",
    "BernoulliResampled",
    "CentralAlgorithm",
    "CreditedLeader",
    "DartboardParameters",
    "Decorrelation",
    "Delayed",
    "DyadicLeader",
    "FixedShare",
    "FollowTheLeader",
    "FreshMeta",
    "Hedge",
    "HedgeMeta",
    "KnownAdvice",
    "Learner",
    "NoisyFixedShare",
    "PoolParameters",
    "PooledDraws",
    "PrefixFTPL",
    "PrefixSums",
    "RWAdaBatch",
    "RWMeta",
    "RandomizedPrefix",
    "RestartingLeader",
    "ShrinkingDartboard",
    "SleepingHedge",
    "SleepingSoftmax",
    "SmoothedLeader",
    "SwitchingDartboard",
    "SwitchingSoftmax",
    "TreeFTPL",
    "Uniform",
    "calibrated_parameters",
    "gumbel_scales",
    "pool_regret",
    "scales_for_any_horizon",
    "scales_for_horizon",
    "simulate_batches",
    "textbook_bound",
    "textbook_rate",
]
