"""Long work in pieces: the same bytes for any number of jobs."""

import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.randomness import rng_for
from private_experts.replication import spreading
from private_experts.replication.accounts import Account
from private_experts.replication.spreading import Enough, Gathered, Shard, blocks, here, repeated, shares
from private_experts.saving import archive
from tests.each import each

ACCOUNT = Account("000/x", 1.0, 0.5, 60.0, 0.0)
CELLS = [("a", 0.0), ("b", 3.0)]
Work = Callable[[spreading.Spread], Any]


def play(name: str, mean: float, count: int, key: tuple[int, ...]) -> list[Any]:
    draws = rng_for(1, name, *key).normal(mean, size=(2, count))
    return [draws, draws[0] > mean]


def work(spread: spreading.Spread) -> Any:
    """Draw 10 repetitions of two cells in blocks of 3, and after that 4 more."""
    first = repeated(play, CELLS, 10, 3, spread)
    return first, repeated(play, CELLS, 4, 3, spread)


def spread_over(count: int, work: Work, folder: Path) -> Any:
    """Return what work gives whose pieces were computed by so many shards."""
    paths = []
    for share in shares(count) or ["1-of-1"]:
        shard = Shard(share)
        with suppress(Enough):
            work(shard)
        paths.append(folder / f"{share}.shard")
        spreading.write(paths[-1], shard, ACCOUNT)
    return work(spreading.read(paths))


def the_same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other) and all(
        np.array_equal(a, b)
        for mine, theirs in zip(one, other, strict=True)
        for cell, others in zip(mine, theirs, strict=True)
        for a, b in zip(cell, others, strict=True)
    )


@each("count", [1, 2, 3, 7, 20])
def test_any_number_of_shards_gives_what_one_process_gives(count: int, tmp_path: Path) -> None:
    assert the_same(spread_over(count, work, tmp_path), work(here))


@each("count", [2, 3, 7])
def test_each_of_the_first_pieces_is_computed_by_one_shard_and_the_others_where_they_are_gathered(count: int) -> None:
    met: list[str] = []

    def watched(*piece: Any) -> list[Any]:
        met.append(repr(piece))
        return play(*piece)

    def watched_work(spread: spreading.Spread) -> None:
        repeated(watched, CELLS, 10, 3, spread)
        repeated(watched, CELLS, 4, 3, spread)

    found: dict[str, Any] = {}
    for share in shares(count):
        shard = Shard(share)
        with pytest.raises(Enough):
            watched_work(shard)
        found |= shard.found
    assert len(met) == len({*met}) == len(found) == 2 * 4
    watched_work(Gathered(found))
    assert len(met) == 8 + 2 * 2


def test_a_share_that_was_lost_is_computed_again() -> None:
    shard = Shard("2-of-3")
    with pytest.raises(Enough):
        work(shard)
    assert 0 < len(shard.found) < 8
    assert the_same(work(Gathered(shard.found)), work(here))


def test_a_piece_that_depends_on_what_ran_before_is_found_out(tmp_path: Path) -> None:
    """The mutant: one generator through all pieces."""

    def careless(spread: spreading.Spread) -> Any:
        rng = np.random.default_rng(1)
        return [repeated(lambda name, mean, count, key: [rng.normal(mean, size=(1, count))], CELLS, 10, 3, spread)]

    assert the_same(careless(here), careless(here))
    assert not the_same(spread_over(3, careless, tmp_path), careless(here))


def test_repetitions_of_all_blocks_are_there_and_no_two_blocks_are_the_same() -> None:
    [(draws, above), _] = repeated(play, CELLS, 10, 3)
    assert (draws.shape, above.shape) == ((2, 10), (10,))
    assert np.unique(draws).size == 20
    assert np.array_equal(draws[0] > 0.0, above)


@each("size", [10, 11, 1000])
def test_one_block_knows_nothing_of_blocks(size: int) -> None:
    assert blocks(10, size) == [(10, (10,))]
    assert np.array_equal(repeated(play, CELLS, 10, size)[1][0], play("b", 3.0, 10, (10,))[0])


@each(("repetitions", "size"), [(10, 3), (9, 3), (1, 1), (7, 7), (8, 7)])
def test_blocks_have_all_repetitions_and_keys_of_their_own(repetitions: int, size: int) -> None:
    counts, keys = zip(*blocks(repetitions, size), strict=True)
    assert sum(counts) == repetitions
    assert max(counts) <= size
    assert {*counts[:-1]} <= {size}
    assert len({*keys}) == len(keys)
    assert all(key[0] == repetitions for key in keys)


def test_shards_that_rest_on_other_files_count_for_nothing(tmp_path: Path) -> None:
    data, path = tmp_path / "panel.csv", tmp_path / "1-of-2.shard"
    data.write_text("1\n")
    shard = Shard("1-of-2")
    with pytest.raises(Enough):
        work(shard)
    spreading.write(path, shard, ACCOUNT, [data])
    assert spreading.read([path], [data]).accounts == [ACCOUNT]
    data.write_text("2\n")
    gathered = spreading.read([path], [data])
    assert gathered.accounts == []
    assert gathered(lambda: "here", [()]) == ["here"]


def test_a_shards_path_says_what_it_is_made_of() -> None:
    paths = {spreading.pattern(Path("shards"), made_of) for made_of in (["a", "b"], ["ab"], ["a", "c"], ["b", "a"])}
    assert len(paths) == 4
    assert all(path.startswith("shards/") and path.endswith("/{share}.shard") for path in paths)


def test_what_comes_back_from_a_shard_has_every_bit_and_its_kind(tmp_path: Path) -> None:
    shard, rng = Shard("1-of-1"), rng_for(1, "any")
    whole = [("a", 0.1, rng.random((3, 2)).T), {"notes": {"x": np.float64(0.1)}, "none": None}, []]
    with pytest.raises(Enough):
        shard(lambda number: whole[number], [(0,), (1,), (2,)])
    spreading.write(tmp_path / "a.shard", shard, ACCOUNT)
    gathered = spreading.read([tmp_path / "a.shard"])
    again = list(gathered(lambda number: None, [(0,), (1,), (2,)]))
    assert repr(again) == repr(whole)
    assert again[0][2].strides == whole[0][2].strides
    assert gathered.accounts == [ACCOUNT]


@each("piece", [{1}, ACCOUNT, [ACCOUNT]])
def test_a_piece_that_is_not_plain_is_refused_where_it_is_written(piece: Any, tmp_path: Path) -> None:
    shard = Shard("1-of-1")
    with pytest.raises(Enough):
        shard(lambda: piece, [()])
    with pytest.raises(InputError, match=r"found holds a value of type (set|Account)"):
        spreading.write(tmp_path / "a.shard", shard, ACCOUNT)


def test_others_may_read_a_shard_as_they_may_other_results(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    spreading.write(tmp_path / "a.shard", Shard("1-of-1"), ACCOUNT)
    assert (tmp_path / "a.shard").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_shard_that_cannot_be_written_leaves_the_old_one_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: Any, *_: Any) -> None:
        file.write(b"PK")
        raise OSError(28, "No space left on device")

    path = tmp_path / "new" / "a.shard"
    spreading.write(path, Shard("1-of-1"), ACCOUNT)
    whole = path.read_bytes()
    monkeypatch.setattr(archive, "write_to", full)
    with pytest.raises(InputError, match=r"a\.shard: cannot be written \(No space"):
        spreading.write(path, Shard("1-of-1"), ACCOUNT)
    assert path.read_bytes() == whole
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_nothing_that_a_shard_says_is_run(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(tmp_path / "sprung"),)

    (tmp_path / "a.shard").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(InputError, match="cannot be read"):
        spreading.read([tmp_path / "a.shard"])
    assert not (tmp_path / "sprung").exists()


@each("values", [{}, {"account": 1, "found": {}}, {"account": (), "found": {}}, {"found": {}}])
def test_a_shard_that_somebody_made_up_is_named(values: dict[str, Any], tmp_path: Path) -> None:
    archive.write(tmp_path / "a.shard", {"rests_on": []}, values)
    with pytest.raises(InputError, match=r"a\.shard: this shard cannot be read"):
        spreading.read([tmp_path / "a.shard"])


@each("share", ["", "2", "0-of-3", "4-of-3", "1-of-0", "-1-of-3", "a-of-b", "1-of-3-of-3"])
def test_a_share_that_is_none_is_refused(share: str) -> None:
    with pytest.raises(InputError, match="write one such as 2-of-7"):
        Shard(share)


@each("content", [b"", b"nonsense", b"PK\x05\x06" + 18 * b"\0", pickle.dumps(([], ACCOUNT, {}))])
def test_a_shard_that_cannot_be_read_is_named(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "1-of-2.shard"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"1-of-2\.shard: this shard cannot be read") as caught:
        spreading.read([path])
    assert "take another copy" not in str(caught.value)  # there is none
    assert str(caught.value).endswith("); remove it, and it is made again")
    with pytest.raises(InputError, match="cannot be read"):
        spreading.read([tmp_path / "none"])
