"""A mistake or a disk's refusal is told in one line, and says if something could not be read or written."""

import errno
import os
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms import RWFTPL, DyadicLeader, FollowTheLeader, TreeFTPL
from private_experts.errors import InputError, errors_in_one_line
from private_experts.games import experiment, play, private_reports
from private_experts.privacy import (
    GaussianDP,
    MatrixSums,
    SimulatedNoise,
    TightTreeSums,
    privacy_report,
    privatize,
    pure_within,
)
from private_experts.privacy.factorization import square_root
from tests.each import each


@each(
    ("number", "message"),
    [
        (errno.ENOSPC, "x.csv: cannot be written (No space left on device)"),
        (errno.EROFS, "x.csv: cannot be written (Read-only file system)"),
        (errno.ENOENT, "x.csv: cannot be read (No such file or directory)"),
    ],
)
def test_what_a_disk_refuses_is_told_in_one_line(capsys: Any, number: int, message: str) -> None:
    with pytest.raises(SystemExit) as ended, errors_in_one_line():
        raise OSError(number, os.strerror(number), "x.csv")
    assert (ended.value.code, capsys.readouterr().err) == (2, f"private-experts: {message}\n")


def test_of_a_long_line_its_beginning_and_its_end_are_told(capsys: Any) -> None:
    for quoted, told in (("x" * 900, 900), ("x" * 16_000, 1000)):
        with pytest.raises(SystemExit), errors_in_one_line():
            raise InputError(f"row 2: {quoted!r} is not a number; write a number")
        said = capsys.readouterr().err
        assert said.startswith("private-experts: row 2: 'xxx")
        assert said.endswith("xxx' is not a number; write a number\n")
        assert told <= len(said) < 1100


@each("function", [play, experiment, private_reports, privatize])
def test_a_misspelt_name_is_told_what_was_meant(function: Any) -> None:
    with pytest.raises(
        TypeError, match=rf"{function.__name__}\(\) got an .* 'boundz'; did you mean 'bounds'\?"
    ):
        function(np.zeros((1, 2)), boundz=(0, 1))
    with pytest.raises(TypeError, match="did you mean 'delta'"):
        privacy_report(None, dleta=1e-6)  # type: ignore[call-arg, arg-type]


def test_an_argument_that_needs_its_name_is_told_it() -> None:
    gains, noise = np.zeros((1, 2)), SimulatedNoise(1)
    with pytest.raises(TypeError, match=r"^play\(\): write sensitivity=\.\.\., noise=\.\.\. by name$"):
        play(FollowTheLeader(2), gains, 0.5, noise)  # type: ignore[call-overload]
    with pytest.raises(
        TypeError, match=r"^from_epsilon_delta\(\): write epsilon=..., delta=..., model=... by name$"
    ):
        GaussianDP.from_epsilon_delta(1.0, 1e-6, "local")  # type: ignore[call-arg]
    with pytest.raises(
        TypeError, match=r"^RWFTPL\(\): write sensitivity=\.\.\., noise_scale=\.\.\. by name$"
    ):
        RWFTPL(2, GaussianDP(1.0, "local"), 0.5, noise)  # type: ignore[call-arg, arg-type]


def test_a_class_with_any_number_of_arguments_takes_them() -> None:
    class Own(FollowTheLeader):
        def __init__(self, *given: int, repetitions: int = 1) -> None:
            super().__init__(*given[:1], repetitions=repetitions)

    assert Own(3, 4, 5).n == 3


def test_what_to_write_is_told_of_levels_and_sensitivities() -> None:
    with pytest.raises(InputError, match=r"write GaussianDP\(\.\.\., 'local'\) or \(\.\.\., 'central'\)"):
        pure_within(1.0)  # type: ignore[arg-type]
    central = GaussianDP(1.0, "central")
    with pytest.raises(InputError, match=r"write PureDP\(\.\.\., 'central'\), such as pure_within of it"):
        DyadicLeader(2, central, rng=0)  # type: ignore[arg-type]
    given: dict[str, Any] = {"sensitivity": 0.5, "noise": SimulatedNoise(0)}
    with pytest.raises(InputError, match=r"such as np\.full\(8, 0\.5\)"):
        MatrixSums(2, central, strategy=square_root(8), **given)
    with pytest.raises(InputError, match=r"such as np\.full\(rounds, 0\.5\)"):
        TightTreeSums(2, central, **given)
    tree = TreeFTPL(2, central, horizon=8, **given)
    for slip in ({"sensitivity": 0.5}, given):
        with pytest.raises(InputError, match="TreeFTPL hears no local reports: leave out sensitivity and"):
            play(tree, np.zeros((8, 2)), **slip)
