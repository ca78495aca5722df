# Own counts (noise that fits each hospital's beds), beside the paper's noise for the smallest hospital of the week.


rule own_count_games:
    input:
        code=study.code("own_count_games"),
        panel=lambda wildcards: study.panels("study", [wildcards.state]),
        beside=expand("<results>/hospital/study/panels/{{state}}.{name}.csv", name=BESIDE),
        games=study.games("study", study.states, SHARED),
        noise=study.games("study", study.states, ["own-counts-local"], kind="report-noise"),
    output:
        totals="<results>/own-counts/{state}.totals.csv",
        report_noise="<results>/own-counts/{state}.report-noise.csv",
    log:
        "<logs>/own-count-games/{state}.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("own_count_games"),
    shell:
        study.call("own_count_games")


rule own_counts:
    input:
        code=study.code("own_counts"),
        totals=expand("<results>/own-counts/{state}.totals.csv", state=study.states),
        panels=study.panels("study", study.states),
        beside=expand("<results>/hospital/study/panels/{state}.{name}.csv", state=study.states, name=BESIDE),
        exposure="<results>/hospital/study/suppression.csv",
        provenance=rules.reports.output.provenance,
    output:
        output=report(
            multiext("<paper>/tables/own-counts", *TABLE),
            caption="../report/own-counts.rst",
            category="Own counts",
            labels={"item": "Both mechanisms, table"},
        ),
        locality=report(
            multiext("<paper>/tables/own-counts-locality", *TABLE),
            caption="../report/own-counts.rst",
            category="Own counts",
            labels={"item": "Locality on equal terms"},
        ),
        suppression=report(
            multiext("<paper>/tables/own-counts-suppression", *TABLE),
            caption="../report/own-counts.rst",
            category="Own counts",
            labels={"item": "Suppressed figures"},
        ),
        price=report(
            multiext("<paper>/tables/own-counts-price", *TABLE),
            caption="../report/own-counts.rst",
            category="Own counts",
            labels={"item": "What own counts cost"},
        ),
        fixed=report(
            multiext("<paper>/tables/own-counts-fixed-beds", *TABLE),
            caption="../report/own-counts.rst",
            category="Own counts",
            labels={"item": "Own counts on fixed beds"},
        ),
        figure=report(
            multiext("<paper>/figures/own-counts", *FIGURE),
            caption="../report/own-counts.rst",
            category="Own counts",
            labels={"item": "Gain against privacy"},
        ),
        price_figure=report(
            multiext("<paper>/figures/own-counts-price", *FIGURE),
            caption="../report/own-counts.rst",
            category="Own counts",
            labels={"item": "Gain against the average patient's level"},
        ),
    log:
        "<logs>/own-counts.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("own_counts"),
        output=stem("output"),
        locality=stem("locality"),
        suppression=stem("suppression"),
        price=stem("price"),
        fixed=stem("fixed"),
        figure=stem("figure"),
        price_figure=stem("price_figure"),
    shell:
        study.call("own_counts")


# On states for which nothing was settled; of a study of few states there may be none.
if study.parts["others"]:

    rule own_counts_elsewhere:
        input:
            code=study.code("own_counts_elsewhere"),
            panels=study.panels("study", study.parts["others"]),
            beside=expand(
                "<results>/hospital/study/panels/{state}.{name}.csv",
                state=study.parts["others"],
                name=BESIDE,
            ),
            games=study.games("study", study.parts["others"], SHARED_EVERYWHERE),
            provenance=rules.reports.output.provenance,
        output:
            output=report(
                multiext("<paper>/tables/own-counts-elsewhere", *TABLE),
                caption="../report/own-counts.rst",
                category="Own counts",
                labels={"item": "Other states"},
            ),
        log:
            "<logs>/own-counts-elsewhere.log",
        conda:
            "../../environment.yml"
        params:
            flags=study.flags("own_counts_elsewhere"),
            output=stem("output"),
        shell:
            study.call("own_counts_elsewhere")

    HOSPITAL += [rules.own_counts_elsewhere.output]


HOSPITAL += [rules.own_counts.output]
