"""Claims recomputed in processes of their own, one of which is ended from outside."""

import os
from collections.abc import Mapping
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.verify.recomputing import Answer, Question, recompute_all
from tests.replication.ledger.ledgers import KNOWN


class Deadly(dict[str, Any]):
    """What a check is given; whoever unpacks it in another process ends."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (9,)


def test_a_process_that_is_ended_is_one_row_and_the_others_are_recomputed() -> None:
    names = ["000/tree-nodes", "000/lemma-3", "000/tree-variance", "000/tree-privacy"]
    tasks: list[tuple[Question, Mapping[str, Any] | InputError]] = [
        (Question(KNOWN.claims[name], seed=2026, quick=True), Deadly() if name == "000/lemma-3" else {})
        for name in names
    ]
    found: dict[str, Answer] = {each.question.claim.id: each for each in recompute_all(tasks, 2)}
    assert {*found} == {*names}
    assert [name for name, each in found.items() if each.crashed] == ["000/lemma-3"]
