"""Run an entry point and tell which code of the package ran without being in its fingerprint."""

import ast
import cProfile
import functools
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType

import private_experts
from private_experts.replication.run.fingerprint import Source, reach
from private_experts.replication.run.fingerprint.parsing import bound

PARSED = Path(__file__).parents[1] / ".pytest_cache/parsed"


def executed_definitions(call: Callable[[], object], package_root: Path) -> set[str]:
    """Return ``package.module:name`` of every top-level definition that runs during a call.

    Parameters
    ----------
    call : callable
        What to run. Threads that it starts are watched too; processes are not.
    package_root : Path
        The folder of the package itself.

    Returns
    -------
    set of str
        Methods, nested functions and lambdas count as the definition they stand in. What runs while a module of
        the package is being imported is left out: it belongs to no definition that the call uses.
    """
    package_root = Path(package_root).resolve()

    @functools.cache
    def inside(filename: str) -> bool:
        return _resolved(filename).is_relative_to(package_root)

    def in_package(code: CodeType) -> bool:
        return inside(code.co_filename)

    def importing(frame: FrameType | None) -> bool:
        while frame is not None:
            if _is_module(frame.f_code) and in_package(frame.f_code):
                return True
            frame = frame.f_back
        return False

    in_threads: dict[int, CodeType] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if in_package(frame.f_code) and not importing(frame):
            in_threads[id(frame.f_code)] = frame.f_code

    def watched() -> None:
        call()

    # The profiler is written in C, so it costs less than a tracer. It sees the thread that it runs in alone.
    profiler, before, before_in_threads = cProfile.Profile(builtins=False), sys.getprofile(), threading.gettrace()
    threading.settrace(note)
    try:
        profiler.runcall(watched)
    finally:
        threading.settrace(before_in_threads)  # type: ignore[arg-type]
        sys.setprofile(before)
    codes = [*_called(profiler, watched.__code__, stop=lambda code: _is_module(code) and in_package(code))]
    return {_definition(code, package_root) for code in (*codes, *in_threads.values()) if in_package(code)}


def _is_module(code: CodeType) -> bool:
    return code.co_name == "<module>"


def _called(profiler: cProfile.Profile, first: CodeType, stop: Callable[[CodeType], bool]) -> Iterator[CodeType]:
    """Yield what a function called, and what that called, and so on; but not where to stop, nor beyond.

    Codes are told apart by identity: equal ones can come from different files.
    """
    entries = {id(entry.code): entry for entry in profiler.getstats()}
    seen, waiting = {id(first)}, [first]
    while waiting:
        code = waiting.pop()
        yield code
        called = [each.code for each in entries[id(code)].calls or () if isinstance(each.code, CodeType)]
        new = [each for each in called if id(each) not in seen and not stop(each)]
        seen.update(map(id, new))
        waiting += new


def untracked(
    call: Callable[[], object], entry: str, ignore: frozenset[str] = frozenset(), root: Path | None = None
) -> set[str]:
    """Return what runs during `call` although `entry` does not reach it, except for the names in `ignore`."""
    source = own() if root is None else Source(root, entry.partition(":")[0].partition(".")[0])
    return executed_definitions(call, source.root / source.package) - reach(entry, source).keys() - ignore


@functools.cache
def own() -> Source:
    """Return the package's own source, read once for all tests of a process; other processes find what was parsed."""
    return Source(Path(private_experts.__file__).parent.parent, memo=PARSED)


@functools.cache
def _resolved(filename: str) -> Path:
    return Path(filename).resolve()


def _definition(code: CodeType, package_root: Path) -> str:
    path = _resolved(code.co_filename)
    parts = path.relative_to(package_root.parent).with_suffix("").parts
    module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    name = code.co_qualname.partition(".")[0]
    if name.startswith("<"):  # a lambda or comprehension outside any function belongs to the statement it stands in
        tops = [each for each in ast.parse(path.read_bytes()).body if _first_line(each) <= code.co_firstlineno]
        name = next(bound(tops[-1]), "<module>")
    return f"{module}:{name}"


def _first_line(statement: ast.stmt) -> int:
    return min(each.lineno for each in (statement, *getattr(statement, "decorator_list", ())))
