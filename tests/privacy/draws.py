"""Noise that shows how releases depend on its draws."""

import numpy as np


class EveryDraw:
    """Noise that is 0, but for draw number k in copy k: what copies hear is how releases depend on draws."""

    def __init__(self):
        self.drawn = 0

    def perturb(self, values, scale, repetitions):
        noisy = np.tile(values, (repetitions, 1))
        noisy[self.drawn] += scale
        self.drawn += 1
        return noisy
