"""How many users have which label, drawn alike on all machines."""

import numpy as np

from private_experts.arrays import Array, Ints

_BITS = 2.0**40  # kept of a probability: rounding seldom reaches so far, and no number of users can tell


def label_counts(rng: np.random.Generator, users: Ints, law: Array) -> Ints:
    """Draw multinomial counts from a law that was computed."""
    return rng.multinomial(users, without_last_bits(law))


def without_last_bits(probabilities: Array) -> Array:
    """Round the last bits away, which differ by machine.

    NumPy draws in another way for a probability above 1/2, so one that is 1/2 but for rounding would change
    all counts.
    """
    mantissa, exponent = np.frexp(probabilities)
    return np.ldexp(np.rint(mantissa * _BITS) / _BITS, exponent)
