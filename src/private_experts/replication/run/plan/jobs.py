"""The jobs of the study, and which of them Snakemake would run.

Snakemake's interface for programs sets up a workflow and its jobs, but shows them only as text. So this module, and no
other, reads the attributes of Snakemake's own objects: a job's rule, files and command, and the record of how its
results were made. A test sees that they still mean what they mean here.
"""

import gc
import logging
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from private_experts.replication.command_line import Stage
from private_experts.replication.yaml_text import load_yaml

PROFILE = Path("profiles/default/config.yaml")  # which Snakemake's command line picks up by itself


class Record(NamedTuple):
    """How a result was made: the files its job read, their checksums, its command, and when it ended."""

    inputs: Sequence[str]
    checksums: Mapping[str, str]
    command: str
    ended: float


class Job(NamedTuple):
    """A job as it is now, with the record of its last run.

    Attributes
    ----------
    rule, wildcards, inputs, outputs, log, command
        As in the workflow; `log` is empty where there is none.
    pending : bool
        Whether it would run.
    after : sequence of int
        The places in the list of jobs of those that it waits for.
    record : Record or None
        None when it never ran, or nobody knows how.
    rule_changed : bool
        Whether the workflow gives its rule another command, but for what is filled in.
    said : str
        Why it would run, in Snakemake's words.
    """

    rule: str
    wildcards: Mapping[str, str]
    inputs: Sequence[str]
    outputs: Sequence[str]
    log: str
    command: str
    pending: bool
    after: Sequence[int]
    record: Record | None
    rule_changed: bool
    said: str


class Study(NamedTuple):
    """A study as the workflow sees it.

    Attributes
    ----------
    jobs : sequence of Job
        Each comes after those that it waits for.
    made : frozenset of str
        The files that they write.
    configfiles : sequence of Path
        What its config was merged from.
    code, logs : Path
        The folders of the stamps, and of what the jobs say.
    took : mapping
        How many seconds each job took when it last ran, by the name of its log.
    stages : mapping
        The functions behind the jobs' commands, by name.
    """

    jobs: Sequence[Job]
    made: frozenset[str]
    configfiles: Sequence[Path]
    code: Path
    logs: Path
    took: Mapping[str, float]
    stages: Mapping[str, Stage]


def study(configfiles: Sequence[Path] = ()) -> Study | None:
    """Ask Snakemake which jobs the study in this folder has, as for a run with these further config files.

    Like any dry run it renews the stamps of the code, and changes nothing else.

    Returns
    -------
    Study or None
        None when the workflow is not as it should be; Snakemake has then said what is wrong.
    """
    gc.disable()  # searching Snakemake's many objects for garbage is a tenth of the time
    from snakemake.api import SnakemakeApi
    from snakemake.cli import parse_size_in_bytes
    from snakemake.settings.enums import ChangeType
    from snakemake.settings.types import ConfigSettings, DAGSettings, OutputSettings, ResourceSettings

    profile = load_yaml(PROFILE.read_text(encoding="utf-8")) if PROFILE.is_file() else {}
    size = parse_size_in_bytes(profile.get("max-checksum-file-size", "1MB"))
    with SnakemakeApi(OutputSettings(log_level_override=logging.ERROR, enable_file_logging=False)) as snakemake:
        try:
            interface = snakemake.workflow(
                resource_settings=ResourceSettings(cores=1), config_settings=ConfigSettings(configfiles=configfiles)
            )
            dag = interface.dag(DAGSettings(max_checksum_file_size=size, force_incomplete=True))
            with redirect_stdout(StringIO()):
                dag.list_changes(ChangeType.INPUT)  # of all that works out the jobs, what does least besides
        except Exception as error:
            snakemake.print_exception(error)
            return None
        workflow = interface._workflow
        wiring, logs = workflow.globals["study"], Path(workflow.config["pathvars"]["logs"])
        jobs, files = _jobs(workflow.dag), [*map(Path, workflow.configfiles)]
        made = frozenset(path for job in jobs for path in job.outputs)
        took = wiring.recorded()
        return Study(jobs, made, files, wiring.stamped, logs, took, wiring.stages)


def _jobs(dag: Any) -> list[Job]:
    """Return all jobs but those that only gather files, such as the target ``all``."""
    levels = [
        sorted(level, key=lambda job: (job.rule.lineno, job.rule.name, str(job.wildcards)))
        for level in dag.toposorted()
    ]
    ordered = [job for level in levels for job in level if not job.rule.norun]
    place = {job: number for number, job in enumerate(ordered)}
    return [_job(job, dag, [place[each] for each in dag.dependencies[job] if each in place]) for job in ordered]


def _job(job: Any, dag: Any, after: Sequence[int]) -> Job:
    persistence, pending = dag.workflow.persistence, dag.needrun(job)
    record, noted = None, map(persistence.metadata, job.output if pending else ())
    if first := next(filter(None, noted), None):
        sums = {path: str(told).rpartition(":")[2] for path, told in (first.get("input_checksums") or {}).items()}
        record = Record(first.get("input") or [], sums, first.get("shellcmd") or "", first.get("endtime") or 0.0)
    return Job(
        rule=job.rule.name,
        wildcards=dict(job.wildcards_dict),
        inputs=[*map(str, job.input)],
        outputs=[*map(str, job.output)],
        log=str(next(iter(job.log), "")),
        command=job.shellcmd or "" if pending else "",
        pending=pending,
        after=after,
        record=record,
        rule_changed=pending and record is not None and any(persistence.code_changed(job)),
        said=" ".join(str(dag.reason(job)).split()) if pending else "",
    )
