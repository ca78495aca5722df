"""Packages import what they offer when it is asked for, and what they say they offer is there."""

import inspect
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import private_experts

TOP = Path(str(private_experts.__file__)).parents[1]
PACKAGES = sorted(
    ".".join(path.parent.relative_to(TOP).parts)
    for path in TOP.glob("private_experts/**/__init__.py")
    if "attach(__name__)" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_has_what_it_offers(package: str) -> None:
    module = import_module(package)
    for found in pkgutil.iter_modules(module.__path__, f"{package}."):
        if not found.name.endswith("__main__"):
            import_module(found.name)  # which sets the name of the module in its package
    for name in module.__all__:
        thing = getattr(module, name)
        assert not (inspect.ismodule(thing) and hasattr(thing, name)), (
            f"{package}.{name} is hidden by its module"
        )
        assert thing.__name__.rpartition(".")[2] == name or name == "Noise"


def after(program: str) -> set[str]:
    """Return the modules of ours that a program has loaded at its end."""
    program = f"import sys; {program}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name for name in ran.stdout.split() if name.startswith("private_experts")}


def test_a_package_imports_none_of_it_before() -> None:
    assert len(PACKAGES) > 5
    late = [package for package in PACKAGES if package != "private_experts.games"]
    assert after(f"import {', '.join(late)}") == {"private_experts", "private_experts.lazy", *late}


def test_dir_names_what_a_package_offers_without_importing_it() -> None:
    for package in PACKAGES:
        module = import_module(package)
        assert [name for name in dir(module) if not name.startswith("_")] == sorted(module.__all__)
    asked = [f"assert {min(import_module(package).__all__)!r} in dir({package})" for package in PACKAGES]
    imported = f"import {', '.join(PACKAGES)}"
    assert after("; ".join([imported, *asked])) == after(imported)


def test_the_top_level_offers_packages_and_names_and_nothing_of_the_replication() -> None:
    assert private_experts.algorithms.RWFTPL is private_experts.RWFTPL
    used = "; ".join(f"private_experts.{name}" for name in private_experts.__all__)
    loaded = after(f"import private_experts; {used}")
    assert {"private_experts.algorithms.rw_ftpl", "private_experts.walks"} <= loaded
    assert [name for name in loaded if name.startswith("private_experts.replication")] == []


def test_a_name_that_a_package_does_not_have_is_refused() -> None:
    with pytest.raises(AttributeError, match=r"'private_experts\.games' has no attribute 'Chess'"):
        _ = import_module("private_experts.games").Chess
    with pytest.raises(AttributeError, match=r"no attribute 'RWFTP'; did you mean 'RWFTPL'\?$"):
        _ = private_experts.RWFTP
    with pytest.raises(ImportError):
        from private_experts.games import Chess  # noqa: F401
