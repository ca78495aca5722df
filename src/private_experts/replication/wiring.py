"""What the rules of the workflow ask for: states, scenarios, the files of a stage's inputs, and its command.

A rule says what a job reads and writes, and what it costs. What it passes on follows from the signature of its stage
(`command_line`) and from the config; what must run again follows from the stamp of its code.
"""

import functools
import json
import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from private_experts.errors import PROGRAM, InputError, told_in_one_line
from private_experts.replication import accounts, command_line
from private_experts.replication.claims import ledger as ledgers
from private_experts.replication.claims.bundles import Bundle, bundles, sheets
from private_experts.replication.cli import stages
from private_experts.replication.hospital import job_environment, overwrite_guard, players, source
from private_experts.replication.hospital.states import STATES
from private_experts.replication.run import config as configuration
from private_experts.replication.run import notebook as notebooks
from private_experts.replication.run.fingerprint import write_stamps

NOTEBOOK = "paper/replication.py"
FIGURE_2 = ["rw-meta", "rw-ftpl", "tree-ftpl", "yardsticks"]  # the players of Figure 2
LOCALITY = ["rw-meta", "rw-ftpl", "tree-ftpl", "prefix-sums", "central-learners"]
EVERYWHERE = [*LOCALITY, "yardsticks"]  # those of all states: the paper's, and the strong central ones
SLOWER, STARTING = 5, 5  # how much slower a cluster's node may be, and the minutes that it may take to start
COMPARED = ["rw-meta", "rw-ftpl", "tree-ftpl"]  # those of the sensitivity tables


class Wiring:
    """One study: its config and everything that the rules derive from it.

    Parameters
    ----------
    config : mapping
        The merged config; it is checked here.
    root : Path
        The project's folder.
    in_job : bool
        Whether this is a job, which is told where the reports come from, or the process that plans, which decides.
    beside_sources : callable
        Marks a stamp of code for Snakemake as what lies beside the sources.

    Raises
    ------
    SystemExit
        With one line, when the folder's name, the config, the ledger or the file of reports is not as it should be.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        root: Path,
        in_job: bool = False,
        beside_sources: Callable[[str], str] = str,
    ) -> None:
        self.config, self.root, self.stages, self.in_job = config, root, stages(), in_job
        self.sections = functools.cache(players.sections)
        self._beside = beside_sources
        with told_in_one_line():
            source.refuse_braces(root)
            configuration.check(config, root / "config" / "schema.yaml")
            resources = Path(config["pathvars"]["resources"])
            self.source = job_environment.read_source() if in_job else source.resolve(config["hospital"], resources)
            self.claim_files = sorted(str(path.relative_to(root)) for path in (root / "claims").glob("[0-9]*.yaml"))
            self.ledger = ledgers.read([root / path for path in self.claim_files], root / "claims" / "schema.yaml")
        self.results, self.paper = (Path(config["pathvars"][name]) for name in ("results", "paper"))
        self.stamped = self.results / "code"
        self.scenarios = configuration.scenarios(config)
        self.states: list[str] = config["hospital"]["states"]
        asked = config["generality"]["states"]
        self.all_states: list[str] = sorted(STATES) if asked == "all" else asked
        named = config["multiverse"]["states"]
        self.multiverse: list[str] = {"study": self.states, "all": sorted(STATES)}.get(str(named), named)
        self.every_state = sorted({*self.states, *self.all_states, *self.multiverse})
        # A player's games on the states of a part are one job: the states that all tables show, and the others.
        self.parts = {"main": self.states, "others": [each for each in self.all_states if each not in self.states]}
        self.claims = self.ledger.claims
        self.bundles = bundles(self.claims.values(), config["evidence"]["quick"])
        self.sheets = sheets(self.ledger)
        self.drawn = [each["figure"] for sheet in self.sheets.values() for each in sheet]

    # ------------------------------------------------------------------------------------------------ any stage

    @functools.cached_property
    def _stamps(self) -> dict[str, Path]:
        """The file that stands for the code of each stage, player, check and drawing, and for all packages."""
        rules = [name for name, stage in self.stages.items() if command_line.is_rule(stage)]
        entries = [f"{self.stages[name].__module__}:{name}" for name in rules]
        entries += [ledgers.entry_of(claim) for claim in self.claims.values()]
        entries += [ledgers.drawing_of(self.ledger.figures[name]) for name in self.drawn]
        entries += [players.entry(player, name) for player in players.names() for name in ("play", "SHOWN")]
        with told_in_one_line():
            entries += notebooks.entries(self.root / NOTEBOOK)
            return write_stamps(entries, self.stamped, self.root / "requirements.lock")

    def code_of(self, entry: str) -> str:
        """Return the file that stands for the code that a function depends on."""
        return self._beside(str(self._stamps[entry]))  # a new word each time, which a rule may mark as it likes

    def code(self, name: str) -> list[str]:
        """Return the files that stand for what a stage depends on: its code and the locked packages."""
        return [self.code_of(f"{self.stages[name].__module__}:{name}"), self.code_of("packages")]

    def call(self, name: str, log: str = "2> {log:q}") -> str:
        """Return the shell command of a stage's rule, with where its complaints go."""
        return f"{PROGRAM} --account {command_line.call(self.stages[name])} {log}"

    def flags(self, name: str, further: Callable[[Any], str] | None = None) -> Callable[[Any], str]:
        """Return a params function: what a stage takes from the config of its scenario, and what `further` returns."""

        def of_job(wildcards: Any) -> str:
            scenario = self.scenarios[getattr(wildcards, "scenario", "study")]
            words = [command_line.flags(self.stages[name], scenario), further(wildcards) if further else ""]
            return " ".join(filter(None, words))

        return of_job

    def stamps(self) -> list[str]:
        """Return what stands for all code of the workflow."""
        return [self.code_of(entry) for entry in self._stamps]

    def keep_results(self) -> None:
        """End with one line when the run would overwrite results computed from other data."""
        with told_in_one_line():
            data = source.candidates(self.source, self.config, self.scenarios.values(), self.every_state)
            overwrite_guard.check(data, [self.results, self.paper])

    def recorded(self) -> dict[str, float]:
        """Return what jobs take, in seconds, by the names of their logs: as they said last, else as the claims say."""
        long, logs = [] if self.config["evidence"]["quick"] else self.bundles, Path(self.config["pathvars"]["logs"])
        claims = {f"checks/{each.name}": sum(claim.seconds for claim in each.claims) for each in long}
        return claims | {name: account.seconds for name, account in accounts.read(logs) if not account.of}

    # ------------------------------------------------------------------------------------------------ the hospitals

    def panels(self, scenario: str, states: Sequence[str]) -> list[str]:
        """Return the panels that a scenario plays on; scenarios with the same cleaning share them."""
        home = configuration.twin(self.scenarios, scenario, command_line.keys(self.stages["panels"]))
        return [str(self.results / "hospital" / home / "panels" / f"{state}.csv") for state in states]

    def games(self, scenario: str, states: Sequence[str], who: Sequence[str], kind: str = "totals") -> list[str]:
        """Return records of games on all of these states, and perhaps more.

        Scenarios that differ in nothing a player uses share them.
        """
        shared, paths = [*command_line.keys(self.stages["panels"]), *command_line.keys(self.stages["games"])], []
        parts = [part for part, members in self.parts.items() if {*members} & {*states}]
        for player in who:
            home = configuration.twin(self.scenarios, scenario, [*shared, *self.sections(player)])
            paths += [str(self.results / "games" / home / part / f"{player}.{kind}.csv") for part in parts]
        return paths

    def curves(self) -> list[str]:
        """Return the records of cumulative gains of every game of the study: all players, where each of them plays."""
        shown = self.games("study", self.states, players.names(), "curves")
        return shown + [
            path for path in self.games("study", self.all_states, EVERYWHERE, "curves") if path not in shown
        ]

    def looks(self) -> list[str]:
        """Return what stands for how each player's algorithms are shown."""
        return [self.code_of(players.entry(player, "SHOWN")) for player in players.names()]

    def player_of_games(self, wildcards: Any) -> str:
        """Return what stands for the code of a player."""
        return self.code_of(players.entry(wildcards.algorithm))

    def panels_of_games(self, wildcards: Any) -> list[str]:
        """Return the panels that a player plays on in one job."""
        return self.panels(wildcards.scenario, self.parts[wildcards.part])

    def settings_of_games(self, wildcards: Any) -> str:
        """Return the sections of the config that a player asks for, as a flag."""
        scenario = self.scenarios[wildcards.scenario]
        asked = self.sections(wildcards.algorithm)
        with told_in_one_line():
            for name in asked:
                if not isinstance(scenario.get(name), Mapping):
                    raise InputError(
                        f"hospital/players: {wildcards.algorithm} asks for {name}, no section of the config"
                    )
        settings = {name: scenario[name] for name in asked}
        # Unsorted: learners play in the order of the config.
        return f"--settings {shlex.quote(json.dumps(settings))}" if settings else ""

    def flags_of_reports(self, _: Any) -> str:
        """Return what the resolved source needs, and nothing that another source would.

        End with one line when the run would overwrite results computed from other data.
        """
        if not self.in_job:
            self.keep_results()
        return source.flags(self.source, self.config, self.scenarios.values(), self.every_state)

    def scenarios_of(self, wildcards: Any) -> list[str]:
        """Return the study and the scenarios of one choice."""
        return ["study", *self.config["sensitivity"][wildcards.choice]]

    def totals_of_choice(self, wildcards: Any) -> list[str]:
        """Return the games of a choice, scenario by scenario."""
        return [path for name in self.scenarios_of(wildcards) for path in self.games(name, self.states, COMPARED)]

    def panels_of_choice(self, wildcards: Any) -> list[str]:
        """Return the panels of a choice, scenario by scenario."""
        return [path for name in self.scenarios_of(wildcards) for path in self.panels(name, self.states)]

    # ------------------------------------------------------------------------------------------------ claims

    def code_of_checks(self, bundle: Bundle) -> list[str]:
        """Return what stands for the code of each check of a bundle."""
        return [self.code_of(ledgers.entry_of(claim)) for claim in bundle.claims]

    def panels_of_checks(self, bundle: Bundle) -> list[str]:
        """Return the study's panels, for claims that ask for them."""
        return self.panels("study", self.states) if bundle.needs == "panels" else []

    def table_of_checks(self, bundle: Bundle) -> list[str]:
        """Return Table 2, for claims about it."""
        return [str(self.paper / "tables" / "table-2.csv")] if bundle.needs == "table-2" else []

    def provenance_of_checks(self, bundle: Bundle) -> list[str]:
        """Return where the data comes from, for claims about data."""
        return self._provenance(bundle.ids)

    def _provenance(self, names: Sequence[str]) -> list[str]:
        needed = any(self.claims[name].needs for name in names)
        return [str(self.results / "hospital" / "provenance.json")] if needed else []

    def flags_of_checks(self, bundle: Bundle) -> Callable[[Any], str]:
        """Return a params function: the seed and what decides each claim of a bundle, which are not its words."""
        asked = [ledgers.asked(claim, self.config["evidence"]["quick"]) for claim in bundle.claims]
        return self.flags("checks", lambda _: shlex.join(["--asked", ledgers.as_written(asked)]))

    def minutes_of_checks(self, bundle: Bundle) -> Callable[[Any, int], int]:
        """Return a resources function: the minutes that a bundle may take at an attempt, for a cluster's scheduler."""
        seconds = sum(claim.seconds for claim in bundle.claims)
        return lambda wildcards, attempt: math.ceil(SLOWER * seconds / 60 + STARTING) * attempt

    def code_of_drawings(self, sheet: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return what stands for the code of what draws claims' figures."""
        return [self.code_of(ledgers.drawing_of(self.ledger.figures[each["figure"]])) for each in sheet]

    def evidence_of_figures(self, sheet: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return the evidence that figures are drawn from."""
        return [str(self.results / "claims" / f"{claim}.csv") for claim in _shown(sheet)]

    def provenance_of_figures(self, sheet: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return where the data comes from, for figures whose claims rest on data."""
        return self._provenance(_shown(sheet))

    def flags_of_claim_figures(self, sheet: Sequence[Mapping[str, Any]]) -> Callable[[Any], str]:
        """Return a params function: what draws each figure, and from which claims."""
        return self.flags("claim_figures", lambda _: shlex.join(["--sheet", json.dumps(sheet)]))

    # ------------------------------------------------------------------------------------------------ the run

    def library_of_notebook(self) -> list[str]:
        """Return what stands for the code of all that the notebook's cells call."""
        return [self.code_of(entry) for entry in notebooks.entries(self.root / NOTEBOOK)]

    def config_in_words(self) -> str:
        """Return the merged config as JSON."""
        return json.dumps(self.config, sort_keys=True)


def _shown(sheet: Sequence[Mapping[str, Any]]) -> list[str]:
    return [*dict.fromkeys(claim for figure in sheet for claim in figure["claims"])]
