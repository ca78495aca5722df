"""When a mutant counts as caught."""

from collections.abc import Callable, Sequence

from private_experts.errors import InputError
from private_experts.replication.ledger.evidence import Point, decide


def caught(check: Callable[[], Sequence[Point]]) -> bool:
    """Tell whether a check fails, or refuses repetitions that do not vary at all."""
    try:
        return decide(check()) == "fails"
    except InputError as refusal:
        return "repetitions are equal" in str(refusal)
