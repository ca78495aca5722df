"""The answer to every statement in every universe.

The paper's central baseline and a stronger one are two options of one choice. So where `STRONGER` knows a statement
about the strongest central algorithm, it is the same question in another universe, and answered under the same name.
"""

from collections.abc import Sequence

import pandas as pd

from private_experts.replication.hospital.multiverse.effects import HALVES
from private_experts.replication.hospital.statements import STATEMENTS, STRONGER

PAPERS, STRONG = "the paper's", "strong"
QUESTIONS = tuple(statement for statement in STATEMENTS if statement not in STRONGER.values())


def answered(effects: pd.DataFrame, choices: Sequence[str]) -> pd.DataFrame:
    """Return one row for each question, universe and level.

    Parameters
    ----------
    effects : DataFrame
        From `effects.of_state`, of all states.
    choices : sequence of str
        The columns that hold the options of a world.

    Returns
    -------
    DataFrame
        state, block, world, the options with `variant` and `baseline` (missing where the statement is about no central
        baseline), the `statement` and the `question` that it belongs to, both by name, mu (missing for a mean over
        levels), the `answer`, the `value` and its interval, and one value for each half of the repetitions. Worlds
        without a game have no rows.
    """
    played = effects[effects["mu"].notna()]
    universe, parts = ["state", "block", "world", *choices, "variant"], []
    for question in QUESTIONS:
        stronger = STRONGER.get(question)
        for baseline, statement in {PAPERS: question, STRONG: stronger}.items() if stronger else [(None, question)]:
            halves = [f"{statement.estimate}_{half}" for half in HALVES]
            part = statement.measured_by(played, universe, halves).rename(
                columns=dict(zip(halves, HALVES, strict=True))
            )
            told = {"question": question.name, "statement": statement.name, "baseline": baseline}
            parts.append(part.assign(**told, answer=statement.answers(part["low"], part["high"])))
    return pd.concat(parts, ignore_index=True)
