"""What an entry point can reach: the definitions that names lead to, from module to module.

From one name the walk follows functions, classes, constants and imports inside the package. It also takes along what
every module on the way does when it is imported: its loose statements, names bound twice, definitions handed to a
decorator of the package, a module ``__getattr__``, and the same of the modules that it imports.

The walk cannot see what only the running program knows:

- names looked up by string (`getattr` on an object, `globals`, `importlib`, what a module ``__getattr__`` finds,
  string annotations);
- registration by ``__init_subclass__``, ``__subclasses__`` or a call in a constant that nobody names;
- unpickled objects, docstrings read as data, and package data files.

``tests/audit.py`` runs an entry and reports the code that ran although the walk did not reach it.
"""

import difflib
import hashlib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from private_experts.errors import InputError
from private_experts.replication.run.fingerprint.meaning import Module, Place, attribute, place
from private_experts.replication.run.fingerprint.memo import read
from private_experts.replication.run.fingerprint.parsing import line_of

VISIT = "<visit>"  # instead of a name: what happens when a module is imported
BELOW = ".*"  # at the end of a package's name: which modules there are in it


def reach(entry: str, root: "Path | Source | None" = None) -> dict[str, str]:
    """Return every definition that an entry point can reach, with the hash of its source.

    Parameters
    ----------
    entry : str
        The entry point, as in ``"private_experts.replication.run.stages:manifest"``.
    root : Path or Source, optional
        The folder that contains the package; by default the one this module's package lies in. For many entries a
        `Source` of it, which reads each file and follows each name once.

    Returns
    -------
    dict of str to str
        ``"package.module:name"`` to 16 hexadecimal digits, sorted. An imported name is a definition too,
        and ``"package.module:<module>"`` holds the loose statements of a module.

    Raises
    ------
    InputError
        When the entry does not exist, or a module on the way is not valid Python.
    """
    return dict(sorted(source_of(entry, root).reach(*entry.split(":")).items()))


def source_of(entry: str, root: "Path | Source | None" = None) -> "Source":
    """Return the source in which an entry point lies; see `reach`."""
    module, _, name = entry.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), name)):
        raise InputError(f"{entry!r} is not an entry point: write package.module:name")
    return root if isinstance(root, Source) else Source(root, module.partition(".")[0])


class Walk(NamedTuple):
    """What a walk from an entry point found, and where it looked.

    Attributes
    ----------
    definitions : dict of str to str
        See `reach`.
    looked_at : list of str
        The modules that were read or missed, and packages whose modules were listed, such as ``"package.part.*"``. As
        long as none of them changes, the walk finds the same.
    """

    definitions: dict[str, str]
    looked_at: list[str]


class Source:
    """A package's source as it is when it is first read; where each name leads is worked out once.

    Parameters
    ----------
    root : Path, optional
        The folder that contains the package; by default the one this module's package lies in.
    package : str, optional
        Its name; by default this one's.
    memo : Path, optional
        The folder where modules that were read are kept.
    """

    def __init__(
        self, root: Path | None = None, package: str = __name__.partition(".")[0], memo: Path | None = None
    ) -> None:
        self.root, self.package = Path(root or Path(__file__).parents[__name__.count(".")]), package
        self.memo = memo
        self.files: dict[str, tuple[Path, bytes] | None] = {}
        self.modules: dict[str, Module | None] = {}
        self.folders: dict[str, dict[str, Path]] = {}
        self.lists: dict[str, list[str]] = {}
        self.states: dict[str, str] = {}
        self.found: dict[Place, tuple[list[Place], dict[str, str]]] = {}

    def reach(self, module: str, name: str) -> dict[str, str]:
        """Return what a name of a module can reach, with hashes; see `reach`."""
        return self.walk(module, name).definitions

    def walk(self, module: str, name: str) -> Walk:
        """Return what a name of a module can reach, and where that had to be looked up."""
        self._check(module, name)
        reached: dict[str, str] = {}
        todo = [place(module, name)]
        seen = {*todo}
        for at in todo:  # which grows
            further, definitions = self._step(at)
            reached |= definitions
            new = [each for each in further if each not in seen]
            seen.update(new)
            todo += new
        looked_at = {at.partition(":")[0] for at in seen}
        listed = {at[:-1] for at in seen if at.endswith(":")}
        return Walk(reached, sorted(looked_at | {f"{each}{BELOW}" for each in listed}))

    def state(self, looked_at: str) -> str:
        """Return a text that changes whenever a module's file does, or the list of a package's modules; see `Walk`."""
        if looked_at not in self.states:
            if looked_at.endswith(BELOW):
                state = " ".join(self._below(looked_at.removesuffix(BELOW)))
            else:
                file = self._file(looked_at)
                state = f"{file[0].name} {hashlib.sha256(file[1]).hexdigest()}" if file else "none"
            self.states[looked_at] = state
        return self.states[looked_at]

    def ways(self, entry: str, wanted: Collection[str]) -> dict[str, list[str]]:
        """Return the shortest way from an entry point to definitions: the definitions that it passes through.

        Parameters
        ----------
        entry : str
            As in `reach`.
        wanted : collection of str
            Definitions, as `reach` returns them; those that cannot be reached are left out.

        Returns
        -------
        dict of str to list of str
            The entry first and the definition last. Imported names on the way are left out, and so are imports that
            lead to a module whose loose statements are not at the end of the way.
        """
        start = place(*entry.split(":"))
        before: dict[Place, Place | None] = {start: None}
        found: dict[str, Place] = {}
        missing, todo = set(wanted), [start]
        for at in todo:  # which grows: nearer places come first
            further, definitions = self._step(at)
            for definition in definitions.keys() & missing:
                found[definition] = at
                missing.remove(definition)
            if not missing:
                break
            new = [each for each in further if each not in before]
            before |= dict.fromkeys(new, at)
            todo += new
        return {
            definition: self._passed(found[definition], before, definition)
            for definition in wanted
            if definition in found
        }

    def _passed(self, end: Place, before: Mapping[Place, Place | None], definition: str) -> list[str]:
        """Return the definitions on the way to a place, but for names that were imported, and the one at its end."""
        passed, at = [definition], before[end]
        while at is not None:
            module, _, names = at.partition(":")
            head = names.partition(".")[0]
            known = self._module(module)
            if known and head in known.names and not known.names[head].imported and f"{module}:{head}" != passed[0]:
                passed.insert(0, f"{module}:{head}")
            at = before[at]
        return passed

    def where(self, definition: str) -> tuple[Path, int]:
        """Return the file of a definition, and the line at which it begins; the first line when it is gone."""
        module, _, name = definition.partition(":")
        folder = self.root.joinpath(*module.split("."))
        path = folder / "__init__.py" if (folder / "__init__.py").is_file() else folder.with_suffix(".py")
        return path, line_of(name, path.read_bytes()) if path.is_file() else 1

    def _check(self, module: str, name: str) -> None:
        """Refuse an entry that does not exist, and list the names that look like it."""
        if found := self._module(module):
            wanted, known, missing = name, set(found.names), f"no {name} in {module}"
        else:
            wanted, known, missing = module, set(self._below(self.package)), f"no module {module} in {self.root}"
        if wanted not in known:
            near = difflib.get_close_matches(wanted, sorted(known), n=5, cutoff=0.4) or sorted(known)[:5]
            raise InputError(f"{module}:{name}: there is {missing}; near it: {', '.join(near) or 'nothing'}")

    def _module(self, name: str) -> "Module | None":
        """Return a module of the package; None for everything else."""
        if name not in self.modules:
            file = self._file(name)
            self.modules[name] = file and read(name, *file, self.memo)
        return self.modules[name]

    def _file(self, name: str) -> tuple[Path, bytes] | None:
        """Return a module's file and its content when it is first asked for; None for what is not in the package."""
        if name not in self.files:
            self.files[name] = self._read(name) if name.partition(".")[0] == self.package else None
        return self.files[name]

    def _read(self, name: str) -> tuple[Path, bytes] | None:
        """Read a module of the package. Most names lead to no file, so folders are listed, and not asked for each."""
        package, _, own = name.rpartition(".")
        beside = self._entries(package)
        inside = self._entries(name) if own in beside else {}
        for file in (inside.get("__init__.py"), beside.get(f"{own}.py")):
            if file and file.is_file():
                return file, file.read_bytes()
        # A folder without __init__.py is an empty package.
        return (beside[own] / "__init__.py", b"") if own in beside and beside[own].is_dir() else None

    def _entries(self, package: str) -> dict[str, Path]:
        """Return what lies in the folder of a package, by name, as it is when it is first asked for."""
        if package not in self.folders:
            folder = self.root.joinpath(*filter(None, package.split(".")))
            self.folders[package] = {path.name: path for path in folder.iterdir()} if folder.is_dir() else {}
        return self.folders[package]

    def _below(self, name: str) -> list[str]:
        """Return the names of all modules inside a package as they are when it is first asked for, sorted."""
        if name not in self.lists:
            paths = self.root.joinpath(*name.split(".")).rglob("*.py")
            parts = [path.relative_to(self.root).with_suffix("").parts for path in paths]
            self.lists[name] = sorted(".".join(each[:-1] if each[-1] == "__init__" else each) for each in parts)
        return self.lists[name]

    def _step(self, at: Place) -> tuple[list[Place], dict[str, str]]:
        """Return where a place leads, and the definitions with their hashes that are reached by going there."""
        if at not in self.found:
            definitions: dict[str, str] = {}
            name, _, names = at.partition(":")
            ways = self._visit(name, definitions) if names == VISIT else self._ways(name, names, definitions)
            # Calls before imports, so that of two ways of one length the telling one is shown.
            self.found[at] = sorted({*ways}, key=lambda each: (each.endswith(VISIT), each)), definitions
        return self.found[at]

    def _ways(self, name: str, names: str, definitions: dict[str, str]) -> Iterator[Place]:
        """Yield where a name of a module with attributes leads, and note the definition it names."""
        module = self._module(name)
        if module is None:
            return
        yield place(name, VISIT)
        if not names:  # the module itself is passed around: everything in it can be used
            yield from (place(name, bound) for bound in module.names)
            yield from map(place, (*module.stars, *(self._below(name) if module.is_package else ())))
            return
        head, _, rest = names.partition(".")
        if head in module.names:
            means = module.names[head]
            definitions[f"{name}:{head}"] = means.code
            yield from means.leads
            yield from (attribute(each, rest) for each in means.imported)
        yield from (place(star, names) for star in module.stars)
        if module.is_package:
            yield place(f"{name}.{head}", rest)

    def _visit(self, name: str, definitions: dict[str, str]) -> Iterator[Place]:
        """Yield where the import of a module leads, and note its loose statements."""
        module = self._module(name)
        if module is None:
            return
        if module.visit.code:
            definitions[f"{name}:<module>"] = module.visit.code
        yield from module.visit.leads
