"""A module's source: which names its statements bind, what they read, and what they import.

`parse` returns this as plain data, so that `memo` can keep it.

Docstrings, comments, layout and the Python version do not count. Where the source leaves a choice open, every
possibility counts: a local variable may have the name of a function, and a module may be passed around.
"""

import ast
import collections
import functools
import hashlib
from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeGuard

from private_experts.errors import InputError
from private_experts.replication.run.fingerprint.meaning import IMPORTED, Meaning, Module, Place, place

Chain = tuple[str, ...]  # ("random", "rng") for `.random.rng` of a module; the empty chain is the module itself
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
INNER_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class _Import(NamedTuple):
    """An imported name: `bound` ("*" for all) means `chain` inside `module`, and importing it runs `loads`.

    In the body of a class it becomes an attribute, which may be asked for by any name.
    """

    bound: str
    module: str
    chain: Chain
    loads: Chain
    of_class: bool = False


class _Piece:
    """One top-level statement, or one name of an import, with the imports anywhere inside it."""

    def __init__(self, node: ast.stmt, imports: tuple[_Import, ...]) -> None:
        self.node, self.imports = node, imports

    @functools.cached_property
    def text(self) -> str:
        return canonical(self.node)

    def imported(self, name: str, rest: Chain = ()) -> Iterator[Place]:
        """Yield where `name`, followed by the attributes `rest`, leads if it is imported here."""
        return (place(each.module, *each.chain, *rest) for each in self.imports if each.bound == name)

    def uses(self, module: str, known: Container[str] | None) -> Iterator[Place]:
        """Yield where all names in this piece of `module` lead, or all that are `known` there."""
        yield from (place(load, IMPORTED) for each in self.imports for load in each.loads)
        yield from (place(each.module, *each.chain) for each in self.imports if each.of_class)
        for chain in dict.fromkeys(_chains(self.node)):
            if known is None or chain[0] in known:
                yield place(module, *chain)
            yield from self.imported(chain[0], chain[1:])


class _Reader:
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
            ran, named = [statement], []
            if _is_for_type_checkers(statement):
                # What a package names for type checkers is what it offers, and imports when it is asked for it.
                ran, named = statement.orelse, statement.body if is_package else []
            for each in ran:
                if not _is_bare_string(each):
                    self._add(each)
            for each in named:
                self._add(each, runs=False)

    def module(self) -> Module:
        """Return what was read."""
        names = {name: self._meaning(name, pieces) for name, pieces in self.bindings.items()}
        return Module(self.is_package, sorted(self.stars), names, self._visit())

    def _meaning(self, name: str, pieces: list[_Piece]) -> Meaning:
        texts = dict.fromkeys(piece.text for piece in pieces)  # in the order of the source
        leads = dict.fromkeys(self._leads(pieces))
        imported = dict.fromkeys(lead for piece in pieces for lead in piece.imported(name))
        return Meaning(digest("\n".join((str(self.order[name]), *texts))), [*leads], [*imported])

    def _visit(self) -> Meaning:
        leads = [*self._leads(self.loose)]
        leads += [place(self.name, name) for name in sorted(self.always)]
        leads += [place(each, IMPORTED) for each in (self.name.rpartition(".")[0], *sorted(self.loads))]
        leads += [place(star, "__all__") for star in sorted(self.stars)]
        code = digest("\n".join(piece.text for piece in self.loose)) if self.loose else ""
        return Meaning(code, [*dict.fromkeys(leads)], [])

    def _leads(self, pieces: Iterable[_Piece]) -> Iterator[Place]:
        """Yield where pieces lead. A name that the module does not bind is local or built in, and leads nowhere.

        In a package it may be a module, and after a star import it may be another module's.
        """
        known = None if self.is_package or self.stars else self.bindings
        return (lead for piece in pieces for lead in piece.uses(self.name, known))

    def _add(self, statement: ast.stmt, runs: bool = True) -> None:
        whole = _Piece(statement, tuple(_imports(statement, self.name, self.is_package)))
        pieces = dict.fromkeys(bound(statement), whole)
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
        if runs and not isinstance(statement, DEFINITIONS):
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


@functools.cache
def parse(name: str, path: Path, source: bytes) -> Module:
    """Parse a module once per process; the key is its content, since two edits can share a time and a size."""
    try:
        return _Reader(name, path.name == "__init__.py", ast.parse(source)).module()
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise InputError(f"{path}:{line}: not valid Python ({getattr(error, 'msg', error)})") from error


def line_of(name: str, source: bytes) -> int:
    """Return the line of a module at which the statement begins that binds a name last; 1 when none does."""
    found = 1
    for statement in ast.parse(source).body:
        imported = statement.names if isinstance(statement, (ast.Import, ast.ImportFrom)) else ()
        if name in {*bound(statement), *((each.asname or each.name).partition(".")[0] for each in imported)}:
            found = statement.lineno
    return found


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


def digest(text: str) -> str:
    """Return 16 hexadecimal digits of a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


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


def bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that `node` binds in the scope it stands in, imports apart."""
    if isinstance(node, INNER_SCOPES):  # which only `:=` leaves
        yield from (each.target.id for each in ast.walk(node) if isinstance(each, ast.NamedExpr))
    elif isinstance(node, DEFINITIONS):
        yield node.name
    elif not isinstance(node, (ast.Import, ast.ImportFrom)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        for child in ast.iter_child_nodes(node):
            yield from bound(child)


def _imports(statement: ast.stmt, module: str, is_package: bool) -> Iterator[_Import]:
    """Yield the imports anywhere inside a statement of `module`, in absolute form."""
    classes = [node for node in _statements(statement) if isinstance(node, ast.ClassDef)]
    in_classes = {id(node) for each in classes for node in _statements(each)}
    for node in _statements(statement):
        of_class = id(node) in in_classes
        if isinstance(node, ast.Import):
            for alias in node.names:
                means = alias.name if alias.asname else alias.name.partition(".")[0]
                yield _Import(alias.asname or means, means, (), (alias.name,), of_class)
        elif isinstance(node, ast.ImportFrom):
            parts = module.split(".")
            above = parts[: len(parts) + is_package - node.level] if node.level else []
            base = ".".join([*above, node.module] if node.module else above)
            for alias in node.names:
                if alias.name == "*" or base == "__future__":  # a __future__ import acts on the whole module
                    yield _Import("*", base, (), (base,))
                else:
                    loads = (base, f"{base}.{alias.name}")
                    yield _Import(alias.asname or alias.name, base, (alias.name,), loads, of_class)
