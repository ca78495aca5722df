"""The answer to every statement in every universe, and beside it the answer with each change of ours.

One change is made at a time: another algorithm in the place of the paper's, or the strong central baseline in that of
Min Noise, which answers the statement of `STRONGER` under the same name.
"""

from collections.abc import Iterator, Sequence

import pandas as pd

from private_experts.replication.study.multiverse.effects import HALVES
from private_experts.replication.study.multiverse.universe import OURS, PAPERS
from private_experts.replication.study.players.rw_meta import LABELS
from private_experts.replication.study.statements import SECOND, SECOND_LOCAL, STATEMENTS, STRONGER, Statement

PAPER, STRONG = "the paper's", "ours: strong baseline"
CHANGES = {PAPERS: PAPER} | {name: f"ours: {LABELS[name].removeprefix('RW-Meta, ')}" for name in OURS}
QUESTIONS = tuple(statement for statement in STATEMENTS if statement not in STRONGER.values())


def asked(question: Statement) -> Iterator[tuple[str, str, Statement]]:
    """Yield whose answer it is, the variant that it is about, and the statement; the paper's first."""
    yield PAPER, PAPERS, question
    if question in STRONGER:
        yield STRONG, PAPERS, STRONGER[question]
    if question not in (SECOND, SECOND_LOCAL):  # which do not speak of RW-Meta
        yield from ((CHANGES[variant], variant, question) for variant in OURS)


def answered(effects: pd.DataFrame, choices: Sequence[str]) -> pd.DataFrame:
    """Return one row for each question, universe and level, with the answer, and further ones with our changes."""
    played = effects[effects["mu"].notna()]
    universe, parts = ["state", "block", "universe", *choices], []
    for question in QUESTIONS:
        for whose, variant, statement in asked(question):
            halves = [f"{statement.estimate}_{half}" for half in HALVES]
            part = statement.measured_by(played[played["variant"] == variant], universe, halves).rename(
                columns=dict(zip(halves, HALVES, strict=True))
            )
            told = {"question": question.name, "statement": statement.name, "whose": whose}
            parts.append(part.assign(**told, answer=statement.answers(part["low"], part["high"])))
    return pd.concat(parts, ignore_index=True)


def papers(answered: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the universes themselves, without ours."""
    return answered[answered["whose"] == PAPER]
