# What tells the whole story: the notebook, the manifest, and the page, which shows the manifest.

REPLICATION = Path("src/private_experts/replication")
PAGE = REPLICATION / "report/page"


rule notebook:
    input:
        code=study.code("notebook"),
        library=study.library_of_notebook(),
        source=NOTEBOOK,
        ledger=rules.ledger.output.ledger,
        table_2=rules.table_2.output,
        tables=rules.readings.output,
        figures=[
            rules.figure_2.output,
            rules.own_counts.output,
            expand("<paper>/figures/{figure}{suffix}", figure=study.drawn, suffix=FIGURE),
        ],
        panels=study.panels("study", study.states),
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
    priority: 1
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("notebook"),
        results=lambda wildcards, input: str(Path(input.ledger).parent),
        paper=around("table_2", study.paper.name),
    shell:
        study.call("notebook")


rule manifest:
    input:
        code=study.code("manifest"),
        stamps=study.stamps(),
        outputs=[
            *HOSPITAL,
            rules.readings.output,
            rules.patient_columns.output,
            *BATCHING,
            *CLAIMED,
            rules.explorer.output,
            rules.notebook.output,
        ],
        intermediate=[
            rules.reports.output.output,
            study.panels("study", study.every_state),
            study.curves(),
            study.games("study", study.states, players.names()),
            study.games("study", study.all_states, EVERYWHERE),
            [study.panels(scenario, study.states) for scenario in study.scenarios],
            [study.games(scenario, study.states, COMPARED) for scenario in study.scenarios],
            rules.own_counts.input.beside,
            rules.own_counts.input.totals,
            rules.readings_played.output,
            rules.patient_columns.input.totals,
            rules.figure_amplification.input.computed,
            rules.figure_amplification.input.totals,
        ],
        ledger=rules.ledger.output.ledger,
        rows=expand("<results>/claims/{claim}.csv", claim=study.claims),
        verdicts=rules.ledger.input.verdicts,
        quality="<results>/hospital/study/quality.csv",
        provenance=rules.reports.output.provenance,
    output:
        manifest="<results>/manifest.json",
        definitions="<results>/definitions.txt",
    log:
        "<logs>/manifest.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("manifest"),
        config=[*flat(config)],
        evidence=around("rows", "claims"),
    shell:
        study.call("manifest")


rule page:
    input:
        code=study.code("page"),
        # What a page looks like is no Python that the fingerprint could follow.
        templates=sorted(
            map(str, (*PAGE.glob("templates/*"), *PAGE.glob("assets/*"), PAGE.parent / "findings.yaml"))
        ),
        checks=sorted(map(str, REPLICATION.glob("papers/*/*.py"))),  # the page shows their code
        ledger=rules.ledger.output.ledger,
        manifest=rules.manifest.output.manifest,
        rows=rules.manifest.input.rows,
        products=rules.manifest.input.outputs,
        panels=study.panels("study", study.states),
    output:
        output=report(
            "<paper>/index.html",
            caption="../report/page.rst",
            category="Claims",
            labels={"item": "Reviewer's page"},
        ),
    log:
        "<logs>/page.log",
    conda:
        "../../environment.yml"
    params:
        flags=study.flags("page"),
        evidence=around("rows", "claims"),
        logs=config["pathvars"]["logs"],
        paper=around("products", study.paper.name),
    shell:
        study.call("page")
