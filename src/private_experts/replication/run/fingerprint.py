"""Which results are stale: a fingerprint of the code that an entry point can reach.

The walk reads source and never imports it. From one name it follows functions, classes, constants and imports
inside the package, and takes along what every module on the way does when it is imported: its loose statements,
names bound twice, definitions handed to a decorator of the package, a module ``__getattr__``, and the same of
the modules that it imports. Docstrings, comments, layout and the Python version do not count. Where the source
leaves a choice open (a local variable named like a function, a module passed around), everything possible counts.

The walk cannot see what only the running program knows: names looked up by string (`getattr` on an object,
`globals`, `importlib`, what a module ``__getattr__`` finds, string annotations), registration by
``__init_subclass__``, ``__subclasses__`` or a call in a constant that nobody names, unpickled objects, docstrings
read as data, and package data files. ``tests/audit.py`` runs an entry and reports what escaped.
"""

import ast
import collections
import difflib
import functools
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeGuard

import private_experts
from private_experts.errors import InputError
from private_experts.replication.files import write_text

Chain = tuple[str, ...]  # ("random", "rng") for `.random.rng` of a module; the empty chain is the module itself
IMPORTED: Chain = ("<module>",)  # a chain no name matches: the module is imported, and nothing of it is used
VISIT: Chain = ("<visit>",)  # what happens when a module is imported
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
INNER_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def reach(entry: str, root: "Path | Source | None" = None) -> dict[str, str]:
    """Return every definition that an entry point can reach, with the hash of its source.

    Parameters
    ----------
    entry : str
        The entry point, as in ``"private_experts.stages:rw_meta"``.
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
    module, _, name = entry.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), name)):
        raise InputError(f"{entry!r} is not an entry point: write package.module:name")
    source = root if isinstance(root, Source) else Source(root, module.partition(".")[0])
    return dict(sorted(source.reach(module, name).items()))


def fingerprint(entry: str, root: "Path | Source | None" = None, lock: Path | None = None) -> str:
    """Return one hash over all that `entry` can reach and, when `lock` is given, the locked versions."""
    return _hash(_listing(entry, root, lock))


def stamp(entry: str, folder: Path, *, lock: Path | None = None, root: "Path | Source | None" = None) -> Path:
    """Write what `entry` can reach to a file that changes only when the code does, for a rule to take as input.

    Parameters
    ----------
    entry, root
        As in `reach`.
    folder : Path
        Where the file goes; it is called like the entry without its package, as in ``stages.rw_meta.txt``.
    lock : Path, optional
        The ``requirements.lock`` whose versions count as well.

    Returns
    -------
    Path
        The file, with one line per definition; untouched when it already says the same.
    """
    text = _listing(entry, root, lock)
    module, _, name = entry.partition(":")
    path = Path(folder) / f"{module.partition('.')[2] or module}.{name}.txt"
    if not path.is_file() or path.read_bytes() != text.encode():
        write_text(path, text)
    return path


def _listing(entry: str, root: "Path | Source | None", lock: Path | None) -> str:
    lines = [f"{name} {digest}" for name, digest in reach(entry, root).items()]
    lines += [f"locked versions {_locked_versions(lock)}"] if lock is not None else []
    return "".join(f"{line}\n" for line in lines)


def _locked_versions(lock: Path) -> str:
    """Hash the sorted ``name==version [; marker]`` pins of a lock file, without comments and checksums."""
    try:
        text = Path(lock).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{lock}: the locked versions cannot be read ({error})") from error
    return _pins(text)


@functools.lru_cache(maxsize=4)
def _pins(text: str) -> str:
    lines = (re.split(r"(?:^|\s)(?:--|#)", line)[0] for line in text.replace("\\\n", " ").splitlines())
    pins = {re.sub(r" ?; ?", " ; ", " ".join(line.split())) for line in lines}
    return _hash("\n".join(sorted(pins - {""})))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


Place = tuple[str, Chain]  # a chain of names inside a module


class Source:
    """A package's source as it is when it is first read; where each name leads is worked out once.

    Parameters
    ----------
    root : Path, optional
        The folder that contains the package; by default the one this module's package lies in.
    package : str, optional
        Its name; by default this one's.
    """

    def __init__(self, root: Path | None = None, package: str = __name__.partition(".")[0]) -> None:
        self.root, self.package = Path(root or Path(private_experts.__file__).parents[1]), package
        self.modules: dict[str, _Module | None] = {}
        self.found: dict[Place, tuple[tuple[Place, ...], dict[str, str]]] = {}

    def reach(self, module: str, name: str) -> dict[str, str]:
        """Return what a name of a module can reach, with hashes; see `reach`."""
        self._check(module, name)
        reached: dict[str, str] = {}
        todo: list[Place] = [(module, (name,))]
        seen = set(todo)
        while todo:
            ways, definitions = self._step(todo.pop())
            reached |= definitions
            new = [way for way in ways if way not in seen]
            seen.update(new)
            todo += new
        return reached

    def _check(self, module: str, name: str) -> None:
        """Refuse an entry that does not exist, and list the names that look like it."""
        if found := self._module(module):
            wanted, known, missing = name, set(found.bindings), f"no {name} in {module}"
        else:
            wanted, known, missing = module, set(self._below(self.package)), f"no module {module} in {self.root}"
        if wanted not in known:
            near = difflib.get_close_matches(wanted, sorted(known), n=5, cutoff=0.4) or sorted(known)[:5]
            raise InputError(f"{module}:{name}: there is {missing}; near it: {', '.join(near) or 'nothing'}")

    def _module(self, name: str) -> "_Module | None":
        """Return a module of the package; None for everything else."""
        if name not in self.modules:
            place = self.root.joinpath(*name.split("."))
            files = (place / "__init__.py", place.with_suffix(".py"))
            file = next((file for file in files if file.is_file()), None)
            if name.partition(".")[0] != self.package or (file is None and not place.is_dir()):
                self.modules[name] = None
            else:  # a folder without __init__.py is an empty package
                self.modules[name] = _parse(name, file or files[0], file.read_bytes() if file else b"")
        return self.modules[name]

    def _below(self, name: str) -> Iterator[str]:
        """Yield the names of all modules inside a package."""
        for path in self.root.joinpath(*name.split(".")).rglob("*.py"):
            parts = path.relative_to(self.root).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def _step(self, place: Place) -> tuple[tuple[Place, ...], dict[str, str]]:
        """Return where a place leads, and the definitions with their hashes that are reached by going there."""
        if place not in self.found:
            definitions: dict[str, str] = {}
            ways = self._visit(place[0], definitions) if place[1] == VISIT else self._ways(*place, definitions)
            self.found[place] = tuple(dict.fromkeys(ways)), definitions
        return self.found[place]

    def _ways(self, name: str, chain: Chain, definitions: dict[str, str]) -> Iterator[Place]:
        """Yield where `chain` inside a module leads, and note the definition it names."""
        module = self._module(name)
        if module is None:
            return
        yield name, VISIT
        if not chain:  # the module itself is passed around: everything in it can be used
            yield from ((name, (bound,)) for bound in module.bindings)
            yield from ((each, ()) for each in (*module.stars, *(self._below(name) if module.is_package else ())))
            return
        head, rest = chain[0], chain[1:]
        pieces = module.bindings.get(head, [])
        if pieces:
            texts = dict.fromkeys(piece.text for piece in pieces)  # in the order of the source
            definitions[f"{name}:{head}"] = _hash("\n".join((str(module.order[head]), *texts)))
        for piece in pieces:
            yield from piece.uses(name)
            yield from piece.imported(head, rest)
        yield from ((star, chain) for star in module.stars)
        if module.is_package:
            yield f"{name}.{head}", rest

    def _visit(self, name: str, definitions: dict[str, str]) -> Iterator[Place]:
        """Yield where the import of a module leads, and note its loose statements."""
        module = self._module(name)
        if module is None:
            return
        if module.loose:
            definitions[f"{name}:<module>"] = _hash("\n".join(piece.text for piece in module.loose))
        for piece in module.loose:
            yield from piece.uses(name)
        yield from ((name, (bound,)) for bound in module.always)
        yield from ((each, IMPORTED) for each in (name.rpartition(".")[0], *module.loads))
        yield from ((star, ("__all__",)) for star in module.stars)


class _Import(NamedTuple):
    """An imported name: `bound` ("*" for all) means `chain` inside `module`, and importing it runs `loads`."""

    bound: str
    module: str
    chain: Chain
    loads: Chain


class _Piece:
    """One top-level statement, or one name of an import, with the imports anywhere inside it."""

    def __init__(self, node: ast.stmt, imports: tuple[_Import, ...]) -> None:
        self.node, self.imports = node, imports

    @functools.cached_property
    def text(self) -> str:
        return canonical(self.node)

    @functools.cached_property
    def chains(self) -> frozenset[Chain]:
        return frozenset(_chains(self.node))

    def imported(self, name: str, rest: Chain) -> Iterator[tuple[str, Chain]]:
        """Yield where `name`, followed by the attributes `rest`, leads if it is imported here."""
        return ((each.module, each.chain + rest) for each in self.imports if each.bound == name)

    def uses(self, module: str) -> Iterator[tuple[str, Chain]]:
        """Yield where all names in this piece of `module` lead."""
        yield from ((load, IMPORTED) for each in self.imports for load in each.loads)
        for chain in self.chains:
            yield module, chain
            yield from self.imported(chain[0], chain[1:])


class _Module:
    """What the names of a module stand for (`bindings`), and what runs whenever it is imported (all else)."""

    def __init__(self, name: str, is_package: bool, tree: ast.Module) -> None:
        self.name, self.is_package = name, is_package
        self.bindings: dict[str, list[_Piece]] = {}
        self.order: dict[str, int] = {}  # how many loose pieces run before a name is bound
        self.loose: list[_Piece] = []
        self.always: set[str] = set()  # the names that loose pieces bind
        self.loads: set[str] = set()
        self.stars: set[str] = set()
        for statement in tree.body:
            for each in statement.orelse if _is_for_type_checkers(statement) else (statement,):
                if not _is_bare_string(each):
                    self._add(each)

    def _add(self, statement: ast.stmt) -> None:
        whole = _Piece(statement, tuple(_imports(statement, self.name, self.is_package)))
        pieces = dict.fromkeys(_bound(statement), whole)
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            for each in whole.imports:  # one piece per name, so that importing another name as well does not matter
                if each.bound != "*":
                    absolute = ast.ImportFrom(each.module, [ast.alias(".".join(each.chain))], 0)
                    pieces[each.bound] = _Piece(absolute, (each,))
            loose = not pieces
        else:
            if not isinstance(statement, DEFINITIONS):  # the imports inside a function are its own
                pieces |= {each.bound: whole for each in whole.imports if each.bound != "*"}
            loose = not self._only_binds(statement) or not pieces.keys().isdisjoint({"__getattr__", *self.bindings})
        if not isinstance(statement, DEFINITIONS):
            self.loads.update(load for each in whole.imports for load in each.loads)
            self.stars.update(each.module for each in whole.imports if each.bound == "*" and self._is_sibling(each))
        if loose:
            self.loose.append(whole)
            self.always.update(pieces)
        for name, piece in pieces.items():
            self.order.setdefault(name, len(self.loose))
            self.bindings.setdefault(name, []).append(piece)

    def _only_binds(self, statement: ast.stmt) -> bool:
        """Tell whether running `statement` only gives names a value."""
        if isinstance(statement, DEFINITIONS):
            decorators = [each for node in _statements(statement) for each in getattr(node, "decorator_list", ())]
            return not any(self._may_register((*_chains(each), ("",))[0][0]) for each in decorators)
        if isinstance(statement, ast.Assign):
            plain = (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.expr_context)
            return all(isinstance(node, plain) for target in statement.targets for node in ast.walk(target))
        return isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)

    def _may_register(self, decorator: str) -> bool:
        """Tell whether a decorator may be code of this package, which could note down what it decorates."""
        pieces = self.bindings.get(decorator)
        if pieces is None:  # a builtin, unless a star import brings it
            return bool(self.stars)
        return any(not isinstance(each.node, ast.ImportFrom) or self._is_sibling(each.imports[0]) for each in pieces)

    def _is_sibling(self, imported: _Import) -> bool:
        return imported.module.partition(".")[0] == self.name.partition(".")[0]


def canonical(node: object) -> str:
    """Return the text that is hashed: a syntax tree without docstrings, the same on every Python version.

    `ast.unparse` changed its quotes in nested f-strings in Python 3.12; `ast.dump` prints other fields on each version.
    """
    if isinstance(node, list):
        kept = [each for each in node if not _is_bare_string(each)] or [ast.Pass()] * bool(node)
        return f"[{', '.join(map(canonical, kept))}]"
    if not isinstance(node, ast.AST):
        return ascii(node)  # what `repr` escapes depends on the Unicode version
    if isinstance(node, ast.Constant):
        return f"Constant(value={node.value!a})"
    if isinstance(node, ast.JoinedStr):  # Python 3.12 adds empty strings to some
        return f"JoinedStr(values={canonical([each for each in node.values if getattr(each, 'value', None) != ''])})"
    fields = [(name, getattr(node, name, None)) for name in node._fields if name not in {"ctx", "kind"}]
    # An empty field may be one that other versions do not have.
    said = [f"{name}={canonical(value)}" for name, value in fields if value is not None and value != []]
    return f"{type(node).__name__}({', '.join(said)})"


def _is_bare_string(node: object) -> bool:
    """Tell whether `node` is a docstring, or another string that stands alone and does nothing."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_for_type_checkers(node: ast.stmt) -> TypeGuard[ast.If]:
    """Tell whether `node` is an ``if TYPE_CHECKING:``, whose body never runs."""
    return isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and the statements anywhere inside it, outer ones first; expressions hold none."""
    todo = collections.deque([node])
    while todo:
        each = todo.popleft()
        yield each
        for field in ("body", "handlers", "orelse", "finalbody", "cases"):
            inside = getattr(each, field, None)
            if isinstance(inside, list):
                todo.extend(inside)


def _chains(node: ast.AST, hidden: frozenset[str] = frozenset(), found: list[Chain] | None = None) -> list[Chain]:
    """Return `found` and every name that is read inside `node`, with its attributes, but for `hidden` ones."""
    found = [] if found is None else found
    attributes: Chain = ()
    while isinstance(node, ast.Attribute):
        attributes, node = (node.attr, *attributes), node.value
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Store) and node.id not in hidden:
            found.append((node.id, *attributes))
    elif isinstance(node, ast.Global):  # bound here, perhaps by an import, and read elsewhere
        found += ((name,) for name in node.names if name not in hidden)
    elif not isinstance(node, (ast.Constant, ast.expr_context)):
        inner = hidden | _parameters(node) if isinstance(node, FUNCTIONS) else hidden
        for field in node._fields:
            value = getattr(node, field, None)
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, ast.AST):
                    _chains(child, inner if field == "body" else hidden, found)
    return found


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    """Return the parameters of a function, whose names never mean anything of the module inside it.

    Names that the function imports or declares global may be bound anew, and a class inside it looks past it.
    """
    given = node.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
    again: set[str] = set()
    for each in _statements(node):
        if isinstance(each, ast.ClassDef):
            return frozenset()
        if isinstance(each, (ast.Import, ast.ImportFrom)):
            again.update((alias.asname or alias.name).partition(".")[0] for alias in each.names)
        elif isinstance(each, ast.Global):
            again.update(each.names)
    return frozenset(each.arg for each in named) - again


def _bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that `node` binds in the scope it stands in, imports apart."""
    if isinstance(node, INNER_SCOPES):  # which only `:=` leaves
        yield from (each.target.id for each in ast.walk(node) if isinstance(each, ast.NamedExpr))
    elif isinstance(node, DEFINITIONS):
        yield node.name
    elif not isinstance(node, (ast.Import, ast.ImportFrom)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        for child in ast.iter_child_nodes(node):
            yield from _bound(child)


def _imports(statement: ast.stmt, module: str, is_package: bool) -> Iterator[_Import]:
    """Yield the imports anywhere inside a statement of `module`, in absolute form."""
    for node in _statements(statement):
        if isinstance(node, ast.Import):
            for alias in node.names:
                means = alias.name if alias.asname else alias.name.partition(".")[0]
                yield _Import(alias.asname or means, means, (), (alias.name,))
        elif isinstance(node, ast.ImportFrom):
            parts = module.split(".")
            above = parts[: len(parts) + is_package - node.level] if node.level else []
            base = ".".join([*above, node.module] if node.module else above)
            for alias in node.names:
                if alias.name == "*" or base == "__future__":  # a __future__ import acts on the whole module
                    yield _Import("*", base, (), (base,))
                else:
                    yield _Import(alias.asname or alias.name, base, (alias.name,), (base, f"{base}.{alias.name}"))


@functools.cache
def _parse(name: str, path: Path, source: bytes) -> _Module:
    """Parse a module once per process; the key is its content, since two edits can share a time and a size."""
    try:
        return _Module(name, path.name == "__init__.py", ast.parse(source))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise InputError(f"{path}:{line}: not valid Python ({getattr(error, 'msg', error)})") from error
