"""The page is whole without anything else, can be read by everybody, and says what the privacy level means."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from examples.hospitals.coordinator import Coordinator
from examples.hospitals.page import guesses, privacy_in_words
from examples.hospitals.setting import Setting
from examples.hospitals.tokens import hashed
from tests.each import each
from tests.examples.hospitals.desk import SETTING, TOKENS, Desk, good

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


def rows(text: str) -> dict[str, list[str]]:
    """Return the text of a table's cells by the title of their row."""
    found = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', text)
    return {
        name: re.findall(r"<td>(?:<span class=.good.>)?(.*?)(?:</span>)?(?: <svg.*?)?</td>", cells)
        for name, cells in found
    }


def test_it_shows_the_choice_and_who_has_reported(desk: Desk) -> None:
    desk.report("H01", good())
    choice = desk.coordinator.choices(1)[0].hospital
    text = shown(desk)
    assert f"For week 1 the choice is <strong>{choice}</strong>." in text
    assert "There is no report yet, so the first choice is random." in text
    assert '<li><span class="good">All is well.</span></li>\n<li>Waited for: H02, H03.</li>' in text
    assert rows(text) == {
        "H01": ["1", "0.707", "0.707"], "H02": ["0", "0", "–"], "H03": ["0", "0", "–"],
        "reports": ["1", "", "1"], "level": ["", "0.707", "0.707"], "choice": ["", "", choice],
    }  # fmt: skip
    assert desk.ask("GET", "/week").told == {"week": 1, "choice": choice, "of": 4, "promise": SETTING.promise()}


def test_it_says_why_a_hospital_is_chosen(desk: Desk) -> None:
    for week in (1, 2):
        for hospital, value in zip(TOKENS, (0.25, 0.75, 0.0), strict=True):
            desk.report(hospital, good(week, value, hospital))
        desk.now += 10.0
        assert desk.coordinator.close_if_due()
    text = shown(desk)
    assert '<tr><th scope="row">H02</th><td>12 of 12 <svg' in text
    assert '<rect width="100" ' in text
    assert "The best of those that name H02 looks back 8 weeks." in text
    again = Coordinator(SETTING, desk.store)  # as after a kill
    assert again.reason() == desk.coordinator.reason()


def test_it_counts_what_was_begun_and_what_was_sent_twice(desk: Desk) -> None:
    token = {"Authorization": f"Bearer {TOKENS['H02']}"}
    assert desk.ask("POST", "/draws", b'{"week": 1, "mark": "abcdefghijklmnopqrstuvwx"}', **token).status == 200
    desk.report("H01", good())
    assert desk.report("H01", good(value=0.5)).status == 409
    table = rows(shown(desk))
    assert (table["H01"][1:], table["H02"][1:]) == (["1", "1"], ["0.707", "(0.707)"])
    assert table["level"] == ["", "1.22", "1.22"]  # as the hospital says that draws twice
    assert "Week 1 has level 1.22, more than 1: a hospital has sent two values of it." in shown(desk)
    assert "All is well" not in shown(desk)


def test_it_says_what_is_not_well(desk: Desk) -> None:
    desk.report("H01", b"{")
    for week in (1, 2, 3):
        for hospital in ("H01", "H02"):
            assert desk.report(hospital, good(week, hospital=hospital)).status == 200
        desk.now += 10.0
        assert desk.coordinator.close_if_due()
    desk.now += 10.0
    assert desk.coordinator.wait() == 0.0
    desk.now += 60.0  # the disk is full, say
    text = shown(desk)
    assert "Week 4 should have been closed 60 s ago." in text
    assert "H03 has not reported for 3 weeks." in text
    assert "H01 has not" not in text
    assert "All is well" not in text
    assert "Refused since the coordinator began: 1 with 400." in text


def test_it_says_nothing_of_a_report_but_that_it_came(desk: Desk) -> None:
    value = 0.2890625
    for hospital in TOKENS:
        desk.report(hospital, good(value=value, hospital=hospital))
    desk.now += 10.0
    desk.coordinator.close_if_due()
    for path in ("/", "/metrics", "/week"):
        text = desk.ask("GET", path).body.decode()
        assert not re.search(r"0?\.28|0?\.29|28\.9|\b29\b", text)
        assert not any(secret in text for token in TOKENS.values() for secret in (token, hashed(token)))


def test_it_says_when_all_is_over(desk: Desk) -> None:
    for _ in range(4):
        desk.now += 10.0
        desk.coordinator.close_if_due()
    text = shown(desk)
    assert "All 4 weeks are over." in text
    assert '<th scope="col">4</th>' in text
    assert '<th scope="col">5</th>' not in text


def test_it_is_accessible(desk: Desk) -> None:
    outline = Outline(shown(desk))
    assert outline.open == []
    names = [name for name, _ in outline.elements]
    assert dict(outline.elements)["html"] == {"lang": "en"}
    for name in ("title", "main", "h1"):
        assert names.count(name) == 1
    assert names.count("table") == names.count("caption") == names.count("thead") == 1
    assert [name for name in names if re.fullmatch(r"h\d", name)] == ["h1"] + ["h2"] * 4
    assert all(attributes.get("scope") in ("row", "col") for name, attributes in outline.elements if name == "th")
    wide = [attributes for _, attributes in outline.elements if attributes.get("class") == "wide"]
    assert [(each["role"], each["tabindex"]) for each in wide] == [("region", "0")]  # not every browser adds the latter
    assert not any(attributes.get("http-equiv") for _, attributes in outline.elements)  # a reader can stop what it does


def test_it_loads_nothing_and_allows_nothing_to_be_loaded(desk: Desk) -> None:
    answer = desk.ask("GET", "/")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    text = answer.body.decode()
    outline = Outline(text)
    assert not {"img", "link", "iframe"} & {name for name, _ in outline.elements}
    assert [attributes for name, attributes in outline.elements if name in ("script", "style")] == [{}, {}]
    for name in ("script", "style"):
        digest = hashlib.sha256(text.partition(f"<{name}>")[2].partition(f"</{name}>")[0].encode()).digest()
        assert f"{name}-src 'sha256-{base64.b64encode(digest).decode()}'" in policy
    assert "unsafe" not in policy
    links = [value for _, attributes in outline.elements for key, value in attributes.items() if key in ("src", "href")]
    assert links == ["/"]
    assert "url(" not in text


def test_names_are_text_and_never_code(tmp_path) -> None:
    setting = Setting({"<b>x": 80, '<img onerror="alert(1)">': 90}, 1.0, 2, 0, 1.0, 2.0)
    desk = Desk(tmp_path / "odd", setting)
    for _ in (1, 2):
        assert "<b>" not in shown(desk)
        assert "<img" not in shown(desk)
        assert shown(desk).count("&lt;b&gt;x") == shown(desk).count("b&gt;x") >= 3
        desk.now += 10.0
        desk.coordinator.close_if_due()
    desk.close()


@each(("mu", "right"), [(1.0, 0.691462), (0.5, 0.598706), (1e-6, 0.5), (4.0, 0.977250)])
def test_guesses_are_those_of_the_best_test_between_two_normal_laws(mu: float, right: float) -> None:
    assert guesses(mu) == pytest.approx(right, abs=1e-6)


def test_the_privacy_level_is_told_in_words() -> None:
    words = privacy_in_words(SETTING)
    assert "1-GDP (local)" in words
    assert "right at most 70 times in 100" in words
