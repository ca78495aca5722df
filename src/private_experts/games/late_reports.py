"""Reports that arrive some rounds after theirs. [mathematics/extensions.md#delayed]"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from private_experts.errors import InputError
from private_experts.tabular import check_rounds, is_tabular, numbers
from private_experts.validation import whole


def late(reports: Iterable[Any], delays: int | Sequence[int]) -> Iterator[Any]:
    """Yield what arrives in each round, by the round that it is of.

    Parameters
    ----------
    reports : iterable of T Reports or arrays, or a data frame
        Of each round, such as `private_reports`. Gains are in [0, 1].
    delays : int or sequence of T int
        How many rounds a report is late, at least 0: all by the same number, or each by its own. What would
        arrive after the last round does not.

    Yields
    ------
    dict
        From rounds, the first being 1, to their reports; empty when none arrives. `Delayed` takes it as it
        is.

    Examples
    --------
    >>> from private_experts.games import late
    >>> list(late("abc", 1))
    [{}, {1: 'a'}, {2: 'b'}]
    >>> list(late("abc", [2, 1, 0]))
    [{}, {}, {1: 'a', 2: 'b', 3: 'c'}]
    """
    if is_tabular(reports):
        check_rounds(reports, "late")
        reports = numbers(reports, "late")
    listed = delays.tolist() if isinstance(delays, np.ndarray) and delays.ndim else delays
    coming: dict[int, dict[int, Any]] = {}
    for number, report in enumerate(reports, start=1):
        if isinstance(listed, Sequence) and number > len(listed):
            raise InputError(
                f"late: {len(listed)} delays for more rounds: write one for each, or one for all"
            )
        delay = whole(
            listed[number - 1] if isinstance(listed, Sequence) else listed, "late", "delay", least=0
        )
        coming.setdefault(number + delay, {})[number] = report
        # Popped when its round comes: memory is as long as the delays are, and not as the game.
        yield coming.pop(number, {})
