"""Stages as commands: a parameter is declared once, in the signature of its stage.

From the signature follow the command with its ``--help`` (`add_command`), the flags that a rule takes from
the config (`flags`), and the command that a rule runs (`call`). An annotation has the type, where the value
comes from, and its help. Like `cli`, this module is part of no stage's code fingerprint: the workflow sees a
change of a command's words.
"""

import argparse
import functools
import json
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

# Every job of the workflow starts here, so neither `inspect` nor what imports it is: both take longer than
# the rest.

Stage = Callable[..., int | None]
REQUIRED = object()  # in the place of a default


class Config(NamedTuple):
    """The full name of the config key that a parameter takes its value from."""

    key: str


# What of a rule a parameter of the same name takes its value from.
WILDCARD, OUTPUT, PARAMS = "wildcards", "output", "params"
INPUT = "input"
FLAGS = "flags"  # part of ``params: flags``, which the rule works out itself
PERSON = "person"  # no rule gives it, only people do
ARGUMENT = "argument"  # nor this, which people write without a flag

Output = Annotated[Path, OUTPUT]  # a file that the stage writes
Stem = Annotated[Path, PARAMS]  # a path without its suffix: the stage writes files with several
Folder = Annotated[Path, PARAMS]  # what the stage writes into, or reads from, by name


class Parameter(NamedTuple):
    """A parameter of a stage: its name, type, default (or `REQUIRED`), source and one-line help."""

    name: str
    type: Any
    default: Any
    source: Config | str
    help: str

    @property
    def flag(self) -> str:
        """How the command line calls it: as the config does, where it comes from there."""
        return f"--{self.source.key if isinstance(self.source, Config) else self.name.replace('_', '-')}"

    @property
    def positional(self) -> bool:
        """Whether it is written without a flag."""
        return self.source == ARGUMENT

    @property
    def optional(self) -> bool:
        """Whether it may be left out."""
        return self.default is not REQUIRED


@functools.cache
def parameters(stage: Stage) -> tuple[Parameter, ...]:
    """Return the parameters of a stage, in order."""
    hints = get_type_hints(stage, include_extras=True)
    # In the order of the signature, in which no stage may write "/": Python would put what is before it last.
    names = [name for name in hints if name != "return"]
    defaults = dict(zip(reversed(names), reversed(stage.__defaults__ or ()), strict=False))
    found = []
    for name in names:
        hint, source, *described = get_args(hints[name])
        # An optional hint is a union; without this the type on the command line would be the union itself.
        if types.NoneType in get_args(hint):  # it may be left out
            hint = get_args(hint)[0]
        default = defaults.get(name, REQUIRED)
        found.append(Parameter(name, hint, default, source, described[-1] if described else ""))
    return tuple(found)


def _number_or_word(text: str) -> float | str:
    """Read a number, or a word that the config's schema allows."""
    try:
        return float(text)
    except ValueError:
        return text


class _Section(argparse.Action):
    """Takes the words KEY=VALUE of a section of the config."""

    def __call__(self, _: Any, options: argparse.Namespace, words: Any, flag: str | None = None) -> None:
        setattr(options, self.dest, nested(words))


def add_command(commands: Any, stage: Stage) -> argparse.ArgumentParser:
    """Add a stage to the subparsers of a command line."""
    summary = " ".join((stage.__doc__ or "").partition("\n\n")[0].split())
    # What has no help is not listed: rules alone call most stages.
    listed = {} if is_rule(stage) else {"help": summary.replace("%", "%%")}
    command: argparse.ArgumentParser = commands.add_parser(name_of(stage), description=summary, **listed)
    command.set_defaults(stage=stage)
    for parameter in parameters(stage):
        note = f" (default: {parameter.default})" if parameter.optional and parameter.default else ""
        name = {"dest": parameter.name, "required": not parameter.optional}
        if parameter.positional:
            name = {"metavar": parameter.name.upper()}
        settings = _settings(parameter) | name | {"help": (parameter.help + note).replace("%", "%%")}
        command.add_argument(parameter.name if parameter.positional else parameter.flag, **settings)
    return command


def _settings(parameter: Parameter) -> dict[str, Any]:
    """Return what argparse is told of a parameter's type and default."""
    kind = parameter.type
    if kind is bool:
        return {"action": "store_true"}
    settings: dict[str, Any] = {"default": parameter.default if parameter.optional else None}
    if get_origin(kind) is Sequence:
        kind = get_args(kind)[0]
        settings["nargs"] = "*" if parameter.optional else "+"
    elif parameter.optional and (parameter.positional or parameter.source == INPUT):
        # A rule whose input is empty names the flag and nothing after it.
        settings |= {"nargs": "?", "const": parameter.default}
    if get_origin(kind) is Literal:
        return settings | {"choices": get_args(kind)}
    if get_origin(kind) is Union:
        return settings | {"type": _number_or_word, "metavar": "NUMBER"}
    if get_origin(kind) is Mapping:
        return settings | {"action": _Section, "nargs": "*", "metavar": "KEY=VALUE"}
    return settings | {"type": kind, "metavar": {Path: "PATH", str: "TEXT"}.get(kind, "NUMBER")}


def flags(stage: Stage, config: Mapping[str, Any]) -> list[str]:
    """Return what a stage takes from the config, as flags. Its rule runs again when such a key changes."""
    words: list[str] = []
    for parameter in parameters(stage):
        if isinstance(parameter.source, Config):
            value: Any = config
            for part in parameter.source.key.split("."):
                value = value[part]
            if isinstance(value, bool):
                words += [parameter.flag] * value
            elif isinstance(value, Mapping):
                words += [parameter.flag, *flat(value)]
            elif isinstance(value, list):
                words += [parameter.flag, *map(str, value)]
            elif value is not None:  # with "=", a negative number is no flag
                words += [f"{parameter.flag}={value}"]
    return words


def flat(section: Mapping[str, Any], of: str = "") -> Iterator[str]:
    """Yield the words KEY=VALUE for all values of a section of the config, such as ``strengths.weak=0.1``."""
    for key, value in section.items():
        if isinstance(value, Mapping) and value:
            yield from flat(value, f"{of}{key}.")
        else:
            # Words are written bare, unless JSON would read them as something else, such as "1" or "true".
            plain = isinstance(value, str) and _read(value) == value
            yield f"{of}{key}={value if plain else json.dumps(value)}"


def nested(words: Iterable[str]) -> dict[str, Any]:
    """Return the section of the config that words KEY=VALUE stand for; see `flat`."""
    section: dict[str, Any] = {}
    for word in words:
        *path, name = word.partition("=")[0].split(".")
        inner = section
        for part in path:
            inner = inner.setdefault(part, {})
        inner[name] = _read(word.partition("=")[2])
    return section


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def call(stage: Stage) -> str:
    """Return the words of a stage's command; its rule names inputs, outputs and wildcards as it does."""
    words = [name_of(stage), "{params.flags:q}"]
    for parameter in parameters(stage):
        if parameter.source in (INPUT, WILDCARD, OUTPUT, PARAMS):
            words.append(f"{parameter.flag} {{{parameter.source}.{parameter.name}:q}}")
    return " ".join(words)


def name_of(stage: Stage) -> str:
    """Return what a stage is called on the command line."""
    return stage.__name__.replace("_", "-")


def is_rule(stage: Stage) -> bool:
    """Tell whether a rule of the workflow calls a stage, or people alone do."""
    return any(parameter.source not in (PERSON, ARGUMENT) for parameter in parameters(stage))
