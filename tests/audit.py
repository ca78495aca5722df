"""Run an entry point and tell which code of the package ran without being in its fingerprint."""

import ast
import functools
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType

from private_experts.replication.workflow.fingerprint import Source
from private_experts.replication.workflow.fingerprint.parsing import bound


def executed_definitions(call: Callable[[], object], package_root: Path) -> set[str]:
    """Return ``package.module:name`` of every top-level definition that runs during a call.

    Its threads are watched too; processes are not. Methods, nested functions and lambdas count as the
    definition they stand in. What runs while a module is being imported belongs to no definition that the
    call uses.
    """
    package_root = Path(package_root).resolve()
    # By identity: equal code objects can come from different files. All are kept, so that no identity is used
    # twice.
    ours: dict[int, CodeType] = {}
    seen: dict[int, CodeType] = {}

    @functools.cache
    def inside(filename: str) -> bool:
        return _resolved(filename).is_relative_to(package_root)

    def in_package(code: CodeType) -> bool:
        return inside(code.co_filename)

    def importing(frame: FrameType | None) -> bool:
        while frame is not None:
            if frame.f_code.co_name == "<module>" and in_package(frame.f_code):
                return True
            frame = frame.f_back
        return False

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if id(code) in seen:  # asked at every call of anything, so it is all that most calls cost
            return
        mine = in_package(code)
        if mine and importing(frame):
            return
        seen[id(code)] = code
        if mine:
            ours[id(code)] = code

    # A tracer that returns nothing is told of calls of Python functions alone, a profiler of every call and
    # return.
    before, before_in_threads = sys.gettrace(), threading.gettrace()
    threading.settrace(note)
    sys.settrace(note)
    try:
        call()
    finally:
        sys.settrace(before)
        threading.settrace(before_in_threads)  # type: ignore[arg-type]
    return {_definition(code, package_root) for code in ours.values()}


def untracked(
    call: Callable[[], object], entry: str, ignore: frozenset[str] = frozenset(), root: Path | None = None
) -> set[str]:
    """Return what runs during `call` although `entry` does not reach it, except for the names in `ignore`."""
    package = entry.partition(":")[0].partition(".")[0]
    source = own() if root is None else Source(root, package)
    return executed_definitions(call, source.root / package) - source.reach(entry).keys() - ignore


@functools.cache
def own() -> Source:
    """Return the package's own source, read once for all tests of a process."""
    return Source()


@functools.cache
def _resolved(filename: str) -> Path:
    return Path(filename).resolve()


def _definition(code: CodeType, package_root: Path) -> str:
    path = _resolved(code.co_filename)
    parts = path.relative_to(package_root.parent).with_suffix("").parts
    module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    name = code.co_qualname.partition(".")[0]
    # a lambda or comprehension outside any function belongs to the statement it stands in
    if name.startswith("<"):
        tops = [
            node for node in ast.parse(path.read_bytes()).body if _first_line(node) <= code.co_firstlineno
        ]
        name = next(bound(tops[-1]), "<module>")
    return f"{module}:{name}"


def _first_line(statement: ast.stmt) -> int:
    return min(node.lineno for node in (statement, *getattr(statement, "decorator_list", ())))
