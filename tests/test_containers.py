"""Images take their steps from where the minimal system does, and use what they hold, read-only."""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONTAINERFILE = (ROOT / "Containerfile").read_text(encoding="utf-8")
MINIMAL = (ROOT / ".ci/minimal").read_text(encoding="utf-8")


def test_an_image_starts_from_the_debian_of_the_minimal_system_and_does_its_steps() -> None:
    suite = re.search(r"^FROM \S+/debian:(\w+)-slim$", CONTAINERFILE, re.MULTILINE)[1]  # type: ignore[index]
    assert f"--variant=minbase {suite} " in MINIMAL
    steps = ["prepare system", "prepare project /opt/private-experts"]
    assert re.findall(r"^RUN (.*)$", CONTAINERFILE, re.MULTILINE) == steps
    assert "\nrun root prepare system\n" in MINIMAL
    copied = re.findall(r"^COPY (.*)$", CONTAINERFILE, re.MULTILINE)
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8")
    assert {line[1:] for line in ignored.split("\n") if line.startswith("!")} == {
        line.split()[0] for line in copied
    }


def test_scripts_can_be_run_and_say_what_they_take() -> None:
    for script in (ROOT / "containers/prepare", ROOT / "containers/run", ROOT / ".ci/minimal"):
        assert os.access(script, os.X_OK)
        assert subprocess.run(["sh", "-n", str(script)], check=False).returncode == 0
    ran = subprocess.run(
        [ROOT / "containers/prepare", "projekt"], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)


def test_readme_names_the_packages_of_debian_that_are_installed() -> None:
    (packages,) = re.findall(
        r"--no-install-recommends ([a-z0-9 -]+)", (ROOT / "containers/prepare").read_text()
    )
    assert f"`apt-get install {packages.strip()}`" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_an_image_is_used_without_writing_to_it(tmp_path: Path) -> None:
    image, here = tmp_path / "image", tmp_path / "here"
    (image / "containers").mkdir(parents=True)
    (image / ".venv").mkdir()
    here.mkdir()
    script = (ROOT / "containers/run").read_text(encoding="utf-8")
    (image / "containers/run").write_text(script, encoding="utf-8")
    # As in the project, the environment must not look older than the lock.
    (image / "lock").touch()
    os.utime(image / "lock", (1e9, 1e9))
    (image / ".venv/.ready").touch()
    makefile = (
        ".venv/.ready: lock\n\t@false\nsay: .venv/.ready\n\t@echo $$PYTHONPATH; cat text 2>/dev/null || "
        "echo first\n"
    )
    (image / "Makefile").write_text(makefile, encoding="utf-8")
    before = sorted(image.rglob("*"))
    # What an interrupted copy leaves is no project: the next one begins again.
    (here / "private-experts.part").mkdir()
    (here / "private-experts.part/Makefile").touch()

    def run() -> str:
        command = ["sh", str(image / "containers/run"), "--no-print-directory", "say"]
        return subprocess.run(command, cwd=here, capture_output=True, text=True, check=True).stdout

    assert run() == f"{here}/private-experts/src\nfirst\n"
    (here / "private-experts/text").write_text("kept\n", encoding="utf-8")
    assert run().endswith("\nkept\n")  # a second run goes on from what is there
    assert (here / "private-experts/.venv").is_symlink()
    assert [path.name for path in here.iterdir()] == ["private-experts"]
    assert sorted(image.rglob("*")) == before
