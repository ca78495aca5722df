# Tables and figures into the paper's folder.


rule table_2:
    input:
        code=code("table_2"),
        totals=games("study", STUDY_STATES, ALGORITHMS),
        panels=panels("study", STUDY_STATES),
        provenance=rules.reports.output.provenance,
    output:
        report(
            multiext("<paper>/tables/table-2", *TABLE),
            caption="../report/table-2.rst",
            category="Hospital study",
            labels={"item": "Table 2"},
        ),
    log:
        "<logs>/table-2.log",
    benchmark:
        "<benchmarks>/table-2.tsv"
    conda:
        "../../environment.yml"
    params:
        confidence=config["confidence"],
        stem=lambda wildcards, output: stem(output[0]),
    shell:
        "private-experts table-2 --totals {input.totals} --panels {input.panels} --provenance {input.provenance}"
        " --confidence {params.confidence} --output {params.stem} 2> {log}"


rule figure_2:
    input:
        code=code("figure_2"),
        curves=games("study", STUDY_STATES, ALGORITHMS, kind="curves"),
        panels=panels("study", STUDY_STATES),
        provenance=rules.reports.output.provenance,
    output:
        report(
            multiext("<paper>/figures/figure-2", *FIGURE),
            caption="../report/figure-2.rst",
            category="Hospital study",
            labels={"item": "Figure 2"},
        ),
    log:
        "<logs>/figure-2.log",
    benchmark:
        "<benchmarks>/figure-2.tsv"
    conda:
        "../../environment.yml"
    params:
        stem=lambda wildcards, output: stem(output[0]),
    shell:
        "private-experts figure-2 --curves {input.curves} --panels {input.panels}"
        " --provenance {input.provenance} --output {params.stem} 2> {log}"


rule generality:
    input:
        code=code("generality"),
        totals=games("study", GENERALITY_STATES, ALGORITHMS),
        panels=panels("study", GENERALITY_STATES),
        provenance=rules.reports.output.provenance,
    output:
        table=report(
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
    benchmark:
        "<benchmarks>/generality.tsv"
    conda:
        "../../environment.yml"
    params:
        confidence=config["confidence"],
        smallest=config["generality"]["smallest_number_of_hospitals"],
        table=lambda wildcards, output: stem(output.table[0]),
        statements=lambda wildcards, output: stem(output.statements[0]),
        figure=lambda wildcards, output: stem(output.figure[0]),
    shell:
        "private-experts generality --totals {input.totals} --panels {input.panels}"
        " --provenance {input.provenance} --confidence {params.confidence} --smallest {params.smallest}"
        " --output {params.table} --statements {params.statements} --figure {params.figure} 2> {log}"


rule sensitivity:
    input:
        code=code("sensitivity"),
        totals=totals_of_choice,
        panels=panels_of_choice,
        provenance=rules.reports.output.provenance,
    output:
        report(
            multiext("<paper>/tables/sensitivity-{choice}", *TABLE),
            caption="../report/sensitivity.rst",
            category="Sensitivity",
            labels={"item": "{choice}"},
        ),
    log:
        "<logs>/sensitivity/{choice}.log",
    benchmark:
        "<benchmarks>/sensitivity/{choice}.tsv"
    conda:
        "../../environment.yml"
    params:
        confidence=config["confidence"],
        scenarios=scenarios_of,
        stem=lambda wildcards, output: stem(output[0]),
    shell:
        "private-experts sensitivity --choice {wildcards.choice} --scenarios {params.scenarios}"
        " --totals {input.totals} --panels {input.panels} --provenance {input.provenance}"
        " --confidence {params.confidence} --output {params.stem} 2> {log}"


rule rw_meta_variants:
    input:
        code=code("rw_meta_variants"),
        totals=games("study", STUDY_STATES, COMPARED),
        panels=panels("study", STUDY_STATES),
        provenance=rules.reports.output.provenance,
    output:
        report(
            multiext("<paper>/tables/rw-meta-variants", *TABLE),
            caption="../report/sensitivity.rst",
            category="Sensitivity",
            labels={"item": "RW-Meta variants"},
        ),
    log:
        "<logs>/rw-meta-variants.log",
    benchmark:
        "<benchmarks>/rw-meta-variants.tsv"
    conda:
        "../../environment.yml"
    params:
        confidence=config["confidence"],
        stem=lambda wildcards, output: stem(output[0]),
    shell:
        "private-experts rw-meta-variants --totals {input.totals} --panels {input.panels}"
        " --provenance {input.provenance} --confidence {params.confidence} --output {params.stem} 2> {log}"


rule privacy_models:
    input:
        code=code("privacy_models"),
        totals=games("study", STUDY_STATES, MODELS),
        panels=panels("study", STUDY_STATES),
        provenance=rules.reports.output.provenance,
    output:
        table=report(
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
    benchmark:
        "<benchmarks>/privacy-models.tsv"
    conda:
        "../../environment.yml"
    params:
        confidence=config["confidence"],
        table=lambda wildcards, output: stem(output.table[0]),
        figure=lambda wildcards, output: stem(output.figure[0]),
    shell:
        "private-experts privacy-models --totals {input.totals} --panels {input.panels}"
        " --provenance {input.provenance} --confidence {params.confidence}"
        " --output {params.table} --figure {params.figure} 2> {log}"


rule quality:
    input:
        code=code("quality"),
        quality=f"<results>/hospital/study/quality.csv",
        provenance=rules.reports.output.provenance,
    output:
        report(
            multiext("<paper>/tables/quality", *TABLE),
            caption="../report/quality.rst",
            category="Data",
            labels={"item": "Repairs"},
        ),
    log:
        "<logs>/quality.log",
    benchmark:
        "<benchmarks>/quality.tsv"
    conda:
        "../../environment.yml"
    params:
        stem=lambda wildcards, output: stem(output[0]),
    shell:
        "private-experts quality --quality {input.quality} --provenance {input.provenance}"
        " --output {params.stem} 2> {log}"
