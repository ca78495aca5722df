"""Numbers as people read them."""

from private_experts.replication.plotting.numbers import factor, rounds
from tests.each import each


@each(("ratio", "said"), [(0.0321, "0.032"), (0.5, "0.5"), (1.04, "1.0"), (8.16, "8.2"), (9.97, "10"), (131.2, "131")])
def test_a_factor_has_two_digits_or_so(ratio, said):
    assert factor(ratio) == said


@each(
    ("count", "said"),
    [(10**11, "10¹¹"), (1e5, "10⁵"), (1000, "1000"), (20000, "20\u202f000"), (110000, "110\u202f000")],
)
def test_powers_of_ten_are_told_as_such(count, said):
    assert rounds(count) == said
