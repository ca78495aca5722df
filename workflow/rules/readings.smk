# Which reading of the paper's words its printed numbers support: docs/readings.md.


rule readings_played:
    input:
        code=study.code("readings_played"),
        panels=study.panels("study", study.states),
    output:
        weekly="<results>/readings/{family}.weekly.csv",
        answers="<results>/readings/{family}.answers.csv",
    log:
        "<logs>/readings-played/{family}.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("readings_played"),
    shell:
        study.call("readings_played")


rule readings:
    input:
        code=study.code("readings"),
        weekly=expand(
            "<results>/readings/{family}.weekly.csv", family=[*config["readings"]["families"], "trees"]
        ),
        answers=expand("<results>/readings/{family}.answers.csv", family=config["readings"]["families"]),
        provenance=rules.reports.output.provenance,
    output:
        output=report(
            multiext("<paper>/tables/readings", *TABLE),
            caption="../report/readings.rst",
            category="Readings",
            labels={"item": "Kinds of learners, and trees"},
        ),
        every=report(
            multiext("<paper>/tables/readings-all", *TABLE),
            caption="../report/readings.rst",
            category="Readings",
            labels={"item": "Every reading"},
        ),
        statements=report(
            multiext("<paper>/tables/readings-statements", *TABLE),
            caption="../report/readings.rst",
            category="Readings",
            labels={"item": "Statements about Table 2"},
        ),
        figure=report(
            multiext("<paper>/figures/readings", *FIGURE),
            caption="../report/readings.rst",
            category="Readings",
            labels={"item": "Figure"},
        ),
    log:
        "<logs>/readings.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("readings"),
        output=stem("output"),
        every=stem("every"),
        statements=stem("statements"),
        figure=stem("figure"),
    shell:
        study.call("readings")
