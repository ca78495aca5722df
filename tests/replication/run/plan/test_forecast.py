import pytest

from private_experts.replication.run.plan.forecast import seconds, together
from tests.replication.run.plan.conftest import Desk


@pytest.mark.parametrize(("cores", "expected"), [(1, 13.0), (2, 7.0), (3, 6.0), (9, 6.0)])
def test_jobs_wait_for_others_and_for_cores(cores: int, expected: float) -> None:
    waits = {0: [], 1: [], 2: [], 3: [0, 1], 4: [3, 9]}  # 9 is done
    took = {0: 2.0, 1: 3.0, 2: 5.0, 3: 2.0, 4: 1.0}
    assert together(waits, took, cores) == expected


def test_nothing_takes_no_time() -> None:
    assert together({}, {}, 2) == 0


def test_a_job_takes_what_it_took_and_a_new_one_what_others_of_its_rule_do(desk: Desk) -> None:
    bold, shy, table = desk.jobs.values()
    third = bold._replace(log=str(desk.root / "logs/third/games.log"))
    study = desk.study(bold, shy, table, third, took={"bold/games": 2.0, "shy/games": 4.0, "third/table": 9.0})
    assert seconds(study) == [2.0, 4.0, None, 3.0]
