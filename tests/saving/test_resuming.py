"""What a file of state may be, what it must fit, and that a refusal changes nothing."""

import json
import os
import pickle
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import private_experts
from private_experts.algorithms import (
    RWFTPL,
    FixedShare,
    FreshMeta,
    Hedge,
    PrefixFTPL,
    TreeFTPL,
)
from private_experts.errors import InputError
from private_experts.games import play, private_reports
from private_experts.learners import Recorded
from private_experts.privacy import GaussianDP, MatrixSums, Reports, SimulatedNoise
from private_experts.privacy.factorization import square_root
from private_experts.randomness import rng_for
from private_experts.saving import load, load_state_dict, save, state_dict
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


@each("bits", [np.random.PCG64, np.random.MT19937, np.random.SFC64])
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
        play(player, rng_for(0, "gains").random((5, 3)), resume=True)
    with pytest.raises(InputError, match=r"^0\.n was 3 when it was saved, and is 4 now: "):
        load_state_dict(state_dict(first), hedge(n=4))


def test_numpy_reads_the_arrays_of_a_file(state):
    with np.load(state) as file:
        assert file["0"].shape == (1, 3)  # of all copies: they have one law
        assert json.loads(file["header"].item())


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
    assert refused(tmp_path / "both.state", leader).startswith(
        "0 was numpy.random._pcg64.PCG64 when it was saved"
    )
    assert refused(tmp_path / "both.state", rng).startswith(
        "1 was private_experts.algorithms.tree_ftpl.TreeFTPL"
    )
    apart = TreeFTPL(2, CENTRAL, horizon=9, sensitivity=1.0, noise=SimulatedNoise(rng_for(1, "own")))
    assert "the same as 0" in refused(tmp_path / "both.state", rng, apart)


def test_another_setting_class_or_generator_is_refused_and_changes_nothing(state):
    for other, word in (
        (hedge(n=4), "0.n was 3 when it was saved, and is 4 now"),
        (hedge(bits=np.random.MT19937), "0._rng was numpy.random._pcg64.PCG64"),
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
        ({"sensitivity": 1.0}, {"sensitivity": 1.0 + 1e-15}, "sensitivity"),
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
        sums = MatrixSums(2, CENTRAL, strategy=square_root(rounds), sensitivity=bounds, noise=noise)
        return PrefixFTPL(sums)

    save(tmp_path / "sums.state", leader(1.0))
    assert (tmp_path / "sums.state").stat().st_size < 8 * 64**2 / 2
    load(tmp_path / "sums.state", leader(1.0))
    assert "0._sums._reports._sensitivity was array of <f8 (64,)" in refused(
        tmp_path / "sums.state", leader(1.2)
    )


def test_a_file_cut_off_anywhere_is_refused(state):
    whole = state.read_bytes()
    for length in {*range(0, len(whole), 97), *range(len(whole) - 90, len(whole), 10)}:
        state.write_bytes(whole[:length])
        assert "take another copy" in refused(state, hedge())


def everything(algorithm: Hedge) -> tuple[object, ...]:
    parts = vars(algorithm)
    return parts["_totals"].tobytes(), parts["_round"], repr(parts["_rng"].bit_generator.state)


def test_a_changed_byte_is_refused_or_means_nothing(state):
    whole, expected = state.read_bytes(), hedge()
    load(state, expected)
    refusals = 0
    for at in range(0, len(whole), 23):
        state.write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :])
        other = hedge(1)
        try:
            load(state, other)
        except InputError:
            refusals += 1
        else:  # such as a date in the zip's directory
            assert everything(other) == everything(expected)
    assert refusals > len(whole) / 23 * 0.8


@each(
    ("part", "value", "word"),
    [
        ("library", "0.1.0", f"by version 0.1.0 of the library, and this is {private_experts.__version__}"),
        ("settings", {}, "0 was missing when it was saved"),
        ("state", {}, "is not as it was saved"),
        ("more", 1, "no saved state"),
        ("0._totals", None, "0._totals is not as it was saved"),
        ("0._totals", np.zeros((2, 3), dtype=np.float32), "0._totals is not as it was saved"),
        ("0._totals", np.full((2, 3), np.nan), "0._totals is not as it was saved"),
        ("0._rng", 5, "0._rng is not as it was saved"),
    ],
)
def test_a_state_that_does_not_fit_is_refused_and_changes_nothing(part, value, word, tmp_path):
    saved = state_dict(hedge())
    (saved["state"] if part in saved["state"] else saved)[part] = value
    write(tmp_path / "a.state", saved)
    other = hedge(1)
    before = pickle.dumps(other)
    assert word in refused(tmp_path / "a.state", other)
    assert pickle.dumps(other) == before


def test_an_object_in_the_place_of_the_path_is_refused_in_one_line(tmp_path):
    for verb in (save, load):
        with pytest.raises(InputError, match=rf"{verb.__name__}: the path is of type Hedge: write it first"):
            verb(Hedge(2, rng=0), tmp_path / "x")


def test_no_pickle_is_ever_opened_and_what_is_no_state_is_refused(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    path = tmp_path / "a.state"
    for content in (
        {"header": np.array([Trap()], dtype=object)},
        {"header": np.array(b'{"array": "0"}'), "0": Trap()},
    ):
        with path.open("wb") as file:
            np.savez(file, **content)
        assert "no saved state, or it is damaged" in refused(path, hedge())
    path.write_bytes(pickle.dumps(Trap()))
    assert "no saved state, or it is damaged" in refused(path, hedge())
    assert not (tmp_path / "sprung").exists()
    path.write_bytes(b"PK\x03\x04 and no more")  # begins as a zip file does
    assert "damaged (File is not a zip file): take another copy" in refused(path, hedge())


def test_what_cannot_be_saved_is_refused_and_leaves_the_old_file(state):
    whole = state.read_bytes()

    class Own:
        STATE = ("kept",)

        def __init__(self, kept: Any, setting: Any = None) -> None:
            self.kept, self.setting = kept, setting

    for wrong, word in (
        (Own({1}), "the state holds a value of type set"),
        (Own(np.array([None])), "the state holds a value of type ndarray"),
        (Own(0, iter([1])), "0.setting is <list_iterator"),
        (Own(0, lambda: None), "0.setting is <function .*: define it in a module by itself"),
        (iter([1]), "0 is <list_iterator .* give its class STATE"),
    ):
        with pytest.raises(InputError, match=word):
            save(state, wrong)
    assert state.read_bytes() == whole
    assert [file.name for file in state.parent.iterdir()] == [state.name]


def test_a_disk_that_is_full_leaves_the_old_file(state, monkeypatch):
    whole = state.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        save(state, hedge())
    assert state.read_bytes() == whole
    assert [file.name for file in state.parent.iterdir()] == [state.name]


def test_values_come_back_with_every_bit_and_their_kind(tmp_path):
    value = {
        3: (None, True, -(2**200), 0.1, float("inf"), -0.0, "a\u2028b", np.float64(0.1), np.zeros((0, 3))),
        "list": [deque([(1, 2.5)], maxlen=4), {}, (), np.arange(3)[::-1], np.array(True)],
    }
    write(tmp_path / "a.state", {"a": value, "nan": float("nan")})
    again = read(tmp_path / "a.state")
    assert repr(again["a"]) == repr(value)
    assert np.isnan(again["nan"])
    assert again["a"]["list"][0].maxlen == 4


@each("order", ["C", "F"])
def test_arrays_come_back_as_they_lay_in_memory(order, tmp_path):
    array = np.array(np.arange(24.0).reshape(2, 3, 4), order=order)
    write(tmp_path / "a.state", array)
    again = read(tmp_path / "a.state")
    np.testing.assert_array_equal(again, array)
    assert again.strides == array.strides
    assert again.flags.writeable


class RealNoise:
    """Noise that says it is real."""

    STATE = ()
    simulated = False

    def perturb(self, values: Any, scale: Any, repetitions: int) -> Any:
        return np.tile(values, (repetitions, 1))


def test_a_loaded_game_says_that_the_reports_before_it_were_simulated(tmp_path):
    def fresh() -> RWFTPL:
        return RWFTPL(2, LOCAL, noise_scale=0.5, noise=RealNoise())

    path, first, again, other = tmp_path / "a.state", fresh(), fresh(), fresh()
    assert not first.guarantee.simulated
    play(first, private_reports(np.full((3, 2), 0.5), LOCAL, 0.5, SimulatedNoise(0)))
    assert first.guarantee.simulated
    wrong = state_dict(first)
    wrong["state"]["0.total"] = None
    write(path, wrong)
    assert "0.total is not as it was saved" in refused(path, again)
    assert not again.guarantee.simulated  # a refused state changes no guarantee
    save(path, first)
    load(path, again)
    assert str(again.guarantee) == str(first.guarantee) == "1-GDP (local, simulated noise)"
    save(path, other)
    load(path, again)  # the object itself has heard such reports since
    load(path, other)
    assert again.guarantee.simulated
    assert not other.guarantee.simulated


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


def test_other_scales_are_refused_as_soon_as_they_are_known_and_equal_ones_of_any_type_are_taken(tmp_path):
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
    path = tmp_path / "b.state"
    for there, here in ((1, np.float32(1)), ([1, 2], np.array([1.0, 2.0])), (np.array([1, 2]), (1.0, 2.0))):
        save(path, meta(there))
        load(path, meta(here))
    for there, here, message in ((np.float32(0.5), np.float32(0.75), "0.5"), ([1, 2], [1, 3], "array")):
        save(path, meta(there))
        assert f"0.scale was {message}" in refused(path, meta(here))


def test_scales_that_are_changed_after_they_were_given_change_nothing():
    scale = np.full(9, 1e-9)
    player = meta(scale, copies=50)
    scale[:] = 1e9
    player.update(Reports(np.tile([0.0, 1.0], (50, 1)), LOCAL, 0.5))
    assert (player.predict() == 1).all()


def test_a_refusal_names_the_public_settings_that_differ(tmp_path):
    def tree(sensitivity: float, horizon: int = 20) -> TreeFTPL:
        return TreeFTPL(3, CENTRAL, horizon=horizon, sensitivity=sensitivity, noise=SimulatedNoise(0))

    path = str(tmp_path / "a.state")
    save(path, tree(0.5))
    message = refused(path, tree(1, horizon=40))
    assert (
        "(horizon was 20, and is 40; sensitivity was 0.5, and is 1): make the object with the settings"
        in message
    )
    load(path, tree(0.5))


@each("inside", [False, True])
def test_a_state_goes_on_with_any_number_of_workers_where_it_had_some(inside, tmp_path):
    def made(workers: int | None, seed: int = 0) -> Any:
        noise = SimulatedNoise(seed, workers=workers)
        return TreeFTPL(70_000, CENTRAL, horizon=4, sensitivity=0.5, noise=noise) if inside else noise

    def goes_on(it: Any) -> np.ndarray:
        if not inside:
            return it.perturb(np.zeros(70_000), 1.0, 1)
        it.update(np.zeros(70_000))
        return it.predict()

    with_two, without, path = made(2), made(None), tmp_path / "a.state"
    goes_on(with_two), goes_on(without)
    save(path, with_two)
    with_three = made(3, seed=1)
    load(path, with_three)
    assert "has_workers was True when it was saved, and is missing now" in refused(path, made(None))
    np.testing.assert_array_equal(goes_on(with_three), goes_on(with_two))
    save(path, without)  # its draws are others
    assert "has_workers was missing when it was saved, and is True now" in refused(path, made(1))
