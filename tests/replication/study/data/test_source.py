import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake_interface_executor_plugins.executors.real import RealExecutor

from private_experts.errors import InputError
from private_experts.replication.study.data.source import (
    SOURCE_VARIABLE,
    Source,
    export_source,
    read_source,
    resolve,
)
from tests.each import each

EMPTY = Path("absent")
SERVICES = {"healthdata": {"dataset": "anag-cw7u"}}

# What is given: a file in the config (c), in the variable (v), offline in the config (o), by the variable (O), or
# allowed by it (a); and whether a download of healthdata.gov (k) or of Delphi (d) is cached.
DECISIONS = {
    "synthetic": {"": "synthetic", "c": "synthetic", "v": "synthetic", "cvoOk": "synthetic"},
    "file": {"": "no file", "oOk": "no file", "c": "mine", "v": "theirs", "cv": "mine", "voO": "theirs", "ck": "mine"},
    "healthdata": {
        "": "healthdata", "k": "healthdata", "cv": "healthdata", "a": "healthdata", "ok": "healthdata",
        "Ok": "healthdata", "oOk": "healthdata", "o": "offline", "O": "offline", "oO": "offline", "oa": "offline",
        "cvO": "offline",
    },
    "delphi": {
        "": "delphi", "d": "delphi", "cv": "delphi", "od": "delphi", "o": "offline", "ok": "offline", "cvO": "offline",
    },
    "auto": {
        "od": "auto", "okd": "auto",
        "": "auto", "k": "auto", "a": "auto", "ok": "auto", "Ok": "auto", "oak": "auto", "o": "synthetic",
        "O": "synthetic", "oO": "synthetic", "oa": "synthetic", "c": "mine", "v": "theirs", "cv": "mine",
        "coO": "mine", "vO": "theirs", "cvk": "mine", "vok": "theirs",
    },
}  # fmt: skip


@each(("kind", "given", "expected"), [(kind, *line) for kind, table in DECISIONS.items() for line in table.items()])
def test_the_source_is_decided_by_config_environment_and_cache(tmp_path, kind, given, expected):
    files = {"mine": tmp_path / "mine.csv", "theirs": tmp_path / "theirs.csv"}
    for path in files.values():
        path.touch()
    for letter, dataset in {"k": "anag-cw7u", "d": "covid_hosp_facility"}.items():
        cached = tmp_path / f"{dataset}-0123abcd.csv.gz"
        cached.touch() if letter in given else cached.unlink(missing_ok=True)
    environment = {"HHS_FACILITY_CSV": str(files["theirs"])} if "v" in given else {}
    environment |= {"PRIVATE_EXPERTS_OFFLINE": "1"} if "O" in given else {}
    hospital = {
        "source": kind,
        "file": str(files["mine"]) if "c" in given else None,
        "offline": "o" in given,
        **SERVICES,
    }
    # A variable that is 0 or empty forbids nothing, as one that is not set.
    for allowed in ("0", "") if "a" in given else (None,):
        variables = environment | ({} if allowed is None else {"PRIVATE_EXPERTS_OFFLINE": allowed})
        if expected in ("no file", "offline"):
            with pytest.raises(InputError, match="HHS_FACILITY_CSV" if expected == "no file" else "offline"):
                resolve(hospital, tmp_path, variables)
        else:
            assert resolve(hospital, tmp_path, variables) == (
                Source("file", files[expected]) if expected in files else Source(expected)
            )


@each("by", ["config", "variable"])
@each("kind", ["auto", "file"])
def test_a_file_that_is_given_but_missing_is_refused_rather_than_replaced(tmp_path, kind, by):
    missing = str(tmp_path / "absent.csv")
    hospital = {"source": kind, "file": missing if by == "config" else None, "offline": True, **SERVICES}
    environment = {} if by == "config" else {"HHS_FACILITY_CSV": missing}
    with pytest.raises(InputError) as caught:
        resolve(hospital, EMPTY, environment)
    assert missing in str(caught.value)
    assert "\n" not in str(caught.value)


@each("what", ["pipe", "directory", "device"])
def test_what_is_no_file_is_refused_before_its_checksum_is_made(tmp_path, what):
    # It would never end.
    path = {"pipe": tmp_path / "pipe", "directory": tmp_path, "device": Path("/dev/zero")}[what]
    if what == "pipe":
        os.mkfifo(path)
    hospital = {"source": "auto", "file": None, "offline": True, **SERVICES}
    with pytest.raises(
        InputError, match=f"{path}: is a .*; name the hospital CSV in hospital.file or HHS_FACILITY_CSV"
    ):
        resolve(hospital, EMPTY, {"HHS_FACILITY_CSV": str(path)})


@each("nothing", [None, ""])
def test_an_empty_file_name_or_variable_is_none(tmp_path, nothing):
    hospital = {"source": "auto", "file": nothing, "offline": False, **SERVICES}
    assert resolve(hospital, EMPTY, {"HHS_FACILITY_CSV": ""}) == Source("auto")


# ---------------------------------------------------------------- what jobs are told

SOURCES = [
    Source("auto"),
    Source("synthetic"),
    Source("file", Path("a b/ü.csv")),
    Source("file", Path("o'clock $1%.csv")),
]


@each("source", SOURCES)
def test_it_survives_the_way_in_which_executors_put_variables_into_commands(source):
    environment = {}
    export_source(source, environment)
    settings = SimpleNamespace(pass_envvar_declarations_to_cmd=True)
    executor = SimpleNamespace(envvars=lambda: environment, common_settings=settings)
    command = f"{RealExecutor.get_envvar_declarations(executor)} printenv {SOURCE_VARIABLE}"
    said = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout
    assert read_source({SOURCE_VARIABLE: said.removesuffix("\n")}) == source


@each("text", ["", "auto", "web:", "file:", "auto:reports.csv"])
def test_what_is_no_source_is_refused(text):
    with pytest.raises(InputError, match=f"{SOURCE_VARIABLE}: .* is not a source"):
        read_source({SOURCE_VARIABLE: text})


def test_a_job_that_was_told_nothing_does_not_guess():
    with pytest.raises(InputError, match="is not set in this job"):
        read_source({"HHS_FACILITY_CSV": "reports.csv", "PRIVATE_EXPERTS_OFFLINE": "1"})


def test_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("here.csv", "moved.csv", "other.csv")]
    for path, content in zip(paths, ("one", "one", "two"), strict=True):
        path.write_text(content)
    here, moved, other = (Source("file", path).sha256 for path in paths)
    assert here == moved != other
