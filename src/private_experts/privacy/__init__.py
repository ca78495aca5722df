"""What privacy costs; knows no algorithm and no data.

`tradeoff` (curves) and `conversions` (between guarantees) are modules of their own, for they need SciPy.
"""

from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP
from private_experts.privacy.noise import Noise, SecureNoise, SimulatedNoise

__all__ = ["ApproximateDP", "GaussianDP", "Noise", "PureDP", "SecureNoise", "SimulatedNoise"]
