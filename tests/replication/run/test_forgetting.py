"""Snakemake notes nothing of shards."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from snakemake.persistence import PersistenceBase

from private_experts.replication.run.forgetting import forget


def a_class() -> Any:
    """Return a class with what of Snakemake's records asks for a job's files."""

    class Records:
        def _input(self, job: Any) -> list[str]:
            return sorted(job.input)

        def has_metadata(self, job: Any) -> bool:
            return "noted" in job.output

    return Records


def test_the_same_is_noted_for_any_number_of_shards() -> None:
    records = a_class()
    forget(records, Path("results/shards"))
    for count in (0, 1, 7):
        shards = [f"results/shards/checks/{number}.shard" for number in range(count)]
        files = SimpleNamespace(input=["results/shards.csv", *shards, "code.txt"])
        assert records()._input(files) == ["code.txt", "results/shards.csv"]


def test_nothing_is_missed_of_a_shard_that_was_never_made() -> None:
    records = a_class()
    forget(records, Path("results/shards"))
    outputs = {"results/shards/x.shard": True, "results/claims/x.csv": False, "noted": True}
    assert {name: records().has_metadata(SimpleNamespace(output=[name])) for name in outputs} == outputs


def test_snakemake_has_what_is_replaced_and_another_version_is_left_alone() -> None:
    assert callable(PersistenceBase._input)
    assert callable(PersistenceBase.has_metadata)

    class Another:
        pass

    forget(Another, Path("results/shards"))
    assert vars(Another).keys() == {*vars(type("Empty", (), {}))}
