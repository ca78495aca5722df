"""A file that is not what its job wrote is refused."""

import json
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.report.job_record import check, line
from private_experts.replication.workflow.run_stages import manifest


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file that a job wrote."""
    monkeypatch.chdir(tmp_path)
    game = Path("results/games/rw-ftpl.totals.csv")
    for folder in (game.parent, Path("results/logs/games")):
        folder.mkdir(parents=True)
    game.write_text("5.787\n" * 9)
    Path("results/logs/games/rw-ftpl.log").write_text(f"a warning\n{line(game)}\ntook 1.00 s\n")
    return game


def refusal() -> str:
    with pytest.raises(InputError) as caught:
        check(Path("results/logs"), Path("results"), Path("paper"))
    return str(caught.value)


def test_a_file_is_refused_when_a_cell_changed_or_its_end_is_gone_and_not_when_it_is_gone(game: Path) -> None:
    check(Path("results/logs"), Path("results"), Path("paper"))
    before = game.read_text()
    for changed in (before.replace("5.787", "55.787", 1), before[:30], ""):
        game.write_text(changed)
        assert refusal() == (f"{game}: is not what its job wrote; delete it, and the next run makes it again")
    check(Path("results/logs"), Path("paper"))
    game.unlink()
    check(Path("results/logs"), Path("results"), Path("paper"))


@pytest.mark.parametrize("left", [None, "", "a warn"])
def test_a_file_whose_log_is_gone_or_cut_is_compared_with_the_manifest(game: Path, left: str | None) -> None:
    log, manifest = Path("results/logs/games/rw-ftpl.log"), Path("results/manifest.json")
    manifest.write_text(json.dumps({"evidence": {str(game): {"sha256": sha256(game)}}, "outputs": {}}))
    newer = "5.788\n"
    log.unlink()
    if left is not None:
        log.write_text(left)
    check(Path("results/logs"), Path("results"), Path("paper"))
    game.write_text(newer)
    assert refusal().startswith(f"{game}: is not what its job wrote; ")
    log.write_text(line(game))  # the manifest is of an earlier run
    check(Path("results/logs"), Path("results"), Path("paper"))
    for damaged in ("cut", "[]", '{"evidence": {"a": null}, "outputs": {}}', '{"evidence": 1, "outputs": 1}'):
        manifest.write_text(damaged)
        check(Path("results/logs"), Path("results"), Path("paper"))


@pytest.mark.parametrize(
    ("made", "ended", "is_refused"),
    [(1, 2, True), (2, 2, True), (3, 2, False), (None, 2, False), (1, None, False)],
)
def test_a_file_that_is_older_than_the_manifest_is_the_one_of_the_manifest(
    game: Path, made: float | None, ended: float | None, is_refused: bool
) -> None:
    """A game and its log that were copied from another run tell the same checksum."""
    log, manifest = Path("results/logs/games/rw-ftpl.log"), Path("results/manifest.json")
    manifest.write_text(json.dumps({"evidence": {str(game): {"sha256": sha256(game)}}, "outputs": {}}))
    for path, time in ((game, made), (manifest, ended)):
        record = Path(".snakemake/metadata", urlsafe_b64encode(str(path).encode()).decode())
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text(json.dumps({"log": [], "endtime": time}))
    check(Path("results/logs"), Path("results"), Path("paper"))
    game.write_text("of another run\n")
    log.write_text(f"{line(game)}\ntook 1.00 s\n")
    if is_refused:
        assert refusal().startswith(f"{game}: is not what its job wrote; ")
    else:
        check(Path("results/logs"), Path("results"), Path("paper"))


@pytest.mark.parametrize("has_logged", [False, True])
def test_a_file_of_a_job_that_was_stopped_is_made_again(game: Path, has_logged: bool) -> None:
    """A run is stopped after a job has written anew, before its log or Snakemake's record tells so."""
    log, manifest = Path("results/logs/games/rw-ftpl.log"), Path("results/manifest.json")
    manifest.write_text(json.dumps({"evidence": {str(game): {"sha256": sha256(game)}}, "outputs": {}}))
    name = urlsafe_b64encode(str(game).encode()).decode()
    records = {name: 1, urlsafe_b64encode(str(manifest).encode()).decode(): 2}
    unfinished = Path(".snakemake/incomplete", name)
    for folder in (Path(".snakemake/metadata"), unfinished.parent):
        folder.mkdir(parents=True)
    for name, time in records.items():
        Path(".snakemake/metadata", name).write_text(json.dumps({"log": [], "endtime": time}))
    game.write_text("newer\n")
    log.write_text(f"{line(game)}\ntook 1.00 s\n" if has_logged else "")
    unfinished.touch()
    check(Path("results/logs"), Path("results"), Path("paper"))
    unfinished.unlink()
    assert refusal().startswith(f"{game}: is not what its job wrote; ")


def test_the_record_of_data_beside_the_products_is_that_of_the_results(game: Path) -> None:
    products, results = Path("paper/data.json"), Path("results/hospital/provenance.json")
    for path in (products, results):
        path.parent.mkdir()
        path.write_text("{}")
    check(Path("results/logs"), Path("results"), Path("paper"))
    products.write_text("[]")
    assert refusal().startswith(
        f"{products}: is not what its job wrote; delete it and {results}, and the next "
    )
    Path("results/logs/reports.log").write_text(f"{line(products)}\n")  # of a later run with other results
    check(Path("results/logs"), Path("results"), Path("paper"))
    Path("results/logs/reports.log").unlink()
    results.unlink()  # it is made again
    check(Path("results/logs"), Path("results"), Path("paper"))


def test_what_another_job_wrote_since_then_is_no_change(game: Path) -> None:
    former, game_text = Path("results/logs/former.log"), game.read_text()
    game.write_text("older\n")
    former.write_text(f"{line(game)}\n")
    game.write_text(game_text)
    check(Path("results/logs"), Path("results"))
    other = Path("results/a b.json")
    other.write_text("{}")
    former.write_text(f"{line(other)}\n")
    for path in (game, other):
        path.write_text("forged")
    assert refusal().startswith(f"{other}: is not what its job wrote (and 1 more files); ")


@pytest.mark.parametrize("left", [None, "", "a warn", "took"])
@pytest.mark.parametrize("folder", ["games", "long" * 60])
def test_a_file_of_which_nothing_tells_the_checksum_is_refused(
    game: Path, left: str | None, folder: str
) -> None:
    path, log = Path("results", folder, "b.csv"), Path("results/logs/b.log")
    path.parent.mkdir(exist_ok=True)
    path.write_text("forged")
    key = urlsafe_b64encode(str(path).encode()).decode()
    name = Path(*(f"@{key[at : at + 254]}" for at in range(0, len(key) - 254, 254)), key[-(len(key) % 254) :])
    record, unfinished = (Path(".snakemake", kind) / name for kind in ("metadata", "incomplete"))
    record.parent.mkdir(parents=True)
    record.write_text(json.dumps({"log": [str(log)]}))
    if left is not None:
        log.write_text(left)
    said = f"{path}: the log of its job is gone or cut ({log})"
    assert refusal() == (
        f"{said}, so nothing tells whether it is as it was; put results/logs back, or delete it, and the "
        "next run makes it again"
    )
    second = Path("paper/c.csv")
    second.parent.mkdir()
    second.write_text("forged")
    beside = Path(".snakemake/metadata", urlsafe_b64encode(str(second).encode()).decode())
    beside.write_text(record.read_text())
    assert refusal().endswith(
        " (and of 1 more files), so nothing tells whether it is as it was; put results/logs back, or run "
        "make clean, and the next run makes them again"
    )
    second.unlink()
    check(Path("results/logs"), Path("paper"))
    unfinished.parent.mkdir(parents=True)
    unfinished.touch()  # Snakemake makes it again
    check(Path("results/logs"), Path("results"))
    unfinished.unlink()
    log.write_text("took 1.00 s\n")  # of a version whose logs named no files
    check(Path("results/logs"), Path("results"))
    log.unlink()
    for damaged in ("", "[]", "{}", '{"log": null}', "\0"):
        record.write_text(damaged)
        check(Path("results/logs"), Path("results"))
    record.write_text(json.dumps({"log": [str(log)]}))
    record.with_name("é.b").touch()
    path.unlink()
    check(Path("results/logs"), Path("results"))


def test_a_file_that_changes_while_a_run_goes_is_refused_before_the_run_ends(game: Path) -> None:
    """What was made of it since then would be published, though the next run refuses."""
    ledger, record, nothing = Path("results/claims.json"), Path("results/hospital.json"), Path("results/none")
    ledger.write_text('{"claims": []}')
    record.write_text("{}")
    places = {"logs": "results/logs", "results": "results", "paper": "paper"}
    config = {"seed": 1, "hospital": {"synthetic": {"seed": 1}}, "pathvars": places}
    # Snakemake has removed the manifest, which told of a file whose log is gone.
    beside = Path(".snakemake/metadata", urlsafe_b64encode(str(record).encode()).decode())
    beside.parent.mkdir(parents=True)
    beside.write_text(json.dumps({"log": ["results/logs/gone.log"]}))
    with pytest.raises(FileNotFoundError, match="none"):  # of the next input; no file is refused
        manifest(
            config, record, nothing, [], ledger, nothing, [], [], [], manifest=nothing, definitions=nothing
        )
    game.write_text("55.787\n")
    with pytest.raises(InputError, match=f"^{game}: is not what its job wrote; "):
        manifest(
            config, record, nothing, [], ledger, nothing, [], [], [], manifest=nothing, definitions=nothing
        )
    assert not nothing.exists()
