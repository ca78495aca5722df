# One job a claim; the ledger gathers them, and the run fails when a verdict is not as expected.


rule claim:
    input:
        code=code("claim"),
        check=code_of_check,
        panels=panels_of_claim,
        table=table_of_claim,
        provenance=provenance_of_claim,
    output:
        evidence="<results>/claims/{claim}.csv",
        verdict="<results>/claims/{claim}.json",
    log:
        "<logs>/claims/{claim}.log",
    benchmark:
        "<benchmarks>/claims/{claim}.tsv"
    conda:
        "../../environment.yml"
    params:
        flags=flags_of_claim,
        given=given_to_claim,
    shell:
        "private-experts claim {params.flags} {params.given} --code {input.check}"
        " --evidence {output.evidence} --verdict {output.verdict} 2> {log}"


rule claim_figure:
    input:
        code=code("claim_figure"),
        drawing=code_of_drawing,
        evidence=evidence_of_figure,
        provenance=provenance_of_figure,
    output:
        report(
            multiext("<paper>/figures/{figure}", *FIGURE),
            caption="../report/claim-figure.rst",
            category="Claims",
            labels={"item": "{figure}"},
        ),
    log:
        "<logs>/claim-figure/{figure}.log",
    benchmark:
        "<benchmarks>/claim-figure/{figure}.tsv"
    conda:
        "../../environment.yml"
    params:
        flags=flags_of_figure,
        stem=lambda wildcards, output: stem(output[0]),
    shell:
        "private-experts claim-figure {params.flags} --output {params.stem} 2> {log}"


rule ledger:
    input:
        code=code("ledger"),
        claims=CLAIM_FILES,
        schema="claims/schema.yaml",
        verdicts=expand("<results>/claims/{claim}.json", claim=CLAIMS),
        provenance=rules.reports.output.provenance,
    output:
        ledger="<results>/claims.json",
        table=report(
            multiext("<paper>/claims", ".csv", ".md"),
            caption="../report/claims.rst",
            category="Claims",
            labels={"item": "Ledger"},
        ),
    log:
        "<logs>/ledger.log",
    benchmark:
        "<benchmarks>/ledger.tsv"
    conda:
        "../../environment.yml"
    params:
        verdicts=folder_of_verdicts,
        stem=lambda wildcards, output: stem(output.table[0]),
        quick="--quick" if config["evidence"]["quick"] else "",
    shell:
        "private-experts ledger --claims {input.claims} --schema {input.schema} --verdicts {params.verdicts}"
        " --provenance {input.provenance} {params.quick} --output {output.ledger} --table {params.stem} 2> {log}"


rule verdicts:
    input:
        code=code("verdicts"),
        ledger=rules.ledger.output.ledger,
    output:
        "<results>/verdicts.txt",
    log:
        "<logs>/verdicts.log",
    benchmark:
        "<benchmarks>/verdicts.tsv"
    conda:
        "../../environment.yml"
    params:
        flags="--allow-undecided" if config["evidence"]["allow_undecided"] else "",
    shell:
        "private-experts verdicts --ledger {input.ledger} {params.flags} --output {output} 2> {log}"
