"""Alternative texts say no number that was typed from one run's results."""

from tests.replication.ledger.ledgers import KNOWN
from tests.replication.plotting.words import typed


def test_no_alternative_text_says_a_measured_number() -> None:
    found = {name: numbers for name, figure in KNOWN.figures.items() if (numbers := typed(figure.alt))}
    assert found == {}
