"""Claims recomputed in processes of their own, one of which is ended from outside."""

import os
from pathlib import Path
from typing import Any

from private_experts.replication.ledger.ledger import Claim
from private_experts.replication.verify.last_run import LastRun
from private_experts.replication.verify.recomputing import CRASHED, Question, recompute_all
from tests.replication.ledger.ledgers import KNOWN


class Deadly(LastRun):
    """A run that ends the process which asks it for the results of one claim."""

    def inputs_of(self, claim: Claim) -> dict[str, Any]:
        if claim.id == "000/lemma-3":
            os._exit(9)
        return super().inputs_of(claim)


def test_a_process_that_is_ended_leaves_an_answer_for_each_claim() -> None:
    names = ["000/tree-nodes", "000/lemma-3", "000/tree-variance", "000/tree-privacy"]
    questions = [Question(KNOWN.claims[name], seed=2026, quick=True) for name in names]
    found = {
        answer.question.claim.id: answer
        for answer in recompute_all(questions, Deadly(Path(), Path("none")), 2)
    }
    assert {*found} == {*names}
    assert found["000/lemma-3"].verdict == CRASHED
    assert "BrokenProcessPool" in found["000/lemma-3"].record["reason"]
