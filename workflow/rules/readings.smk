# Which reading of the paper's words its printed numbers support: docs/readings.md.


rule readings_played:
    input:
        code=study.code("readings_played"),
        panels=study.panels("study", study.states),
    output:
        weekly="<results>/readings/weekly.csv",
        answers="<results>/readings/answers.csv",
    log:
        "<logs>/readings-played.log",
    priority: 1  # the longest of what others wait for
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("readings_played"),
    shell:
        study.call("readings_played")


rule readings:
    input:
        code=study.code("readings"),
        weekly=rules.readings_played.output.weekly,
        answers=rules.readings_played.output.answers,
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


rule columns_played:
    input:
        code=study.code("columns_played"),
        reports=str(source.NEW_YORK),
        chosen="<paper>/tables/readings.csv",
    output:
        panel="<results>/readings/columns/{patients}/panels/NY.csv",
        beside=expand("<results>/readings/columns/{{patients}}/panels/NY.{name}.csv", name=BESIDE),
        weekly="<results>/readings/columns/{patients}/weekly.csv",
        totals="<results>/readings/columns/{patients}/totals.csv",
    log:
        "<logs>/columns-played/{patients}.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("columns_played"),
    shell:
        study.call("columns_played")


rule patient_columns:
    input:
        code=study.code("patient_columns"),
        reports=str(source.NEW_YORK),
        chosen="<paper>/tables/readings.csv",
        panels=expand("<results>/readings/columns/{patients}/panels/NY.csv", patients=PATIENTS),
        weekly=expand("<results>/readings/columns/{patients}/weekly.csv", patients=PATIENTS),
        totals=expand("<results>/readings/columns/{patients}/totals.csv", patients=PATIENTS),
    output:
        output=report(
            multiext("<paper>/tables/patient-columns", *TABLE),
            caption="../report/patient-columns.rst",
            category="Readings",
            labels={"item": "Either column of patients, Table 2"},
        ),
        moves=report(
            multiext("<paper>/tables/patient-columns-moves", *TABLE),
            caption="../report/patient-columns.rst",
            category="Readings",
            labels={"item": "Either column of patients, scores"},
        ),
    log:
        "<logs>/patient-columns.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("patient_columns"),
        output=stem("output"),
        moves=stem("moves"),
    shell:
        study.call("patient_columns")
