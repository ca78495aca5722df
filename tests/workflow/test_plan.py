"""What the plan says of a run, beside what Snakemake itself would do."""

import re
from collections import Counter

from tests.workflow.conftest import Asking, DryRun, Job, Project, edited
from tests.workflow.expected import AFTER_GAMES, LEARNED, PACKAGE, of
from tests.workflow.test_reruns_of_code import HARMLESS, REAL


def counted(said: str) -> Counter[str]:
    """Return how many jobs of each rule a plan says would run."""
    table = said.partition("What would run")[2].partition("\n\n")[0]
    return Counter({rule: int(count) for rule, count in re.findall(r"^  (\w+) +(\d+) ", table, re.MULTILINE)})


def rules(jobs: set[Job]) -> Counter[str]:
    """Return how many jobs of each rule there are, as a plan counts them."""
    return Counter(re.sub("^(checks|claim_figures)_.*", r"\1", job.rule) for job in jobs if job.rule != "all")


def test_nothing_would_run_after_a_comment(project: Project, asking: Asking, everything: set[Job]) -> None:
    file, old, new = HARMLESS["a comment"]
    with edited(project / PACKAGE / file, old, new):
        said = asking(project, "plan", ours=True)
    assert said == f"Nothing would run: all {len(everything) - 1} jobs stay.\n"


def test_an_edit_is_told_with_its_place_and_the_ways_to_it_and_told_again(
    project: Project, asking: Asking, dry_run: DryRun, everything: set[Job]
) -> None:
    file, old, new, follow = REAL["Decorrelation"]
    with edited(project / PACKAGE / file, old, new):
        source = (project / PACKAGE / file).read_text(encoding="utf-8").splitlines()
        line = 1 + source.index("class Decorrelation:")
        said = asking(project, "plan", "--cores", "2", "--every", ours=True)
        again = asking(project, "plan", "--cores", "2", "--every", ours=True)
        redone = dry_run(project)
    assert redone == of(everything, follow)
    assert counted(said) == rules(redone)
    assert f"  1  {PACKAGE}/{file}:{line}  Decorrelation: changed\n" in said
    assert "\n  2  " not in said
    assert "     games: hospital.players.rw_meta:play > VARIANTS > algorithms.rw_meta:Decorrelation\n" in said
    assert re.search(rf"^{len(redone) - 1} of {len(everything) - 1} jobs would run, for about .* s on 2 cores", said)
    assert again == said


def test_a_changed_key_is_told_with_both_values_and_a_new_version_with_its_package(
    project: Project, asking: Asking, everything: set[Job]
) -> None:
    said = asking(project, "plan", config={"learners": {"windows": [8, 16]}}, ours=True)
    assert counted(said) == rules(of(everything, LEARNED | AFTER_GAMES))
    assert "\n  1  config learners.windows: was [8, 16, 32, 64], now [8, 16]\n\n" in said
    lock = project / "requirements.lock"
    pin = re.search(r"^pandas==(\S+)", lock.read_text(), re.MULTILINE)
    assert pin
    with edited(lock, pin[0], f"{pin[0]}.post1"):
        said = asking(project, "plan", ours=True)
    assert counted(said) == rules(everything)
    assert f"\n  1  package pandas: was {pin[1]}, now {pin[1]}.post1\n\n" in said
