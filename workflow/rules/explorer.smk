# The explorer: all games and the amplification of batching, in one file to look through.

EXPLORER = Path("src/private_experts/replication/report/explorer")


rule tolerances:
    input:
        code=study.code("tolerances"),
    output:
        computed="<results>/batching/tolerances/{experts}.computed.csv",
        simulated="<results>/batching/tolerances/{experts}.simulated.csv",
    log:
        "<logs>/tolerances/{experts}.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("tolerances"),
    shell:
        study.call("tolerances")


rule explorer:
    input:
        code=study.code("explorer"),
        # What it looks like is no Python that the fingerprint could follow.
        templates=sorted(map(str, (*EXPLORER.glob("templates/*"), *EXPLORER.glob("assets/*")))),
        curves=study.curves(),
        panels=study.panels("study", study.every_state),
        computed=expand("<results>/batching/tolerances/{experts}.computed.csv", experts=EXPERTS),
        simulated=expand("<results>/batching/tolerances/{experts}.simulated.csv", experts=EXPERTS),
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
