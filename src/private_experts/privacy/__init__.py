"""What privacy costs; knows no algorithm and no data."""

from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import Noise, SecureNoise, SimulatedNoise

__all__ = ["GaussianDP", "Noise", "SecureNoise", "SimulatedNoise"]
