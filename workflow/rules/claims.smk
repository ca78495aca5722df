# A job checks one long claim or several short ones; the ledger gathers them, and the run fails when a verdict
# is not as expected.

for bundle in study.bundles:

    rule:
        name:
            bundle.rule
        input:
            **study.inputs_of_checks(bundle),
            code=study.code("checks"),
            claim_files=ancient(study.claim_files_of(bundle)),  # what counts of them is among the params
        output:
            evidence=[f"<results>/claims/{claim}.csv" for claim in bundle.ids],
            verdicts=[f"<results>/claims/{claim}.json" for claim in bundle.ids],
        log:
            f"<logs>/checks/{bundle.name}.log",
        conda:
            "../../environment.yml"
        # For a cluster: the most that a check has needed is 0.75 GB, and Snakemake beside it 0.4 GB.
        resources:
            mem_mb=lambda wildcards, attempt: 1500 * attempt,
            runtime=study.minutes_of_checks(bundle),
        params:
            flags=study.flags_of_checks(bundle),
            claims=bundle.ids,
            decided_by=study.deciding(bundle),
        shell:
            study.call("checks")


for name, sheet in study.sheets.items():

    rule:
        name:
            f"claim_figures_{name.replace('-', '_')}"
        input:
            **study.inputs_of_figures(sheet),
            code=study.code("claim_figures"),
            claim_files=ancient(study.claim_files),
        output:
            figures=[
                report(
                    multiext(f"<paper>/figures/{figure}", *FIGURE),
                    caption="../report/claim-figures.rst",
                    category="Claims",
                    labels={"item": figure},
                )
                for figure in sheet
            ],
        log:
            f"<logs>/claim-figures/{name}.log",
        priority: 1  # the notebook waits for all of them, and much waits for the notebook
        localrule: True
        conda:
            "../../environment.yml"
        params:
            flags=study.flags("claim_figures"),
            names=[*sheet],
            drawn_from=study.drawn_from(sheet),
            folder=around("evidence", "claims"),
            figures=folder("figures"),
        shell:
            study.call("claim_figures")


rule ledger:
    input:
        code=study.code("ledger"),
        claims=study.claim_files,
        schema="claims/schema.yaml",
        citation="CITATION.cff",
        verdicts=expand("<results>/claims/{claim}.json", claim=study.claims),
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
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("ledger", study.flags_of_ledger),
        folder=around("verdicts", "claims"),
        table=stem("table"),
    shell:
        study.call("ledger")


rule verdicts:
    input:
        code=study.code("verdicts"),
        ledger=rules.ledger.output.ledger,
    output:
        counts="<results>/verdicts.txt",
    log:
        "<logs>/verdicts.log",
    retries: 0  # it fails where a verdict is not as expected, and does so again
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("verdicts"),
    shell:
        study.call("verdicts")


rule report_facts:
    input:
        code=study.code("report_facts"),
        ledger=rules.ledger.output.ledger,
        panels=study.panels("study", study.states),
    output:
        facts=report(
            "<paper>/facts.tex",
            caption="../report/claims.rst",
            category="Claims",
            labels={"item": "Facts, LaTeX"},
        ),
    log:
        "<logs>/report-facts.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("report_facts"),
    shell:
        study.call("report_facts")


CLAIMED = [
    rules.ledger.output.table,
    expand("<paper>/figures/{figure}{suffix}", figure=study.drawn, suffix=FIGURE),
    rules.report_facts.output,
]
