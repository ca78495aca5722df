"""Snakemake's scheduler sets one timer at a time."""

import threading
from typing import Any

from snakemake.scheduling.job_scheduler import JobScheduler

from private_experts.replication.run.scheduling import calm


class Scheduler:
    """What of Snakemake's scheduler sets timers."""

    timer: Any

    def __init__(self) -> None:
        self._open_jobs = threading.Semaphore(0)

    def _schedule_reevalutation(self, delay: float) -> None:
        raise AssertionError("this sets a timer for each look")


def test_many_looks_set_one_timer_and_the_next_look_another() -> None:
    calm(Scheduler)
    scheduler = Scheduler()
    before = threading.active_count()
    for _ in range(20):
        scheduler._schedule_reevalutation(3600)
    assert threading.active_count() - before == 1
    for _ in range(2):
        scheduler.timer.function()  # an hour has passed
        assert scheduler._open_jobs.acquire(blocking=False)
        assert not scheduler._open_jobs.acquire(blocking=False)
        scheduler._schedule_reevalutation(3600)


def test_a_timer_lets_the_scheduler_look_again() -> None:
    calm(Scheduler)
    scheduler = Scheduler()
    scheduler._schedule_reevalutation(0.001)
    assert scheduler._open_jobs.acquire(timeout=10)


def test_a_timer_does_not_keep_the_program_from_ending() -> None:
    calm(Scheduler)
    scheduler = Scheduler()
    scheduler._schedule_reevalutation(3600)
    assert all(thread.daemon for thread in threading.enumerate() if isinstance(thread, threading.Timer))


def test_snakemake_has_what_is_replaced_and_another_version_is_left_alone() -> None:
    assert callable(JobScheduler._schedule_reevalutation)

    class Another:
        pass

    calm(Another)
    assert vars(Another).keys() == {*vars(type("Empty", (), {}))}
