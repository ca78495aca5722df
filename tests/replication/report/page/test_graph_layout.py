"""A graph is drawn from left to right, without boxes on each other or arrows through boxes, and the same every time."""

import functools
import re
from itertools import combinations, pairwise

import pytest

from private_experts.replication.ledger import graph
from private_experts.replication.report.page.graph_layout import GAP, Layout, placed
from tests.replication.ledger.ledgers import KNOWN

HEIGHT, PITCH = 30.0, 40.0
ALL = graph.arrows({name: graph.Node(name, each.rests_on) for name, each in KNOWN.claims.items()})
GRAPHS = {
    "a chain with a shortcut": [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")],
    "two parts": [("a", "b"), ("c", "d"), ("c", "e"), ("d", "e")],
    "a star": [(f"a{each}", "b") for each in range(9)],
} | {paper: [edge for edge in ALL if paper in (edge[0][:3], edge[1][:3])] for paper in KNOWN.papers}


@functools.cache
def drawn(name: str) -> Layout:
    edges = GRAPHS[name]
    return placed({each: 20.0 + 5 * len(each) for edge in edges for each in edge}, edges, HEIGHT, PITCH)


def points(path: str) -> list[tuple[float, float]]:
    """Return the points through which a path goes: they follow each M, H and C."""
    found: list[tuple[float, float]] = []
    for letter, words in re.findall(r"([MHC])([^MHC]*)", path):
        numbers = [float(word) for word in words.split()]
        found.append((numbers[0], found[-1][1]) if letter == "H" else (numbers[-2], numbers[-1]))
    return found


@pytest.mark.parametrize("name", GRAPHS)
def test_what_a_box_rests_on_is_to_its_left_and_arrows_lead_from_box_to_box(name: str) -> None:
    layout = drawn(name)
    assert len(layout.paths) == len(GRAPHS[name])
    for (one, other), path in zip(GRAPHS[name], layout.paths, strict=True):
        start, end, way = layout.boxes[one], layout.boxes[other], points(path)
        assert start.x + start.width + GAP <= end.x + 1e-6
        assert way[0] == pytest.approx((start.x + start.width, start.y + HEIGHT / 2), abs=0.01)
        assert way[-1] == pytest.approx((end.x, end.y + HEIGHT / 2), abs=0.01)


@pytest.mark.parametrize("name", GRAPHS)
def test_no_box_lies_on_another_one_or_outside_and_no_arrow_crosses_a_box(name: str) -> None:
    layout = drawn(name)
    for one, other in combinations(layout.boxes.values(), 2):
        beside = one.x + one.width <= other.x or other.x + other.width <= one.x
        assert beside or abs(one.y - other.y) >= PITCH - 1
    for box in layout.boxes.values():
        assert 0 <= box.x <= box.x + box.width <= layout.width
        assert 0 <= box.y <= box.y + HEIGHT <= layout.height
    for (one, other), path in zip(GRAPHS[name], layout.paths, strict=True):
        way = points(path)
        level = [(here, there) for here, there in pairwise(way) if here[1] == there[1]]
        for name_of, box in layout.boxes.items():
            for (left, y), (right, _) in level if name_of not in (one, other) else []:
                over = max(left, box.x) < min(right, box.x + box.width)
                assert not over or not box.y - 1 < y < box.y + HEIGHT + 1


def test_a_box_that_rests_on_nothing_stands_just_before_what_it_carries() -> None:
    boxes = placed(dict.fromkeys("abcde", 50.0), [("a", "b"), ("b", "c"), ("c", "d"), ("e", "d")], HEIGHT, PITCH).boxes
    assert boxes["e"].x == boxes["c"].x
    assert boxes["a"].x < boxes["b"].x < boxes["c"].x < boxes["d"].x


def test_a_box_with_one_neighbour_stands_beside_it() -> None:
    boxes = drawn("a star").boxes
    assert boxes["b"].y == pytest.approx(sum(boxes[f"a{each}"].y for each in range(9)) / 9, abs=1)


def test_a_graph_is_drawn_the_same_again() -> None:
    assert drawn("003") == drawn.__wrapped__("003")
