"""What a machine says of its processor and of the cores that a process may use."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from private_experts.replication.report import machine

BOUND = 4  # cores


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder in the place of ``/``, on a machine whose processes may use four cores."""
    monkeypatch.setattr(machine, "ROOT", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(BOUND)), raising=False)
    return tmp_path


def write(system: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        (system / name).parent.mkdir(parents=True, exist_ok=True)
        (system / name).write_text(f"{content}\n")


@pytest.mark.parametrize("name", ["sitecustomize", "usercustomize", "other"])
def test_what_changes_packages_as_python_starts_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for module in ("sitecustomize", "usercustomize"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    assert machine.customized() == []
    file = str(tmp_path / f"{name}.py")
    monkeypatch.setitem(sys.modules, name, SimpleNamespace(__file__=file))
    assert machine.customized() == ([file] if name != "other" else [])
    own = Path(os.__file__).with_name("sitecustomize.py")  # as Debian has one
    (tmp_path / "link").symlink_to(own.parent)  # as Homebrew has one
    for file in (own, tmp_path / "link" / own.name):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(__file__=str(file)))
        assert machine.customized() == []


def test_cores_are_bound_by_affinity_and_by_the_quota_of_the_container(system: Path) -> None:
    assert machine.usable_cores() == BOUND
    for quota, cores in (("max", BOUND), ("150000", 2), ("50000", 1), ("9900000", BOUND)):
        write(system, {"sys/fs/cgroup/cpu.max": f"{quota} 100000"})
        assert machine.usable_cores() == cores


def test_the_processor_is_named_as_far_as_the_system_does(system: Path) -> None:
    assert machine._processor()
    of_each = "\n".join(f"processor\t: {core}\nmodel name\t: Some CPU" for core in range(2))
    write(system, {"proc/cpuinfo": of_each})
    assert machine._processor() == "Some CPU"


@pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="these kernels are of x86-64"
)
def test_the_kernels_are_those_that_compute() -> None:
    program = (
        "from private_experts.replication.report.machine import facts; found = facts(); "
        "print(*found['blas'], *found['simd'])"
    )
    chosen = {"OPENBLAS_CORETYPE": "Nehalem"}
    chosen["NPY_DISABLE_CPU_FEATURES"] = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
    words = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(words, env=os.environ | chosen, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["Nehalem"]
