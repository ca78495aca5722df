"""Packages import what they offer when it is asked for, and what they say they offer is there."""

import inspect
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import private_experts

PACKAGES = sorted(
    f"private_experts.{path.parent.name}"
    for path in Path(str(private_experts.__file__)).parent.glob("*/__init__.py")
    if "attach(__name__)" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_has_what_it_offers(package: str) -> None:
    module = import_module(package)
    for found in pkgutil.iter_modules(module.__path__, f"{package}."):
        import_module(found.name)  # which sets the name of the module in its package
    for name in module.__all__:
        thing = getattr(module, name)
        assert not (inspect.ismodule(thing) and hasattr(thing, name)), f"{package}.{name} is hidden by its module"
        assert thing.__name__.rpartition(".")[2] == name or name == "Noise"


def test_a_package_imports_none_of_it_before() -> None:
    assert len(PACKAGES) > 5
    late = [package for package in PACKAGES if package != "private_experts.games"]
    program = f"import sys, {', '.join(late)}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    ours = {name for name in ran.stdout.split() if name.startswith("private_experts")}
    assert ours == {"private_experts", "private_experts.lazy", *late}


def test_a_name_that_a_package_does_not_have_is_refused() -> None:
    with pytest.raises(AttributeError, match=r"'private_experts\.games' has no attribute 'Chess'"):
        _ = import_module("private_experts.games").Chess
    with pytest.raises(ImportError):
        from private_experts.games import Chess  # noqa: F401
