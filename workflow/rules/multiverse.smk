# Every choice that the paper leaves open, varied at once.


rule universes:
    input:
        code=study.code("universes"),
        reports=rules.reports.output.output,
    output:
        effects="<results>/multiverse/{state}-{portion}.csv",
    log:
        "<logs>/universes/{state}-{portion}.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("universes"),
        states=str(len(study.multiverse)),
    shell:
        study.call("universes")


rule multiverse:
    input:
        code=study.code("multiverse"),
        effects=expand(
            "<results>/multiverse/{state}-{portion}.csv",
            state=study.multiverse,
            portion=range(1, config["multiverse"]["portions"] + 1),
        ),
        provenance=rules.reports.output.provenance,
    output:
        output=report(
            multiext("<paper>/tables/multiverse", *TABLE),
            caption="../report/multiverse.rst",
            category="Multiverse",
            labels={"item": "Shares"},
        ),
        variance=report(
            multiext("<paper>/tables/multiverse-variance", *TABLE),
            caption="../report/multiverse.rst",
            category="Multiverse",
            labels={"item": "Which choice matters"},
        ),
        statements=report(
            multiext("<paper>/tables/multiverse-statements", *TABLE),
            caption="../report/multiverse.rst",
            category="Multiverse",
            labels={"item": "In words"},
        ),
        figure=report(
            multiext("<paper>/figures/multiverse", *FIGURE),
            caption="../report/multiverse.rst",
            category="Multiverse",
            labels={"item": "Specification curve"},
        ),
    log:
        "<logs>/multiverse.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("multiverse"),
        output=stem("output"),
        variance=stem("variance"),
        statements=stem("statements"),
        figure=stem("figure"),
    shell:
        study.call("multiverse")
