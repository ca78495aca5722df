# The explorer: the games of all states, in one file to look through.

EXPLORER = Path("src/private_experts/replication/report/explorer")


rule explorer:
    input:
        code=study.code("explorer"),
        # What it looks like is no Python that the fingerprint could follow.
        templates=sorted(map(str, (*EXPLORER.glob("templates/*"), *EXPLORER.glob("assets/*")))),
        curves=study.curves(),
        panels=study.panels("study", study.every_state),
        provenance=rules.reports.output.provenance,
        looks=study.looks(),
    output:
        output=report(
            "<paper>/explorer.html",
            caption="../report/explorer.rst",
            category="Explorer",
            labels={"item": "Explorer"},
        ),
    log:
        "<logs>/explorer.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("explorer"),
    shell:
        study.call("explorer")
