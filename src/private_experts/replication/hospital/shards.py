"""The stage that plays a share of the games of a player; `spreading` says how."""

from contextlib import suppress
from typing import Annotated

from private_experts.replication.accounts import Meter
from private_experts.replication.command_line import FLAGS, WILDCARD, Output
from private_experts.replication.given import Adjacency, Panels, PrivacyLevels, Reach, Repetitions, Seed
from private_experts.replication.spreading import Enough, Shard, write


def game_shard(
    algorithm: Annotated[str, WILDCARD],
    share: Annotated[str, WILDCARD],
    panels: Panels,
    output: Output,
    privacy_levels: PrivacyLevels,
    repetitions: Repetitions,
    seed: Seed,
    adjacency: Adjacency = "move",
    reach: Reach = 1.0,
    settings: Annotated[str, FLAGS] = "{}",
) -> None:
    """Play a share of the games of a player, for the job that records all of them.

    Parameters
    ----------
    algorithm
        A module of hospital/players, such as rw-meta.
    share
        Which share of how many, such as 2-of-7.
    output
        Gets the plays.
    settings
        The sections of the config that the player asks for, as JSON.
    """
    from private_experts.replication.hospital import game_blocks

    part, meter, asked = Shard(share), Meter(), game_blocks.asked_of(algorithm, panels, settings)
    with suppress(Enough):
        list(game_blocks.plays(algorithm, panels, privacy_levels, repetitions, seed, adjacency, reach, asked, part))
    write(output, part, meter.account(), panels)
