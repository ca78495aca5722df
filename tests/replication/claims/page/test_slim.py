"""Drawings in fewer bytes: what is left out. That it is not seen is tested in a browser (test_browser.py)."""

from private_experts.replication.claims.page.slim import data_uri, slim
from tests.each import each
from tests.replication.claims.page.conftest import DRAWING


def test_a_drawing_loses_what_is_not_drawn_and_less_than_a_tenth_of_a_point() -> None:
    drawn = slim(DRAWING)
    assert 'd="M.1 1.5 75 59"' in drawn
    assert 'stroke="#000000"' in drawn
    for word in ("metadata", "comment", "<?xml"):
        assert word not in drawn


def test_its_address_can_stand_between_double_quotes() -> None:
    assert not any(sign in data_uri(DRAWING) for sign in '"#&\n')


def test_it_keeps_what_it_uses_again_under_a_short_name() -> None:
    drawing = (
        '<svg xmlns:xlink="x"><defs><path id="DejaVuSans-44" d="M 0 84" transform="scale(0.015625)"/>'
        '<clipPath id="p6a5"/></defs>'
        '<g id="line2d_7"><use xlink:href="#DejaVuSans-44" transform="translate(821.703125 0) scale(0.055 -0.055)"/>'
        '<path clip-path="url(#p6a5)"/></g></svg>'
    )
    assert slim(drawing) == (
        '<svg xmlns:xlink="x"><defs><path id="a" d="M0 10" transform="scale(0.125)"/><clipPath id="b"/></defs>'
        '<use href="#a" transform="translate(821.7 0) scale(0.055 -0.055)"/><path clip-path="url(#b)"/></svg>'
    )


def test_letters_stand_at_their_places() -> None:
    letters = '<use href="#a" transform="translate(63.623046 0)"/><use href="#a" transform="translate(127.1 3.5)"/>'
    assert slim(f'<svg><path id="a" d="M 0 0"/>{letters}</svg>').count("<use") == 2
    assert '<use href="#a" x="63.6"/><use href="#a" x="127.1" y="3.5"/>' in slim(f"<svg>{letters}</svg>")


@each(
    ("steps", "written"),
    [
        ("M 1 2 L 3 -4 L -5 6", "M1 2 3-4-5 6"),
        ("M 1 2 Q 3 4 5 6 L 7 8 z", "M1 2Q3 4 5 6L7 8z"),
        ("M 100 200 Q 101 199 102 198 Q 103 197 105 195", "M100 200q1-1 2-2 1-1 3-3"),
        ("M 100.1 200.1 L 100.3 200.6", "M100.1 200.1l.2.5"),
        ("M 1 2 L 3 4 M 5 6 L 7 8", "M1 2 3 4M5 6 7 8"),
        ("M 100.1 200 L 101 199.5 L 102 199", "M100.1 200l.9-.5 1-.5"),
        ("M 100 200 L 103 200 z L 101 201 L 102 202", "M100 200L103 200zL101 201 102 202"),
    ],
)
def test_steps_are_written_as_the_shortest_that_draw_the_same(steps: str, written: str) -> None:
    assert f' d="{written}"' in slim(f'<svg><path d="{steps}"/></svg>')


def test_marks_of_one_style_get_it_from_their_group_and_others_keep_theirs() -> None:
    red, blue = (f' style="fill: {colour}; stroke: none"' for colour in ("red", "blue"))
    alike = f'<g clip-path="url(#a)"><use x="1"{red}/><use x="2"{red}/></g>'
    unlike = f'<g><use x="1"{red}/><use x="2"{blue}/></g>'
    drawn = slim(f"<svg>{alike}{unlike}</svg>")
    assert '<g clip-path="url(#a)" style="fill:red;stroke:none"><use x="1"/><use x="2"/></g>' in drawn
    assert drawn.count('style="fill:red;stroke:none"') == 2


def test_styles_that_come_often_are_classes_and_groups_that_say_nothing_are_left_out() -> None:
    style = ' style="fill: none; stroke: #b0b0b0"'
    often, seldom = (
        f'<g><path d="M 1 2"{style}/><g id="b"/><g style="x"/></g>' * 3,
        '<g id="a"><g clip-path="url(#c)"><rect style="fill: red"/></g></g>',
    )
    drawn = slim(f'<svg><defs><style type="text/css">*{{stroke-linecap: butt}}</style></defs>{often}{seldom}</svg>')
    assert "}.a{fill:none;stroke:#b0b0b0}.b{x}</style>" in drawn
    assert drawn.endswith(
        "</defs>"
        + '<path d="M1 2" class="a"/><g class="b"/>' * 3
        + '<g clip-path="url(#a)"><rect style="fill:red"/></g></svg>'
    )
