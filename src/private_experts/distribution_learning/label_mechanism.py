"""What the mechanisms that report something of the label itself are made with."""

from dataclasses import KW_ONLY, dataclass

from private_experts.privacy.guarantees import PureDP, checked_pure_local, of_simulated_noise
from private_experts.validation import whole

_LARGEST = 700.0  # e^epsilon is still a number, and what it makes rare never occurs


@dataclass(frozen=True)
class LabelMechanism:
    """K distributions over M labels for T rounds, and the level of a report: all checked."""

    experts: int
    guarantee: PureDP
    _: KW_ONLY
    labels: int
    horizon: int

    def __post_init__(self) -> None:
        who = type(self).__name__
        object.__setattr__(self, "experts", whole(self.experts, who, "experts"))
        object.__setattr__(self, "labels", whole(self.labels, who, "labels", least=2))
        object.__setattr__(self, "horizon", whole(self.horizon, who, "horizon", least=2, most=None))
        object.__setattr__(
            self, "guarantee", of_simulated_noise(checked_pure_local(who, self.guarantee, _LARGEST))
        )
