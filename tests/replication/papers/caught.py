"""When a mutant counts as caught."""

from collections.abc import Callable, Sequence

from private_experts.errors import InputError
from private_experts.replication.ledger.evidence import Point, decide


def refuses_equal(raised: BaseException) -> bool:
    """Tell whether an error refuses repetitions that do not vary at all."""
    return isinstance(raised, InputError) and "repetitions are equal" in str(raised)


def caught(check: Callable[[], Sequence[Point]]) -> bool:
    """Tell whether a check fails, or refuses repetitions that do not vary at all."""
    try:
        return decide(check()) == "fails"
    except InputError as refusal:
        return refuses_equal(refusal)
