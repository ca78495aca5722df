"""What is left is reckoned from what jobs took before, and from the pace of this run."""

import pytest

from snakemake_logger_plugin_one_line.progress import Progress, about, elapsed, name, table


def test_a_job_is_called_by_the_place_of_its_log() -> None:
    assert name("games", ["elsewhere/logs/games/study/main/rw-meta.log"]) == "games/study/main/rw-meta"
    assert name("checks_000_lemma_3", ["logs/checks/000/lemma-3.log", "another.log"]) == "checks/000/lemma-3"
    assert name("all", []) == "all"
    assert name("other", ["catalogs/other.log"]) == "other"


def test_times_are_told_in_words() -> None:
    assert [*map(elapsed, (0.9, 59.9, 60, 3599, 3600))] == ["0 s", "59 s", "1 min 00 s", "59 min 59 s", "1 h 00 min"]
    assert [*map(about, (0, 7, 8, 89, 90, 5399, 5400))] == ["5 s", "5 s", "10 s", "90 s", "2 min", "90 min", "1.5 h"]


def test_nothing_is_foretold_when_nothing_is_known() -> None:
    progress = Progress()
    progress.begin({"games": 4}, 0.0)
    progress.start(1, "games/a", "games", 0.0)
    assert progress.left(5.0) is None
    assert progress.line(5.0, 0.0) == "0 of 4 jobs, 5 s: games/a"
    progress.end(1, 10.0)  # from here on, jobs are expected to take as long as this one
    assert progress.left(10.0) == pytest.approx(30)


@pytest.mark.parametrize("cores", [1, 2])
def test_before_the_first_job_ends_the_record_counts(cores: int) -> None:
    progress = Progress({"games/a": 30.0, "games/b": 10.0, "table-2": 20.0, "unasked": 100.0})
    progress.cores = cores
    progress.begin({"games": 2, "table_2": 1}, 0.0)
    assert progress.left(0.0) == pytest.approx(60 / cores)
    progress.start(1, "games/a", "games", 0.0)
    # What is yet to begin is no longer taken for a job like the first.
    assert progress.left(0.0) == pytest.approx(60 / cores)


def test_a_rule_knows_its_own_log_from_those_of_rules_that_begin_like_it() -> None:
    progress = Progress({"checks/paper_000/study": 4.0, "checks/paper_000/study/panels": 40.0})
    progress.begin({"checks_paper_000_study": 1}, 0.0)
    assert progress.left(0.0) == pytest.approx(4)


def test_a_run_twice_as_slow_as_the_last_is_soon_known_for_it() -> None:
    progress = Progress({f"games/{each}": 10.0 for each in range(10)})
    progress.begin({"games": 10}, 0.0)
    for each in range(5):
        progress.start(each, f"games/{each}", "games", 20.0 * each)
        progress.end(each, 20.0 * each + 20)
    left = progress.left(100.0)
    assert left is not None
    assert 90 < left < 100


def test_the_end_is_not_before_that_of_a_long_job() -> None:
    progress = Progress({"long": 100.0, "short": 1.0})
    progress.cores = 2
    progress.begin({"long": 1, "short": 1}, 0.0)
    progress.start(1, "long", "long", 0.0)
    progress.start(2, "short", "short", 0.0)
    progress.end(2, 1.0)
    assert progress.left(1.0) == pytest.approx(99)


def test_a_job_that_failed_is_not_done() -> None:
    progress = Progress()
    progress.begin({"games": 2}, 0.0)
    progress.start(1, "games/a", "games", 0.0)
    progress.end(1, 1.0, done=False)
    assert progress.line(1.0, 0.0) == "0 of 2 jobs, 1 s"


def test_the_table_has_one_row_for_all_checks() -> None:
    said = table({"checks_000_lemma_3": 1, "games": 12, "checks_paper_001": 1, "total": 14}).splitlines()
    assert [line.split() for line in said[3:]] == [["checks", "2"], ["games", "12"], ["total", "14"]]
    assert len({len(line) for line in said[1:]}) == 1
