"""The types of arrays. Shapes are in the docstrings, as NumPy's types do not carry them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Indices = NDArray[np.intp]  # of experts, labels or rows
Actions = NDArray[Any]  # numbers of experts, in the smallest integers that hold them
Bools = NDArray[np.bool_]
Scale = float | Array  # of noise: one for all experts, or one for each, shape (n,)
