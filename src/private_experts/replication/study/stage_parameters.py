"""What many stages are given: where each comes from, and what the command line says of it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from private_experts.replication.stage_cli import INPUT, OUTPUT, PARAMS, WILDCARD, Config
from private_experts.replication.study.choices import Adjacency as Choice
from private_experts.replication.study.choices import Reach as NumberOrDerived

# From the config.
Seed = Annotated[int, Config("seed"), "Seed of all randomness."]
Repetitions = Annotated[int, Config("repetitions"), "Independent copies of every game."]
PrivacyLevels = Annotated[Sequence[float], Config("privacy_levels"), "Levels mu; inf is no privacy."]
Confidence = Annotated[float, Config("confidence"), "Joint confidence of the intervals of a table."]
Adjacency = Annotated[
    Choice,
    Config("hospital.adjacency"),
    "What privacy hides: that a person chose this hospital (move), or was a patient at all (removal).",
]
Reach = Annotated[
    NumberOrDerived,
    Config("hospital.reach"),
    "Patients by which the noise assumes that one person moves a figure; or derived, from the panel.",
]
Alpha = Annotated[float, Config("batching.alpha"), "Tolerance of RW-AdaBatch."]
Horizon = Annotated[int, Config("batching.horizon"), "Number of rounds."]

Learners = Annotated[Mapping[str, Any], Config("learners"), "The section learners of the config."]

PatientColumns = Annotated[
    Sequence[str], Config("hospital.columns.patients"), "Columns of patients, in order of preference."
]
BedColumns = Annotated[
    Sequence[str], Config("hospital.columns.beds"), "Columns of beds, in order of preference."
]
ParticipationColumns = Annotated[
    Sequence[str],
    Config("hospital.columns.participation"),
    "Columns that tell who takes part, in order of preference.",
]
SuppressedValue = Annotated[
    float, Config("hospital.suppressed_value"), "The number to use for a suppressed patient figure."
]
ParticipationMinimum = Annotated[
    float,
    Config("hospital.participation_minimum"),
    "Hospitals whose participation sums to less are left out.",
]
SmallestBeds = Annotated[
    float, Config("hospital.smallest_beds"), "Hospitals that ever have fewer beds are left out."
]
FirstWeek = Annotated[str, Config("hospital.first_week"), "First week of the study (ISO date)."]
LastWeek = Annotated[str, Config("hospital.last_week"), "Last week of the study (ISO date)."]
MendBeds = Annotated[
    bool,
    Config("hospital.mend_beds"),
    "Whether bed counts that are wrong for a week or two count as missing.",
]
CarriedWeeks = Annotated[
    int, Config("hospital.carried_weeks"), "For how many weeks a figure may be carried forward."
]

# From the wildcards of a rule.
State = Annotated[str, WILDCARD, "The state. Its name seeds the noise, so all scenarios share it."]
Experts = Annotated[int, WILDCARD, "Number of experts."]

# Read.
Reports = Annotated[Path, INPUT, "CSV of reports."]
Provenance = Annotated[Path, INPUT, "Record of where the data comes from."]
Ledger = Annotated[Path, INPUT, "The ledger as JSON."]
ClaimFiles = Annotated[Sequence[Path], INPUT, "What the papers say: claims/*.yaml."]
Panel = Annotated[Path, INPUT, "CSV of the state's panel."]
Panels = Annotated[Sequence[Path], INPUT, "Panels, a CSV file for each state."]
Totals = Annotated[Sequence[Path], INPUT, "Records of games: the total gain of every repetition."]
Curves = Annotated[
    Sequence[Path], INPUT, "Records of games: cumulative gain by week, mean and standard deviation."
]
Computed = Annotated[
    Sequence[Path], INPUT, "Laws of batch sizes, computed; a file for each number of experts."
]
Simulated = Annotated[
    Sequence[Path], INPUT, "Batch sizes of every repetition, a file for each number of experts."
]

# Written.
ReportNoiseFile = Annotated[
    Path, OUTPUT, "Gets sums of the noise in the reports of local players, by hospital and by week."
]
TotalsFile = Annotated[Path, OUTPUT, "Gets the total gain of every repetition."]
Product = Annotated[Path, PARAMS, "Path without suffix; gets the product in all its formats."]
FigureStem = Annotated[Path, PARAMS, "Path without suffix; gets the figure."]
FigureFolder = Annotated[Path, PARAMS, "Folder that gets the figures."]
TableFolder = Annotated[Path, PARAMS, "Folder that gets the tables."]
