"""Learning conditional distributions online from labels that are private before they leave their users.

The noise here is drawn from seeded generators with ordinary floating-point arithmetic: it simulates the mechanisms
and protects nobody. A deployment needs Laplace noise from a secure source on a fixed grid, which is not in this
package.
"""

from private_experts.distributions.approximate import NoisyVector
from private_experts.distributions.game import play
from private_experts.distributions.interface import Learner, Mechanism
from private_experts.distributions.long_run import play_long
from private_experts.distributions.pure import NoisyCoordinate
from private_experts.distributions.randomized_response import RandomizedResponse

__all__ = ["Learner", "Mechanism", "NoisyCoordinate", "NoisyVector", "RandomizedResponse", "play", "play_long"]
