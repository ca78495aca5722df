# What all rules share: the checked config, the scenarios, and the code that a stage's results depend on.

import os
import sys
import time
from pathlib import Path

from private_experts import config as configuration
from private_experts.fingerprint import stamp
from private_experts.hospital.source import resolve
from private_experts.hospital.synthetic import STATES as ALL_STATES

STARTED = int(time.time())
ROOT = Path(workflow.basedir)
RESULTS = Path(config.get("pathvars", {}).get("results", "results"))

# So that rules find the environment's commands even when it is not activated.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

configuration.check(config, ROOT / "config" / "schema.yaml")

SCENARIOS = configuration.scenarios(config)
STUDY_STATES = config["hospital"]["states"]
GENERALITY_STATES = config["generality"]["states"]
if GENERALITY_STATES == "all":
    GENERALITY_STATES = sorted(ALL_STATES)
EVERY_STATE = sorted({*STUDY_STATES, *GENERALITY_STATES})

CACHE = Path(config["pathvars"]["resources"], f"{config['hospital']['healthdata']['dataset']}.csv.gz")
SOURCE = resolve(config["hospital"], CACHE)

# The config keys that each kind of stage depends on; a change of another key reruns nothing.
CLEANING = [
    "hospital.columns.patients",
    "hospital.columns.beds",
    "hospital.columns.participation",
    "hospital.suppressed_value",
    "hospital.participation_minimum",
    "hospital.smallest_beds",
    "hospital.first_week",
    "hospital.last_week",
]
GAME = ["privacy_levels", "repetitions", "seed", "hospital.adjacency"]
LEARNERS = ["learners.family", "learners.windows", "learners.strengths"]


wildcard_constraints:
    scenario="[a-z][a-z0-9-]*",
    state="[A-Z]{2}",
    algorithm="rw-ftpl|rw-meta|tree-ftpl|yardsticks",


def code(stage):
    """Return the file that stands for the code and the locked packages a stage depends on."""
    return str(stamp(f"private_experts.stages:{stage}", RESULTS / "code", lock=ROOT / "requirements.lock"))


def flags(keys):
    """Return a params function: the scenario's values of these keys, as command-line flags."""

    def of_scenario(wildcards):
        return configuration.flags(SCENARIOS[wildcards.scenario], keys)

    return of_scenario


def panels(scenario, states):
    """Return the panels that a scenario plays on; scenarios with the same cleaning share them."""
    home = configuration.twin(SCENARIOS, scenario, CLEANING)
    return [str(RESULTS / "hospital" / home / "panels" / f"{state}.csv") for state in states]


def games(scenario, states, algorithms, kind="totals"):
    """Return records of games; scenarios that differ in nothing an algorithm uses share them."""
    paths = []
    for algorithm in algorithms:
        keys = CLEANING + GAME + (LEARNERS if algorithm == "rw-meta" else [])
        home = configuration.twin(SCENARIOS, scenario, keys)
        paths += [str(RESULTS / "games" / home / state / f"{algorithm}.{kind}.csv") for state in states]
    return paths


def panel_of_game(wildcards):
    """Return the panel that a game plays on."""
    return panels(wildcards.scenario, [wildcards.state])
