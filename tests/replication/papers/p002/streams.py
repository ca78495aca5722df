"""Streams of steady and volatile actions for tests."""

from private_experts.replication.papers.p002.volatile import Volatile


def split(gap: float, spread: float, steady: int, volatile: int) -> Volatile:
    """Return volatile actions that lose 1/2 plus or minus `spread`, each half the time. The steady lose 1/2 - `gap`.

    All steady actions but the best lose a hundredth of the gap more.
    """
    return Volatile(0.5 - gap, gap / 100, gap, 0.5 - spread, 0.5 + spread, steady, volatile)
