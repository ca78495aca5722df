"""A ledger's file: read by later versions, never replaced by a process that does not know what it says."""

import os
import threading
from pathlib import Path

import pytest

import private_experts
from private_experts import ApproximateDP, GaussianDP, Hedge, InputError, Ledger, PureDP, load, save
from private_experts.privacy.accountant import Spending
from private_experts.saving import state_dict
from private_experts.saving.archive import read, write

KEPT = Path(__file__).parent / "kept"  # written by the code of the version in their names
LIMIT = GaussianDP(1.0, "central")
USE = GaussianDP(0.7, "central")


def loaded(path: Path, limit: GaussianDP | PureDP | ApproximateDP = LIMIT) -> Ledger:
    ledger = Ledger(limit)
    load(path, ledger)
    return ledger


@pytest.fixture
def file(tmp_path: Path) -> Path:
    ledger = Ledger(LIMIT)
    ledger.spend(GaussianDP(0.2, "local"), "reports", times=4)
    save(tmp_path / "a.ledger", ledger)
    return tmp_path / "a.ledger"


# From one version to the next


def test_what_was_spent_under_version_0_3_is_spent_today(tmp_path):
    ledger = loaded(KEPT / "gaussian-0.3.0.ledger")
    assert ledger.lines == (
        Spending(GaussianDP(0.2, "local"), "weekly reports", 15),
        Spending(PureDP(0.1, "central"), "a ranking"),
        Spending(ApproximateDP(0.1, 0.0, "local"), "a table"),
    )
    assert ledger.total.simulated
    assert ledger.left.mu == pytest.approx(0.607, abs=1e-3)
    ledger.spend(GaussianDP(0.6, "central"), "a game")
    save(tmp_path / "now.ledger", ledger)
    assert loaded(tmp_path / "now.ledger").lines == ledger.lines
    other = loaded(KEPT / "pure-0.3.0.ledger", PureDP(1.0, "local"))
    assert other.lines == (Spending(PureDP(0.25, "local"), "labels", 3),)


def test_an_old_file_is_replaced_by_who_read_it_and_by_no_other(tmp_path):
    path = tmp_path / "a.ledger"
    path.write_bytes((KEPT / "gaussian-0.3.0.ledger").read_bytes())
    first, second, stranger = loaded(path), loaded(path), Ledger(LIMIT)
    with pytest.raises(InputError, match="another process has spent since"):
        save(path, stranger)
    for ledger in (first, second):
        ledger.spend(GaussianDP(0.6, "central"), "a game")
    save(path, first)
    with pytest.raises(InputError, match="another process has spent since"):
        save(path, second)


def test_a_limit_of_another_version_is_still_compared():
    with pytest.raises(InputError, match=r"0\._limit\.mu was 1\.0 when it was saved, and is 2\.0 now"):
        loaded(KEPT / "gaussian-0.3.0.ledger", GaussianDP(2.0, "central"))


def test_a_file_in_todays_format_is_read_whichever_version_wrote_it(file):
    write(file, read(file) | {"library": "1.0.0"})
    assert loaded(file).lines == (Spending(GaussianDP(0.2, "local"), "reports", 4),)


def test_a_later_format_is_refused_and_never_guessed(file):
    saved = read(file)
    write(file, saved | {"library": "9.0.0", "formats": {"0": 3}})
    with pytest.raises(
        InputError, match=r"in format 3 by version 9\.0\.0 .* formats up to 2: upgrade the library$"
    ):
        loaded(file)
    with pytest.raises(InputError, match=r"upgrade the library$"):
        save(file, Ledger(LIMIT))


def test_a_game_beside_a_ledger_stays_with_its_version(tmp_path):
    path = tmp_path / "both.state"
    write(path, state_dict(Hedge(2, rng=0), Ledger(LIMIT)) | {"library": "0.3.0"})
    with pytest.raises(InputError, match=r"continue with that version, and save a ledger by itself there$"):
        load(path, Hedge(2, rng=0), Ledger(LIMIT))


def test_the_version_of_this_test_is_not_that_of_the_kept_files():
    """Otherwise they show nothing; keep one of each version that changes the format."""
    assert read(KEPT / "gaussian-0.3.0.ledger")["library"] == "0.3.0" != private_experts.__version__


# Two processes


@pytest.mark.parametrize("purpose", ["a game", "another game"])
def test_of_two_who_spend_what_is_left_the_second_is_refused(purpose, file):
    first, second = loaded(file), loaded(file)
    first.spend(USE, "a game")
    second.spend(USE, purpose)
    save(file, first)
    whole = file.read_bytes()
    with pytest.raises(
        InputError, match=r"a\.ledger: ledger: another process has spent since, .* load the file"
    ):
        save(file, second)
    assert file.read_bytes() == whole
    again = loaded(file)
    with pytest.raises(InputError, match="exceeds the limit"):
        again.spend(USE, purpose)


def test_one_who_goes_on_saves_again_and_again_and_anywhere(file, tmp_path):
    ledger = loaded(file)
    for place in (file, file, tmp_path / "backup.ledger", file):
        ledger.spend(GaussianDP(0.1, "central"), "a game")
        save(place, ledger)
    backup = loaded(tmp_path / "backup.ledger")
    with pytest.raises(InputError, match="another process has spent since"):
        save(file, backup)
    save(tmp_path / "backup.ledger", loaded(file))
    same = Ledger(LIMIT)
    same.spend(GaussianDP(0.2, "local"), "reports", times=4)  # in the words of the file, and yet another use
    with pytest.raises(InputError, match="it has spent what the file does not have"):
        load(file, same)


def test_no_ledger_is_replaced_by_what_has_none_at_its_place(file):
    with pytest.raises(
        InputError, match=r"^[^\n]*a\.ledger: 0 of the file is a .*Ledger, and none is saved there"
    ):
        save(file, Hedge(2, rng=0), loaded(file))


def test_a_file_that_is_no_state_is_not_replaced_by_a_ledger(tmp_path):
    for content in (b"", b"some notes"):
        (tmp_path / "notes").write_bytes(content)
        with pytest.raises(InputError, match="no saved state, or it is damaged"):
            save(tmp_path / "notes", Ledger(LIMIT))
        assert (tmp_path / "notes").read_bytes() == content


def test_nothing_else_replaces_a_ledger(file, tmp_path):
    for other in (Hedge(2, rng=0), Ledger(GaussianDP(100.0, "central")), Ledger(PureDP(1.0, "central"))):
        with pytest.raises(InputError, match="take another file"):
            save(file, other)
    old = KEPT / "gaussian-0.3.0.ledger"
    before = old.read_bytes()
    with pytest.raises(InputError, match="none is saved there now"):
        save(old, Hedge(2, rng=0))
    assert old.read_bytes() == before
    save(tmp_path / "empty.ledger", Ledger(LIMIT))
    with pytest.raises(InputError, match=r"mu is 1\.0 in the file, and 100\.0 now: take another file"):
        save(tmp_path / "empty.ledger", Ledger(GaussianDP(100.0, "central")))


def test_games_replace_games_and_notes(tmp_path):
    for _ in range(2):
        save(tmp_path / "a.state", Hedge(2, rng=0))
    (tmp_path / "notes").write_text("no state")
    save(tmp_path / "notes", Hedge(2, rng=0))


def test_a_file_under_two_names_is_one_ledger(file, tmp_path):
    link = tmp_path / "link.ledger"
    link.symlink_to(file)
    first, second = loaded(link), loaded(file)
    first.spend(USE, "by the link")
    save(link, first)
    assert link.is_symlink()
    second.spend(USE, "by the file")
    with pytest.raises(InputError, match="another process has spent since"):
        save(file, second)
    os.link(file, tmp_path / "hard.ledger")
    with pytest.raises(InputError, match="the file has another name as well"):
        save(file, first)


def test_nothing_comes_between_the_look_at_a_file_and_its_replacement(file, monkeypatch):
    """The second tries to save while the first, which has looked, is about to replace the file."""
    fcntl = pytest.importorskip("fcntl")
    first, second = loaded(file), loaded(file)
    first.spend(USE, "a game")
    second.spend(USE, "a game")
    refusals: list[InputError] = []
    waits = threading.Event()  # for the lock, or has saved

    def save_second() -> None:
        try:
            save(file, second)
        except InputError as error:
            refusals.append(error)
        finally:
            waits.set()

    thread, fsync, flock = threading.Thread(target=save_second), os.fsync, fcntl.flock

    def late(handle: int) -> None:
        if threading.current_thread() is not thread and not thread.ident:
            thread.start()
            assert waits.wait(60)
        fsync(handle)

    def noted(handle: int, how: int) -> None:
        if threading.current_thread() is thread:
            waits.set()
        flock(handle, how)

    monkeypatch.setattr(os, "fsync", late)
    monkeypatch.setattr(fcntl, "flock", noted)
    save(file, first)
    thread.join()
    assert len(refusals) == 1
    assert len(loaded(file).lines) == 2
