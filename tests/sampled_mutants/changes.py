"""The small changes: one comparison, number, sign, condition, argument, result or statement of a function.

Only bodies of functions are changed. Left alone are docstrings, annotations, the wording of messages, and
`strict=` of zip, which only guards.
"""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

NEAR = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
TURNED = {
    **{
        ast.Lt: ast.Gt,
        ast.LtE: ast.GtE,
        ast.Gt: ast.Lt,
        ast.GtE: ast.LtE,
        ast.Eq: ast.NotEq,
        ast.NotEq: ast.Eq,
    },
    **{ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult},
    **{ast.Pow: ast.Mult, ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd},
    **{ast.And: ast.Or, ast.Or: ast.And},
}
_PAIRS = (
    "min max",
    "minimum maximum",
    "argmin argmax",
    "floor ceil",
    "any all",
    "cumsum cumprod",
    "sum prod",
)
NAMES = {one: other for pair in map(str.split, _PAIRS) for one, other in (pair, reversed(pair))}
NUMBERS = ("float", "int", "Array", "FloatArray")
KEPT = ("annotation", "returns", "decorator_list", "args", "type_comment")  # of a definition, not of a call

NOTE = "__note__"


@dataclass(frozen=True)
class Change:
    """A node of a function's tree, and what stands there instead."""

    path: Path
    function: str
    line: int
    text: str
    place: tuple[ast.AST, str, int | None]
    new: ast.AST
    tree: ast.Module
    nth: int

    def code(self) -> CodeType | None:
        """Return the function's changed code, if it can stand where the old one does."""
        before = _code(self.tree, self.path, self.function)
        old = _put(*self.place, self.new)
        try:
            after = _code(ast.fix_missing_locations(self.tree), self.path, self.function)
        finally:
            _put(*self.place, old)
        return None if after == before or after.co_freevars != before.co_freevars else after

    @property
    def shown(self) -> str:
        """Its text, with where a single number or name stands."""
        inside = f" in {ast.unparse(self.place[0])}" if isinstance(self.new, ast.Constant | ast.Name) else ""
        return " ".join(f"{self.text}{inside}".split())[:150]

    def order(self, seed: int) -> str:
        """Return a key that orders changes at random, and stays when other parts of the code change."""
        words = f"{seed} {self.path.name} {self.function} {self.text} {self.nth}"
        return hashlib.sha256(words.encode()).hexdigest()


def _put(holder: ast.AST, field: str, index: int | None, new: ast.AST) -> Any:
    old: Any = getattr(holder, field)
    if index is None:
        setattr(holder, field, new)
        return old
    old[index], was = new, old[index]
    return was


def _code(tree: ast.Module, path: Path, function: str) -> CodeType:
    found = [compile(tree, path, "exec")]
    for code in found:
        found += (inner for inner in code.co_consts if isinstance(inner, CodeType))
    # The last of that name: those before it are its overloads.
    return [code for code in found if code.co_qualname == function][-1]


def changes(path: Path) -> Iterator[Change]:
    """Yield all changes of a file."""
    tree, seen = ast.parse(path.read_bytes()), Counter[tuple[str, str]]()
    for function, definition in _functions(tree, ""):
        returns = ast.unparse(definition.returns) if definition.returns else ""
        for place, old, new in _of(definition, returns):
            if isinstance(new, ast.Pass):
                text = f"without {ast.unparse(old)}"
            else:
                text = f"{ast.unparse(old)} -> {ast.unparse(new)}"
            text = " ".join(text.split())
            seen[function, text] += 1
            yield Change(path, function, old.lineno, text, place, new, tree, seen[function, text])


def noting(path: Path) -> Iterator[tuple[tuple[str, str], CodeType]]:
    """Yield the functions of a file with a first statement that notes the call."""
    tree = ast.parse(path.read_bytes())
    names = []
    for function, definition in _functions(tree, ""):
        names.append(function)
        definition.body[:0] = ast.parse(f"{NOTE}({str(path)!r}, {function!r})").body
    for name in names:
        yield (str(path), name), _code(tree, path, name)


def _functions(node: ast.AST, within: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield within + child.name, child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{within}{child.name}.")


def _of(node: ast.AST, returns: str) -> Iterator[tuple[tuple[ast.AST, str, int | None], ast.AST, ast.AST]]:
    for field, value in ast.iter_fields(node):
        if field in KEPT and not (field == "args" and isinstance(node, ast.Call)):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and getattr(child, "arg", None) != "strict":
                for new in _instead(child):
                    yield (node, field, index), child, new
                if field == "test" and isinstance(child, ast.Name | ast.Attribute | ast.Call):
                    yield (node, field, index), child, ast.UnaryOp(ast.Not(), child)
                if isinstance(node, ast.Return) and returns in NUMBERS:
                    yield (node, field, index), child, ast.BinOp(ast.Constant(0), ast.Mult(), child)
                if isinstance(node, ast.Return) and returns == "bool":
                    yield (node, field, index), child, ast.UnaryOp(ast.Not(), child)
                if not isinstance(child, ast.Raise | ast.JoinedStr):
                    yield from _of(child, returns)


def _instead(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what may stand for a node."""
    match node:
        case ast.Compare(left, [sense], right):
            for table in (NEAR, TURNED):
                if type(sense) in table:
                    yield ast.Compare(left, [table[type(sense)]()], right)
        case ast.BinOp(left, sign, right) if type(sign) in TURNED:
            if not any(isinstance(side, ast.JoinedStr) or _is_text(side) for side in (left, right)):
                yield ast.BinOp(left, TURNED[type(sign)](), right)
        case ast.BoolOp(sign, values):
            yield ast.BoolOp(TURNED[type(sign)](), values)
        case ast.UnaryOp(ast.Not() | ast.USub(), inner):
            yield inner
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(float(value)):
            yield ast.Constant(2 * value or 1.0)
        case ast.Name("min" | "max" | "any" | "all" as name):
            yield ast.Name(NAMES[name], ast.Load())
        case ast.Attribute(value, name) if name in NAMES:
            yield ast.Attribute(value, NAMES[name], ast.Load())
        case ast.Call(function, given, keywords):
            for left_out in keywords:
                if left_out.arg not in (None, "strict"):
                    yield ast.Call(function, given, [each for each in keywords if each is not left_out])
                match left_out:
                    case ast.keyword("axis", ast.Constant(int(axis))):
                        yield ast.Call(
                            function,
                            given,
                            [
                                *keywords[: (at := keywords.index(left_out))],
                                ast.keyword("axis", ast.Constant(int(axis == 0))),
                                *keywords[at + 1 :],
                            ],
                        )
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Raise():
            yield ast.Pass()
        case ast.Assign([ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
