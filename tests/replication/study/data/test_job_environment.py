"""A job is told where the reports come from, and never finds out by itself."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake_interface_executor_plugins.executors.real import RealExecutor

from private_experts.errors import InputError
from private_experts.replication.study.data.job_environment import SOURCE_VARIABLE, export_source, read_source
from private_experts.replication.study.data.source import Source
from tests.each import each

SOURCES = [
    Source("auto"),
    Source("synthetic"),
    Source("file", Path("a b/ü.csv")),
    Source("file", Path("o'clock $1%.csv")),
]


@each("source", SOURCES)
def test_what_was_handed_on_is_received(source):
    environment = {"HHS_FACILITY_CSV": "other.csv", SOURCE_VARIABLE: "of another run"}
    export_source(source, environment)
    assert read_source(environment) == source
    assert environment["HHS_FACILITY_CSV"] == "other.csv"


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
