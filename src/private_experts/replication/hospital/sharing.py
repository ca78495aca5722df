"""How the games of a job are dealt out to others: by states, and by blocks of repetitions. Rules need no more of it."""

from private_experts.replication.spreading import blocks, shares

BLOCK = 100  # repetitions that are played together
SHARD = 12  # pieces that are worth a job of their own


def blocks_of(repetitions: int) -> list[int]:
    """Return how many repetitions each block of games has.

    Examples
    --------
    >>> blocks_of(250)
    [100, 100, 50]
    """
    return [count for count, _ in blocks(repetitions, BLOCK)]


def shares_of(states: int, repetitions: int, jobs: int) -> list[str]:
    """Return the shares of games on so many states that are worth a job each, when there may be so many jobs."""
    return shares(min(jobs, states * len(blocks_of(repetitions)) // SHARD))
