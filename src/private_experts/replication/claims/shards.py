"""The stage that computes a share of a long check; `spreading` says how."""

from contextlib import suppress
from typing import Annotated

from private_experts.replication.accounts import Meter
from private_experts.replication.claims.checking import asked_of, computed
from private_experts.replication.command_line import FLAGS, WILDCARD, Output
from private_experts.replication.given import Seed
from private_experts.replication.spreading import Enough, Shard, write


def shard(
    asked: Annotated[str, FLAGS],
    share: Annotated[str, WILDCARD],
    seed: Seed,
    output: Output,
) -> None:
    """Compute a share of a long check's pieces, for the job that checks the claim. It rests on no data.

    Parameters
    ----------
    asked
        The claim, as for the stage checks.
    share
        Which share of how many, such as 2-of-7.
    output
        Gets the pieces.
    """
    [entry] = asked_of(asked)
    part, meter = Shard(share), Meter(entry.pop("claim"))
    with suppress(Enough):
        computed(**entry, seed=seed, spread=part)
    write(output, part, meter.account())
