"""What a file of state may be, what it must fit, and that a refusal changes nothing."""

import io
import json
import os
import pickle
import zipfile
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import private_experts
from private_experts.algorithms import FixedShare, FreshMeta, Hedge, PrefixFTPL, RWAdaBatch, TreeFTPL
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.learners import Recorded
from private_experts.privacy import CorrelatedSums, GaussianDP, Reports, SimulatedNoise
from private_experts.privacy.factorization import square_root
from private_experts.randomness import rng_for
from private_experts.saving import described, load, load_state_dict, save, state_dict
from private_experts.saving.archive import read, write
from tests.each import each

CENTRAL, LOCAL = GaussianDP(1.0, "central"), GaussianDP(1.0, "local")


def hedge(seed: int = 0, n: int = 3, bits: type = np.random.PCG64) -> Hedge:
    return Hedge(n, rng=np.random.Generator(bits(seed)), repetitions=2)


def refused(path: Path, *objects: Any) -> str:
    with pytest.raises(InputError) as caught:
        load(path, *objects)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()
    return message.removeprefix(f"{path}: ")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    algorithm = hedge()
    play(algorithm, rng_for(0, "gains").random((5, 3)))
    save(tmp_path / "hedge.state", algorithm)
    return tmp_path / "hedge.state"


def test_the_same_state_is_the_same_file(state, tmp_path):
    again = hedge(1)
    load(state, again)
    save(tmp_path / "again.state", again)
    assert (tmp_path / "again.state").read_bytes() == state.read_bytes()


@each("bits", [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_every_generator_goes_on_where_it_was(bits, tmp_path):
    first, second = np.random.Generator(bits(0)), np.random.Generator(bits(1))
    first.integers(5, size=3, dtype=np.uint32)  # half of a word is left over
    save(tmp_path / "rng.state", first)
    load(tmp_path / "rng.state", second)
    for draw in (lambda rng: rng.integers(5, size=9, dtype=np.uint32), lambda rng: rng.normal(size=9)):
        np.testing.assert_array_equal(draw(first), draw(second))


def test_a_state_goes_from_one_object_to_another_without_a_file():
    first, second = hedge(), hedge(1)
    play(first, rng_for(0, "gains").random((5, 3)))
    saved, expected = state_dict(first), everything(first)
    for player in (second, first):  # neither changes the saved state by going on
        load_state_dict(saved, player)
        assert everything(player) == expected
        play(player, rng_for(0, "gains").random((5, 3)))
    with pytest.raises(InputError, match=r"^0\.n was 3 when it was saved, and is 4 now: "):
        load_state_dict(state_dict(first), hedge(n=4))


def test_numpy_reads_the_arrays_of_a_file(state):
    with np.load(state) as file:
        assert file["0"].shape == (2, 3)


def test_what_two_objects_share_stays_shared(tmp_path):
    def made_with(seed: int) -> tuple[np.random.Generator, TreeFTPL]:
        rng = rng_for(seed, "both")
        return rng, TreeFTPL(2, CENTRAL, horizon=9, sensitivity=1.0, noise=SimulatedNoise(rng))

    rng, leader = made_with(0)
    play(leader, np.full((3, 2), 0.5))
    save(tmp_path / "both.state", rng, leader)
    expected = (leader.predict().tolist(), rng.random())
    rng, leader = made_with(1)
    load(tmp_path / "both.state", rng, leader)
    assert (leader.predict().tolist(), rng.random()) == expected
    assert "2 objects were saved, and 1 are given" in refused(tmp_path / "both.state", leader)
    apart = TreeFTPL(2, CENTRAL, horizon=9, sensitivity=1.0, noise=SimulatedNoise(rng_for(1, "own")))
    assert "the same as 0" in refused(tmp_path / "both.state", rng, apart)


def test_another_setting_class_or_generator_is_refused_and_changes_nothing(state):
    for other, word in (
        (hedge(n=4), "0.n was 3 when it was saved, and is 4 now"),
        (hedge(bits=np.random.MT19937), "0._rng was a generator of PCG64"),
        (
            FixedShare(3, horizon=9, switches=1, eta=0.1, rng=rng_for(0, "draws"), repetitions=2),
            "0 was private_experts",
        ),
    ):
        before = pickle.dumps(other)
        assert word in refused(state, other)
        assert pickle.dumps(other) == before


@each(
    ("there", "here", "word"),
    [
        ({"sensitivity": 1.0}, {"sensitivity": 1.0 + 1e-15}, "node_scale"),
        ({"guarantee": CENTRAL}, {"guarantee": GaussianDP(2.0, "central")}, "guarantee"),
        ({"horizon": 9}, {"horizon": 17}, "height"),
    ],
)
def test_a_guarantee_never_comes_from_a_file(there, here, word, tmp_path):
    def leader(guarantee=CENTRAL, horizon=9, sensitivity=1.0):
        noise = SimulatedNoise(rng_for(0, "noise"))
        return TreeFTPL(2, guarantee, horizon=horizon, sensitivity=sensitivity, noise=noise)

    save(tmp_path / "tree.state", leader(**there))
    assert word in refused(tmp_path / "tree.state", leader(**here))
    load(tmp_path / "tree.state", leader(**there))


def test_arrays_among_the_settings_are_compared_and_not_kept(tmp_path):
    def leader(last: float, rounds: int = 64) -> PrefixFTPL:
        bounds = np.ones(rounds)
        bounds[-1] = last
        noise = SimulatedNoise(rng_for(0, "noise"))
        sums = CorrelatedSums(2, CENTRAL, strategy=square_root(rounds), sensitivity=bounds, noise=noise)
        return PrefixFTPL(sums)

    save(tmp_path / "sums.state", leader(1.0))
    assert (tmp_path / "sums.state").stat().st_size < 8 * 64**2 / 2
    load(tmp_path / "sums.state", leader(1.0))
    assert "0._sums._reports._sensitivity was array of <f8 (64,)" in refused(tmp_path / "sums.state", leader(1.5))


def test_a_file_cut_off_anywhere_is_refused(state):
    whole = state.read_bytes()
    for length in {*range(0, len(whole), 41), *range(len(whole) - 90, len(whole), 5)}:
        state.write_bytes(whole[:length])
        assert "take another copy" in refused(state, hedge())


def everything(algorithm: Hedge) -> tuple[object, ...]:
    parts = vars(algorithm)
    return parts["_totals"].tobytes(), parts["_round"], repr(parts["_rng"].bit_generator.state)


def test_a_changed_byte_is_refused_or_means_nothing(state):
    whole, expected = state.read_bytes(), hedge()
    load(state, expected)
    refusals = 0
    for at in range(0, len(whole), 11):
        state.write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :])
        other = hedge(1)
        try:
            load(state, other)
        except InputError:
            refusals += 1
        else:  # such as a date in the zip's directory
            assert everything(other) == everything(expected)
    assert refusals > len(whole) / 11 * 0.8


def rewritten(path: Path, change: Any, arrays: Any = lambda parts: parts) -> None:
    """Write a file anew with another header, as somebody would who knows the format."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(parts.pop("header.json"))
    change(header)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        for name, content in arrays(parts).items():
            archive.writestr(name, content)


def content(**parts: Any) -> Any:
    return lambda header: header["header"].update(parts)


def piece(name: str, words: Any) -> Any:
    return lambda header: header["values"].update({name: words})


@each(
    ("change", "word"),
    [
        (lambda header: header.update(version=1), "version '1' of the format, and this program reads version 2"),
        (lambda header: header.update(format="other"), "of another format"),
        (content(library="0.1.0"), f"by version '0.1.0' of the library, and this is {private_experts.__version__}"),
        (content(objects=[1]), "does not say what was saved"),
        (content(settings=None), "does not say what was saved"),
        (content(objects=[]), "0 objects were saved"),
        (content(settings={}), "0 was missing when it was saved"),
        (lambda header: header.update(values={}), "is not as it was saved"),
        (piece("0._totals", ["plain", None]), "0._totals is not as it was saved"),
        (piece("0._totals", ["array", 7]), "damaged"),
        (piece("0._round", ["float", "x"]), "damaged"),
        (piece("0._round", ["plain", [1]]), "damaged"),
        (piece("0._round", ["call", "os.system"]), "damaged"),
        (piece("0._rng", ["dict"]), "0._rng is not as it was saved"),
        (piece("0._rng", ["plain", 5]), "0._rng is not as it was saved"),
        (lambda header: header.update(axes=[[0]]), "damaged"),
        (lambda header: header.update(axes=[]), "damaged"),
        (lambda header: header.pop("header"), "damaged"),
    ],
)
def test_a_header_that_somebody_wrote_is_refused_and_changes_nothing(change, word, state):
    whole = state.read_bytes()
    rewritten(state, change)
    other = hedge(1)
    before = pickle.dumps(other)
    try:
        said = refused(state, other)
    finally:
        state.write_bytes(whole)
    assert word in said
    assert pickle.dumps(other) == before


def shaped(shape: tuple[int, ...], kind: str = "<f8") -> bytes:
    """Return an array of NumPy that says of itself what is not true."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": kind, "fortran_order": False, "shape": shape})
    return buffer.getvalue() + bytes(48)


@each("array", [shaped((10**9, 10**9)), shaped((10**6, 10**6)), shaped((-1,)), shaped((6,), "<M8[s]"), b"no array"])
def test_an_array_that_is_not_what_it_says_is_refused_before_there_is_room_for_it(array, state):
    rewritten(state, lambda header: None, lambda parts: parts | {"0.npy": array})
    assert "damaged" in refused(state, hedge())


def test_no_pickle_is_ever_opened(state, tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    buffer = io.BytesIO()
    np.save(buffer, np.array([Trap()], dtype=object), allow_pickle=True)
    rewritten(state, lambda header: None, lambda parts: parts | {"0.npy": buffer.getvalue()})
    assert "damaged" in refused(state, hedge())
    state.write_bytes(pickle.dumps(Trap()))
    assert "no saved state" in refused(state, hedge())
    assert not (tmp_path / "sprung").exists()


def test_a_compressed_file_is_refused_before_it_unfolds(state):
    with zipfile.ZipFile(state, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * 10**6)
    assert "compressed" in refused(state, hedge())


def test_a_file_that_is_not_there_or_a_folder_that_is_not_is_told_by_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.state", hedge())
    with pytest.raises(FileNotFoundError):
        save(tmp_path / "none" / "a.state", hedge())


def test_what_cannot_be_saved_is_refused_and_leaves_the_old_file(state):
    whole = state.read_bytes()

    class Own:
        STATE = ("kept",)

        def __init__(self, kept: Any, setting: Any = None) -> None:
            self.kept, self.setting = kept, setting

    for wrong, word in (
        (Own({1}), "0.kept holds a value of type set"),
        (Own(np.array([None])), "0.kept holds a value of type ndarray"),
        (Own(0, iter([1])), "0.setting is of type list_iterator"),
        (Own(0, lambda: None), "0.setting is the function .*: define it in a module by itself"),
        (iter([1]), "0 is of type list_iterator: give its class STATE"),
    ):
        with pytest.raises(InputError, match=word):
            save(state, wrong)
    assert state.read_bytes() == whole
    assert [each.name for each in state.parent.iterdir()] == [state.name]


def test_a_disk_that_is_full_leaves_the_old_file(state, monkeypatch):
    whole = state.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        save(state, hedge())
    assert state.read_bytes() == whole
    assert [each.name for each in state.parent.iterdir()] == [state.name]


def test_values_come_back_with_every_bit_and_their_kind(tmp_path):
    value = {
        3: (None, True, -(2**200), 0.1, float("inf"), -0.0, "a\u2028b", np.float64(0.1), np.zeros((0, 3))),
        "list": [deque([(1, 2.5)], maxlen=4), {}, (), np.arange(3)[::-1], np.array(True)],
    }
    write(tmp_path / "a.state", {"said": 1}, {"a": value, "nan": float("nan")})
    header, again = read(tmp_path / "a.state")
    assert header == {"said": 1}
    assert repr(again["a"]) == repr(value)
    assert np.isnan(again["nan"])
    assert again["a"]["list"][0].maxlen == 4


@each("axes", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)])
def test_arrays_come_back_as_they_lay_in_memory(axes, tmp_path):
    array = np.arange(24.0).reshape(2, 3, 4).transpose(axes)
    write(tmp_path / "a.state", {}, {"array": array})
    again = read(tmp_path / "a.state")[1]["array"]
    np.testing.assert_array_equal(again, array)
    assert again.strides == array.strides
    assert again.flags.writeable


def meta(scale: Any, copies: int = 1) -> FreshMeta:
    learners = Recorded(np.tile([[0], [1]], (9, 1, copies)))
    return FreshMeta([learners], LOCAL, scale=scale, rng=rng_for(0, "choice"))


def test_scales_that_were_taken_too_far_are_noticed(tmp_path):
    report = Reports(np.zeros((1, 2)), LOCAL, 0.5)
    early, late = meta(iter([1.0] * 9)), meta(iter([1.0] * 9))
    play(early, [report] * 2)
    play(late, [report] * 5)
    save(tmp_path / "a.state", early)
    load(tmp_path / "a.state", late)
    with pytest.raises(InputError, match="load into one that was made anew"):
        late.predict()


def test_other_scales_are_refused_as_soon_as_they_are_known(tmp_path):
    same, last, second = [0.5] * 9, [*[0.5] * 8, 0.6], [0.5, 0.6, *[0.5] * 7]
    report = Reports(np.zeros((1, 2)), LOCAL, 0.5)
    for there, others in ((same, [last, 0.5, iter(same)]), (0.5, [0.6, same]), (iter(same), [0.5, same])):
        early = meta(there)
        play(early, [report] * 3)
        save(tmp_path / "a.state", early)
        again = meta(iter(same) if not isinstance(there, list | float) else there)
        load(tmp_path / "a.state", again)
        assert (again.predict() == early.predict()).all()
        for other in others:
            assert "0.scale was " in refused(tmp_path / "a.state", meta(other))
    late = meta(iter(second))
    load(tmp_path / "a.state", late)
    with pytest.raises(InputError, match="the scales so far are not those of what was loaded"):
        late.predict()


def test_scales_are_compared_as_numbers_of_whatever_type(tmp_path):
    path = tmp_path / "a.state"
    for alike in ([1, 1.0, np.float32(1), np.int64(1)], [[1, 2], (1.0, 2.0), np.array([1, 2]), np.array([1.0, 2.0])]):
        for there in alike:
            save(path, meta(there))
            for here in alike:
                load(path, meta(here))
    for there, here, said in ((0.5, 0.6, "0.5"), (np.float32(0.5), np.float32(0.75), "0.5"), ([1, 2], [1, 3], "array")):
        save(path, meta(there))
        assert f"0.scale was {said}" in refused(path, meta(here))


def test_scales_that_are_changed_after_they_were_given_change_nothing():
    scale = np.full(9, 1e-9)
    player = meta(scale, copies=50)
    scale[:] = 1e9
    player.update(Reports(np.tile([0.0, 1.0], (50, 1)), LOCAL, 0.5))
    assert (player.predict() == 1).all()


def test_a_saved_record_of_batches_is_the_record(tmp_path):
    def leader() -> RWAdaBatch:
        noise = SimulatedNoise(rng_for(0, "noise"))
        return RWAdaBatch(2, LOCAL, noise_scale=0.5, noise=noise, repetitions=2)

    first, second = leader(), leader()
    play(first, [Reports(np.array([[0.1, 0.9]]), LOCAL, 0.5)] * 60)
    save(tmp_path / "a.state", first)
    load(tmp_path / "a.state", second)
    np.testing.assert_array_equal(first.batches, second.batches)
    assert len(first.batches) > 10
    assert described(tmp_path / "a.state")[0].kind == "private_experts.algorithms.rw_adabatch.RWAdaBatch"
