"""Which code computes: it must be this folder's own."""

from pathlib import Path

from private_experts.errors import PROGRAM, InputError

HERE = Path(__file__).parents[2]  # the folder that the package is imported from


def check(root: Path) -> None:
    """Refuse to compute in a copy of the project with the code of another one."""
    wanted = root.resolve() / "src"
    if wanted.is_dir() and HERE.resolve() != wanted.resolve():
        raise InputError(
            f"this folder's code is in {wanted}, and {PROGRAM} is imported from {HERE}; run make, "
            f"or pip install --editable . in this folder"
        )
