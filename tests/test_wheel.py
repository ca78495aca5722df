"""The wheel in its own environment, with numpy and scipy beside it and nothing else; no network is used.

Building and installing takes some seconds of the processor, once for all of these tests.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

import private_experts
from private_experts.errors import InputError
from private_experts.replication.workflow.user_environment import extra_named

ROOT = Path(__file__).parents[1]
PACKAGE = "private_experts"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BESIDE = ("numpy", "scipy")


class Installed(NamedTuple):
    """A wheel, and the environment that it was installed into."""

    wheel: Path
    bin: Path

    def run(self, program: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, far from this project."""
        command = [str(self.bin / program), *words]
        return subprocess.run(command, cwd=self.bin, env=clean(), capture_output=True, text=True, check=False)


def clean() -> dict[str, str]:
    """Return the environment variables without those that lead Python or pip back to this project."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_"))}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build the wheel from a copy of the sources, in which nothing was built before, and install it."""
    folder = tmp_path_factory.mktemp("wheel")
    (folder / "docs").mkdir()
    for name in ("pyproject.toml", "docs/start.md", "LICENSE"):
        shutil.copy2(ROOT / name, folder / name)
    shutil.copytree(ROOT / "resources", folder / "resources")  # which it is to leave out
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    # As an installer asks the build backend that pyproject.toml names. [PEP 517]
    backend = PYPROJECT["build-system"]["build-backend"]
    build = [sys.executable, "-c", f"from {backend} import build_wheel; build_wheel('.')"]
    subprocess.run(build, cwd=folder, env=clean(), check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    home = folder / "environment"
    venv.create(home, with_pip=False, symlinks=True)
    paths = sysconfig.get_paths(scheme="venv", vars={"base": str(home), "platbase": str(home)})
    here, there = Path(sysconfig.get_path("purelib")), Path(paths["purelib"])
    for found in (path for name in BESIDE for path in (here / name, *here.glob(f"{name}[.-]*"))):
        (there / found.name).symlink_to(found)
    python = str(Path(paths["scripts"]) / "python")
    # With its dependencies, of which none may be fetched: so numpy and scipy must be all that it asks for.
    # The environment's Python runs our pip: asked by `--python`, pip would begin twice.
    (folder / "borrowed").mkdir()
    (folder / "borrowed/pip").symlink_to(here / "pip")
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    install = [*pip, "install", "--no-index", "--no-compile", str(wheel)]
    subprocess.run(install, env=clean() | {"PYTHONPATH": str(folder / "borrowed")}, check=True)
    return Installed(wheel, Path(paths["scripts"]))


def test_the_wheel_holds_the_library_and_nothing_of_the_replication(installed: Installed) -> None:
    held = {name for name in zipfile.ZipFile(installed.wheel).namelist() if ".dist-info/" not in name}
    kinds = {".py", ".typed"}
    source, replication = ROOT / "src", ROOT / "src" / PACKAGE / "replication"
    library = {
        path.relative_to(source).as_posix()
        for path in (source / PACKAGE).rglob("*")
        if path.suffix in kinds and replication not in path.parents
    }
    assert held == library
    assert len({Path(name).suffix for name in held}) == len(kinds)
    assert installed.wheel.stat().st_size < 400_000


def test_python_has_no_upper_bound_and_the_rest_are_extras(installed: Installed) -> None:
    (name,) = (name for name in zipfile.ZipFile(installed.wheel).namelist() if name.endswith("/METADATA"))
    words = zipfile.ZipFile(installed.wheel).read(name).decode().partition("\n\n")[0].splitlines()
    assert "Requires-Python: >=3.11" in words
    needed = [word.removeprefix("Requires-Dist: ") for word in words if word.startswith("Requires-Dist")]
    assert [re.split(r"\W", word)[0] for word in needed if "extra ==" not in word] == [*BESIDE]


def test_an_editable_installation_takes_the_code_of_the_folder_with_the_replication(
    installed: Installed,
) -> None:
    folder = installed.wheel.parent
    (backend := folder / "editable").mkdir()
    build = "from setuptools.build_meta import build_editable; build_editable('editable')"
    subprocess.run(
        [sys.executable, "-c", build], cwd=folder, env=clean(), check=True, stdout=subprocess.DEVNULL
    )
    with zipfile.ZipFile(next(backend.glob("*.whl"))) as wheel:
        (path,) = (name for name in wheel.namelist() if name.endswith(".pth"))
        place = Path(wheel.read(path).decode().strip())
        (script,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
        assert f"private-experts = {PACKAGE}.__main__:main" in wheel.read(script).decode()
    assert place == folder / "src"
    assert (place / PACKAGE / "replication/workflow/cli.py").exists()


def test_the_environment_is_clean(installed: Installed) -> None:
    names = "sorted(found.name for found in importlib.metadata.distributions())"
    ran = installed.run("python", "-c", f"import importlib.metadata, sys; print(*{names}); print(*sys.path)")
    names, path = ran.stdout.splitlines()
    assert names.split() == ["numpy", "private-experts", "scipy"]
    assert str(ROOT) not in path


def test_the_library_is_there_and_the_example_of_the_readme_runs(installed: Installed) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    program = f"{example}\nimport private_experts as p; print(p.__file__)"
    ran = installed.run("python", "-W", "error", "-c", program)
    assert ran.returncode == 0, ran.stderr
    output, place = ran.stdout.splitlines()
    assert str(installed.bin.parent) in place
    assert output.startswith("0.236704-GDP (local, simulated noise) regret ")
    eta = 0.5 / 0.236704
    assert 0 < float(output.split()[-1]) < (eta + 2 / eta) * (2 * 200 * 2.302585) ** 0.5


@pytest.mark.parametrize("words", [["private-experts"], ["python", "-m", PACKAGE]], ids=" ".join)
def test_the_command_tells_its_version(installed: Installed, words: list[str]) -> None:
    ran = installed.run(*words, "--version")
    assert (ran.returncode, ran.stdout) == (0, f"private-experts {private_experts.__version__}\n")


@pytest.mark.parametrize("words", [[], ["claims"], ["verify", "000/tree-nodes"], ["plan"]], ids=" ".join)
def test_a_command_of_the_replication_says_in_one_line_where_it_runs(
    installed: Installed, words: list[str]
) -> None:
    ran = installed.run("private-experts", *words)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert re.fullmatch(
        r"private-experts: this is the library alone, [^\n]* clone [^\n]*: run make reproduce there\n",
        ran.stderr,
    )


def test_a_package_that_the_replication_lacks_is_named_with_what_installs_it() -> None:
    """In a clone whose environment has the library's packages alone."""
    with (
        pytest.raises(InputError, match=r"^plan needs the package snakemoke, .* '\.\[workflow\]'$"),
        extra_named("plan"),
    ):
        import_module("snakemoke")


def test_secure_noise_names_a_package_that_an_index_has(installed: Installed) -> None:
    ran = installed.run("python", "-c", f"from {PACKAGE}.privacy import SecureNoise; SecureNoise()")
    (needed,) = PYPROJECT["project"]["optional-dependencies"]["secure"]
    assert ran.stderr.splitlines()[-1].endswith(f"pip install '{needed}'")
