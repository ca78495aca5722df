"""What the reader's commands print fits the terminal, and has colours there alone."""

from dataclasses import asdict, replace

from private_experts.replication.ledger.evidence import Point
from private_experts.replication.verify import reader_report as report
from private_experts.replication.verify.recomputing import Answer, Question
from tests.replication.ledger.ledgers import KNOWN

FAILS = {"verdict": "fails"}
SURE = KNOWN.claims["000/tree-nodes"]


def test_a_claim_of_three_repetitions_has_chance_in_it():
    rows = [Point({"n": 2}, 1.0, 2.0).row()]
    record = {"verdict": "holds", "points": 1, "repetitions": 3, "seed": 5, "worst": rows[0]}
    for cap, chance in ((2, "deterministic"), (3, "3 repetitions, seed 5")):
        question = Question(replace(SURE, cap=cap), 5)
        assert f"; 1 points, {chance}, " in report.evidence(Answer(question, rows, record), None)[-1]


def test_where_a_printed_proof_alone_fails_the_terminal_says_so():
    claims = [KNOWN.claims[f"004/{name}/as-printed"] for name in ("theorem-3-1-proof", "leader-sign")]
    slips = [KNOWN.errata[claim.erratum] for claim in claims]
    entries = {claim.id: FAILS | {"erratum": asdict(slip)} for claim, slip in zip(claims, slips, strict=True)}
    listed = [line for line in report.listing(claims, entries) if "as-printed" in line]
    answers = [Answer(Question(claim, 1), [], FAILS) for claim in claims]
    told = [report.line(answer, None, slip) for answer, slip in zip(answers, slips, strict=True)]
    for lines in (listed, told):
        assert ["fails (proof)" in line for line in lines] == [True, False]
