"""Games that cannot be played, and files of earlier stages that are missing or garbage."""

from private_experts.replication.study import players
from tests.bad_input.desk import assert_one_line, learners
from tests.each import each


def test_games_that_cannot_be_played_also_where_there_is_nobody_to_play(refused, desk):
    empty = desk.save("week,smallest_beds\n2021-01-01,nan\n", "ZZ.csv")
    for panel in (desk.panel(), empty):
        assert "mu = " in refused(*desk.game("rw-ftpl", panel, levels=["inf", "-1"]))
        assert "repetitions" in refused(*desk.game("rw-ftpl", panel, repetitions="0"))


def test_a_panel_that_is_none_or_not_there(refused, desk):
    assert "NM.csv: is not a panel" in refused(*desk.game("rw-ftpl", desk.save(bytes(range(256)), "NM.csv")))
    for name, why in (("absent.csv", "no such file"), (".", "is a directory")):
        assert why in refused(*desk.game("rw-ftpl", desk.folder / name))


@each("again", ["NM.csv", "other/NM.csv"])
def test_two_panels_of_one_state(refused, desk, again):
    panel, second = desk.panel(), desk.folder / again
    second.parent.mkdir(exist_ok=True)
    second.write_bytes(panel.read_bytes())
    words = desk.game("rw-ftpl", panel)
    words.insert(words.index(panel) + 1, second)
    assert "--panels: NM is given twice" in refused(*words)


TABLE_2 = (
    "table-2 --totals absent.csv --panels absent.csv --provenance absent.json --output x --confidence 0.9"
)
QUALITY = "quality --quality absent.csv --provenance absent.json --output x"


def test_a_missing_file_of_an_earlier_stage(refused, desk, monkeypatch):
    monkeypatch.chdir(desk.out)
    for words, why in (
        (TABLE_2, "absent.csv: no such file"),
        (QUALITY, "absent.csv: cannot be read (No such"),
        ("summary --manifest absent.json", "absent.json: no such file"),
        ("summary --manifest .", "is a directory"),
    ):
        assert why in refused(*words.split())


@each(
    ("words", "garbage"),
    [
        (["report-facts", "--facts", "a", "--panels", "b", "--ledger"], "claims.json"),
        (["verdicts", "--counts", "a", "--ledger"], "claims.json"),
        (["summary", "--manifest"], "manifest.json"),
        (["quality", "--provenance", "provenance.json", "--output", "a", "--quality"], "quality.csv"),
    ],
)
def test_garbage_where_an_earlier_step_wrote_is_told_in_one_line(
    command, tmp_path, monkeypatch, words, garbage
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / garbage).write_bytes(b'{"claims": [\xff\x00')
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    code, error = command(*words, garbage)
    assert_one_line(code, error)
    assert f"{garbage}: is not " in error
    assert "run make reproduce again" in error
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@each(
    ("settings", "word"),
    [
        ({"learners": 3}, "needs the sections ['learners']"),
        ({"colour": {}}, "colour"),
        ({"learners": {}}, "family is missing"),
        (learners(family="arima"), "arima"),
    ],
)
def test_settings_that_the_player_does_not_ask_for(settings, word, refused, desk):
    assert word in refused(*desk.game("rw-meta", desk.panel(), settings=settings))


def test_a_player_that_plays_what_it_does_not_show(refused, desk, monkeypatch):
    monkeypatch.setattr(players.module("yardsticks"), "SHOWN", {})
    assert "which is not in its SHOWN" in refused(*desk.game("yardsticks", desk.panel()))
