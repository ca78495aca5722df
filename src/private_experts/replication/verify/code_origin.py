"""Which code computes: this folder's own, and the packages that the manifest names."""

from importlib.util import find_spec
from pathlib import Path

from private_experts.errors import PROGRAM, InputError

HERE = Path(__file__).parents[3]  # the folder that the package is imported from
# Packages that compute the results, as they are imported, and as they are installed.
COMPUTING = {
    "numpy": "numpy",
    "scipy": "scipy",
    "pandas": "pandas",
    "flint": "python-flint",
    "matplotlib": "matplotlib",
}


def check(root: Path) -> None:
    """Refuse code of another folder, and a package that PYTHONPATH puts before the installed one."""
    from importlib.metadata import PackageNotFoundError, distribution  # slow to load, and jobs check nothing

    # Results of one folder's code must not be written into another one's folder.
    source = root.resolve() / "src"
    if source.is_dir() and HERE.resolve() != source.resolve():
        raise InputError(
            f"this folder's code is in {source}, and {PROGRAM} is imported from {HERE}; run make, "
            f"or pip install --editable . in this folder"
        )
    for module, name in COMPUTING.items():
        found = find_spec(module)
        try:
            installed = Path(str(distribution(name).locate_file(module)))
        except PackageNotFoundError:
            continue
        if found and found.origin and Path(found.origin).parent.resolve() != installed.resolve():
            raise InputError(
                f"{module} is imported from {found.origin}, not from {installed}; unset PYTHONPATH"
            )
