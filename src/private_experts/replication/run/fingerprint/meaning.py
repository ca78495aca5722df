"""What is known of a module's source, as plain data: where its names lead, and hashes of what they stand for."""

from typing import NamedTuple

Place = str  # "package.module:random.rng", the attribute `rng` of a name; "package.module:" is the module itself
IMPORTED = "<module>"  # instead of a name: the module is imported, and nothing of it is used


class Meaning(NamedTuple):
    """What stands behind a name of a module, or happens when the module is imported.

    Attributes
    ----------
    code : str
        The hash of the source; empty where there is none.
    leads : list of str
        The places that the source names.
    imported : list of str
        The places that the name itself stands for; its attributes are theirs.
    """

    code: str
    leads: list[Place]
    imported: list[Place]


class Module(NamedTuple):
    """What the names of a module mean, and what its import does.

    Attributes
    ----------
    is_package : bool
        Whether modules below it can be its names.
    stars : list of str
        The modules all of whose names it imports.
    names : dict of str to Meaning
        The names that it binds.
    visit : Meaning
        What runs whenever it is imported.
    """

    is_package: bool
    stars: list[str]
    names: dict[str, Meaning]
    visit: Meaning


def place(module: str, *names: str) -> Place:
    """Return the place of a name of a module, and of attributes of it."""
    return f"{module}:{'.'.join(names)}"


def attribute(of: Place, names: str) -> Place:
    """Return the place of attributes of what is at a place."""
    return f"{of}{'' if of.endswith(':') or not names else '.'}{names}"
