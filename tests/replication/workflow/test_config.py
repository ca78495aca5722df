import copy
import datetime
import math
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
    place = config
    for part in path:
        place = place[part]
    if value is ABSENT:
        del place[last]
    else:
        place[last] = value
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


def laid_over(base, changes):
    """Lay one config over another as Snakemake does."""
    merged = copy.deepcopy(base)
    for key, value in changes.items():
        merged[key] = laid_over(merged[key], value) if isinstance(value, dict) and key in merged else value
    return merged


def test_official_names_of_columns_pass_the_schema():
    names = ["previous_day_admission_adult_covid_confirmed_18-19_7_day_sum", "inpatient_beds_80+_7_day_sum"]
    changed = laid_over(STUDY, {"hospital": {"columns": {"participation": names}}})
    configuration.check(changed, SCHEMA_PATH)


def test_the_study_in_small_passes_the_schema_laid_over_the_study():
    configuration.check(laid_over(STUDY, SMOKE), SCHEMA_PATH)


def test_the_study_in_small_writes_nowhere_near_the_full_study():
    small = laid_over(STUDY, SMOKE)["pathvars"]
    assert {*small.values()} & {*STUDY["pathvars"].values()} == {"build/downloads"}  # whose names have a hash


def resolved(schema):
    """Follow a reference of the schema; words at the place of reference count too."""
    while "$ref" in schema:
        target = SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        schema = {
            **target,
            **{key: value for key, value in schema.items() if key not in ("$ref", "properties")},
        }
    return schema


def explained(schema, config, name=""):
    """Yield every key that a config uses, with its part of the schema."""
    schema = resolved(schema)
    for key, value in config.items():
        rule = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
        assert rule, f"{name}{key} is not in the schema"
        yield f"{name}{key}", resolved(rule)
        if isinstance(value, dict):
            yield from explained(rule, value, f"{name}{key}.")


def test_every_key_of_the_study_has_a_description_or_a_plain_type():
    keys = dict(explained(SCHEMA, STUDY))
    assert {"seed", "hospital.columns.beds", "learners.strengths.weak", "pathvars.logs"} <= keys.keys()
    for key, rule in keys.items():
        assert rule.get("description") or (rule.get("type") and not {"enum", "oneOf"} & rule.keys()), key


def of_numbers(schema, name=""):
    """Yield every part of a schema that lets a number pass, with its full name."""
    schema = resolved(schema)
    kinds = schema.get("type", [])
    if {"integer", "number"} & {*([kinds] if isinstance(kinds, str) else kinds)}:
        yield name, schema
    parts = {
        **schema.get("properties", {}),
        "*": schema.get("additionalProperties"),
        "0": schema.get("items"),
    }
    for key, part in parts.items():
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


@each("reach", [1, 3.7, "derived"])
def test_a_reach_is_a_number_or_derived(reach):
    configuration.check(changed("hospital.reach", reach), SCHEMA_PATH)


@each("reach", [0.5, "derive", "3.7", True, None])
def test_any_other_reach_is_refused_in_one_line(reach):
    excerpt = complaint(changed("hospital.reach", reach))
    assert excerpt.startswith(f"config: hospital.reach: {reach!r} ")


# ---------------------------------------------------------------- misspelt keys


@each(
    ("key", "near"),
    [
        ("repetition", "repetitions"),
        ("hospital.state", "states"),
        ("hospital.columns.bed", "beds"),
        ("hospital.healthdata.datset", "dataset"),
        ("hospital.synthetic.week", "weeks"),
        ("learners.familly", "family"),
        ("generality.state", "states"),
        ("pathvars.result", "results"),
        ("sensitivity.suppression.suppressed-as-0.hospitals", "hospital"),
        ("sensitivity.suppression.suppressed-as-0.hospital.suppresed_value", "suppressed_value"),
        ("sensitivity.learner-family.autoregression.learners.window", "windows"),
    ],
)
def test_a_misspelt_key_is_named_in_full_with_the_near_one(key, near):
    parent, _, misspelt = key.rpartition(".")
    message = complaint(changed(key, 1))
    assert (
        message
        == f"config{': ' + parent if parent else ''}: unknown key {misspelt!r}; did you mean {near!r}?"
    )


def test_a_key_like_no_other_is_answered_with_the_known_ones():
    message = complaint(changed("learners.colour", "blue"))
    assert "'colour'" in message
    assert all(known in message for known in ("family", "windows", "strengths"))


@each(
    "key",
    [
        *STUDY,
        *(f"hospital.{key}" for key in STUDY["hospital"]),
        *(f"learners.{key}" for key in STUDY["learners"]),
        *(f"generality.{key}" for key in STUDY["generality"]),
        *(f"pathvars.{key}" for key in STUDY["pathvars"]),
        *(
            f"hospital.{part}.{key}"
            for part in ("columns", "healthdata", "synthetic")
            for key in STUDY["hospital"][part]
        ),
    ],
)
def test_a_missing_key_is_named(key):
    parent, _, missing = key.rpartition(".")
    message = complaint(changed(key, ABSENT))
    assert f"'{missing}' is a required property" in message
    assert parent in message


# ---------------------------------------------------------------- wrong values


@each(
    ("key", "value", "words"),
    [
        ("privacy_levels", [0], "privacy_levels.0: 0 is less than the minimum of 0.001"),
        ("privacy_levels", [1, -1], "privacy_levels.1: -1 is less than the minimum of 0.001"),
        ("privacy_levels", [-math.inf], "privacy_levels.0: -inf is less than the minimum of 0.001"),
        ("privacy_levels", [1, math.nan], "privacy_levels.1"),
        ("privacy_levels", ["1"], "privacy_levels.0: '1' is not of type 'number'"),
        ("privacy_levels", ["1e-3"], "privacy_levels.0: '1e-3' is not of type 'number'"),
        ("privacy_levels", ["one"], "privacy_levels.0: 'one' is not of type 'number'"),
        (
            "hospital.first_week",
            datetime.date(2021, 1, 1),
            "2021-01-01 is a date to YAML; write it in quotes",
        ),
        ("privacy_levels", 1, "privacy_levels: 1 is not of type 'array'"),
        ("privacy_levels", [], "privacy_levels"),
        ("privacy_levels", [1, 1.0], "privacy_levels"),
        ("repetitions", 1, "repetitions: 1 is less than the minimum of 2"),
        ("repetitions", 2.5, "repetitions: 2.5 is not of type 'integer'"),
        ("repetitions", True, "repetitions: True is not of type 'integer'"),
        ("repetitions", 2.0, "repetitions: 2.0 is not of type 'integer'"),
        ("seed", -1, "seed: -1 is less than the minimum of 0"),
        ("confidence", 1, "confidence: 1 is greater than or equal to the maximum of 1"),
        ("confidence", 0, "confidence: 0 is less than or equal to the minimum of 0"),
        ("confidence", math.nan, "confidence"),
        ("hospital", None, "hospital: None is not of type 'object'"),
        ("hospital.data", 3, "hospital.data: 3 is not of type 'string'"),
        ("hospital.data", "", "hospital.data: '' does not match"),
        ("hospital.states", ["nm"], "hospital.states.0"),
        ("hospital.states", [], "hospital.states"),
        ("hospital.states", ["NM", "NM"], "hospital.states"),
        ("hospital.first_week", "2020/08/07", "hospital.first_week: '2020/08/07' is not a 'date'"),
        ("hospital.first_week", "2020-02-30", "hospital.first_week: '2020-02-30' is not a 'date'"),
        ("hospital.first_week", "2023-06-05", "last_week: 2023-06-04 comes before first_week"),
        ("sensitivity.adjacency.removal.hospital.last_week", "2020-08-06", "2020-08-07, in removal"),
        ("hospital.states", ["NM\n"], "hospital.states.0"),
        (
            "hospital.states",
            ["NM", "XX"],
            "hospital.states: 'XX' is not a state, in study; write some of AK, AL",
        ),
        ("generality.states", ["XX"], "generality.states: 'XX' is not a state"),
        ("sensitivity.adjacency.removal.hospital.states", ["XX"], "'XX' is not a state, in removal"),
        ("hospital.data", "a\0b", "hospital.data"),
        ("hospital.columns.beds", ["--output"], "hospital.columns.beds.0"),
        ("batching.alpha", 2, "batching.alpha: 2 is greater than or equal to the maximum of 1"),
        (
            "batching.rounds",
            [250, 1000],
            "batching.rounds: 1000 is not allowed; write numbers below the horizon, 1000",
        ),
        (
            "batching.privacy_levels",
            [math.inf],
            "batching.privacy_levels.0: inf is greater than the maximum of 100",
        ),
        (
            "sensitivity",
            {1: {"a": {"hospital": {"suppressed_value": 0}}}},
            "sensitivity.1: is no name of a key",
        ),
        ("pathvars.paper", "<results>", "pathvars.paper"),
        ("pathvars.paper", "-x", "pathvars.paper"),
        ("hospital.columns.beds", [], "hospital.columns.beds"),
        ("hospital.columns.beds", "beds", "hospital.columns.beds: 'beds' is not of type 'array'"),
        ("hospital.suppressed_value", 5, "hospital.suppressed_value: 5 is greater than the maximum of 4"),
        ("hospital.suppressed_value", -1, "hospital.suppressed_value: -1 is less than the minimum of 0"),
        ("hospital.suppressed_value", math.nan, "hospital.suppressed_value"),
        (
            "hospital.participation_minimum",
            -1,
            "hospital.participation_minimum: -1 is less than the minimum of 0",
        ),
        ("hospital.smallest_beds", "small", "hospital.smallest_beds: 'small' is not of type 'number'"),
        ("hospital.adjacency", "moved", "hospital.adjacency: 'moved' is not one of ['move', 'removal']"),
        ("hospital.healthdata.base_url", "healthdata.gov", "hospital.healthdata.base_url"),
        ("hospital.healthdata.base_url", "https://", "hospital.healthdata.base_url"),
        ("hospital.healthdata.base_url", "http://healthdata.gov", "hospital.healthdata.base_url"),
        ("hospital.healthdata.base_url", "http://healthdata.gov/resource", "hospital.healthdata.base_url"),
        ("hospital.healthdata.base_url", "http://localhost.example", "hospital.healthdata.base_url"),
        ("hospital.healthdata.base_url", "http://127.0.0.1@host.example/", "hospital.healthdata.base_url"),
        ("hospital.healthdata.base_url", "http://127.0.0.1:80@host.example/", "hospital.healthdata.base_url"),
        ("hospital.healthdata.sha256", "abc", "hospital.healthdata.sha256"),
        ("hospital.synthetic.weeks", 0, "hospital.synthetic.weeks: 0 is less than the minimum of 1"),
        ("learners.family", "arima", "learners.family: 'arima' is not one of ['trend', 'trend-shru"),
        ("learners.windows", [0], "learners.windows.0: 0 is less than the minimum of 1"),
        ("learners.windows", [8, 8], "learners.windows"),
        ("learners.strengths", {}, "learners.strengths"),
        ("learners.strengths", {"weak": 0}, "learners.strengths.weak: 0 is less than the minimum of 1e-09"),
        ("learners.strengths", {"Weak": 1}, "learners.strengths"),
        ("generality.states", "some", "generality.states"),
        (
            "generality.smallest_number_of_hospitals",
            1,
            "generality.smallest_number_of_hospitals: 1 is less than the ",
        ),
        ("sensitivity", [], "sensitivity: [] is not of type 'object'"),
        ("sensitivity.suppression", {}, "sensitivity.suppression"),
        ("sensitivity.suppression", {"study": {"hospital": {"suppressed_value": 0}}}, "'study'"),
        ("sensitivity.Suppression", {"a": {"hospital": {"suppressed_value": 0}}}, "'Suppression'"),
        (
            "sensitivity.suppression.suppressed-as-0.hospital.suppressed_value",
            5,
            "suppressed_value: 5 is greater",
        ),
        ("sensitivity.adjacency.removal.hospital.adjacency", "gone", "'gone' is not one of"),
        ("pathvars.paper", None, "pathvars.paper: None is not of type 'string'"),
    ],
)
def test_a_wrong_value_is_named_with_its_key_and_what_is_allowed(key, value, words):
    assert words in complaint(changed(key, value))


@each(
    "address",
    [
        "https://host.example/epidata",
        "http://127.0.0.1:5000/epidata",
        "http://localhost",
        "http://localhost:80",
        "http://[::1]/",
    ],
)
def test_an_address_without_encryption_is_of_this_machine(address):
    configuration.check(changed("hospital.healthdata.base_url", address), SCHEMA_PATH)


@each(
    ("key", "value"),
    [
        ("privacy_levels", [math.inf]),
        ("repetitions", 2),
        ("hospital.suppressed_value", 0),
        ("hospital.suppressed_value", 4),
        ("hospital.suppressed_value", 2.5),
        ("hospital.data", "a b/reports.csv"),
        ("hospital.healthdata.sha256", "0" * 64),
        ("generality.states", ["NM"]),
        ("sensitivity", {}),
    ],
)
def test_values_at_the_edge_of_what_is_allowed_pass(key, value):
    configuration.check(changed(key, value), SCHEMA_PATH)


def test_two_scenarios_of_one_name_are_refused_although_they_stand_in_different_tables():
    config = changed("sensitivity.other", {"removal": {"hospital": {"smallest_beds": 1}}})
    assert "'removal'" in complaint(config)


def test_checking_does_not_change_the_config():
    before = copy.deepcopy(STUDY)
    configuration.check(STUDY, SCHEMA_PATH)
    configuration.scenarios(STUDY)
    assert before == STUDY


# ---------------------------------------------------------------- scenarios


def test_the_study_comes_first_and_every_scenario_is_a_full_config():
    named = configuration.scenarios(STUDY)
    assert list(named) == [
        "study",
        "suppressed-as-0",
        "suppressed-as-4",
        "noise-covers-suppression",
        "gaussian-process",
        "autoregression",
        "every-hospital",
        "beds-at-least-10",
        "beds-at-least-20",
        "beds-mended",
        "removal",
    ]
    assert named["study"] == STUDY
    for config in named.values():
        configuration.check(config, SCHEMA_PATH)


def test_a_scenario_differs_from_the_study_in_what_it_names_alone():
    named = configuration.scenarios(STUDY)
    assert named["suppressed-as-0"] == changed("hospital.suppressed_value", 0)
    assert named["gaussian-process"] == changed("learners.family", "gaussian-process")
    assert named["removal"] == changed("hospital.adjacency", "removal")


def test_a_list_is_replaced_and_a_mapping_is_merged_key_by_key():
    changes = {
        "hospital": {"states": ["VT"], "columns": {"beds": ["mine"]}},
        "learners": {"strengths": {"weak": 9}},
    }
    named = configuration.scenarios(changed("sensitivity", {"one": {"mine": changes}}))
    assert named["mine"]["hospital"]["states"] == ["VT"]
    assert named["mine"]["hospital"]["columns"] == STUDY["hospital"]["columns"] | {"beds": ["mine"]}
    assert named["mine"]["learners"]["strengths"] == {"weak": 9, "medium": 1, "strong": 10}


def test_scenarios_share_nothing_that_could_be_changed():
    named = configuration.scenarios(STUDY)
    named["study"]["hospital"]["states"].append("VT")
    named["removal"]["learners"]["windows"].clear()
    assert named["suppressed-as-0"]["hospital"]["states"] == STUDY["hospital"]["states"] == ["NM", "PA", "CA"]
    assert STUDY["learners"]["windows"]
    config = changed("sensitivity", {"one": {"mine": {"hospital": {"states": ["VT"]}}}})
    configuration.scenarios(config)["mine"]["hospital"]["states"].append("NH")
    assert config["sensitivity"]["one"]["mine"]["hospital"]["states"] == ["VT"]
