"""Tables by cell."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd


def groups(frame: pd.DataFrame, columns: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    """Yield the parts of a table that share the values of some columns, in order, with these values."""
    for key, part in frame.groupby(list(columns), sort=False):
        yield tuple(value.item() if hasattr(value, "item") else value for value in key), part
