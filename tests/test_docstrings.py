"""What the library exports tells its parameters and results, classes with an example; every example runs."""

import doctest
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

import private_experts

OUTSIDE = {"__main__", "replication"}  # not the library


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    """Yield the library's modules, packages first."""
    for found in pkgutil.iter_modules(package.__path__):
        if found.name not in OUTSIDE:
            yield (module := importlib.import_module(f"{package.__name__}.{found.name}"))
            if found.ispkg:
                yield from _modules(module)


MODULES = [*_modules(private_experts)]
ROOMS = sorted({module.__name__.split(".")[1] for module in MODULES})
HEADING = re.compile(
    r"^(Parameters|Attributes|Returns|Yields|Raises|Notes|References|Examples)\n-{3,}\n", re.MULTILINE
)


def sections(docstring: str) -> dict[str, str]:
    """Return the sections of a docstring in NumPy's style by heading."""
    pieces = HEADING.split(docstring)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def parameters_of(section: str) -> list[str]:
    """Return the names that a section describes: those left of the colon on lines that are not indented."""
    heads = [line.partition(" :")[0] for line in section.splitlines() if line and not line[0].isspace()]
    return [name.strip().lstrip("*") for head in heads for name in head.split(",")]


def accepted(thing: type | Callable[..., object]) -> list[str]:
    """Return the names of the parameters of a function, or of what makes an instance of a class."""
    if inspect.isclass(thing) and (getattr(thing, "_is_protocol", False) or issubclass(thing, Exception)):
        return []
    return [*inspect.signature(thing).parameters]


def misses(name: str, thing: type | Callable[..., object]) -> Iterator[str]:
    """Yield what the docstring of a function or class lacks."""
    parts = sections(inspect.getdoc(thing) or "")
    if parameters_of(parts.get("Parameters", "")) != accepted(thing):
        stated = parameters_of(parts.get("Parameters", ""))
        yield f"{name}: Parameters tells {stated}, it takes {accepted(thing)}"
    if not inspect.isclass(thing):
        result = "Yields" if inspect.isgeneratorfunction(thing) else "Returns"
        if inspect.signature(thing).return_annotation not in (None, "None") and result not in parts:
            yield f"{name}: {result} is missing"
    elif ">>> " not in parts.get("Examples", ""):
        yield f"{name}: Examples is missing"


def public(module: ModuleType) -> Iterator[tuple[str, type | Callable[..., object]]]:
    """Yield the functions and classes that a package exports."""
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            yield f"{module.__name__.removeprefix('private_experts.')}.{name}", thing


def methods(name: str, thing: type) -> Iterator[tuple[str, object]]:
    """Yield the public methods and properties that a class defines itself."""
    for inner, member in vars(thing).items():
        if not inner.startswith("_") and (
            inspect.isfunction(member) or isinstance(member, property | classmethod)
        ):
            yield f"{name}.{inner}", member


def test_every_public_docstring_is_complete() -> None:
    known = [pair for module in MODULES for pair in public(module)]
    assert len(known) > 90
    found = [miss for name, thing in known for miss in misses(name, thing)]
    inner = [pair for name, thing in known if inspect.isclass(thing) for pair in methods(name, thing)]
    found += [f"{name}: it has no docstring" for name, member in inner if not inspect.getdoc(member)]
    assert not found, f"{len(found)} misses:\n" + "\n".join(found)


@pytest.mark.parametrize("room", ROOMS)
def test_examples_print_what_they_show(room: str) -> None:
    finder, printed = doctest.DocTestFinder(exclude_empty=True), []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.REPORT_NDIFF)
    for module in MODULES:
        if module.__name__.split(".")[1] == room:
            for example in finder.find(module):
                runner.run(example, out=printed.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(printed)


def test_what_is_missing_is_found() -> None:
    def complete(n: int, *, scale: float = 1.0) -> float:
        return n * scale

    def several() -> Iterator[int]:
        """Yield numbers."""
        yield from (1, 2)

    class Bare:
        """A class without an example."""

    given = "Parameters\n----------\nn : int\n    At least 1.\n"
    scale, result = "scale : float\n    Positive.\n", "\nReturns\n-------\nfloat\n    Their product.\n"
    factor, takes = scale.replace("scale", "factor"), "it takes ['n', 'scale']"
    for text, found in (
        (given + scale + result, []),
        (given + result, [f"complete: Parameters tells ['n'], {takes}"]),
        (given + factor + result, [f"complete: Parameters tells ['n', 'factor'], {takes}"]),
        (given + scale, ["complete: Returns is missing"]),
    ):
        complete.__doc__ = text
        assert [*misses("complete", complete)] == found
    assert [*misses("several", several)] == ["several: Yields is missing"]
    assert [*misses("Bare", Bare)] == ["Bare: Examples is missing"]
