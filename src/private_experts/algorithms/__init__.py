"""One algorithm per file; all share `predict` and `update` (see `interface`)."""

from private_experts.algorithms.interface import Algorithm
from private_experts.algorithms.rw_adabatch import RWAdaBatch, simulate_batches
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.algorithms.rw_meta import Decorrelation, Learner, RWMeta
from private_experts.algorithms.tree_ftpl import TreeFTPL, min_noise, min_regret
from private_experts.algorithms.yardsticks import FollowTheLeader, Uniform

__all__ = [
    "RWFTPL",
    "Algorithm",
    "Decorrelation",
    "FollowTheLeader",
    "Learner",
    "RWAdaBatch",
    "RWMeta",
    "TreeFTPL",
    "Uniform",
    "min_noise",
    "min_regret",
    "simulate_batches",
]
