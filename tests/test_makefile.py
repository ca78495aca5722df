"""What the user's environment and settings of pip cannot change in what `make` does."""

import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(*words: str, **variables: str) -> str:
    done = subprocess.run(
        ["make", "--no-print-directory", "PYTHON=python3", *words],
        cwd=ROOT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_only_the_command_line_chooses_a_cluster_and_claims() -> None:
    """PROFILE, for one, is the name of an account where people use a cloud."""
    assert "--profile" not in make("--dry-run", "smoke", PROFILE="work")
    assert "--profile profiles/slurm" in make("--dry-run", "smoke", "PROFILE=slurm", PROFILE="work")
    assert make("--dry-run", "power", CLAIMS="insurance").endswith("-m tests.power \n")
    assert make("--dry-run", "power", "CLAIMS=000/lemma-3").endswith("-m tests.power 000/lemma-3\n")


@pytest.mark.parametrize("target", ["reproduce", "smoke", "plan"])
def test_only_the_command_line_chooses_other_data(tmp_path: Path, target: str) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("python", "private-experts"):
        (tmp_path / "bin" / name).write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
        (tmp_path / "bin" / name).chmod(0o755)
    words = ("-f", ROOT / "Makefile", "-o", ".venv/.ready", f"BIN={tmp_path / 'bin'}", target)
    path = 'a b/o\'clock "ü".csv'
    assert f"\n--data\n{path}\n" in make(*map(str, words), f"DATA={path}", DATA="theirs.csv")
    assert "--data" not in make(*map(str, words), DATA="theirs.csv")


@pytest.mark.parametrize(
    ("code", "fine"), [(0, True), (4, True), (5, True), (1, False), (2, False), (70, False)]
)
def test_seeds_fail_at_whatever_is_no_verdict(tmp_path: Path, code: int, fine: bool) -> None:
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin/private-experts"
    command.write_text(f"#!/bin/sh\nexit {code}\n")
    command.chmod(0o755)
    words = [
        "make",
        "-C",
        tmp_path,
        "-f",
        ROOT / "Makefile",
        "-o",
        ".venv/.ready",
        "BIN=bin",
        "SEEDS=1",
        "seeds",
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ("no check crashed" in done.stdout, done.returncode == 0) == (fine, fine)


def test_an_environment_is_made_once_also_of_a_lock_that_is_dated_tomorrow(tmp_path: Path) -> None:
    (tmp_path / ".venv/bin").mkdir(parents=True)
    python, said = tmp_path / ".venv/bin/python", tmp_path / "said"
    python.write_text(f'#!/bin/sh\necho "$@" >> {said}\n')
    python.chmod(0o755)
    dates = {"requirements.lock": 86400, "pyproject.toml": 90000, "requirements-test.lock": 0}
    for name, late in dates.items():
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time.time() + late,) * 2)
    words = ["make", "-C", tmp_path, "-f", ROOT / "Makefile", "PYTHON=python3", ".venv/.tools"]
    asked = []
    for _ in range(2):
        subprocess.run(words, check=True, capture_output=True)
        asked.append(said.read_text().count("\n"))
    assert asked[0] == asked[1] >= 3
    os.utime(tmp_path / "requirements.lock", (time.time() + 95000,) * 2)
    subprocess.run(words, check=True, capture_output=True)
    assert said.read_text().count("\n") > asked[0]


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """Return a folder with a package that can be installed without a network."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    about = "toy_for_make-1.0.dist-info"
    with zipfile.ZipFile(folder / "toy_for_make-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("toy_for_make.py", "")
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: toy-for-make\nVersion: 1.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """Return an environment that holds nothing, and runs the pip of this one."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    return tmp_path / "venv"


SETTINGS = {"user": "true", "target": "elsewhere", "no-binary": ":all:"}
VARIABLES = {"USER": "1", "PREFIX": "elsewhere", "CONSTRAINT": "/no/such/file", "REQUIRE_HASHES": "1"}
VARIABLES |= {"DRY_RUN": "1"}


def test_packages_go_into_the_environment_whatever_pip_is_told(
    wheels: Path, environment: Path, tmp_path: Path
) -> None:
    pip = pytest.importorskip("pip")
    variables = {f"PIP_{name}": value for name, value in VARIABLES.items()}
    lines = "\n".join(f"{name} = {value}" for name, value in SETTINGS.items())
    settings = tmp_path / "pip.conf"
    settings.write_text(f"[global]\nfind-links = {wheels}\n[install]\n{lines}\n")
    python = f"{environment}/bin/python"
    install = make("--eval", "told: ; @echo $(INSTALL)", "told", f"BIN={environment}/bin").strip()
    places = {"PYTHONPATH": str(Path(pip.__file__ or "").parents[1]), "PIP_CONFIG_FILE": str(settings)}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTHON"))}
    subprocess.run(
        f"{install} --no-index --ignore-installed toy-for-make",
        shell=True,
        cwd=tmp_path,
        env=kept | places | variables,
        check=True,
        capture_output=True,
    )
    found = subprocess.check_output(
        [python, "-c", "import toy_for_make as toy; print(toy.__file__)"], text=True
    )
    assert Path(found.strip()).is_relative_to(environment)
