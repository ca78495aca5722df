# The reviewer's page, made after the manifest, which it shows.

PAGE = ROOT / "src" / "private_experts" / "report" / "page"


rule page:
    input:
        code=code("page"),
        # What a page looks like is no Python that the fingerprint could follow.
        templates=sorted(
            str(path.relative_to(ROOT))
            for path in (*(PAGE / "templates").iterdir(), *(PAGE / "assets").iterdir())
        ),
        ledger=rules.ledger.output.ledger,
        manifest=rules.manifest.output,
        evidence=expand("<results>/claims/{claim}.csv", claim=CLAIMS),
        products=rules.manifest.input.outputs,
    output:
        report(
            "<paper>/index.html",
            caption="../report/page.rst",
            category="Claims",
            labels={"item": "Reviewer's page"},
        ),
    log:
        "<logs>/page.log",
    benchmark:
        "<benchmarks>/page.tsv"
    conda:
        "../../environment.yml"
    params:
        evidence=RESULTS / "claims",
        benchmarks=config["pathvars"]["benchmarks"],
        paper=lambda wildcards, output: Path(output[0]).parent,
    shell:
        "private-experts page --ledger {input.ledger} --manifest {input.manifest} --evidence {params.evidence}"
        " --benchmarks {params.benchmarks} --paper {params.paper} --output {output} 2> {log}"
