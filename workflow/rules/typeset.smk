# What people read from beginning to end: the notebook, and the LaTeX of the ledger for the replication report.


rule claims_tex:
    input:
        code=code("claims_tex"),
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
    benchmark:
        "<benchmarks>/claims-tex.tsv"
    conda:
        "../../environment.yml"
    shell:
        "private-experts claims-tex --ledger {input.ledger} --output {output.claims} --errata {output.errata}"
        " --pictures {output.figures} --facts {output.facts} 2> {log}"


rule notebook:
    input:
        code=code("notebook"),
        library=library_of_notebook(),
        source=NOTEBOOK,
        ledger=rules.ledger.output.ledger,
        table_2=rules.table_2.output,
        figures=[rules.figure_2.output, expand(rules.claim_figure.output, figure=DRAWN)],
        panels=panels("study", STUDY_STATES),
    output:
        notebook=report(
            "<paper>/replication.ipynb",
            caption="../report/notebook.rst",
            category="Notebook",
            labels={"item": "The notebook itself"},
        ),
        page=report(
            "<paper>/replication.html",
            caption="../report/notebook.rst",
            category="Notebook",
            labels={"item": "The story, live"},
        ),
    log:
        "<logs>/notebook.log",
    benchmark:
        "<benchmarks>/notebook.tsv"
    conda:
        "../../environment.yml"
    params:
        results=RESULTS,
        paper=lambda wildcards, output: Path(output.notebook).parent,
    shell:
        "private-experts notebook --source {input.source} --results {params.results} --paper {params.paper}"
        " --output {output.notebook} --page {output.page} 2> {log}"
