"""The steps of the library that a check takes, and a library without one of them.

A **step** is a statement inside a function that can be missing so that what is left still says something: a change of
what is already there (``total += gain``, ``sizes[idle] = new``, ``x = min(x, 1)`` of an ``x`` that has a value before,
``self.x = y`` outside the constructor), a call whose result nobody takes, or the body of an ``if``. No steps are a
refusal (a body that only raises, a call of a function that looks its arguments over), a return, and the first value
of a name.
"""

import ast
import functools
import hashlib
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import private_experts
from tests.power.noise import forget

PACKAGE = Path(private_experts.__file__).parent
# Files without steps: those that refuse input, and those that name generators and modules.
BESIDE = {"arrays.py", "errors.py", "lazy.py", "randomness.py", "validation.py"}


@dataclass(frozen=True)
class Step:
    """A statement that can be left out."""

    path: Path
    function: str  # with its class
    line: int  # where it begins
    column: int
    text: str  # its first line, or the condition of an ``if``
    lines: range = field(compare=False)  # one of them runs when, and only when, the step does

    def __str__(self) -> str:
        """Return file:function:line and the text."""
        return f"{self.path.relative_to(PACKAGE).as_posix()}:{self.function}:{self.line} {self.text}"


def is_stepped(path: Path) -> bool:
    """Tell whether a file's statements are steps."""
    if not path.is_relative_to(PACKAGE) or path.name in BESIDE:
        return False
    room = path.relative_to(PACKAGE).parts
    return room[0] != "replication" or room[1:3] == ("study", "batching")


@functools.cache
def steps_of(path: Path) -> tuple[Step, ...]:
    """Return all steps of a file, in its order."""
    return tuple(found for function, name in _functions(tree_of(path)) for found in _steps(path, function, name))


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """Return a file's syntax tree, which nobody changes."""
    return _parsed(path)


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _functions(tree: ast.AST, above: str = "") -> Iterator[tuple[ast.FunctionDef, str]]:
    """Yield functions and methods with their names; a function inside another belongs to that one."""
    for node in getattr(tree, "body", []):
        if isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{above}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            yield node, above + node.name


def _steps(path: Path, function: ast.FunctionDef, name: str) -> Iterator[Step]:
    # What has a value already when a line assigns it: arguments, and names that an earlier line bound.
    bound = _arguments(function)
    for node in _statements(function.body):
        if _is_step(node, bound, name):
            first = node.body[0] if isinstance(node, ast.If) else node
            text = f"if {ast.unparse(node.test)}:" if isinstance(node, ast.If) else ast.unparse(node)
            lines = range(first.lineno, (first.end_lineno or first.lineno) + 1)
            if not isinstance(node, ast.If) or first.lineno > (node.test.end_lineno or 0):
                yield Step(path, name, node.lineno, node.col_offset, text, lines)
        stored = (each for each in _shallow(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))
        bound |= {each.id for each in stored}
        if isinstance(node, ast.FunctionDef):
            bound |= _arguments(node)


def _arguments(function: ast.FunctionDef) -> set[str]:
    words = function.args
    return {each.arg for each in (*words.posonlyargs, *words.args, *words.kwonlyargs)}


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements in their order, with those of blocks and of functions inside."""
    for node in body:
        yield node
        for block in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, block, []))
        for handler in getattr(node, "handlers", []):
            yield from _statements(handler.body)


def _shallow(node: ast.stmt) -> Iterator[ast.AST]:
    """Walk through a statement, without the statements of its blocks."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt | ast.ExceptHandler):
            yield from ast.walk(child)


def _is_step(node: ast.stmt, bound: set[str], function: str) -> bool:
    match node:
        case ast.Assign(value=ast.Call(func=func)) | ast.Expr(value=ast.Call(func=func)) if _refuses(func):
            return False
        case ast.AugAssign():
            return True
        case ast.Assign(targets=[ast.Subscript()]):
            return True
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name in bound
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"))]):
            return not function.endswith("__init__")
        case ast.Expr(value=ast.Call()):
            return True
        case ast.If(body=body):
            return not all(isinstance(each, ast.Raise) for each in body)
    return False


def _refuses(function: ast.expr) -> bool:
    """Tell whether a function that is called looks its arguments over, or makes the class below."""
    name = getattr(function, "id", getattr(function, "attr", ""))
    return name in _refusing() or name.lstrip("_").startswith(("check", "accepted", "local_", "init__", "post_init__"))


@functools.cache
def _refusing() -> set[str]:
    files = [path for path in PACKAGE.rglob("*.py") if path.name in BESIDE]
    return {each.name for path in files for each in ast.walk(tree_of(path)) if isinstance(each, ast.FunctionDef)}


def taken(check: Callable[[], object]) -> list[Step]:
    """Run a check, and return the steps that it takes. Caches are emptied before, so that nothing is remembered."""
    forget()
    left: dict[int, set[int]] = {}  # by code object: lines of steps that have not been seen to run
    kept: list[CodeType] = []
    ran: set[tuple[Path, int]] = set()

    def lines_of(code: CodeType) -> set[int]:
        path = _path(code.co_filename)
        if code.co_name == "<module>" or not is_stepped(path):
            return set()
        own = {line for *_, line in code.co_lines() if line is not None}
        return own & {line for step in steps_of(path) for line in step.lines}

    def call(frame: FrameType, event: str, _: object) -> Any:
        code = frame.f_code
        if id(code) not in left:
            kept.append(code)  # so that no other gets its identity
            left[id(code)] = lines_of(code)
        return line if left[id(code)] else None

    def line(frame: FrameType, event: str, _: object) -> Any:
        waiting = left[id(frame.f_code)]
        if event == "line" and frame.f_lineno in waiting:
            waiting.discard(frame.f_lineno)
            ran.add((_path(frame.f_code.co_filename), frame.f_lineno))
        return line if waiting else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        check()
    finally:
        sys.settrace(before)
    files = sorted({path for path, _ in ran})
    return [step for path in files for step in steps_of(path) if any((path, line) in ran for line in step.lines)]


@functools.cache
def _path(name: str) -> Path:
    return Path(name).resolve()


def in_turn(steps: list[Step], key: str) -> list[Step]:
    """Return steps in the order to try them: one of each function before a second of any, else by a hash of the key.

    The hash does not read line numbers, so that steps keep their turn when code above them moves.
    """

    def drawn(*words: object) -> str:
        return hashlib.sha256(":".join(map(str, (key, *words))).encode()).hexdigest()

    turns: list[tuple[int, str, Step]] = []
    functions = {(step.path, step.function) for step in steps}
    for path, function in functions:
        name = path.relative_to(PACKAGE).as_posix()
        own = [step for step in steps if (step.path, step.function) == (path, function)]
        own.sort(key=lambda step: (drawn(name, function, step.text), step.line))
        turns += [(turn, drawn(name, function), step) for turn, step in enumerate(own)]
    return [step for *_, step in sorted(turns, key=lambda each: each[:2])]


@contextmanager
def without(step: Step) -> Iterator[None]:
    """Run with one step left out of the library."""
    function = function_of(step)
    before = function.__code__
    forget()
    function.__code__ = code_of(compile(_left_out(step), before.co_filename, "exec", dont_inherit=True), step.function)
    try:
        yield
    finally:
        function.__code__ = before
        forget()


def function_of(step: Step) -> FunctionType:
    """Return the function itself that a step stands in, below what decorates it."""
    name = ".".join(step.path.relative_to(PACKAGE).with_suffix("").parts)
    owner: Any = importlib.import_module(f"private_experts.{name}")
    *classes, last = step.function.split(".")
    for each in classes:
        owner = getattr(owner, each)
    found = vars(owner)[last]
    while not isinstance(found, FunctionType) or hasattr(found, "__wrapped__"):
        inner = ("__wrapped__", "__func__", "fget", "func")
        found = next(getattr(found, each) for each in inner if getattr(found, each, None) is not None)
    return found


def _left_out(step: Step) -> ast.Module:
    """Return the file's code with a step that never runs: names stay local, as they were."""
    tree = _parsed(step.path)

    class Leaving(ast.NodeTransformer):
        def generic_visit(self, node: ast.AST) -> ast.AST:
            if isinstance(node, ast.stmt) and (node.lineno, node.col_offset) == (step.line, step.column):
                if isinstance(node, ast.If):
                    node.body = [_never(node.body)]
                    return node
                return _never([node])
            return super().generic_visit(node)

    return ast.fix_missing_locations(Leaving().visit(tree))


def _never(body: list[ast.stmt]) -> ast.If:
    return ast.copy_location(ast.If(test=ast.Constant(False), body=body, orelse=[]), body[0])


def code_of(module: CodeType, function: str) -> CodeType:
    """Return the code object of a function; of two with one name, as a property and its setter, the last."""
    code = module
    for each in function.split("."):
        code = [const for const in code.co_consts if isinstance(const, CodeType) and const.co_name == each][-1]
    return code
