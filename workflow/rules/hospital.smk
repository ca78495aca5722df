# The hospital study: from reports to panels, and to the games of each player on them.


rule reports:
    input:
        # A file of reports is known by its checksum, among the params.
        code=study.code("reports"),
    output:
        output="<results>/hospital/reports.csv",
        provenance="<results>/hospital/provenance.json",
    log:
        "<logs>/reports.log",
    # First and alone, so that data that cannot be had end a run before anything else begins.
    priority: 2
    conda:
        "../../environment.yml"
    threads: workflow.cores
    params:
        flags=study.flags("reports", study.flags_of_reports),
        paper=study.paper,
        kept=study.every_state,
    shell:
        study.call("reports", log="2> >(tee {log:q} | grep --line-buffered -Ev '^(took|wrote) ' >&2)")


rule panels:
    input:
        code=study.code("panels"),
        reports=rules.reports.output.output,
    output:
        panels=expand("<results>/hospital/{{scenario}}/panels/{state}.csv", state=study.every_state),
        beside=expand(
            "<results>/hospital/{{scenario}}/panels/{state}.{name}.csv", state=study.every_state, name=BESIDE
        ),
        quality="<results>/hospital/{scenario}/quality.csv",
        suppression="<results>/hospital/{scenario}/suppression.csv",
    log:
        "<logs>/panels/{scenario}.log",
    wildcard_constraints:
        scenario="study",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("panels"),
        states=study.every_state,
        folder=folder("panels"),
    shell:
        study.call("panels")


# A scenario is compared with the study in the states of the study alone.
use rule panels as panels_of_scenario with:
    output:
        panels=expand("<results>/hospital/{{scenario}}/panels/{state}.csv", state=study.states),
        beside=expand(
            "<results>/hospital/{{scenario}}/panels/{state}.{name}.csv", state=study.states, name=BESIDE
        ),
        quality="<results>/hospital/{scenario}/quality.csv",
        suppression="<results>/hospital/{scenario}/suppression.csv",
    wildcard_constraints:
        scenario="(?!study/)[a-z][a-z0-9-]*",
    params:
        flags=study.flags("panels"),
        states=study.states,
        folder=folder("panels"),


rule games:
    input:
        code=study.code("games"),
        player=lambda wildcards: study.code_of(players.entry(wildcards.algorithm)),
        panels=lambda wildcards: study.panels(wildcards.scenario, study.parts[wildcards.part]),
    output:
        totals="<results>/games/{scenario}/{part}/{algorithm}.totals.csv",
        curves="<results>/games/{scenario}/{part}/{algorithm}.curves.csv",
        report_noise="<results>/games/{scenario}/{part}/{algorithm}.report-noise.csv",
    log:
        "<logs>/games/{scenario}/{part}/{algorithm}.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("games", study.settings_of_games),
    shell:
        study.call("games")


rule quality:
    input:
        code=study.code("quality"),
        quality="<results>/hospital/study/quality.csv",
        provenance=rules.reports.output.provenance,
    output:
        output=report(
            multiext("<paper>/tables/quality", *TABLE),
            caption="../report/quality.rst",
            category="Data",
            labels={"item": "Repairs"},
        ),
    log:
        "<logs>/quality.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("quality"),
        output=stem("output"),
    shell:
        study.call("quality")


rule suppression:
    input:
        code=study.code("suppression"),
        suppression="<results>/hospital/study/suppression.csv",
        provenance=rules.reports.output.provenance,
    output:
        output=report(
            multiext("<paper>/tables/suppression", *TABLE),
            caption="../report/suppression.rst",
            category="Data",
            labels={"item": "Suppression"},
        ),
    log:
        "<logs>/suppression.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("suppression"),
        output=stem("output"),
    shell:
        study.call("suppression")
