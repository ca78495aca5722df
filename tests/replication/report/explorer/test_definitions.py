"""Every algorithm of the explorer is defined."""

from private_experts.replication.report.explorer.definitions import DEFINITIONS, definition
from private_experts.replication.study.players import Contender, contenders

KNOWN = contenders()


def test_every_contender_is_defined_and_nothing_else_is():
    assert {*DEFINITIONS} == {*KNOWN}
    assert all(text.endswith(".") for text in DEFINITIONS.values())
    assert len({*DEFINITIONS.values()}) == len(DEFINITIONS)


def test_a_learner_is_defined_by_its_name_and_a_new_player_by_what_it_promises():
    words = "A regression on the last 16 noisy reports of each hospital, with weak regularisation."
    assert definition("learner/w16-weak", KNOWN) == words
    new = Contender("stubborn", "", "nobody", "everything", "#000000", "*", ":")
    assert definition("stubborn", {"stubborn": new}) == "Keeps everything (local)."
