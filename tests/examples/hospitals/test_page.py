"""The page is whole without anything else, can be read by everybody, and says what the privacy level means."""

import re
from html.parser import HTMLParser

import pytest

from examples.hospitals.page import guesses, privacy_in_words
from examples.hospitals.setting import Setting
from tests.each import each
from tests.examples.hospitals.desk import SETTING, Desk, good

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Outline(HTMLParser):
    """Notes elements and their attributes, and that each is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def shown(desk: Desk) -> str:
    answer = desk.ask("GET", "/")
    assert answer.status == 200
    return answer.body.decode()


def test_it_shows_the_choice_and_the_reports(desk: Desk) -> None:
    desk.report("H01", good())
    choice = desk.coordinator.choices(1)[0].hospital
    text = shown(desk)
    assert f"For week 1 the choice is <strong>{choice}</strong>." in text
    assert f'<tr><th scope="row">1</th><td>{choice}</td><td>1 of 3</td></tr>' in text
    assert desk.ask("GET", "/week").told == {"week": 1, "choice": choice, "of": 4, "promise": SETTING.promise()}


def test_it_says_when_all_is_over(desk: Desk) -> None:
    for _ in range(4):
        desk.now += 10.0
        desk.coordinator.close_if_due()
    text = shown(desk)
    assert "All 4 weeks are over." in text
    assert '<th scope="row">5</th>' not in text


def test_it_is_accessible(desk: Desk) -> None:
    outline = Outline(shown(desk))
    assert outline.open == []
    names = [name for name, _ in outline.elements]
    assert dict(outline.elements)["html"] == {"lang": "en"}
    for name in ("title", "main", "h1", "caption", "thead"):
        assert names.count(name) == 1
    assert [name for name in names if re.fullmatch(r"h\d", name)] == ["h1", "h2", "h2"]
    assert all(attributes.get("scope") in ("row", "col") for name, attributes in outline.elements if name == "th")
    assert not any(attributes.get("http-equiv") for _, attributes in outline.elements)  # it does not change by itself


def test_it_loads_nothing_and_allows_nothing_to_be_loaded(desk: Desk) -> None:
    answer = desk.ask("GET", "/")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    outline = Outline(answer.body.decode())
    assert not {"script", "img", "link", "iframe"} & {name for name, _ in outline.elements}
    links = [value for _, attributes in outline.elements for key, value in attributes.items() if key in ("src", "href")]
    assert links == ["/"]
    assert "url(" not in answer.body.decode()


def test_names_are_text_and_never_code(tmp_path) -> None:
    setting = Setting({"<b>x": 80, "<b>y": 90}, 1.0, 2, 0, 1.0, 2.0)
    desk = Desk(tmp_path / "odd", setting)
    assert "<b>" not in shown(desk)
    assert "&lt;b&gt;" in shown(desk)
    desk.close()


@each(("mu", "right"), [(1.0, 0.691462), (0.5, 0.598706), (1e-6, 0.5), (4.0, 0.977250)])
def test_guesses_are_those_of_the_best_test_between_two_normal_laws(mu: float, right: float) -> None:
    assert guesses(mu) == pytest.approx(right, abs=1e-6)


def test_the_privacy_level_is_told_in_words() -> None:
    words = privacy_in_words(SETTING)
    assert "1-GDP (local)" in words
    assert "right at most 70 times in 100" in words
