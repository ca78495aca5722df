"""What an entry point can reach: the definitions that names lead to, from module to module.

From one name the walk follows functions, classes, constants and imports inside the package. It also takes
along what every module on the way does when it is imported: its loose statements, and the same of the modules
that it imports.

The walk cannot see what only the running program knows:

- names looked up by string (`getattr` on an object, `globals`, `importlib`, string annotations);
- what a decorator, a base class or a call in a constant that nobody names may have noted down elsewhere;
- unpickled objects, docstrings read as data, and package data files.

``tests/audit.py`` runs an entry and reports the code that ran although the walk did not reach it.
"""

import functools
import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from private_experts.errors import InputError
from private_experts.replication.files import write_text
from private_experts.replication.workflow.fingerprint.parsing import IMPORT, Module, Place, attribute, parse

PACKAGE = __name__.partition(".")[0]
HERE = Path(__file__).parents[__name__.count(".")]  # the folder that contains the package


class Source:
    """The source of a package in a folder, as it is when made; `memo` is a file for what was parsed."""

    def __init__(self, root: Path = HERE, package: str = PACKAGE, memo: Path | None = None) -> None:
        self.root, self.memo = Path(root), memo
        self._files: dict[str, tuple[Path, bytes, str]] = {}
        for path in sorted((self.root / package).rglob("*.py")):
            parts = path.relative_to(self.root).with_suffix("").parts
            name, content = ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path.read_bytes()
            self._files[name] = path, content, hashlib.sha256(path.name.encode() + content).hexdigest()
        self._modules: dict[str, Module] = {}
        self._news = False  # whether something was parsed that the memo does not have
        self._steps: dict[Place, tuple[list[Place], dict[str, str]]] = {}

    @functools.cached_property
    def checksum(self) -> str:
        """A hash of all files, and of what reads them."""
        files = (f"{name} {checksum}" for name, (_, _, checksum) in self._files.items())
        return hashlib.sha256("\n".join([_reader(), *files]).encode()).hexdigest()

    def reach(self, entry: str) -> dict[str, str]:
        """Return every definition that an entry point can reach, sorted, with the hash of its source.

        Names are those of entries, as in ``"private_experts.replication.workflow.run_stages:manifest"``. An
        imported name is a definition too, and ``"package.module:<module>"`` holds the loose statements of a
        module.
        """
        module, _, name = entry.partition(":")
        if module not in self._files or name not in self._module(module)["names"]:
            raise InputError(f"{entry}: there is no such function in {self.root}; write package.module:name")
        reached: dict[str, str] = {}
        todo = [entry]
        seen = {entry}
        for place in todo:  # which grows
            further, definitions = self._step(place)
            reached |= definitions
            new = [entry for entry in further if entry not in seen]
            seen.update(new)
            todo += new
        return dict(sorted(reached.items()))

    def keep(self) -> None:
        """Keep what was parsed."""
        if self.memo and self._news:
            modules = {name: [self._files[name][-1], module] for name, module in self._modules.items()}
            write_text(self.memo, json.dumps([_reader(), modules]))

    @functools.cached_property
    def _parsed(self) -> Mapping[str, Any]:
        try:
            reader, modules = json.loads(self.memo.read_bytes()) if self.memo else ("", {})
        except (OSError, ValueError):
            return {}
        # Another parser may read the same file otherwise.
        return modules if reader == _reader() else {}

    def _module(self, name: str) -> Module:
        if name not in self._modules:
            path, content, checksum = self._files[name]
            # By checksum: what the memo knows of another version of a file is worth nothing.
            kept, module = self._parsed.get(name, ("", None))
            if kept != checksum:
                module, self._news = parse(name, path, content), True
            self._modules[name] = module
        return self._modules[name]

    def _step(self, place: Place) -> tuple[list[Place], dict[str, str]]:
        """Return where a place leads, and the definition that it names, with its hash."""
        if place not in self._steps:
            module, _, names = place.partition(":")
            self._steps[place] = self._follow(module, names) if module in self._files else ([], {})
        return self._steps[place]

    def _follow(self, name: str, names: str) -> tuple[list[Place], dict[str, str]]:
        module = self._module(name)
        if names == IMPORT:
            code, leads, _ = module["at_import"]
            return leads, {f"{name}:{IMPORT}": code} if code else {}
        leads = [f"{name}:{IMPORT}"]
        # Passed around as a whole, its attributes are looked up where nobody can see.
        if not names:  # the module itself is passed around: everything in it can be used
            below = (
                [file for file in self._files if file.startswith(f"{name}.")] if module["is_package"] else []
            )
            return [
                *leads,
                *(f"{name}:{definition}" for definition in module["names"]),
                *(f"{module_name}:" for module_name in below),
            ], {}
        head, _, rest = names.partition(".")
        if module["is_package"]:
            leads.append(f"{name}.{head}:{rest}")
        if head not in module["names"]:
            return leads, {}
        code, further, stands_for = module["names"][head]
        return [*leads, *further, *(attribute(target, rest) for target in stands_for)], {
            f"{name}:{head}": code
        }


@functools.cache
def _reader() -> str:
    """Return a hash of the code, and of the Python, that read modules."""
    code = [Path(__file__).with_name(name).read_bytes() for name in ("parsing.py", "reachability.py")]
    return hashlib.sha256(b"\n".join([sys.version.encode(), *code])).hexdigest()
