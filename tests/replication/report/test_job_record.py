"""A file that is not what its job wrote is refused."""

import json
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.report import job_record
from private_experts.replication.report.job_record import line
from private_experts.replication.workflow.run_stages import manifest

RESULTS, PAPER, LOGS = Path("results"), Path("paper"), Path("results/logs")
LOG, MANIFEST = LOGS / "games/rw-ftpl.log", RESULTS / "manifest.json"


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file that a job wrote."""
    monkeypatch.chdir(tmp_path)
    game = RESULTS / "games/rw-ftpl.totals.csv"
    put(game, "5.787\n" * 9)
    put(LOG, f"a warning\n{line(game)}\ntook 1.00 s\n")
    return game


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def check(*folders: Path) -> None:
    job_record.check(LOGS, *folders or (RESULTS, PAPER))


def refusal() -> str:
    with pytest.raises(InputError) as caught:
        check()
    return str(caught.value)


def noted(path: Path, kind: str = "metadata") -> Path:
    """Return where Snakemake notes a file, in folders if its name is long: as made, or as `incomplete`."""
    key = urlsafe_b64encode(str(path).encode()).decode()
    folders = [f"@{key[at : at + 254]}" for at in range(0, len(key) - 254, 254)]
    return Path(".snakemake", kind, *folders, key[-(len(key) % 254) :])


def of_manifest(game: Path, made: float | None, ended: float | None) -> None:
    """Leave a manifest with the game as it is, and when Snakemake saw each of both made."""
    put(MANIFEST, json.dumps({"evidence": {str(game): {"sha256": sha256(game)}}, "outputs": {}}))
    for path, time in ((game, made), (MANIFEST, ended)):
        put(noted(path), json.dumps({"log": [], "endtime": time}))


def test_a_file_is_refused_when_a_cell_changed_or_its_end_is_gone_and_not_when_it_is_gone(game: Path) -> None:
    check()
    before = game.read_text()
    for changed in (before.replace("5.787", "55.787", 1), before[:30], ""):
        game.write_text(changed)
        assert refusal() == f"{game}: is not what its job wrote; delete it, and the next run makes it again"
    check(PAPER)
    game.unlink()
    check()


@pytest.mark.parametrize("left", [None, "", "a warn"])
def test_a_file_whose_log_is_gone_or_cut_is_compared_with_the_manifest(game: Path, left: str | None) -> None:
    put(MANIFEST, json.dumps({"evidence": {str(game): {"sha256": sha256(game)}}, "outputs": {}}))
    LOG.unlink()
    if left is not None:
        LOG.write_text(left)
    check()
    game.write_text("5.788\n")
    assert refusal().startswith(f"{game}: is not what its job wrote; ")
    LOG.write_text(line(game))  # the manifest is of an earlier run
    check()
    for damaged in ("cut", "[]", '{"evidence": {"a": null}, "outputs": {}}', '{"evidence": 1, "outputs": 1}'):
        MANIFEST.write_text(damaged)
        check()


@pytest.mark.parametrize(
    ("made", "ended", "is_refused"),
    [(1, 2, True), (2, 2, True), (3, 2, False), (None, 2, False), (1, None, False)],
)
def test_a_file_that_is_older_than_the_manifest_is_the_one_of_the_manifest(
    game: Path, made: float | None, ended: float | None, is_refused: bool
) -> None:
    """A game and its log that were copied from another run tell the same checksum."""
    of_manifest(game, made, ended)
    check()
    game.write_text("of another run\n")
    LOG.write_text(f"{line(game)}\ntook 1.00 s\n")
    if is_refused:
        assert refusal().startswith(f"{game}: is not what its job wrote; ")
    else:
        check()


@pytest.mark.parametrize("has_logged", [False, True])
def test_a_file_of_a_job_that_was_stopped_is_made_again(game: Path, has_logged: bool) -> None:
    """A run is stopped after a job has written anew, before its log or Snakemake's record tells so."""
    of_manifest(game, 1, 2)
    game.write_text("newer\n")
    LOG.write_text(f"{line(game)}\ntook 1.00 s\n" if has_logged else "")
    unfinished = put(noted(game, "incomplete"), "")
    check()
    unfinished.unlink()
    assert refusal().startswith(f"{game}: is not what its job wrote; ")


def test_the_record_of_data_beside_the_products_is_that_of_the_results(game: Path) -> None:
    products, results = put(PAPER / "data.json", "{}"), put(RESULTS / "hospital/provenance.json", "{}")
    check()
    products.write_text("[]")
    assert refusal().startswith(
        f"{products}: is not what its job wrote; delete it and {results}, and the next "
    )
    later = put(LOGS / "reports.log", f"{line(products)}\n")  # of a later run with other results
    check()
    later.unlink()
    results.unlink()  # it is made again
    check()


def test_what_another_job_wrote_since_then_is_no_change(game: Path) -> None:
    text = game.read_text()
    game.write_text("older\n")
    former = put(LOGS / "former.log", f"{line(game)}\n")
    game.write_text(text)
    check(RESULTS)
    other = put(RESULTS / "a b.json", "{}")
    former.write_text(f"{line(other)}\n")
    for path in (game, other):
        path.write_text("forged")
    assert refusal().startswith(f"{other}: is not what its job wrote (and 1 more files); ")


@pytest.mark.parametrize("left", [None, "", "a warn", "took"])
@pytest.mark.parametrize("folder", ["games", "long" * 60])
def test_a_file_of_which_nothing_tells_the_checksum_is_refused(
    game: Path, left: str | None, folder: str
) -> None:
    path, log = put(RESULTS / folder / "b.csv", "forged"), LOGS / "b.log"
    record = put(noted(path), json.dumps({"log": [str(log)]}))
    if left is not None:
        log.write_text(left)
    why = "so nothing tells whether it is as it was; put results/logs back, or"
    assert refusal() == (
        f"{path}: the log of its job is gone or cut ({log}), {why} delete it, and the next run makes it again"
    )
    second = put(PAPER / "c.csv", "forged")
    put(noted(second), record.read_text())
    end = f" (and of 1 more files), {why} run make clean, and the next run makes them again"
    assert refusal().endswith(end)
    second.unlink()
    check(PAPER)
    unfinished = put(noted(path, "incomplete"), "")  # Snakemake makes it again
    check(RESULTS)
    unfinished.unlink()
    log.write_text("took 1.00 s\n")  # of a version whose logs named no files
    check(RESULTS)
    log.unlink()
    for damaged in ("", "[]", "{}", '{"log": null}', "\0"):
        record.write_text(damaged)
        check(RESULTS)
    record.write_text(json.dumps({"log": [str(log)]}))
    record.with_name("é.b").touch()
    path.unlink()
    check(RESULTS)


def test_a_file_that_changes_while_a_run_goes_is_refused_before_the_run_ends(game: Path) -> None:
    """What was made of it since then would be published, though the next run refuses."""
    ledger, record = put(RESULTS / "claims.json", '{"claims": []}'), put(RESULTS / "hospital.json", "{}")
    nothing = RESULTS / "none"
    places = {"logs": "results/logs", "results": "results", "paper": "paper"}
    config = {"seed": 1, "hospital": {"synthetic": {"seed": 1}}, "pathvars": places}
    # Snakemake has removed the manifest, which told of a file whose log is gone.
    put(noted(record), json.dumps({"log": ["results/logs/gone.log"]}))

    def ends(error: type[Exception], message: str) -> None:
        outputs = {"manifest": nothing, "definitions": nothing}
        with pytest.raises(error, match=message):
            manifest(config, record, nothing, [], ledger, nothing, [], [], [], **outputs)

    ends(FileNotFoundError, "none")  # of the next input; no file is refused
    game.write_text("55.787\n")
    ends(InputError, f"^{game}: is not what its job wrote; ")
    assert not nothing.exists()
