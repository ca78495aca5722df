"""The checks of paper 004 on sequences of experts give their verdicts, and others when something is wrong."""

from private_experts.algorithms.switching_softmax import SwitchingSoftmax
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import sequences
from tests.each import each
from tests.replication.papers.small_checks import SEED, verdict, wrong

COUNTS = {"listed": [[5, 3, 2], [4, 2, 3]], "T": [10], "N": [2, 3], "S": [1, 3]}
FORMULAS = COUNTS | {"listed": []}
WITHOUT = FORMULAS | {"S": [0]}  # switches
LAWS = {"games": [[5, 3, 2]], "rate": [1.0], "tolerance": 1e-12}
REDUCTION = {"stream": ["turncoat", "alternating", "shifting"], "N": [4], "T": [64], "S": [1]}
REDUCTION |= {"tolerance": 1e-10}


def of_the_reduction() -> tuple[str, str]:
    """Return the verdicts on the regret, and on the program."""
    *games, law, bound = sequences.theorem_4_1(REDUCTION, SEED)
    return decide(games), decide([law, bound])


def test_sequences_their_laws_and_their_reduction_are_as_stated() -> None:
    assert verdict(sequences.sequences, COUNTS) == "holds"
    assert verdict(sequences.sequences, WITHOUT) == "holds"
    assert verdict(sequences.softmax_law, LAWS) == "holds"
    assert of_the_reduction() == ("holds", "holds")
    *games, _, _ = sequences.theorem_4_1(REDUCTION, SEED)
    assert len(games) == 3
    assert all(game.value > 0 for game in games)


@each(
    ("name", "mutant", "grid"),
    [
        ("printed_count", lambda right, t, n, s: 1, WITHOUT),
        ("printed_count", lambda right, t, n, s: (n * t) ** (2 * s) + 1, FORMULAS),
        ("count_sequences", lambda right, t, n, s: right(t + 1, n, s), COUNTS),
        ("count_sequences", lambda right, t, n, s: right(t, n, s - 1), COUNTS),
        ("count_sequences", lambda right, *game: sequences.printed_count(*game), COUNTS),  # with repeats
    ],
)
def test_another_count_is_caught(name, mutant, grid) -> None:
    with wrong(sequences, name, mutant):
        assert verdict(sequences.sequences, grid) == "fails"


class AllowsOneMore(SwitchingSoftmax):
    """Allows a switch more."""

    def __init__(self, *given, switches, **rest) -> None:
        super().__init__(*given, switches=switches + 1, **rest)


def test_another_law_is_caught() -> None:
    with wrong(sequences, "SwitchingSoftmax", AllowsOneMore):
        assert verdict(sequences.softmax_law, LAWS) == "fails"


@each(
    ("name", "mutant", "expected"),
    [
        ("exact_laws", lambda right, gains, switches, rate: right(gains, 0, rate), ("fails", "fails")),
        ("reduction_bound", 0.5, ("fails", "fails")),
        ("SwitchingSoftmax", AllowsOneMore, ("holds", "fails")),
        ("softmax_regret_bound", 1 + 1e-9, ("holds", "fails")),
    ],
)
def test_another_reduction_is_caught(name, mutant, expected) -> None:
    with wrong(sequences, name, mutant):
        assert of_the_reduction() == expected
