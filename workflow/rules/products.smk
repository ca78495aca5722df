# What the paper shows of the hospital study, and what it leaves open.


rule table_2:
    input:
        code=study.code("table_2"),
        totals=study.games("study", study.states, players.names()),
        panels=study.panels("study", study.states),
        provenance=rules.reports.output.provenance,
        looks=study.looks(),
    output:
        output=report(
            multiext("<paper>/tables/table-2", *TABLE),
            caption="../report/table-2.rst",
            category="Hospital study",
            labels={"item": "Table 2"},
        ),
    log:
        "<logs>/table-2.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("table_2"),
        output=stem("output"),
    shell:
        study.call("table_2")


rule figure_2:
    input:
        code=study.code("figure_2"),
        curves=study.games("study", study.states, FIGURE_2, kind="curves"),
        panels=study.panels("study", study.states),
        provenance=rules.reports.output.provenance,
        other_kind=(
            study.games(OTHER_KIND, study.states, ["rw-meta"], kind="curves")
            if OTHER_KIND in study.scenarios
            else []
        ),
        looks=study.looks(),
    output:
        output=report(
            multiext("<paper>/figures/figure-2", *FIGURE),
            caption="../report/figure-2.rst",
            category="Hospital study",
            labels={"item": "Figure 2"},
        ),
        cell=report(
            multiext("<paper>/figures/figure-2-cell", *FIGURE),
            caption="../report/figure-2.rst",
            category="Hospital study",
            labels={"item": "One cell of Figure 2"},
        ),
    log:
        "<logs>/figure-2.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("figure_2"),
        output=stem("output"),
        cell=stem("cell"),
    shell:
        study.call("figure_2")


rule generality:
    input:
        code=study.code("generality"),
        totals=study.games("study", study.all_states, EVERYWHERE),
        panels=study.panels("study", study.all_states),
        provenance=rules.reports.output.provenance,
        looks=study.looks(),
    output:
        output=report(
            multiext("<paper>/tables/generality", *TABLE),
            caption="../report/generality.rst",
            category="Generality",
            labels={"item": "All states"},
        ),
        statements=report(
            multiext("<paper>/tables/generality-statements", *TABLE),
            caption="../report/generality.rst",
            category="Generality",
            labels={"item": "Statements"},
        ),
        figure=report(
            multiext("<paper>/figures/generality", *FIGURE),
            caption="../report/generality.rst",
            category="Generality",
            labels={"item": "Figure"},
        ),
    log:
        "<logs>/generality.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("generality"),
        output=stem("output"),
        statements=stem("statements"),
        figure=stem("figure"),
    shell:
        study.call("generality")


rule sensitivity:
    input:
        code=study.code("sensitivity"),
        totals=[study.games(scenario, study.states, COMPARED) for scenario in study.scenarios],
        panels=[study.panels(scenario, study.states) for scenario in study.scenarios],
        provenance=rules.reports.output.provenance,
    output:
        tables=[
            report(
                multiext(f"<paper>/tables/sensitivity-{choice}", *TABLE),
                caption="../report/sensitivity.rst",
                category="Sensitivity",
                labels={"item": choice},
            )
            for choice in config["sensitivity"]
        ],
    log:
        "<logs>/sensitivity.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("sensitivity"),
        scenarios=list(study.scenarios),
        choices=[choice for choice, scenarios in config["sensitivity"].items() for _ in scenarios],
        tables=folder("tables"),
    shell:
        study.call("sensitivity")


rule rw_meta_variants:
    input:
        code=study.code("rw_meta_variants"),
        totals=study.games("study", study.states, players.names()),
        panels=study.panels("study", study.states),
        provenance=rules.reports.output.provenance,
        looks=study.looks(),
    output:
        output=report(
            multiext("<paper>/tables/rw-meta-variants", *TABLE),
            caption="../report/sensitivity.rst",
            category="Sensitivity",
            labels={"item": "RW-Meta variants"},
        ),
    log:
        "<logs>/rw-meta-variants.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("rw_meta_variants"),
        output=stem("output"),
    shell:
        study.call("rw_meta_variants")


rule privacy_models:
    input:
        code=study.code("privacy_models"),
        totals=study.games("study", study.states, players.names()),
        panels=study.panels("study", study.states),
        provenance=rules.reports.output.provenance,
        looks=study.looks(),
    output:
        output=report(
            multiext("<paper>/tables/privacy-models", *TABLE),
            caption="../report/privacy-models.rst",
            category="Hospital study",
            labels={"item": "Privacy models, table"},
        ),
        figure=report(
            multiext("<paper>/figures/privacy-models", *FIGURE),
            caption="../report/privacy-models.rst",
            category="Hospital study",
            labels={"item": "Privacy models"},
        ),
    log:
        "<logs>/privacy-models.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("privacy_models"),
        output=stem("output"),
        figure=stem("figure"),
    shell:
        study.call("privacy_models")


HOSPITAL = [
    rules.table_2.output,
    rules.figure_2.output,
    rules.generality.output,
    rules.rw_meta_variants.output,
    rules.privacy_models.output,
    rules.quality.output,
    rules.suppression.output,
    rules.sensitivity.output,
]
