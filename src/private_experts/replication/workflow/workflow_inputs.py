"""What the rules of the workflow ask for: states, scenarios, the files of a stage's inputs, and its command.

What a rule passes on follows from the signature of its stage (`stage_cli`) and from the config; what must run
again follows from the stamp of its code.
"""

import functools
import itertools
import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from private_experts.errors import PROGRAM, InputError, errors_in_one_line
from private_experts.replication import stage_cli
from private_experts.replication.ledger import ledger as ledgers
from private_experts.replication.ledger import timing
from private_experts.replication.ledger.bundles import Bundle, bundles, sheets
from private_experts.replication.ledger.checking import plain
from private_experts.replication.ledger.experiments import Drawing
from private_experts.replication.records import read_json, read_rows
from private_experts.replication.report import job_record
from private_experts.replication.report import notebook as notebooks
from private_experts.replication.study import players
from private_experts.replication.study.data import overwrite_guard, source
from private_experts.replication.study.data.states import STATES
from private_experts.replication.verify import code_origin
from private_experts.replication.workflow import config as configuration
from private_experts.replication.workflow import output_folders
from private_experts.replication.workflow.cli import stages
from private_experts.replication.workflow.fingerprint import write_stamps

NOTEBOOK = "paper/replication.py"
SECONDS = "workflow/seconds.csv"  # what a job of each rule takes, as the last renewal of the documents saw it
FIGURE_2 = ["rw-meta", "rw-ftpl", "tree-ftpl"]  # the players of Figure 2
# Those of all states: the paper's, and the strong central ones.
EVERYWHERE = ["rw-meta", "rw-ftpl", "tree-ftpl", "prefix-sums", "central-learners", "yardsticks"]
COMPARED = ["rw-meta", "rw-ftpl", "tree-ftpl"]  # those of the sensitivity tables
# Those of `shared_games.SHARED`, and those of them who play in all states.
SHARED = ["rw-meta", "prefix-sums", "central-learners", "own-counts-local"]
SHARED_EVERYWHERE = ["rw-meta", "prefix-sums"]
# How the words of a command become values: all jobs depend on it.
READING = tuple(f"{stage_cli.__name__}:{name}" for name in ("nested", "_number_or_word"))
SLOWER, STARTING = 5, 5  # how much slower a cluster's node may be, and the minutes that it may take to start


class WorkflowInputs:
    """One study: its merged config, checked here like ledger and reports, and all that rules derive of it.

    `in_job` tells whether this is a job or the process that plans.
    """

    def __init__(self, config: Mapping[str, Any], root: Path, in_job: bool = False) -> None:
        self.config, self.root, self.stages, self.in_job = config, root, stages(), in_job
        self.quick = config["evidence"]["quick"]
        with errors_in_one_line():
            source.refuse_braces(root)
            configuration.check(config, root / "config" / "schema.yaml")
            if not in_job:
                code_origin.check(root)
                code_origin.refuse_other_versions(root / "requirements.lock")
                code_origin.refuse_damaged(root / "requirements.lock")
                output_folders.check(config, root)
            # The config is checked before anything is resolved by it: its errors are the clearer ones.
            self.source = source.resolve(config["hospital"]["data"])
            self.claim_files = sorted(
                str(path.relative_to(root)) for path in (root / "claims").glob("[0-9]*.yaml")
            )
            self.ledger = ledgers.read(
                [root / path for path in self.claim_files], root / "claims" / "schema.yaml"
            )
        self.results, self.paper, self.logs = (
            Path(config["pathvars"][name]) for name in ("results", "paper", "logs")
        )
        self.scenarios = configuration.scenarios(config)
        self.states: list[str] = config["hospital"]["states"]
        selected = config["generality"]["states"]
        self.all_states: list[str] = sorted(STATES) if selected == "all" else selected
        self.every_state = sorted({*self.states, *self.all_states})
        # A player's games on the states of a part are one job: the states that all tables show, and the
        # others.
        self.parts = {
            "main": self.states,
            "others": [state for state in self.all_states if state not in self.states],
        }
        self.claims = self.ledger.claims
        self.bundles = bundles(self.claims.values(), self.quick)
        self.sheets = sheets(self.ledger, self.quick)
        self.drawn = [name for sheet in self.sheets.values() for name in sheet]

    # ------------------------------------------------------------------------------------------------ any
    # stage

    @functools.cached_property
    def _stamps(self) -> dict[str, Path]:
        """A file that stands for the code of a stage, player, check and drawing, and for all packages."""
        rules = [name for name, stage in self.stages.items() if stage_cli.is_rule(stage)]
        entries = [f"{self.stages[name].__module__}:{name}" for name in rules]
        entries += [ledgers.entry_of(claim) for claim in self.claims.values()]
        entries += [ledgers.drawing_of(self.ledger.figures[name]) for name in self.drawn]
        entries += [players.entry(player, name) for player in players.names() for name in ("play", "SHOWN")]
        entries += READING
        with errors_in_one_line():
            entries += notebooks.entries(self.root / NOTEBOOK)
            return write_stamps(entries, self.results / "code", self.root / "requirements.lock")

    def code_of(self, entry: str) -> str:
        """Return the file that stands for the code that a function depends on."""
        return str(self._stamps[entry])

    def code(self, name: str) -> list[str]:
        """Return the files that stand for what a stage depends on: its code, words and packages."""
        entry = f"{self.stages[name].__module__}:{name}"
        return [*map(self.code_of, (entry, *READING, "packages"))]

    def stamps(self) -> list[str]:
        """Return what stands for all code of the workflow."""
        return [self.code_of(entry) for entry in self._stamps]

    def library_of_notebook(self) -> list[str]:
        """Return what stands for the code of all that the notebook's cells call."""
        return [self.code_of(entry) for entry in notebooks.entries(self.root / NOTEBOOK)]

    def call(self, name: str, log: str = "2> {log:q}") -> str:
        """Return the shell command of a stage's rule, with where its complaints go."""
        return f"{PROGRAM} --account {stage_cli.call(self.stages[name])} {log}"

    def flags(
        self, name: str, further: Callable[[Any], list[str]] | None = None
    ) -> Callable[[Any], list[str]]:
        """Return a params function: what a stage takes from its config, and what `further` returns."""

        def of_job(wildcards: Any) -> list[str]:
            scenario = self.scenarios[getattr(wildcards, "scenario", "study")]
            return stage_cli.flags(self.stages[name], scenario) + (further(wildcards) if further else [])

        return of_job

    def keep_results(self) -> None:
        """End with one line when the run would overwrite results computed from other data."""
        with errors_in_one_line():
            data = source.expected_record(self.source, self.config, self.scenarios.values(), self.every_state)
            overwrite_guard.check(data, [self.results, self.paper])

    def refuse_unrecorded(self, files: Sequence[str], record: Callable[[str], Any]) -> list[str]:
        """Refuse results of another config that Snakemake has no record of, as in a copy: it would keep them.

        As an input function it returns that it needs no file. `record` is Snakemake's record of a file, or
        None.
        """
        manifest = self.results / "manifest.json"
        if self.in_job or not manifest.is_file():
            return []
        with errors_in_one_line():
            before = {*stage_cli.flat(read_json(manifest, ("config",))["config"].get("values", {}))}
            # A manifest that another run made was put back, as from a backup, with what it tells of.
            made = next((record(path) for path in files if Path(path) == manifest), None)
            other = made and self._config_of(made) != before
            now = (
                word.partition("=")[0] for word in stage_cli.flat(plain(self.config)) if word not in before
            )
            if changed := next(now, None):
                # A run that was killed may have left newer ones, which Snakemake knows as incomplete.
                ended = manifest.stat().st_mtime
                former = [
                    path
                    for path in dict.fromkeys(files)
                    if self._is_made(Path(path), ended) and (other or not record(path))
                ]
                if former:
                    raise InputError(
                        f"{former[0]} and {len(former) - 1} more: may be of another {changed} than the "
                        "config has now, and Snakemake has no record of their run in .snakemake, so it would "
                        f"keep them; {job_record.clean(self.results, self.paper)}, or copy the folder "
                        ".snakemake of their run"
                    )
        return []

    @staticmethod
    def _config_of(made: Mapping[str, Any]) -> set[str]:
        """Return the words of the config that a manifest is of, by Snakemake's record of its job."""
        words = shlex.split((made["shellcmd"] or "").partition(" --config ")[2])
        section = itertools.takewhile(lambda word: not word.startswith("--"), words)
        return {*stage_cli.flat(plain(stage_cli.nested(section)))}

    def _is_made(self, path: Path, ended: float) -> bool:
        """Tell if a job made this file by then; code stamps are made before, a source is in paper/."""
        if path.is_relative_to(self.results / "code") or path == Path(NOTEBOOK):
            return False
        inside = path.is_relative_to(self.results) or path.is_relative_to(self.paper)
        return inside and path.is_file() and path.stat().st_mtime <= ended

    def recorded(self) -> dict[str, float]:
        """Return what jobs take, in seconds of CPU, by the names of their logs.

        It is as they said last. Else it is as claims say, and of other rules as the repository does
        (`SECONDS`).
        """
        known: dict[str, float] = {}
        if not self.quick:
            rows = read_rows(self.root / SECONDS, ("rule", "seconds"))
            known = {row["rule"]: float(row["seconds"]) for row in rows if row["rule"] != "checks"}
            known |= {
                f"checks/{bundle.name}": sum(claim.seconds for claim in bundle.claims)
                for bundle in self.bundles
            }
        measured = {name: account.cpu for name, account in timing.read(self.logs) if not account.of}
        ran = {name.partition("/")[0] for name in measured}
        return {name: seconds for name, seconds in known.items() if name not in ran} | measured

    # ------------------------------------------------------------------------------------------------ the
    # hospitals

    def flags_of_reports(self, _: Any) -> list[str]:
        """Return what the resolved source needs, no more; end before overwriting other data's results."""
        if not self.in_job:
            self.keep_results()
        return source.flags(self.source, self.config, self.scenarios.values(), self.every_state)

    def _home(self, scenario: str, *of: Callable[[Mapping[str, Any]], list[str]]) -> str:
        """Return the first scenario that asks for the same as this one, so that nothing is computed twice."""
        # By the words on the command line: two scenarios that give a stage the same words ask for the same
        # results.
        stage_flags = {name: [words(config) for words in of] for name, config in self.scenarios.items()}
        return next(name for name, words in stage_flags.items() if words == stage_flags[scenario])

    def _flags(self, name: str) -> Callable[[Mapping[str, Any]], list[str]]:
        return functools.partial(stage_cli.flags, self.stages[name])

    def panels(self, scenario: str, states: Sequence[str]) -> list[str]:
        """Return the panels that a scenario plays on; scenarios with the same cleaning share them."""
        home = self._home(scenario, self._flags("panels"))
        return [str(self.results / "hospital" / home / "panels" / f"{state}.csv") for state in states]

    def settings(self, player: str, config: Mapping[str, Any]) -> list[str]:
        """Return a config's sections that a player asks for, as a flag. Learners play in config order."""
        needed = self.sections(player)
        with errors_in_one_line():
            for name in needed:
                if not isinstance(config.get(name), Mapping):
                    raise InputError(f"study/players: {player} asks for {name}, no section of the config")
        return ["--settings", *stage_cli.flat({name: config[name] for name in needed})] if needed else []

    sections = staticmethod(players.sections)

    def settings_of_games(self, wildcards: Any) -> list[str]:
        """Return the sections of its scenario's config that the player of a job asks for."""
        return self.settings(wildcards.algorithm, self.scenarios[wildcards.scenario])

    def games(
        self, scenario: str, states: Sequence[str], who: Sequence[str], kind: str = "totals"
    ) -> list[str]:
        """Return records of games of these states, maybe more; scenarios share equal ones."""
        parts = [part for part, members in self.parts.items() if {*members} & {*states}]
        records = []
        for player in who:
            settings = functools.partial(self.settings, player)
            home = self._home(scenario, self._flags("panels"), self._flags("games"), settings)
            records += [str(self.results / "games" / home / part / f"{player}.{kind}.csv") for part in parts]
        return records

    def curves(self) -> list[str]:
        """Return the cumulative gains' records of all games of the study: all players, where each plays."""
        shown = self.games("study", self.states, players.names(), "curves")
        return [*dict.fromkeys([*shown, *self.games("study", self.all_states, EVERYWHERE, "curves")])]

    def looks(self) -> list[str]:
        """Return what stands for how each player's algorithms are shown."""
        return [self.code_of(players.entry(player, "SHOWN")) for player in players.names()]

    # ------------------------------------------------------------------------------------------------ claims

    def claim_files_of(self, bundle: Bundle) -> list[str]:
        """Return the file of the paper whose claims a bundle has."""
        return [path for path in self.claim_files if Path(path).stem == bundle.claims[0].paper]

    def inputs_of_checks(self, bundle: Bundle) -> dict[str, list[str]]:
        """Return what stands for the code of a bundle's checks, and the data that its claims rest on."""
        return {
            "check_code": [self.code_of(ledgers.entry_of(claim)) for claim in bundle.claims],
            "panels": self.panels("study", self.states) if bundle.needs else [],
            "table": [str(self.paper / "tables" / "table-2.csv")] if bundle.needs == "table-2" else [],
            "report_noise": [*map(str, players.report_noise_files(self.results, self.states))]
            if bundle.needs == "report-noise"
            else [],
            "provenance": [str(self.results / "hospital" / "provenance.json")] if bundle.needs else [],
        }

    def flags_of_ledger(self, _: Any) -> list[str]:
        """Return whether the config is the study's own, but for where files lie and which data are read."""

        def chosen(config: Mapping[str, Any]) -> dict[str, Any]:
            hospital = {
                name: value
                for name, value in config["hospital"].items()
                if name not in ("data", "healthdata")
            }
            return {name: value for name, value in config.items() if name != "pathvars"} | {
                "hospital": hospital
            }

        own = configuration.read(self.root / "config" / "study.yaml")
        return ["--own-config"] * (chosen(self.config) == chosen(own))

    def flags_of_checks(self, bundle: Bundle) -> Callable[[Any], list[str]]:
        """Return a params function: the seed, and that grids are quick ones where this makes a difference."""
        quick = self.quick and any(
            claim.experiment(True) != claim.experiment(False) for claim in bundle.claims
        )
        return self.flags("checks", lambda _: ["--quick"] * quick)

    def deciding(self, bundle: Bundle) -> list[str]:
        """Return what decides the claims of a bundle, which their words do not."""
        # Not the statement and notes: to reword a claim must not compute it anew.
        return [
            *stage_cli.flat({claim.id: claim.experiment(self.quick)._asdict() for claim in bundle.claims})
        ]

    def minutes_of_checks(self, bundle: Bundle) -> Callable[[Any, int], int]:
        """Return a resources function: a bundle's minutes at an attempt, for a cluster's scheduler."""
        seconds = sum(claim.seconds for claim in bundle.claims)
        # A job that ran out of time is given more at each attempt.
        return lambda wildcards, attempt: math.ceil(SLOWER * seconds / 60 + STARTING) * attempt

    def inputs_of_figures(self, sheet: Mapping[str, Drawing]) -> dict[str, list[str]]:
        """Return what stands for the code that draws claims' figures, and the evidence they show."""
        shown = dict.fromkeys(claim for drawing in sheet.values() for claim in drawing.claims)
        on_data = any(drawing.on_data for drawing in sheet.values())
        return {
            "drawing": [self.code_of(ledgers.drawing_of(self.ledger.figures[name])) for name in sheet],
            "evidence": [str(self.results / "claims" / f"{claim}.csv") for claim in shown],
            "provenance": [str(self.results / "hospital" / "provenance.json")] if on_data else [],
        }

    def drawn_from(self, sheet: Mapping[str, Drawing]) -> list[str]:
        """Return what claims' figures are drawn from, which their captions do not change."""
        return [*stage_cli.flat({name: drawing._asdict() for name, drawing in sheet.items()})]
