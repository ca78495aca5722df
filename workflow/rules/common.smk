# What all rules share: the checked config, the scenarios, and the code that a stage's results depend on.

import gc
import json
import os
import shlex
import sys
import time
from pathlib import Path

from private_experts.replication.run import config as configuration
from private_experts.replication.claims import ledger as ledgers
from private_experts.errors import told_in_one_line
from private_experts.replication.run.fingerprint import Source, stamp
from private_experts.replication.hospital.source import OFFLINE_VARIABLE, resolve
from private_experts.replication.hospital.synthetic import STATES as ALL_STATES
from private_experts.replication.run.summary import complaints

# Searching all that was imported for garbage, again and again, is a third of the time that it takes to plan the jobs.
gc.freeze()
gc.set_threshold(50_000, 20, 20)

STARTED = int(time.time())
ROOT = Path(workflow.basedir)
RESULTS = Path(config.get("pathvars", {}).get("results", "results"))

# So that rules find the environment's commands even when it is not activated.
os.environ.update(PATH=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))

with told_in_one_line():
    configuration.check(config, ROOT / "config" / "schema.yaml")

SCENARIOS = configuration.scenarios(config)
STUDY_STATES = config["hospital"]["states"]
GENERALITY_STATES = config["generality"]["states"]
if GENERALITY_STATES == "all":
    GENERALITY_STATES = sorted(ALL_STATES)
EVERY_STATE = sorted({*STUDY_STATES, *GENERALITY_STATES})

CACHE = Path(config["pathvars"]["resources"], f"{config['hospital']['healthdata']['dataset']}.csv.gz")
with told_in_one_line():
    SOURCE = resolve(config["hospital"], CACHE)
if config["hospital"]["offline"]:  # the jobs are told by the environment
    os.environ[OFFLINE_VARIABLE] = "1"

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
BATCH_SIZES = [
    "batching.privacy_levels",
    "batching.horizon",
    "batching.rounds",
    "batching.gaps",
    "batching.repetitions",
    "batching.alpha",
    "seed",
]
BATCHED_GAMES = ["batching.horizons", "batching.play_repetitions", "batching.alpha", "seed"]
BATCHING_FIGURE = ["batching.horizon", "batching.alpha", "confidence", "seed"]
EXPERTS = config["batching"]["experts"]

CLAIM_FILES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "claims").glob("[0-9]*.yaml"))
with told_in_one_line():
    LEDGER = ledgers.read([ROOT / path for path in CLAIM_FILES], ROOT / "claims" / "schema.yaml")
CLAIMS = LEDGER.claims
DRAWN = [name for name, figure in LEDGER.figures.items() if figure.draw]

ALGORITHMS = ["rw-meta", "rw-ftpl", "tree-ftpl", "yardsticks"]
MODELS = ["rw-meta", "rw-ftpl", "tree-ftpl", "private-leaders"]  # whose privacy models are compared
COMPARED = ["rw-meta", "rw-ftpl", "tree-ftpl"]  # what the sensitivity tables need
TABLE = [".csv", ".md", ".tex"]
FIGURE = [".pdf", ".svg", ".png"]


wildcard_constraints:
    scenario="[a-z][a-z0-9-]*",
    state="[A-Z]{2}",
    algorithm="private-leaders|rw-ftpl|rw-meta|tree-ftpl|yardsticks",
    claim="[0-9]{3}/[a-z0-9/-]+",
    figure="[0-9]{3}-[a-z0-9-]+",
    experts="[0-9]+",


CODE = Source()


def code_of(entry):
    """Return the file that stands for the code and the locked packages that a function depends on."""
    with told_in_one_line():
        return str(stamp(entry, RESULTS / "code", lock=ROOT / "requirements.lock", root=CODE))


def code(stage):
    """Return the file that stands for what a stage depends on."""
    return code_of(f"private_experts.stages:{stage}")


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


def reports_flags(wildcards):
    """Return what the resolved source needs, and nothing that another source would."""
    names = [
        name
        for section in SCENARIOS.values()
        for each in section["hospital"]["columns"].values()
        for name in each
    ]
    words = f"--source {SOURCE.kind} --columns {' '.join(dict.fromkeys(names))}"
    if SOURCE.kind in ("auto", "healthdata"):
        query = {key: config["hospital"]["healthdata"][key] for key in ("base_url", "dataset", "page_size")}
        query |= {key: config["hospital"][key] for key in ("first_week", "last_week")}
        query["states"] = [] if config["generality"]["states"] == "all" else EVERY_STATE
        words += (
            f" --cache {shlex.quote(str(CACHE))} --query {shlex.quote(json.dumps(query, sort_keys=True))} "
        )
        words += configuration.flags(config, ["hospital.healthdata.sha256"])
    if SOURCE.kind in ("auto", "synthetic"):
        words += f" --states {' '.join(EVERY_STATE)} "
        words += configuration.flags(config, ["hospital.synthetic.weeks", "hospital.synthetic.seed"])
    return words


def stem(output):
    """Return an output's path without its suffix."""
    return str(Path(output).with_suffix(""))


def folders_of_batching(wildcards, output):
    """Return the folders of a rule's figures and tables, as flags."""
    return f"--figures {Path(output.figures[0]).parent} --tables {Path(output.tables[0]).parent}"


def scenarios_of(wildcards):
    """Return the study and the scenarios of one choice."""
    return ["study", *config["sensitivity"][wildcards.choice]]


def totals_of_choice(wildcards):
    """Return the games of a choice, scenario by scenario."""
    return [path for name in scenarios_of(wildcards) for path in games(name, STUDY_STATES, COMPARED)]


def panels_of_choice(wildcards):
    """Return the panels of a choice, scenario by scenario."""
    return [path for name in scenarios_of(wildcards) for path in panels(name, STUDY_STATES)]
