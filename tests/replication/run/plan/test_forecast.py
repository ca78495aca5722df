from pathlib import Path

import pytest

from private_experts.replication.accounts import Account
from private_experts.replication.run.plan.forecast import seconds, together
from tests.replication.run.plan.conftest import Desk


@pytest.mark.parametrize(("cores", "expected"), [(1, 13.0), (2, 7.0), (3, 6.0), (9, 6.0)])
def test_jobs_wait_for_others_and_for_cores(cores: int, expected: float) -> None:
    waits = {0: [], 1: [], 2: [], 3: [0, 1], 4: [3, 9]}  # 9 is done
    took = {0: 2.0, 1: 3.0, 2: 5.0, 3: 2.0, 4: 1.0}
    assert together(waits, took, cores) == expected


def test_nothing_takes_no_time() -> None:
    assert together({}, {}, 2) == 0


def test_times_are_those_of_the_logs_and_a_new_job_is_like_others_of_its_rule(desk: Desk) -> None:
    bold, shy, table = desk.jobs.values()
    third = bold._replace(log=str(desk.root / "logs/third/games.log"))
    for job, took in ((bold, 2.0), (shy, 4.0)):
        log = Path(job.log)
        log.parent.mkdir(parents=True)
        lines = [Account("a part", 9.0, 1.0, 80.0, 0.0).line(), Account("", took, 1.0, 80.0, 0.1).line()]
        log.write_text("\n".join(lines))
    assert seconds([bold, shy, table, third], desk.root / "logs") == [2.0, 4.0, None, 3.0]
