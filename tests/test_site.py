"""The checker of the site's links finds what it is there for."""

from pathlib import Path

import links


def _site(folder: Path, text: str, style: str = "") -> list[str]:
    (folder / "deep").mkdir(exist_ok=True)
    (folder / "index.html").write_text('<h1 id="top">Start</h1><a href="deep/page.html#here">page</a>')
    (folder / "deep/page.html").write_text(f'<p id="here">Here</p><a name="old"></a>{text}')
    (folder / "style.css").write_text(style)
    return links.faults(folder)


def test_good_links_are_left_alone(tmp_path: Path) -> None:
    good = '<a href="../index.html#top">1</a><a href="#old">2</a><a href="https://example.org/x#y">3</a>'
    assert _site(tmp_path, good + '<a href="../">4</a><img src="data:image/png;base64,AA==">') == []


def test_each_kind_of_fault_is_told(tmp_path: Path) -> None:
    for text, what in (
        ('<a href="../indx.html">x</a>', "deep/page.html: ../indx.html leads nowhere"),
        ('<a href="../index.html#bottom">x</a>', "../index.html#bottom leads to a place that is not there"),
        ('<a href="#there">x</a>', "#there leads to a place that is not there"),
        ('<img src="picture.png">', "picture.png leads nowhere"),
        ('<script src="https://example.org/x.js"></script>', "loads https://example.org/x.js from outside"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "loads //example.org/x.css from outside"),
    ):
        found = _site(tmp_path, text)
        assert len(found) == 1, text
        assert found[0].endswith(what)
    assert _site(tmp_path, "", "@import url('https://example.org/font.css');") == [
        "style.css: loads https://example.org/font.css from outside"
    ]


def test_a_name_that_the_search_does_not_know_is_told(tmp_path: Path) -> None:
    objects = '{"private_experts.algorithms":[[0,0,1,"","RWMeta"]]}'
    (tmp_path / "searchindex.js").write_text(
        f'Search.setIndex({{"objects":{objects},"terms":{{"Hedge":1}}}})'
    )
    assert links.unfound(tmp_path, ["RWMeta"]) == []
    assert links.unfound(tmp_path, ["RWMeta", "Hedge"]) == ["the search does not find Hedge"]
