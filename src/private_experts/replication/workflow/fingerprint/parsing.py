"""A module's source as plain data: where each of its names leads, and what runs when it is imported.

Docstrings, comments, layout and the Python version do not count. Where the source leaves a choice open, every
possibility counts: a module may be passed around, and a name may be bound by either branch of an ``if``.
"""

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypedDict

from private_experts.errors import InputError

# "package.module:random.rng", the attribute `rng` of a name; "package.module:" is the module itself
Place = str
IMPORT = "<module>"  # instead of a name: the import of the module
# The hash of a name's source, the places that the source names, and where the name comes from when it is
# imported.
Meaning = tuple[str, list[Place], list[Place]]

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
IMPORTS = (ast.Import, ast.ImportFrom)
INNER_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Module(TypedDict):
    """What the names of a module mean, and what runs when it is imported."""

    is_package: bool
    names: dict[str, Meaning]
    at_import: Meaning


class _Import(NamedTuple):
    bound: str
    place: Place  # that the name stands for
    loads: list[Place]  # the modules whose import it causes


class _Piece(NamedTuple):
    """A statement: its source, the names with attributes that it reads, and imports anywhere inside it."""

    text: str
    reads: list[str]  # such as "random.rng"
    imports: list[_Import]


def parse(name: str, path: Path, source: bytes) -> Module:
    """Return what the source of a module says; refuse what is not valid Python, and ``import *``."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise InputError(f"{path}:{line}: not valid Python ({getattr(error, 'msg', error)})") from error
    is_package = path.name == "__init__.py"
    named: dict[str, list[_Piece]] = {}
    loose: list[_Piece] = []  # what does more than give names a value
    loads = [f"{name.rpartition('.')[0]}:{IMPORT}"]
    for statement in body:
        # What a package imports for type checkers is what it offers, and imports when it is asked for it
        # (`lazily`).
        offers = isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING"
        if _is_bare_string(statement) or (offers and not is_package):
            continue
        reads, imports = _read(statement, name, path)
        at_once = [] if offers or isinstance(statement, DEFINITIONS) else imports
        loads += [load for imported in at_once for load in imported.loads]
        if offers or isinstance(statement, IMPORTS):
            for imported in imports:  # one by one, so that importing another name as well does not matter
                named.setdefault(imported.bound, []).append(_Piece(imported.place, [], [imported]))
            continue
        piece = _Piece(canonical(statement), reads, imports)
        binds = {*bound(statement), *(imported.bound for imported in at_once)}
        # What runs at import, or binds a name anew, may change what other names mean: it belongs to the whole
        # module.
        if not _only_binds(statement) or not binds.isdisjoint(named):
            loose.append(piece)
        for binding in binds:
            named.setdefault(binding, []).append(piece)

    def meaning(pieces: list[_Piece], whose: str = "") -> Meaning:
        # A name that several statements bind means any of them; equal ones count once.
        code = digest("\n".join(dict.fromkeys(piece.text for piece in pieces))) if pieces else ""
        leads = {lead for piece in pieces for lead in _leads(piece, name, named)}
        return (
            code,
            sorted(leads),
            [imported.place for piece in pieces for imported in piece.imports if imported.bound == whose],
        )

    code, leads, _ = meaning(loose)
    names = {binding: meaning(pieces, binding) for binding, pieces in named.items()}
    return Module(is_package=is_package, names=names, at_import=(code, [*leads, *loads], []))


def attribute(place: Place, names: str) -> Place:
    """Return the place of attributes, such as ``random.rng``, of what is at a place."""
    return f"{place}{'' if place.endswith(':') or not names else '.'}{names}"


def _leads(piece: _Piece, module: str, named: dict[str, list[_Piece]]) -> Iterator[Place]:
    """Yield the places that a piece names. What the module does not bind is built in, and leads nowhere."""
    for imported in piece.imports:
        yield from imported.loads
    for read in piece.reads:
        head, _, rest = read.partition(".")
        yield from (attribute(imported.place, rest) for imported in piece.imports if imported.bound == head)
        if head in named:
            yield f"{module}:{read}"


def _read(statement: ast.stmt, module: str, path: Path) -> tuple[list[str], list[_Import]]:
    """Return the names with attributes that a statement reads, and the imports anywhere inside it."""
    reads: set[str] = set()
    imports: list[_Import] = []
    todo: list[tuple[ast.AST, frozenset[str]]] = [(statement, frozenset())]  # with the variables of functions
    while todo:
        node, variables = todo.pop()
        attributes = ""
        while isinstance(node, ast.Attribute):
            attributes, node = f".{node.attr}{attributes}", node.value
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Store) and node.id not in variables:
                reads.add(f"{node.id}{attributes}")
        elif isinstance(node, IMPORTS):
            imports += _imports(node, module, path)
        elif isinstance(node, FUNCTIONS):
            body = node.body if isinstance(node.body, list) else [node.body]
            inner = variables | _variables(node.args, body)
            todo += ((child, inner if child in body else variables) for child in ast.iter_child_nodes(node))
        elif not isinstance(node, ast.Constant):
            todo += ((child, variables) for child in ast.iter_child_nodes(node))
    return sorted(reads), imports


def _variables(given: ast.arguments, body: list[ast.stmt] | list[ast.expr]) -> frozenset[str]:
    """Return the parameters and variables of a function, whose names mean nothing of the module inside it.

    What it imports is followed by itself. A class inside it looks past its variables, and ``global`` is no
    variable.
    """
    nodes = [node for statement in body for node in ast.walk(statement)]
    # Then names inside may be the module's after all: to follow too many is safe, too few is not.
    if any(isinstance(node, (ast.Global, ast.ClassDef)) for node in nodes):
        return frozenset()
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
    imported = {
        alias.asname or alias.name for node in nodes if isinstance(node, IMPORTS) for alias in node.names
    }
    return frozenset(
        {*(argument.arg for argument in named), *(name for statement in body for name in bound(statement))}
        - imported
    )


def _imports(node: ast.Import | ast.ImportFrom, module: str, path: Path) -> Iterator[_Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            means = alias.name if alias.asname else alias.name.partition(".")[0]
            yield _Import(alias.asname or means, f"{means}:", [f"{alias.name}:{IMPORT}"])
        return
    parts = module.split(".")
    above = parts[: len(parts) + (path.name == "__init__.py") - node.level] if node.level else []
    base = ".".join([*above, node.module] if node.module else above)
    for alias in node.names:
        if alias.name == "*":
            raise InputError(f"{path}:{node.lineno}: name what you import; * cannot be followed")
        loads = [f"{base}:{IMPORT}", f"{base}.{alias.name}:{IMPORT}"]
        yield _Import(alias.asname or alias.name, f"{base}:{alias.name}", loads)


def bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that `node` binds in the scope it stands in, imports apart."""
    if isinstance(node, DEFINITIONS):
        yield node.name
    elif not isinstance(node, (*IMPORTS, *INNER_SCOPES)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        for child in ast.iter_child_nodes(node):
            yield from bound(child)


def _only_binds(statement: ast.stmt) -> bool:
    """Tell whether running a statement only gives names a value; decorators are taken to record nothing."""
    plain = (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.expr_context)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
    simple = all(isinstance(node, plain) for target in targets for node in ast.walk(target))
    return isinstance(statement, DEFINITIONS) or (bool(targets) and simple)


def canonical(node: object) -> str:
    """Return the text that is hashed: a syntax tree without docstrings, the same on every Python version.

    `ast.unparse` changed its quotes in nested f-strings in Python 3.12; `ast.dump` prints other fields on
    each version.
    """
    if isinstance(node, list):
        kept = [item for item in node if not _is_bare_string(item)] or [ast.Pass()] * bool(node)
        return f"[{', '.join(map(canonical, kept))}]"
    if not isinstance(node, ast.AST):
        return ascii(node)  # what `repr` escapes depends on the Unicode version
    if isinstance(node, ast.JoinedStr):  # Python 3.12 adds empty strings to some
        parts = [part for part in node.values if getattr(part, "value", None) != ""]
        return f"JoinedStr(values={canonical(parts)})"
    fields = [(name, getattr(node, name, None)) for name in node._fields if name not in {"ctx", "kind"}]
    # An empty field may be one that other versions do not have.
    texts = [f"{name}={canonical(value)}" for name, value in fields if value is not None and value != []]
    return f"{type(node).__name__}({', '.join(texts)})"


def digest(text: str) -> str:
    """Return 16 hexadecimal digits of a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _is_bare_string(node: object) -> bool:
    """Tell whether `node` is a docstring, or another string that stands alone and does nothing."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
