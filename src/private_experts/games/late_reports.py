"""Reports that arrive some rounds after theirs. [mathematics/extensions.md#delayed]"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from private_experts.validation import whole


def late(reports: Iterable[Any], delays: int | Sequence[int]) -> Iterator[Any]:
    """Yield what arrives in each round, by the round that it is of.

    Parameters
    ----------
    reports : iterable of T Reports or arrays
        Of each round, such as `private_reports`.
    delays : int or sequence of T int
        How many rounds a report is late, at least 0: all by the same number, or each by its own. What would arrive
        after the last round does not.

    Yields
    ------
    dict
        From rounds, the first being 1, to their reports; empty when none arrives. `Delayed` takes it as it is.

    Examples
    --------
    >>> from private_experts.games import late
    >>> list(late("abc", 1))
    [{}, {1: 'a'}, {2: 'b'}]
    >>> list(late("abc", [2, 1, 0]))
    [{}, {}, {1: 'a', 2: 'b', 3: 'c'}]
    """
    coming: dict[int, dict[int, Any]] = {}
    for number, report in enumerate(reports, start=1):
        delay = whole(delays[number - 1] if isinstance(delays, Sequence) else delays, "late", "delay", least=0)
        coming.setdefault(number + delay, {})[number] = report
        yield coming.pop(number, {})
