# A job checks one long claim or several short ones; the ledger gathers them, and the run fails when a verdict is not as
# expected.

for bundle in study.bundles:

    rule:
        name:
            bundle.rule
        input:
            code=study.code("checks"),
            check_code=study.code_of_checks(bundle),
            panels=study.panels_of_checks(bundle),
            table=study.table_of_checks(bundle),
            provenance=study.provenance_of_checks(bundle),
        output:
            evidence=[f"<results>/claims/{claim}.csv" for claim in bundle.ids],
            verdicts=[f"<results>/claims/{claim}.json" for claim in bundle.ids],
        log:
            f"<logs>/checks/{bundle.name}.log",
        conda:
            "../../environment.yml"
        params:
            flags=study.flags_of_checks(bundle),
        shell:
            study.call("checks")


rule claim_figure:
    input:
        code=study.code("claim_figure"),
        drawing=study.code_of_drawing,
        evidence=study.evidence_of_figure,
        provenance=study.provenance_of_figure,
    output:
        output=report(
            multiext("<paper>/figures/{figure}", *FIGURE),
            caption="../report/claim-figure.rst",
            category="Claims",
            labels={"item": "{figure}"},
        ),
    log:
        "<logs>/claim-figure/{figure}.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("claim_figure", study.flags_of_figure),
        folder=study.results / "claims",
        output=stem("output"),
    shell:
        study.call("claim_figure")


rule ledger:
    input:
        code=study.code("ledger"),
        claims=study.claim_files,
        schema="claims/schema.yaml",
        power="claims/power.csv",
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
        flags=study.flags("ledger", lambda _: "--quick" if config["evidence"]["quick"] else ""),
        folder=study.results / "claims",
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
    conda:
        "../../environment.yml"
    params:
        flags=study.flags(
            "verdicts", lambda _: "--allow-undecided" if config["evidence"]["allow_undecided"] else ""
        ),
    shell:
        study.call("verdicts")


rule claims_tex:
    input:
        code=study.code("claims_tex"),
        ledger=rules.ledger.output.ledger,
    output:
        claims=report(
            "<paper>/claims.tex",
            caption="../report/claims.rst",
            category="Claims",
            labels={"item": "Ledger, LaTeX"},
        ),
        errata=report(
            "<paper>/errata.tex",
            caption="../report/claims.rst",
            category="Claims",
            labels={"item": "Errata, LaTeX"},
        ),
        figures=report(
            "<paper>/figures.tex",
            caption="../report/claims.rst",
            category="Claims",
            labels={"item": "Figures, LaTeX"},
        ),
        facts=report(
            "<paper>/facts.tex",
            caption="../report/claims.rst",
            category="Claims",
            labels={"item": "Facts, LaTeX"},
        ),
    log:
        "<logs>/claims-tex.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("claims_tex"),
    shell:
        study.call("claims_tex")


CLAIMED = [
    rules.ledger.output.table,
    expand(rules.claim_figure.output, figure=study.drawn),
    rules.claims_tex.output,
]
