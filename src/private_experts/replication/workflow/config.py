"""The config: checked once against config/schema.yaml, with errors that name the key and what it may be."""

import copy
import datetime
import difflib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from private_experts.errors import InputError
from private_experts.replication.ledger.yaml_text import read_yaml
from private_experts.replication.study.data.states import STATES

_END = r"(?!\\n)"  # after the "$" of a pattern, as messages show it; see config/schema.yaml

# In JSON 2.0 is an integer; on a command line it is none.
_Validator = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


def _wrong(error: ValidationError) -> str:
    """Say in words what is wrong: those of jsonschema, but for a misspelt key and a date without quotes."""
    if error.validator == "additionalProperties":
        known = sorted(error.schema.get("properties", {}))
        unknown = next(key for key in error.instance if key not in known)
        near = difflib.get_close_matches(str(unknown), known, n=1)
        return f"unknown key {unknown!r}; " + (
            f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
        )
    if error.validator == "type" and isinstance(error.instance, datetime.date):
        return f"{error.instance} is a date to YAML; write it in quotes"
    return error.message.replace(_END, "")


def read(path: Path) -> Mapping[str, Any]:
    """Return what one config file says; refuse one that cannot be read, is not YAML, or has no keys."""
    content = read_yaml(path)
    if not isinstance(content, dict):
        raise InputError(f"{path}: has no keys; write them as in config/smoke.yaml")
    return content


def check(config: Mapping[str, Any], schema: Path) -> None:
    """Check a config by a JSON Schema in YAML; refuse the first wrong key, with full name, in a line."""
    rules = read_yaml(schema)
    validator = _Validator(rules, format_checker=Draft202012Validator.FORMAT_CHECKER)
    if unknown := next((key for key, name, _ in _places(config) if not isinstance(name, str)), None):
        raise InputError(f"config: {' '.join(unknown.split())}: is no name of a key; write it in quotes")
    # In the order of keys, so that the same config is always refused with the same line.
    errors = sorted(
        validator.iter_errors(dict(config)), key=lambda error: list(map(str, error.absolute_path))
    )
    if errors:
        error = errors[0]
        key = ".".join(map(str, error.absolute_path))
        raise InputError(f"config{': ' + key if key else ''}: {_wrong(error)}")
    if unknown := next(
        (key for key, _, value in _places(config) if isinstance(value, float) and math.isnan(value)), None
    ):
        raise InputError(f"config: {unknown}: nan is not allowed; write a number")
    _check_together(config)
    names = [name for table in config["sensitivity"].values() for name in table]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"config: sensitivity: two scenarios are called {name!r}; give them different names"
            )


def _check_together(config: Mapping[str, Any]) -> None:
    """Refuse values that the schema allows one by one, but that go ill together."""
    for name, scenario in scenarios(config).items():
        first, last = scenario["hospital"]["first_week"], scenario["hospital"]["last_week"]
        if first > last:
            raise InputError(
                f"config: hospital.last_week: {last} comes before first_week, {first}, in {name}"
            )
        for section in ("hospital", "generality"):
            selected = scenario[section]["states"]
            if isinstance(selected, list) and (
                unknown := [state for state in selected if state not in STATES]
            ):
                some = ", ".join(STATES)
                raise InputError(
                    f"config: {section}.states: {unknown[0]!r} is not a state, in {name}; write some of "
                    f"{some}"
                )
    batching = config["batching"]
    if max(batching["rounds"]) >= batching["horizon"]:
        last, end = max(batching["rounds"]), batching["horizon"]
        raise InputError(
            f"config: batching.rounds: {last} is not allowed; write numbers below the horizon, {end}"
        )


def _places(section: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield full name, name and value of every key; JSON schemas pass NaN and numbers as names."""
    listed = {str(place): value for place, value in enumerate(section)} if isinstance(section, list) else {}
    for name, value in (section if isinstance(section, Mapping) else listed).items():
        full = f"{key}.{name}".lstrip(".")
        yield full, name, value
        yield from _places(value, full)


def scenarios(config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the study itself and every sensitivity scenario, each as a full config by name."""
    # Copies: a scenario that changed a nested section would change the study's.
    by_scenario: dict[str, dict[str, Any]] = {"study": copy.deepcopy(dict(config))}
    for table in config["sensitivity"].values():
        for name, changes in table.items():
            by_scenario[name] = laid_over(config, changes)
    return by_scenario


def taking(data: str) -> str:
    """Return what Snakemake's option ``--config`` is given for a run on other data (`hospital.data`)."""
    return f"hospital={json.dumps({'data': data})}"


def laid_over(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a config with changes laid over it, key by key."""
    merged = copy.deepcopy(dict(base))
    for key, value in changes.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        # Mappings are merged and everything else replaced: a list of levels is one choice, not a set to add
        # to.
        merged[key] = laid_over(merged[key], value) if both else copy.deepcopy(value)
    return merged
