# From wherever the reports are to one panel a state.

import json
import shlex


def reports_flags(wildcards):
    """Return what the resolved source needs, and nothing that another source would."""
    names = [name for section in SCENARIOS.values() for each in section["hospital"]["columns"].values() for name in each]
    words = f"--source {SOURCE.kind} --columns {' '.join(dict.fromkeys(names))}"
    if SOURCE.kind in ("auto", "healthdata"):
        query = {key: config["hospital"]["healthdata"][key] for key in ("base_url", "dataset", "page_size")}
        query |= {key: config["hospital"][key] for key in ("first_week", "last_week")}
        query["states"] = [] if config["generality"]["states"] == "all" else EVERY_STATE
        words += f" --cache {shlex.quote(str(CACHE))} --query {shlex.quote(json.dumps(query, sort_keys=True))} "
        words += configuration.flags(config, ["hospital.healthdata.sha256"])
    if SOURCE.kind in ("auto", "synthetic"):
        words += f" --states {' '.join(EVERY_STATE)} "
        words += configuration.flags(config, ["hospital.synthetic.weeks", "hospital.synthetic.seed"])
    return words


rule reports:
    input:
        code=code("reports"),
        file=[str(SOURCE.path)] if SOURCE.path else [],
    output:
        reports="<results>/hospital/reports.csv",
        provenance="<results>/hospital/provenance.json",
    params:
        flags=reports_flags,
        file=f"--file {shlex.quote(str(SOURCE.path))}" if SOURCE.path else "",
    log:
        "<logs>/reports.log",
    benchmark:
        "<benchmarks>/reports.tsv"
    conda:
        "../../environment.yml"
    shell:
        "private-experts reports {params.flags} {params.file}"
        " --output {output.reports} --provenance {output.provenance} 2> >(tee {log} >&2)"


rule panels:
    input:
        code=code("panels"),
        reports=rules.reports.output.reports,
    output:
        panels=expand("<results>/hospital/{{scenario}}/panels/{state}.csv", state=EVERY_STATE),
        quality="<results>/hospital/{scenario}/quality.csv",
    params:
        flags=flags(CLEANING),
        states=EVERY_STATE,
        required=STUDY_STATES,
        folder=lambda wildcards, output: str(Path(output.panels[0]).parent),
    log:
        "<logs>/panels/{scenario}.log",
    benchmark:
        "<benchmarks>/panels/{scenario}.tsv"
    conda:
        "../../environment.yml"
    shell:
        "private-experts panels --reports {input.reports} {params.flags} --states {params.states}"
        " --required {params.required} --folder {params.folder} --quality {output.quality} 2> {log}"
