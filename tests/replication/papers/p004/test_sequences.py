"""The checks of paper 004 on sequences of experts give their verdicts, and others when something is wrong."""

from typing import Any

import pytest

from private_experts.algorithms.sequence_weights import count_sequences
from private_experts.algorithms.switching_softmax import SwitchingSoftmax
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import sequences
from tests.replication.papers.small_checks import SEED, verdict

COUNTS = {"listed": [[5, 3, 2], [4, 2, 3]], "T": [10], "N": [2, 3], "S": [1, 3]}


def test_sequences_are_counted() -> None:
    assert verdict(sequences.sequences, COUNTS) == "holds"


def test_without_switches_the_printed_bound_is_exceeded_and_otherwise_not(put: Any) -> None:
    without = COUNTS | {"listed": [], "S": [0]}
    assert verdict(sequences.sequences, without) == "holds"
    put(sequences, "printed_count", lambda t, n, s: 1)
    assert verdict(sequences.sequences, without) == "fails"
    put(sequences, "printed_count", lambda t, n, s: (n * t) ** (2 * s) + 1)
    assert verdict(sequences.sequences, COUNTS | {"listed": []}) == "fails"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda t, n, s: count_sequences(t + 1, n, s), id="one round more"),
        pytest.param(lambda t, n, s: count_sequences(t, n, s - 1), id="one switch less"),
        pytest.param(sequences.printed_count, id="with repeats, as printed"),
    ],
)
def test_another_count_is_caught(mutant: Any, put: Any) -> None:
    put(sequences, "count_sequences", mutant)
    assert verdict(sequences.sequences, COUNTS) == "fails"


LAWS = {"games": [[5, 3, 2]], "rate": [1.0], "tolerance": 1e-12}


class AllowsOneMore(SwitchingSoftmax):
    """Allows a switch more."""

    def __init__(self, *given: Any, switches: int, **rest: Any) -> None:
        super().__init__(*given, switches=switches + 1, **rest)


def test_the_law_of_the_sequences_is_exact() -> None:
    assert verdict(sequences.softmax_law, LAWS) == "holds"


def test_another_law_is_caught(put: Any) -> None:
    put(sequences, "SwitchingSoftmax", AllowsOneMore)
    assert verdict(sequences.softmax_law, LAWS) == "fails"


REDUCTION = {
    "stream": ["turncoat", "alternating", "shifting"],
    "N": [4],
    "T": [64],
    "S": [1],
    "tolerance": 1e-10,
}


def test_the_reduction_has_the_static_bound() -> None:
    assert verdict(sequences.theorem_4_1, REDUCTION) == "holds"
    *games, _, _ = sequences.theorem_4_1(REDUCTION, SEED)
    assert len(games) == 3
    assert all(game.value > 0 for game in games)


def verdicts_of_the_reduction() -> tuple[str, str]:
    """Return the verdicts on the regret, and on the program."""
    *games, law, bound = sequences.theorem_4_1(REDUCTION, SEED)
    return decide(games), decide([law, bound])


def test_weights_on_single_experts_are_caught(put: Any) -> None:
    exact = sequences.exact_laws
    put(sequences, "exact_laws", lambda gains, switches, rate: exact(gains, 0, rate))
    assert verdicts_of_the_reduction() == ("fails", "fails")


def test_a_reduction_bound_of_half_the_size_is_caught(put: Any) -> None:
    bound = sequences.reduction_bound
    put(sequences, "reduction_bound", lambda *arguments: bound(*arguments) / 2)
    assert verdicts_of_the_reduction() == ("fails", "fails")


def test_a_program_with_another_law_or_bound_is_caught(put: Any) -> None:
    put(sequences, "SwitchingSoftmax", AllowsOneMore)
    assert verdicts_of_the_reduction() == ("holds", "fails")
    put(sequences, "SwitchingSoftmax", SwitchingSoftmax)
    bound = sequences.softmax_regret_bound
    put(sequences, "softmax_regret_bound", lambda *arguments: (1 + 1e-9) * bound(*arguments))
    assert verdicts_of_the_reduction() == ("holds", "fails")
