"""The config: checked once against config/schema.yaml, with errors that name the key and what it may be."""

import copy
import difflib
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from private_experts.errors import InputError
from private_experts.replication.yaml_text import load_yaml


def _allowed(error: ValidationError) -> str:
    """Say in words what the schema wanted in the place of the error."""
    rule, wanted = error.validator, error.validator_value
    if rule == "additionalProperties":
        known = sorted(error.schema.get("properties", {}))
        unknown = next(key for key in error.instance if key not in known)
        near = difflib.get_close_matches(str(unknown), known, n=1)
        return f"unknown key {unknown!r}; " + (f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}")
    if rule == "required":
        return f"{error.message.replace(' is a required property', '')} is missing"
    if rule == "enum":
        return f"{error.instance!r} is not allowed; write one of {', '.join(map(str, wanted))}"
    if rule in ("exclusiveMinimum", "exclusiveMaximum", "minimum", "maximum"):
        relation = {"exclusiveMinimum": "above", "exclusiveMaximum": "below", "minimum": "at least"}
        return f"{error.instance!r} is not allowed; write a number {relation.get(str(rule), 'at most')} {wanted}"
    if rule == "type":
        kinds = wanted if isinstance(wanted, list) else [wanted]
        return f"{error.instance!r} is not allowed; write a value of type {' or '.join(kinds)}"
    return error.message


def check(config: Mapping[str, Any], schema: Path) -> None:
    """Check a config.

    Parameters
    ----------
    config : mapping
        The merged config.
    schema : Path
        The JSON Schema in YAML.

    Raises
    ------
    InputError
        For the first thing that is wrong: one line with the key's full name and what it may be.
    """
    validator = Draft202012Validator(load_yaml(Path(schema).read_text(encoding="utf-8")))
    errors = sorted(validator.iter_errors(dict(config)), key=lambda error: list(map(str, error.absolute_path)))
    if errors:
        error = errors[0]
        key = ".".join(map(str, error.absolute_path))
        raise InputError(f"config{': ' + key if key else ''}: {_allowed(error)}")
    if unknown := next(_not_numbers(config), None):
        raise InputError(f"config: {unknown}: nan is not allowed; write a number")
    names = [name for table in config["sensitivity"].values() for name in table]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"config: sensitivity: two scenarios are called {name!r}; give them different names")


def _not_numbers(value: Any, key: str = "") -> Iterator[str]:
    """Yield the full names of the keys whose value is NaN, which every comparison of the schema lets pass."""
    if isinstance(value, float) and math.isnan(value):
        yield key
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for name, each in pairs:
        yield from _not_numbers(each, f"{key}.{name}".lstrip("."))


def scenarios(config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the study itself and every sensitivity scenario, each as a full config by name."""
    named: dict[str, dict[str, Any]] = {"study": copy.deepcopy(dict(config))}
    for table in config["sensitivity"].values():
        for name, changes in table.items():
            named[name] = _merged(config, changes)
    return named


def _merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with `changes` laid over it, key by key."""
    merged = copy.deepcopy(dict(base))
    for key, value in changes.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merged(merged[key], value) if both else copy.deepcopy(value)
    return merged


def twin(named: Mapping[str, Mapping[str, Any]], scenario: str, keys: Sequence[str]) -> str:
    """Return the first scenario that has the same values under `keys`, so that nothing is computed twice."""
    wanted = [_value(named[scenario], key) for key in keys]
    return next(name for name, config in named.items() if [_value(config, key) for key in keys] == wanted)


def _value(config: Mapping[str, Any], key: str) -> Any:
    """Return the value under a dotted key."""
    for part in key.split("."):
        config = config[part]
    return config
