"""Lines that may be shown together look different, and keep the colours that they have in figures."""

from private_experts.replication.report.explorer import looks
from private_experts.replication.study.hospital_game import LEARNER
from private_experts.replication.study.players import contenders

KNOWN = contenders()
LEARNERS = [
    f"{LEARNER}w{window}-{name}" for window in (8, 16, 32, 64) for name in ("weak", "medium", "strong")
]


def test_no_two_algorithms_look_the_same_and_contenders_keep_their_colour() -> None:
    made = looks.algorithms([*KNOWN, *LEARNERS], KNOWN)
    assert [look["name"] for look in made[: len(KNOWN)]] == [*KNOWN]
    assert len({(look["colour"], tuple(look["dashes"])) for look in made}) == len(KNOWN) + len(LEARNERS)
    assert [look["colour"] for look in made[: len(KNOWN)]] == [shown.colour for shown in KNOWN.values()]
    assert [made[0]["dashes"], looks.dashes("--"), looks.dashes((0, (1, 1)))] == [[], (9, 4), (2, 2)]
