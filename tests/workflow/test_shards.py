"""Games that several jobs play, in the DAG: the same bytes, and nothing stale when their number is another."""

from collections import Counter
from pathlib import Path

from tests.workflow.conftest import CONFIGS, DryRun, Project, copy_project, edited
from tests.workflow.expected import PACKAGE
from tests.workflow.warm import Warm

TOTALS = "results/smoke/games/study/main/rw-ftpl.totals.csv"
MANY = {"repetitions": 2400}  # 24 blocks of one state, so there may be two shards
SPREAD = ("--set-scatter", "shards=2")


def test_the_number_of_shards_changes_no_byte_and_makes_nothing_stale(
    project: Project, warm: Warm, dry_run: DryRun, tmp_path: Path
) -> None:
    copy = copy_project(project.root, tmp_path / "copy")
    (copy / "config/many.yaml").write_text("repetitions: 2400\n")

    def played(*words: str) -> tuple[str, list[bytes]]:
        files = [*CONFIGS, "config/many.yaml"]
        done = warm.run(copy.root, copy.environment, TOTALS, *words, "--cores", "2", "--configfile", *files)
        assert done.returncode == 0, done.stdout + done.stderr
        results = [copy / TOTALS, copy / TOTALS.replace("totals", "curves")]
        return done.stdout + done.stderr, [path.read_bytes() for path in results]

    def would_run(*words: str) -> Counter[str]:
        return Counter(job.rule for job in dry_run(copy, TOTALS, *words, config=MANY))

    said, alone = played()
    assert "game_shard" not in said
    assert would_run(*SPREAD) == {}
    for path in (copy / TOTALS).parent.glob("rw-ftpl.*"):
        path.unlink()
    said, together = played(*SPREAD)
    assert "game_shard        2\n" in said
    assert "missing provenance" not in said
    assert together == alone
    assert not [*(copy / "results/smoke/shards").rglob("*.shard")]
    with edited(
        copy / PACKAGE / "replication/hospital/players/rw_ftpl.py",
        "RWFTPL(game.gains.shape",
        "RWFTPL((+game.gains).shape",
    ):
        assert would_run(*SPREAD) == {"game_shard": 2, "games": 1}
