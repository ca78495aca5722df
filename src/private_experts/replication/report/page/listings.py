"""The code of the checks on the page: each function once, with what it calls in its own module."""

import ast
import functools
from collections.abc import Iterable, Mapping
from html import escape
from itertools import groupby
from typing import Any

from markupsafe import Markup

from private_experts.errors import InputError

# The tags of kinds of tokens, by what their name begins with; style.css colours them. All else is plain. With
# a class for each token the page would be a quarter of a megabyte larger.
_COLOURED = {
    "Keyword": "b",
    "Operator.Word": "b",
    "Literal.String": "i",
    "Literal.Number": "u",
    "Comment": "em",
    "Name.Function": "dfn",
    "Name.Class": "dfn",
    "Name.Decorator": "dfn",
}


def listings(
    checks: Iterable[str], modules: Mapping[str, str]
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the pieces of code checks are made of, and for each check its pieces' names, its own first."""
    known: dict[str, dict[str, _Piece]] = {}
    needed: set[str] = set()
    of_check: dict[str, str] = {}
    for check in checks:
        module, _, name = check.partition(":")
        if module not in known:
            known[module] = _pieces(modules[module])
        here = known[module]
        if name not in here:
            raise InputError(f"there is no check {check}; write module:function of replication/papers")
        names = [f"{module}:{definition}" for definition in _reached(name, here)]
        of_check[check] = " ".join(names)
        needed |= {*names}
    shown = [
        {
            "name": f"{module}:{name}",
            "module": module,
            "file": f"{module.replace('.', '/')}.py",
            "line": piece.line,
            "html": highlighted(piece.source),
        }
        for module, here in known.items()
        for name, piece in here.items()
        if f"{module}:{name}" in needed
    ]
    return shown, of_check


class _Piece:
    """A definition at the top of a module: first name, where it begins, its source, and the names in it."""

    def __init__(self, name: str, node: ast.stmt, first: int, lines: list[str]) -> None:
        self.name = name
        self.line = first
        self.source = "\n".join(lines[first - 1 : node.end_lineno])
        self.names = [child.id for child in ast.walk(node) if isinstance(child, ast.Name)]


def _pieces(source: str) -> dict[str, _Piece]:
    """Return the definitions of a module by each name that they define."""
    lines = source.splitlines()
    pieces = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            pieces[node.name] = _Piece(node.name, node, first, lines)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
            pieces |= dict.fromkeys(names, _Piece(names[0], node, node.lineno, lines)) if names else {}
    return pieces


def _reached(name: str, pieces: Mapping[str, _Piece]) -> list[str]:
    """Return a name and, in the module's order, what it reaches."""
    found, todo = {name}, [name]
    while todo:
        new = {pieces[name].name for name in pieces[todo.pop()].names if name in pieces} - found
        found |= new
        todo += new
    return [name, *(piece for piece in pieces if piece in found - {name})]


@functools.cache
def highlighted(source: str) -> Markup:
    """Return Python source as HTML, with the kinds of tokens that have a colour in tags."""
    from pygments.lexers import PythonLexer

    tokens = PythonLexer(stripnl=False, ensurenl=False).get_tokens(source)
    html = []
    for tag, run in groupby(tokens, lambda token: _tag(token[0])):
        text = escape("".join(piece for _, piece in run), quote=False)
        html.append(f"<{tag}>{text}</{tag}>" if tag and text.strip() else str(text))
    return Markup("".join(html))


@functools.cache
def _tag(token: Any) -> str:
    """Return the tag of a kind of token; nothing when it is plain."""
    kind = str(token).removeprefix("Token.")
    return next((tag for start, tag in _COLOURED.items() if kind.startswith(start)), "")
