# RW-AdaBatch: batch sizes on simulated data and on the hospitals, and the privacy that follows from them.


rule batch_sizes:
    input:
        code=study.code("batch_sizes"),
    output:
        computed="<results>/batching/computed/{experts}.csv",
        simulated="<results>/batching/simulated/{experts}.csv",
    log:
        "<logs>/batch-sizes/{experts}.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("batch_sizes"),
    shell:
        study.call("batch_sizes")


rule hospital_batches:
    input:
        code=study.code("hospital_batches"),
        panel=lambda wildcards: study.panels("study", [wildcards.state]),
    output:
        weeks="<results>/batching/hospital/{state}.weeks.csv",
        totals="<results>/batching/hospital/{state}.totals.csv",
    log:
        "<logs>/hospital-batches/{state}.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("hospital_batches"),
    shell:
        study.call("hospital_batches")


rule figure_1:
    input:
        code=study.code("figure_1"),
        computed=expand("<results>/batching/computed/{experts}.csv", experts=EXPERTS),
        simulated=expand("<results>/batching/simulated/{experts}.csv", experts=EXPERTS),
    output:
        figures=report(
            multiext("<paper>/figures/figure-1", *FIGURE),
            caption="../report/figure-1.rst",
            category="Batching",
            labels={"item": "Figure 1"},
        ),
        tables=report(
            expand("<paper>/tables/{name}{suffix}", name=["figure-1", "figure-1-delta"], suffix=TABLE),
            caption="../report/figure-1.rst",
            category="Batching",
            labels={"item": "Table behind Figure 1"},
        ),
        summary=report(
            "<paper>/tables/figure-1-summary.csv",
            caption="../report/figure-1.rst",
            category="Batching",
            labels={"item": "Summary of Figure 1"},
        ),
    log:
        "<logs>/figure-1.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("figure_1"),
        figures=folder("figures"),
        tables=folder("tables"),
    shell:
        study.call("figure_1")


rule figure_amplification:
    input:
        code=study.code("figure_amplification"),
        computed=expand("<results>/batching/computed/{experts}.csv", experts=EXPERTS),
        simulated=expand("<results>/batching/simulated/{experts}.csv", experts=EXPERTS),
        weeks=expand("<results>/batching/hospital/{state}.weeks.csv", state=study.states),
        totals=expand("<results>/batching/hospital/{state}.totals.csv", state=study.states),
        provenance=rules.reports.output.provenance,
    output:
        figures=report(
            multiext("<paper>/figures/figure-amplification", *FIGURE),
            caption="../report/amplification.rst",
            category="Batching",
            labels={"item": "Amplification"},
        ),
        tables=report(
            expand(
                "<paper>/tables/{name}{suffix}",
                name=["amplification", "amplification-hospitals"],
                suffix=TABLE,
            ),
            caption="../report/amplification.rst",
            category="Batching",
            labels={"item": "Table of amplification"},
        ),
    log:
        "<logs>/figure-amplification.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("figure_amplification"),
        figures=folder("figures"),
        tables=folder("tables"),
    shell:
        study.call("figure_amplification")


BATCHING = [
    rules.figure_1.output,
    rules.figure_amplification.output,
]
