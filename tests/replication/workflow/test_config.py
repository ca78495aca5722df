import copy
import datetime
import functools
import math
import operator
import re
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.ledger.yaml_text import load_yaml
from private_experts.replication.workflow import config as configuration
from tests.each import each

FOLDER = Path(__file__).parents[3] / "config"
SCHEMA_PATH = FOLDER / "schema.yaml"


def load(name):
    return load_yaml((FOLDER / name).read_text(encoding="utf-8"))


STUDY, SMOKE, SCHEMA = load("study.yaml"), load("smoke.yaml"), load("schema.yaml")
ABSENT = object()


def changed(key, value, config=STUDY):
    """Return a config with another value under a dotted key, or without the key."""
    config = copy.deepcopy(config)
    *path, last = key.split(".")
    place = functools.reduce(operator.getitem, path, config)
    place[last] = value
    if value is ABSENT:
        del place[last]
    return config


def complaint(config) -> str:
    """Check a config in vain, and return the one line that says why."""
    with pytest.raises(InputError) as caught:
        configuration.check(config, SCHEMA_PATH)
    message = str(caught.value)
    assert message.startswith("config")
    assert "\n" not in message
    return message


# ---------------------------------------------------------------- the configs that come with the study


def test_the_study_in_small_writes_nowhere_near_the_full_study():
    small = configuration.laid_over(STUDY, SMOKE)
    configuration.check(small, SCHEMA_PATH)
    small = small["pathvars"]
    assert {*small.values()} & {*STUDY["pathvars"].values()} == {"build/downloads"}  # whose names have a hash


def resolved(schema):
    """Follow a reference of the schema; words at the place of reference count too."""
    while "$ref" in schema:
        target = SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        schema = target | {key: value for key, value in schema.items() if key not in ("$ref", "properties")}
    return schema


def of_numbers(schema, name=""):
    """Yield every part of a schema that lets a number pass, with its full name."""
    schema = resolved(schema)
    kinds = schema.get("type", [])
    if {"integer", "number"} & {*([kinds] if isinstance(kinds, str) else kinds)}:
        yield name, schema
    others = {"*": schema.get("additionalProperties"), "0": schema.get("items")}
    for key, part in (schema.get("properties", {}) | others).items():
        if isinstance(part, dict):
            yield from of_numbers(part, f"{name}.{key}".lstrip("."))


def test_every_number_has_a_smallest_and_a_largest_value():
    numbers = dict(of_numbers(SCHEMA))
    assert {"seed", "privacy_levels.0", "hospital.synthetic.weeks", "learners.strengths.*"} <= numbers.keys()
    assert {"sensitivity.*.*.hospital.reach", "batching.alpha"} <= numbers.keys()
    free = [key for key, rule in numbers.items() if not {"minimum", "exclusiveMinimum"} & rule.keys()]
    free += [key for key, rule in numbers.items() if not {"maximum", "exclusiveMaximum"} & rule.keys()]
    assert free == ["privacy_levels.0", "own_counts.privacy_levels.0"]  # which may be infinite


def test_no_text_may_end_in_a_line_break():
    patterns = re.findall(r'pattern: "(.*?)"', SCHEMA_PATH.read_text(encoding="utf-8"))
    assert len(patterns) > 5
    assert [pattern for pattern in patterns if not pattern.endswith(r"$(?!\\n)")] == []


# ---------------------------------------------------------------- misspelt keys


SCENARIO = "sensitivity.suppression.suppressed-as-0.hospital"


@each(
    ("key", "value", "said"),
    [
        ("repetition", 1, "config: unknown key 'repetition'; did you mean 'repetitions'?"),
        ("hospital.state", 1, "config: hospital: unknown key 'state'; did you mean 'states'?"),
        (
            f"{SCENARIO}.suppresed_value",
            1,
            f"config: {SCENARIO}: unknown key 'suppresed_value'; did you mean 'suppressed_value'?",
        ),
        ("learners.colour", 1, "config: learners: unknown key 'colour'; known: family, strengths, windows"),
        ("seed", ABSENT, "config: 'seed' is a required property"),
    ],
)
def test_a_misspelt_or_missing_key_is_named_in_full_with_the_near_one(key, value, said):
    assert complaint(changed(key, value)) == said


# ---------------------------------------------------------------- wrong values


@each(
    ("key", "value", "words"),
    [
        # what the schema alone would let through, or say otherwise
        ("privacy_levels", [1, math.nan], "privacy_levels.1: nan is not allowed; write a number"),
        (
            "hospital.first_week",
            datetime.date(2021, 1, 1),
            "2021-01-01 is a date to YAML; write it in quotes",
        ),
        ("repetitions", True, "repetitions: True is not of type 'integer'"),
        ("repetitions", 2.0, "repetitions: 2.0 is not of type 'integer'"),
        ("hospital.first_week", "2020-02-30", "hospital.first_week: '2020-02-30' is not a 'date'"),
        ("hospital.first_week", "2023-06-05", "last_week: 2023-06-04 comes before first_week, 2023-06-05"),
        ("sensitivity.adjacency.removal.hospital.last_week", "2020-08-06", "2020-08-07, in removal"),
        ("hospital.states", ["NM", "XX"], "hospital.states: 'XX' is not a state, in study; write some of AK"),
        ("sensitivity.adjacency.removal.hospital.states", ["XX"], "'XX' is not a state, in removal"),
        (
            "batching.rounds",
            [250, 1000],
            "rounds: 1000 is not allowed; write numbers below the horizon, 1000",
        ),
        ("sensitivity", {1: {"a": {"hospital": {"reach": 1}}}}, "sensitivity.1: is no name of a key"),
        # of the schema, where another value would be paid by privacy, by the wrong data or by other files
        ("privacy_levels", [0], "privacy_levels.0: 0 is less than the minimum of 0.001"),
        ("privacy_levels", ["1e-3"], "privacy_levels.0: '1e-3' is not of type 'number'"),
        ("privacy_levels", [1, 1.0], "privacy_levels: [1, 1.0] has non-unique elements"),
        ("hospital.reach", 0.5, "hospital.reach: 0.5 "),
        ("hospital.data", "a\0b", "hospital.data: 'a\\x00b' does not match"),
        ("hospital.suppressed_value", 5, "hospital.suppressed_value: 5 is greater than the maximum of 4"),
        ("hospital.adjacency", "moved", "hospital.adjacency: 'moved' is not one of ['move', 'removal']"),
        ("pathvars.paper", "<results>", "pathvars.paper: '<results>' does not match"),
        (
            "sensitivity.suppression",
            {"study": {"hospital": {"reach": 1}}},
            "sensitivity.suppression: 'study'",
        ),
        # two scenarios of one name, in different tables
        ("sensitivity.other", {"removal": {"hospital": {"smallest_beds": 1}}}, "'removal'"),
    ],
)
def test_a_wrong_value_is_named_with_its_key_and_what_is_allowed(key, value, words):
    assert words in complaint(changed(key, value))


@each(
    ("address", "allowed"),
    [
        ("https://host.example/epidata", True),
        ("http://127.0.0.1:5000/epidata", True),
        ("http://localhost:80", True),
        ("http://[::1]/", True),
        ("https://", False),
        ("http://healthdata.gov/resource", False),
        ("http://localhost.example", False),
        ("http://127.0.0.1:80@host.example/", False),
    ],
)
def test_an_address_without_encryption_is_of_this_machine(address, allowed):
    config = changed("hospital.healthdata.base_url", address)
    if allowed:
        configuration.check(config, SCHEMA_PATH)
    else:
        assert complaint(config).startswith(f"config: hospital.healthdata.base_url: {address!r} ")


def test_values_at_the_edge_of_what_is_allowed_pass():
    config = STUDY
    for key, value in (
        ("privacy_levels", [math.inf]),
        ("repetitions", 2),
        ("hospital.suppressed_value", 4),
        ("hospital.reach", "derived"),
        ("hospital.first_week", STUDY["hospital"]["last_week"]),
        ("hospital.data", "a b/reports.csv"),
        ("hospital.columns.participation", ["inpatient_beds_80+_7_day_sum"]),
        ("generality.states", ["NM"]),
        ("batching.rounds", [STUDY["batching"]["horizon"] - 1]),
        ("sensitivity", {}),
    ):
        config = changed(key, value, config)
    configuration.check(config, SCHEMA_PATH)


# ---------------------------------------------------------------- scenarios


def test_the_study_comes_first_and_every_scenario_is_a_full_config():
    named = configuration.scenarios(STUDY)
    assert list(named) == [
        *("study", "suppressed-as-0", "suppressed-as-4", "noise-covers-suppression"),
        *("gaussian-process", "autoregression", "every-hospital"),
        *("beds-at-least-10", "beds-at-least-20", "beds-mended", "removal"),
    ]
    assert named["study"] == STUDY
    for config in named.values():
        configuration.check(config, SCHEMA_PATH)


def test_a_scenario_differs_from_the_study_in_what_it_names_and_mappings_are_merged_key_by_key():
    removal = configuration.scenarios(STUDY)["removal"]
    assert removal == changed("hospital.adjacency", "removal")
    changes = {"hospital": {"states": ["VT"]}, "learners": {"strengths": {"weak": 9}}}
    mine = configuration.scenarios(changed("sensitivity", {"one": {"mine": changes}}))["mine"]
    assert mine["hospital"] == STUDY["hospital"] | {"states": ["VT"]}
    assert mine["learners"]["strengths"] == {"weak": 9, "medium": 1, "strong": 10}
    changes = {"a": {"d": 3}, "b": 4}
    assert configuration.laid_over({"a": 1, "b": {"c": 2}}, changes) == changes


def test_scenarios_share_nothing_that_could_be_changed():
    before = copy.deepcopy(STUDY)
    configuration.check(STUDY, SCHEMA_PATH)
    named = configuration.scenarios(STUDY)
    assert before == STUDY
    named["study"]["hospital"]["states"].append("VT")
    named["removal"]["learners"]["windows"].clear()
    assert named["suppressed-as-0"]["hospital"]["states"] == STUDY["hospital"]["states"] == ["NM", "PA", "CA"]
    assert STUDY["learners"]["windows"]
    config = changed("sensitivity", {"one": {"mine": {"hospital": {"states": ["VT"]}}}})
    configuration.scenarios(config)["mine"]["hospital"]["states"].append("NH")
    assert config["sensitivity"]["one"]["mine"]["hospital"]["states"] == ["VT"]
