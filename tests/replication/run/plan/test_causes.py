import json
import os
import shlex
from pathlib import Path

import pytest

from private_experts.replication.run.plan.causes import Cause, causes
from tests.replication.run.plan.conftest import LOCK, Desk

BOLD, SHY = "private_experts.players:bold", "private_experts.players:shy"


def found(desk: Desk, name: str = "bold", **changes: object) -> dict[Cause, set[str]]:
    """Return the causes of a job after changes of it."""
    job = desk.jobs[name]._replace(**changes)  # type: ignore[arg-type]
    return causes(job, desk.study(job, *(each for other, each in desk.jobs.items() if other != name)))


def of_command(desk: Desk, old: str, new: str) -> set[Cause]:
    """Return the causes of a job whose command was another."""
    job = desk.jobs["bold"]
    assert job.record
    assert job.command.count(old) == 1
    return {*found(desk, command=job.command.replace(old, new))}


def test_a_job_for_which_all_is_as_it_was_has_none_of_its_own(desk: Desk) -> None:
    for name in desk.jobs:
        assert found(desk, name) == {}
    desk.edit("private_experts/rules.py", "return max(gains)", "return max(gains)  # the largest")
    os.utime(desk.root / "data.csv")
    assert found(desk) == {}


def test_code_is_named_down_to_the_definition_and_for_those_that_reach_it_alone(desk: Desk) -> None:
    desk.edit("private_experts/rules.py", "return max(gains)", "return -max(gains)")
    assert found(desk) == {Cause("code", "private_experts.rules:best", "changed"): {BOLD}}
    assert found(desk, "shy") == found(desk, "table") == {}


def test_the_cause_is_told_again_after_further_edits_and_plans_and_not_after_a_revert(desk: Desk) -> None:
    desk.edit("private_experts/rules.py", "return max(gains)", "return -max(gains)")
    told = found(desk)
    desk.stamp()
    assert found(desk) == told
    desk.edit("private_experts/players.py", "return helped(gains)", "return helped(-gains)")
    assert found(desk) == told | {Cause("code", BOLD, "changed"): {BOLD}}
    desk.edit("private_experts/players.py", "return helped(-gains)", "return helped(gains)")
    desk.edit("private_experts/rules.py", "return -max(gains)", "return max(gains)")
    assert found(desk) == {}


def test_a_definition_that_changed_explains_those_that_it_calls_now(desk: Desk) -> None:
    desk.edit("private_experts/players.py", "return worst(gains)", "return helped(gains)")
    assert {*found(desk, "shy")} == {Cause("code", SHY, "changed")}


def test_that_what_changed_was_not_kept_is_said(desk: Desk) -> None:
    desk.edit("private_experts/rules.py", "return max(gains)", "return -max(gains)")
    for kept in (desk.root / "results/code/before/players.bold").iterdir():
        kept.unlink()
    assert found(desk) == {Cause("code", BOLD, "changed; what of it was not kept"): {BOLD}}


def test_packages_are_named_with_both_versions(desk: Desk) -> None:
    (desk.root / "requirements.lock").write_text(LOCK.replace("numpy==2.1.0", "mpmath==1\nnumpy==2.1.1"))
    desk.stamp()
    assert {*found(desk)} == {Cause("package", "numpy", "was 2.1.0, now 2.1.1"), Cause("package", "mpmath", "new, 1")}


def test_files_count_by_content(desk: Desk) -> None:
    path = desk.root / "data.csv"
    path.write_text("1,3\n")
    os.utime(path, (desk.jobs["bold"].record.ended + 1,) * 2)
    assert {*found(desk)} == {Cause("file", "data.csv", "changed")}
    inputs = [desk.jobs["bold"].inputs[0], "more.csv", "shy.csv"]  # what another job makes follows from that job
    assert {*found(desk, inputs=inputs)} == {Cause("file", "data.csv", "gone"), Cause("file", "more.csv", "new")}


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("--seed 1", "--seed 2", Cause("config", "seed", "was 1, now 2")),
        ("--seed 1", "--seed=-1", Cause("config", "seed", "was 1, now -1")),
        ("--seed 1 ", "", Cause("config", "seed", "was 1, now gone")),
        ("--columns a b", "--columns a", Cause("config", "games --columns", "was a b, now a")),
    ],
)
def test_a_flag_is_named_after_its_key(desk: Desk, old: str, new: str, cause: Cause) -> None:
    assert of_command(desk, old, new) == {cause}


def test_where_results_and_complaints_go_is_no_cause(desk: Desk) -> None:
    assert of_command(desk, "--output bold.csv", "--output other.csv") == set()
    assert of_command(desk, "2> x.log", "2> y.log") == set()


def test_settings_are_compared_key_by_key(desk: Desk) -> None:
    job = desk.jobs["bold"]
    assert job.record
    old, new = ({"learners": {"windows": [8, w], "decay": 1}} for w in (16, 32))
    then, now = (f"{job.command.partition(' 2>')[0]} --settings {shlex.quote(json.dumps(each))}" for each in (old, new))
    told = found(desk, command=now, record=job.record._replace(command=then))
    assert {*told} == {Cause("config", "learners.windows", "was [8, 16], now [8, 32]")}


def test_claims_are_compared_one_by_one(desk: Desk) -> None:
    old = [{"claim": "000/a", "grid": {"T": [1]}}, {"claim": "000/b", "grid": {}}]
    new = [{"claim": "000/a", "grid": {"T": [2]}}, {"claim": "000/c", "grid": {}}]
    then, now = (f"private-experts checks --asked {shlex.quote(json.dumps(each))}" for each in (old, new))
    job = desk.jobs["bold"]
    assert job.record
    told = found(desk, command=now, record=job.record._replace(command=then))
    assert {(cause.kind, cause.what) for cause in told} == {
        ("claim", "000/a.grid.T"),
        ("claim", "000/b"),
        ("claim", "000/c"),
    }


def test_what_is_the_matter_with_the_job_itself_is_said(desk: Desk) -> None:
    assert {*found(desk, rule_changed=True)} == {Cause("job", "the workflow calls it otherwise")}
    assert {*found(desk, record=None)} == {Cause("job", "nobody noted how its results were made")}
    Path("bold.csv").unlink()
    assert {*found(desk)} == {Cause("job", "bold.csv is missing")}
    assert {*found(desk, record=None)} == {Cause("job", "never ran")}
