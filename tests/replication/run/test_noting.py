"""The note of a job lasts from before its beginning until the run has taken its results."""

import asyncio
from types import SimpleNamespace
from typing import Any

from snakemake.executors.local import Executor
from snakemake.persistence import PersistenceBase

from private_experts.replication.run.noting import leave_notes, note_first


def what_happens(register: Any) -> list[str]:
    """Return what an executor does with a job, in order."""
    done: list[str] = []

    class Local:
        def run_jobs(self, jobs: list[Any]) -> None:
            for job in jobs:
                self.run_job_pre(job)
                done.append("started")

        def run_job_pre(self, job: Any) -> None:
            done.append("told")

    note_first(Local)
    Local().run_jobs([SimpleNamespace(register=lambda: register(done))])
    return done


def test_a_job_is_noted_before_it_is_started() -> None:
    assert what_happens(lambda done: done.append("noted")) == ["noted", "told", "started"]


def test_a_job_begins_where_nothing_can_be_noted() -> None:
    def read_only(done: list[str]) -> None:
        raise PermissionError("a disk that can only be read")

    assert what_happens(read_only) == ["told", "started"]


def test_snakemake_has_what_is_replaced_and_another_version_is_left_alone() -> None:
    assert callable(Executor.run_job_pre)
    assert asyncio.iscoroutinefunction(PersistenceBase.finished)

    class Another:
        pass

    note_first(Another)
    leave_notes(Another)
    assert vars(Another).keys() == {*vars(type("Empty", (), {}))}


def test_a_job_leaves_its_note_to_the_main_process() -> None:
    class Records:
        async def finished(self, job: object) -> None:
            raise AssertionError("it takes the note away")

    leave_notes(Records)
    asyncio.run(Records().finished(object()))
