"""What several tests compute from the same arguments is computed once."""

import functools
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np


def remembered(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that computes nothing twice; arrays and lists count by what they hold.

    For functions that depend on their arguments alone, and on nothing that a test replaces.
    """
    known: dict[bytes, Any] = {}

    @functools.wraps(function)
    def found(*given: Any, **named: Any) -> Any:
        key = pickle.dumps((given, named))
        if key not in known:
            known[key] = function(*given, **named)
            for each in known[key] if isinstance(known[key], tuple | list) else [known[key]]:
                if isinstance(each, np.ndarray):
                    each.flags.writeable = False  # all who ask get the same array
        return known[key]

    return found
