"""How many users have which label, drawn alike on all machines."""

import numpy as np

from private_experts.arrays import Array, Ints

_BITS = 2.0**40  # kept of a probability: rounding seldom reaches so far, and no number of users can tell


def label_counts(rng: np.random.Generator, users: Ints, law: Array) -> Ints:
    """Draw multinomial counts from a law that was computed: its last bits, which differ by machine, are rounded away.

    NumPy draws in another way for a probability above 1/2, so one that is 1/2 but for rounding would change all counts.
    """
    mantissa, exponent = np.frexp(law)
    counts: Ints = rng.multinomial(users, np.ldexp(np.rint(mantissa * _BITS) / _BITS, exponent))
    return counts
