"""Captions say the unit and the source, alternative texts no number typed from one run's results."""

from tests.replication.ledger.ledgers import KNOWN
from tests.replication.plotting.words import typed


def test_no_alternative_text_says_a_measured_number() -> None:
    found = {name: numbers for name, figure in KNOWN.figures.items() if (numbers := typed(figure.alt))}
    assert found == {}


def test_every_caption_says_the_unit_and_the_source() -> None:
    captions = {name: figure.caption for name, figure in KNOWN.figures.items()}
    for word in ("Unit: ", "Source: "):
        assert [name for name, caption in captions.items() if caption.count(word) != 1] == []
