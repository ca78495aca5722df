"""Alternative texts say no number that was typed from one run's results."""

from tests.each import each
from tests.replication.ledger.ledgers import KNOWN
from tests.replication.plotting.words import typed


def test_no_alternative_text_says_a_measured_number() -> None:
    found = {name: numbers for name, figure in KNOWN.figures.items() if (numbers := typed(figure.alt))}
    assert found == {}


@each(
    ("words", "numbers"),
    [
        ("It ends at 1220 rounds.", ["1", "2", "2", "0"]),
        ("It falls to a tenth, a hundred-millionth or a quarter.", ["tenth", "hundred", "millionth", "quarter"]),
        ("Six times lower, by two orders of magnitude.", ["Six", "times", "orders of magnitude"]),
        ("Between twenty and ninety-five, or a fifth.", ["twenty", "ninety", "five", "fifth"]),
        ("It rises tenfold, doubles, and ends at forty-four or fourteen.", ["tenfold", "doubles", "forty", "fourteen"]),
        ("Theorem 4.1 and Lemma 3 of Algorithm 2 lie near one; two lines.", []),
    ],
)
def test_a_number_is_told_from_a_name_and_from_how_many_lines_there_are(words: str, numbers: list[str]) -> None:
    assert typed(words) == numbers
