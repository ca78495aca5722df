# From wherever the reports are to one panel a state.


rule reports:
    input:
        code=code("reports"),
        file=[str(SOURCE.path)] if SOURCE.path else [],
    output:
        reports="<results>/hospital/reports.csv",
        provenance="<results>/hospital/provenance.json",
    log:
        "<logs>/reports.log",
    benchmark:
        "<benchmarks>/reports.tsv"
    conda:
        "../../environment.yml"
    params:
        flags=reports_flags,
        file=f"--file {shlex.quote(str(SOURCE.path))}" if SOURCE.path else "",
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
    log:
        "<logs>/panels/{scenario}.log",
    benchmark:
        "<benchmarks>/panels/{scenario}.tsv"
    conda:
        "../../environment.yml"
    params:
        flags=flags(CLEANING),
        states=EVERY_STATE,
        required=STUDY_STATES,
        folder=lambda wildcards, output: str(Path(output.panels[0]).parent),
    shell:
        "private-experts panels --reports {input.reports} {params.flags} --states {params.states}"
        " --required {params.required} --folder {params.folder} --quality {output.quality} 2> {log}"
