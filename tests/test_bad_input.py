"""Whatever a user does wrong: one line on standard error, exit code 2, no traceback, and no file half written."""

import copy
import errno
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from private_experts.errors import told_in_one_line
from private_experts.replication.run import config as configuration

HEADER = "hospital_pk,collection_week,state,patients,beds\n"
WEEKS = ("2021-01-01", "2021-01-08", "2021-01-15")
GOOD = HEADER + "".join(
    f"{pk},{week},NM,{patients}.5,{beds}\n" for pk, patients, beds in (("010001", 60, 80), ("010002", 40, 90))
    for week in WEEKS
)  # fmt: skip
ALGORITHMS = ["rw-ftpl", "rw-meta", "tree-ftpl", "yardsticks"]
OLD = b"what an earlier run wrote\n"


def assert_one_line(code, error):
    assert code == 2
    assert "Traceback" not in error
    assert error.startswith("private-experts: ")
    assert error.endswith("\n")
    assert error.count("\n") == 1


class Desk:
    """A folder with inputs and, in a folder of its own, what earlier runs wrote."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"
        for name in ("reports.csv", "provenance.json", "panels/NM.csv", "quality.csv", "totals.csv", "curves.csv"):
            path = self.out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(OLD)

    def save(self, content, name="input.csv") -> Path:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def files(self) -> dict[str, bytes]:
        return {str(path.relative_to(self.out)): path.read_bytes() for path in self.out.rglob("*") if path.is_file()}

    def reports(self, path, *more, source="file"):
        words = ["reports", "--source", source, "--columns", "patients", "beds", "--output", self.out / "reports.csv"]
        return [*words, *(["--file", path] if path else []), "--provenance", self.out / "provenance.json", *more]

    def panels(self, path, *more, states=("NM",), required=("NM",)):
        words = ["panels", "--reports", path, "--states", *states, "--required", *required]
        words += ["--patients", "patients", "--beds", "beds", "--participation", "patients"]
        return [*words, "--folder", self.out / "panels", "--quality", self.out / "quality.csv", *more]

    def game(
        self, algorithm, panel, *more, levels=("1",), repetitions="3", seed="1", windows=("2",), strengths=("a=1",)
    ):
        words = [algorithm, "--panel", panel, "--state", "NM", "--privacy-levels", *levels]
        words += ["--repetitions", repetitions, "--seed", seed]
        words += ["--windows", *windows, "--strengths", *strengths] if algorithm == "rw-meta" else []
        return [*words, "--totals", self.out / "totals.csv", "--curves", self.out / "curves.csv", *more]

    def panel(self) -> Path:
        figures = [(week, 80.0, 0.75, 0.25) for week in WEEKS]
        rows = ["week,smallest_beds,010001,010002", *(",".join(map(str, row)) for row in figures)]
        return self.save("\n".join(rows) + "\n", "NM.csv")


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


@pytest.fixture
def refused(command, desk):
    """Run a command in vain; the earlier run's files must be untouched and nothing else be left. Give the line."""

    def run(*words: object) -> str:
        before = desk.files()
        code, error = command(*words)
        assert_one_line(code, error)
        assert desk.files() == before
        return error

    return run


def test_good_input_is_not_refused(command, desk):
    # Else everything below would pass for the wrong reason.
    path, panel = desk.save(GOOD), desk.panel()
    for words in (desk.reports(path), desk.panels(path), *(desk.game(name, panel) for name in ALGORITHMS)):
        assert command(*words) == (0, "")
    assert all(content != OLD for content in desk.files().values())


# ---------------------------------------------------------------- the file of reports


@pytest.fixture(params=["reports", "panels"])
def reading(request, desk):
    """Give the two commands that read reports."""
    return getattr(desk, request.param)


def test_a_missing_file(refused, reading, tmp_path):
    assert "absent.csv: no such file" in refused(*reading(tmp_path / "absent.csv"))


def test_a_directory(refused, reading, tmp_path):
    assert "directory" in refused(*reading(tmp_path))


def test_a_name_that_no_file_can_have(refused, reading, tmp_path):
    refused(*reading(tmp_path / ("x" * 300)))


def test_a_file_that_may_not_be_read(refused, reading, desk, monkeypatch):
    # Simulated, because the superuser may read everything.
    path, opened = desk.save(GOOD), Path.open

    def forbidden(self, *arguments, **more):
        if self == path:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))
        return opened(self, *arguments, **more)

    monkeypatch.setattr(Path, "open", forbidden)
    error = refused(*reading(path))
    assert "Permission denied" in error
    assert str(path) in error


@pytest.mark.parametrize("end", [1, 6, 40, -4])
def test_a_truncated_gzip_file(refused, reading, desk, end):
    content = gzip.compress((GOOD + "".join(f"{i:06d},2021-01-01,CA,1,2\n" for i in range(500))).encode())
    assert "input.csv.gz" in refused(*reading(desk.save(content[:end], "input.csv.gz")))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_web_page_instead_of_csv(refused, reading, desk, pack):
    page = b"<!DOCTYPE html>\n<html><body>Please log in</body></html>\n"
    assert "web page" in refused(*reading(desk.save(pack(page))))


@pytest.mark.parametrize("garbage", [b"", b"\x00" * 500, bytes(range(256)) * 20, b"PK\x03\x04" + bytes(500)])
def test_something_else_altogether(refused, reading, desk, garbage):
    refused(*reading(desk.save(garbage)))


@pytest.mark.parametrize("column", ["hospital_pk", "collection_week", "state"])
def test_a_file_without_an_identity_column(refused, reading, desk, column):
    assert f"column {column} is missing" in refused(*reading(desk.save(GOOD.replace(column, "other"))))


@pytest.mark.parametrize("purpose", ["patients", "beds", "participation"])
def test_a_file_without_the_figures(refused, desk, purpose):
    error = refused(*desk.panels(desk.save(GOOD), f"--{purpose}", "not_there", "nor_this"))
    assert f"hospital.columns.{purpose}: the data has none of not_there, nor_this" in error


@pytest.mark.parametrize("cell", ["sixty", "6O.5", "inf", "NaN", '"1,000"'])
def test_a_cell_that_is_not_a_number(refused, reading, desk, cell):
    error = refused(*reading(desk.save(GOOD.replace("60.5", cell, 1))))
    assert "row 2, column patients" in error


@pytest.mark.parametrize("date", ["2021-02-30", "08.01.2021", "", "2021-01-01 or so"])
def test_a_cell_that_is_not_a_date(refused, reading, desk, date):
    assert "row 2, column collection_week" in refused(*reading(desk.save(GOOD.replace(WEEKS[0], date, 1))))


def test_a_file_without_rows(refused, reading, desk):
    assert "no rows" in refused(*reading(desk.save(HEADER)))


# ---------------------------------------------------------------- what the reports say


def test_an_unknown_state(refused, desk):
    error = refused(*desk.panels(desk.save(GOOD), states=("NM", "ZZ"), required=("NM", "ZZ")))
    assert "ZZ is not in the data; it has NM" in error


def test_a_state_with_one_hospital(refused, desk):
    one = HEADER + "".join(line + "\n" for line in GOOD.splitlines() if line.startswith("010001"))
    assert "NM has 1 hospital" in refused(*desk.panels(desk.save(one)))


def test_a_state_whose_hospitals_are_all_left_out(refused, desk):
    error = refused(*desk.panels(desk.save(GOOD), "--participation-minimum", "1000"))
    assert "NM has 0 hospital" in error
    assert "2 hardly take part" in error


def test_a_week_twice_with_different_figures(refused, desk):
    error = refused(*desk.panels(desk.save(GOOD + f"010002,{WEEKS[1]},NM,7,90\n")))
    assert all(word in error for word in ("NM", "010002", WEEKS[1]))


@pytest.mark.parametrize("beds", ["-999999", "0", "-80", ""])
def test_a_state_without_a_positive_bed_count(refused, desk, beds):
    error = refused(*desk.panels(desk.save(GOOD.replace(",80\n", f",{beds}\n").replace(",90\n", f",{beds}\n"))))
    assert "NM" in error
    assert "beds" in error


def all_patients(figure):
    return GOOD.replace("60.5", figure).replace("40.5", figure)


@pytest.mark.parametrize("figure", ["", "-5"])
def test_a_state_without_any_patient_figure(refused, desk, figure):
    error = refused(*desk.panels(desk.save(all_patients(figure)), "--participation-minimum", "0"))
    assert "NM: column patients has no usable figure" in error


def test_all_figures_suppressed(refused, desk):
    everything = all_patients("-999999").replace(",80\n", ",-999999\n").replace(",90\n", ",-999999\n")
    assert "NM" in refused(*desk.panels(desk.save(everything), "--participation-minimum", "0"))


def test_all_patient_figures_suppressed_leaves_nobody_who_takes_part(refused, desk):
    assert "2 hardly take part" in refused(*desk.panels(desk.save(all_patients("-999999"))))


def test_all_patient_figures_suppressed_is_fine_when_nobody_has_to_take_part(command, desk):
    assert command(*desk.panels(desk.save(all_patients("-999999")), "--participation-minimum", "0")) == (0, "")
    assert desk.files()["panels/NM.csv"].splitlines()[1] == f"{WEEKS[0]},80.0,0.025,{2 / 90!r}".encode()


def test_no_week_in_the_window(refused, desk):
    assert "2021-01-01 to 2021-01-15" in refused(*desk.panels(desk.save(GOOD), "--first-week", "2022-01-01"))


@pytest.mark.parametrize("figures", [",", "-999999,-999999", "5,0", "-1,4"])
def test_an_unusable_state_that_nobody_requires_does_not_stop_the_others(command, desk, figures):
    # The study of all states must not end because a territory's only hospital tells nothing.
    reports = desk.save(GOOD + f"640001,{WEEKS[0]},AS,{figures}\n")
    assert command(*desk.panels(reports, states=("NM", "AS", "ZZ"), required=("NM",))) == (0, "")
    files = desk.files()
    assert files["panels/AS.csv"].splitlines()[0] == files["panels/ZZ.csv"].splitlines()[0] == b"week,smallest_beds"
    assert len(files["quality.csv"].splitlines()) == 4
    for algorithm in ALGORITHMS:  # and a game without players is over at once
        assert command(*desk.game(algorithm, desk.out / "panels" / "AS.csv")) == (0, "")
        assert len(desk.files()["totals.csv"].splitlines()) == 1


# ---------------------------------------------------------------- where the reports come from


def test_a_source_that_lacks_what_it_needs(refused, desk):
    assert "--file" in refused(*desk.reports(None))
    assert "--cache" in refused(*desk.reports(None, source="healthdata"))
    assert "no state" in refused(*desk.reports(None, source="synthetic"))


@pytest.mark.parametrize(
    ("more", "word"),
    [
        (["--states", "ZZ"], "'ZZ'"),
        (["--states", "NM", "--weeks", "0"], "weeks is 0"),
        (["--states", "NM", "--seed", "-1"], "seed is -1"),
    ],
)
def test_synthetic_reports_that_cannot_be_made_up(refused, desk, more, word):
    assert word in refused(*desk.reports(None, *more, source="synthetic"))


@pytest.mark.parametrize("query", ["{", "[1]", "{}", '{"dataset": "anag-cw7u", "colour": "blue"}'])
def test_a_query_that_is_none(refused, desk, query):
    more = ["--cache", desk.folder / "cache.csv.gz", "--query", query]
    assert "query" in refused(*desk.reports(None, *more, source="healthdata"))


# ---------------------------------------------------------------- games


@pytest.mark.parametrize("levels", [["0"], ["-1"], ["nan"], ["-0.5"], ["1", "0"], ["inf", "-1"]])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_privacy_level_that_is_not_positive(refused, desk, algorithm, levels):
    assert "mu = " in refused(*desk.game(algorithm, desk.panel(), levels=levels))


@pytest.mark.parametrize("level", ["0", "-1", "nan"])
def test_a_privacy_level_that_is_not_positive_where_there_is_nobody_to_play(refused, desk, level):
    empty = desk.save("week,smallest_beds\n2021-01-01,nan\n", "ZZ.csv")
    assert "mu = " in refused(*desk.game("rw-ftpl", empty, levels=[level]))


@pytest.mark.parametrize(("option", "value"), [("repetitions", "0"), ("repetitions", "-1"), ("seed", "-1")])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_numbers_that_are_too_small(refused, desk, algorithm, option, value):
    assert option in refused(*desk.game(algorithm, desk.panel(), **{option: value}))


@pytest.mark.parametrize("windows", [["0"], ["-1"], ["2", "0"]])
def test_a_window_without_weeks(refused, desk, windows):
    assert "window" in refused(*desk.game("rw-meta", desk.panel(), windows=windows))


@pytest.mark.parametrize("strength", ["a=0", "a=-1", "a=nan", "a=inf"])
def test_a_prior_that_is_none(refused, desk, strength):
    assert "strength" in refused(*desk.game("rw-meta", desk.panel(), strengths=[strength]))


BAD_PANELS = {
    "empty": "",
    "header alone": "week,smallest_beds,010001,010002\n",
    "reports": GOOD,
    "a web page": "<html>\n<b>a,b</b>\n",
    "cut short": f"week,smallest_beds,010001,010002\n{WEEKS[0]},80.0,0.75,0.25\n{WEEKS[1]},80.0,0.7",
    "gzipped": gzip.compress(GOOD.encode()),
    "garbage": bytes(range(256)),
    "no beds": f"week,smallest_beds,010001,010002\n{WEEKS[0]},0.0,0.75,0.25\n",
    "not a density": f"week,smallest_beds,010001,010002\n{WEEKS[0]},80.0,nan,0.25\n",
}


@pytest.mark.parametrize("content", BAD_PANELS.values(), ids=BAD_PANELS)
@pytest.mark.parametrize("algorithm", ["rw-ftpl", "yardsticks"])
def test_a_panel_that_is_none(refused, desk, algorithm, content):
    assert "NM.csv" in refused(*desk.game(algorithm, desk.save(content, "NM.csv")))


@pytest.mark.parametrize("name", ["absent.csv", ".", "x" * 300])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_panel_that_is_not_there(refused, desk, algorithm, name):
    assert str(desk.folder) in refused(*desk.game(algorithm, desk.folder / name))


@pytest.mark.parametrize("command_line", [
    ["table-2", "--totals", "absent.csv", "--panels", "absent.csv", "--provenance", "absent.json", "--output", "x"],
    ["quality", "--quality", "absent.csv", "--provenance", "absent.json", "--output", "x"],
    ["summary", "--manifest", "absent.json"],
    ["summary", "--manifest", "."],
])  # fmt: skip
def test_a_missing_file_of_an_earlier_stage(refused, desk, monkeypatch, command_line):
    monkeypatch.chdir(desk.out)
    refused(*command_line)


# ---------------------------------------------------------------- the command line itself


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["rw-fptl"], "rw-fptl"),
        (["rw-meta", "--family", "arima"], "arima"),
        (["rw-ftpl", "--adjacency", "moved"], "moved"),
        (["rw-ftpl", "--privacy-levels", "one"], "one"),
        (["rw-ftpl", "--repetitions", "2.5"], "2.5"),
        (["rw-meta", "--strengths", "weak"], "weak"),
        (["rw-meta", "--strengths", "=1"], "=1"),
        (["rw-meta", "--strengths", "a,b=1"], "a,b=1"),
        (["reports", "--source", "web"], "web"),
        (["summary", "--colour", "blue"], "--colour"),
        ([], "COMMAND"),
    ],
)
def test_words_that_mean_nothing_are_named_after_the_usage(command, words, wrong):
    code, error = command(*words)
    assert code == 2
    assert "Traceback" not in error
    usage, *_, last = error.splitlines()
    assert usage.startswith("usage: private-experts")
    assert "error: " in last
    assert wrong in last


def test_an_unknown_algorithm_is_answered_with_the_known_ones(command):
    _, error = command("rw-fptl")
    assert all(name in error.splitlines()[-1] for name in ALGORITHMS)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"repetition": 5}, "unknown key 'repetition'; did you mean 'repetitions'?"),
        ({"privacy_levels": [0]}, "privacy_levels.0: 0 is not allowed; write a number above 0"),
        ({"learners": {"family": "arima"}}, "learners"),
    ],
)
def test_a_misspelt_config_is_told_like_any_other_bad_input(capsys, change, words):
    folder = Path(__file__).parents[1] / "config"
    config = copy.deepcopy(yaml.safe_load((folder / "study.yaml").read_text(encoding="utf-8")))
    with pytest.raises(SystemExit) as end, told_in_one_line():
        configuration.check(config | change, folder / "schema.yaml")
    error = capsys.readouterr().err
    assert_one_line(end.value.code, error)
    assert words in error


# ---------------------------------------------------------------- outputs


def three_stages(desk):
    return desk.reports(desk.save(GOOD)), desk.panels(desk.save(GOOD)), desk.game("rw-ftpl", desk.panel())


@pytest.mark.parametrize("stage", range(3), ids=["reports", "panels", "game"])
def test_an_output_below_a_regular_file(refused, desk, stage):
    words = three_stages(desk)[stage]
    blocked = desk.save("not a folder", "blocked")
    moved = [blocked / word.relative_to(desk.out) if str(word).startswith(str(desk.out)) else word for word in words]
    assert "cannot be written" in refused(*moved)
    assert blocked.read_text() == "not a folder"


@pytest.mark.parametrize(("stage", "option"), [(0, "--output"), (2, "--totals")], ids=["reports", "game"])
def test_an_output_that_is_a_folder(refused, desk, stage, option):
    words = three_stages(desk)[stage]
    words[words.index(option) + 1] = desk.out / "panels"
    assert "cannot be written" in refused(*words)


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("stage", range(3), ids=["reports", "panels", "game"])
def test_a_disk_that_is_full_after_some_writes(command, desk, monkeypatch, stage, number):
    words = three_stages(desk)[stage]
    assert command(*words) == (0, "")
    whole = desk.files()
    for name in whole:
        (desk.out / name).write_bytes(OLD)
    written, write = [], Path.write_text

    def full(self, text, *arguments, **more):
        written.append(self)
        if len(written) < number:
            return write(self, text, *arguments, **more)
        write(self, text[: len(text) // 2], *arguments, **more)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", full)
    code, error = command(*words)
    assert_one_line(code, error)
    assert "No space left on device" in error
    found = desk.files()
    assert found.keys() == whole.keys()  # nothing written aside is left
    changed = [name for name, content in found.items() if content != OLD]
    assert len(changed) == number - 1
    assert all(found[name] == whole[name] for name in changed)  # each file is whole, the old or the new


def run_in_a_process(desk, words, before=""):
    program = f"import sys; {before}\nfrom private_experts.replication.cli import main\nsys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-B", "-c", program, *map(str, words)],
        capture_output=True,
        text=True,
        cwd=desk.folder,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("stage", range(3), ids=["reports", "panels", "game"])
def test_a_file_that_may_not_grow(desk, stage):
    pytest.importorskip("resource", reason="limits of file sizes are a matter of Unix")
    before = desk.files()
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))"
    done = run_in_a_process(desk, three_stages(desk)[stage], limit)
    assert_one_line(done.returncode, done.stderr)
    assert "cannot be written" in done.stderr
    assert desk.files() == before


def test_a_process_of_its_own_ends_with_one_line_too(desk):
    before = desk.files()
    done = run_in_a_process(desk, desk.panels(desk.folder / "absent.csv"))
    assert_one_line(done.returncode, done.stderr)
    assert done.stdout == ""
    assert desk.files() == before


def test_a_process_of_its_own_is_silent_when_all_goes_well(desk):
    for words in three_stages(desk):
        done = run_in_a_process(desk, words)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert json.loads(desk.files()["provenance.json"])["kind"] == "file"


@pytest.mark.parametrize(
    ("words", "garbage"),
    [
        (
            ["claims-tex", "--output", "a", "--errata", "b", "--pictures", "c", "--facts", "d", "--ledger"],
            "claims.json",
        ),
        (["verdicts", "--output", "a", "--ledger"], "claims.json"),
        (["summary", "--manifest"], "manifest.json"),
        (["quality", "--provenance", "provenance.json", "--output", "a", "--quality"], "quality.csv"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_garbage_where_an_earlier_step_wrote_is_told_in_one_line(command, tmp_path, monkeypatch, words, garbage):
    monkeypatch.chdir(tmp_path)
    (tmp_path / garbage).write_bytes(b'{"claims": [\xff\x00')
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    code, error = command(*words, garbage)
    assert_one_line(code, error)
    assert f"{garbage}: is no " in error
    assert "run make reproduce again" in error
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
