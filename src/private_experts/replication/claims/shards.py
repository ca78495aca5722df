"""The stage that computes a share of a long check; `spreading` says how."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

from private_experts.replication.accounts import Meter
from private_experts.replication.claims.checking import asked_of, computed, rests_on
from private_experts.replication.command_line import FLAGS, WILDCARD, Output
from private_experts.replication.given import Panels, Seed
from private_experts.replication.spreading import Enough, Shard, write


def shard(
    asked: Annotated[str, FLAGS],
    share: Annotated[str, WILDCARD],
    seed: Seed,
    output: Output,
    panels: Panels = (),
    table: Path | None = None,
    provenance: Path | None = None,
) -> None:
    """Compute a share of a long check's pieces, for the job that checks the claim.

    Parameters
    ----------
    asked
        The claim, as for the stage checks.
    share
        Which share of how many, such as 2-of-7.
    output
        Gets the pieces.
    table
        Table 2 as CSV, for claims about it.
    provenance
        Where the data comes from, for claims about data.
    """
    [entry] = asked_of(asked)
    part, meter = Shard(share), Meter(entry.pop("claim"))
    with suppress(Enough):
        computed(**entry, seed=seed, panels=panels, table=table, provenance=provenance, spread=part)
    write(output, part, meter.account(), rests_on(panels, table))
