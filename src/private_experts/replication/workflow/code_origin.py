"""Which code a run would compute with: this folder's own, and the packages that the manifest names."""

from importlib.util import find_spec
from pathlib import Path

from private_experts.errors import PROGRAM, InputError
from private_experts.replication.workflow.fingerprint.reachability import HERE

# Packages that compute the results, as they are imported, and as they are installed where that is another name.
COMPUTING = ("numpy", "scipy", "pandas", "flint", "matplotlib")
INSTALLED = {"flint": "python-flint"}


def check(root: Path) -> None:
    """Refuse code of another folder, and a package that PYTHONPATH puts before the installed one."""
    from importlib.metadata import PackageNotFoundError, distribution  # slow to load, and jobs check nothing

    wanted = root.resolve() / "src"
    if HERE.resolve() != wanted:
        raise InputError(
            f"this folder's code is in {wanted}, and {PROGRAM} is imported from {HERE}; run make, "
            f"or pip install --editable . in this folder"
        )
    for module in COMPUTING:
        found = find_spec(module)
        try:
            installed = Path(str(distribution(INSTALLED.get(module, module)).locate_file(module)))
        except PackageNotFoundError:
            continue
        if found and found.origin and Path(found.origin).parent.resolve() != installed.resolve():
            raise InputError(f"{module} is imported from {found.origin}, not from {installed}; unset PYTHONPATH")
