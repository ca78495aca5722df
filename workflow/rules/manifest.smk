# What made the results, and the checksums of all that a run leaves behind.


rule manifest:
    input:
        code=code("manifest"),
        stamps=[code(each) for each in ("reports", "panels", "rw_ftpl", "rw_meta", "tree_ftpl", "yardsticks")],
        outputs=[
            rules.table_2.output,
            rules.figure_2.output,
            rules.generality.output,
            rules.rw_meta_variants.output,
            rules.privacy_models.output,
            rules.quality.output,
            expand(rules.sensitivity.output, choice=list(config["sensitivity"])),
            rules.ledger.output.table,
            rules.figure_1.output,
            rules.figure_batch_sizes.output,
            rules.figure_amplification.output,
            rules.figure_batching_costs.output,
            expand(rules.claim_figure.output, figure=DRAWN),
            rules.claims_tex.output,
            rules.notebook.output,
        ],
        ledger=rules.ledger.output.ledger,
        quality=rules.quality.input.quality,
        provenance=rules.reports.output.provenance,
    output:
        "<results>/manifest.json",
    log:
        "<logs>/manifest.log",
    benchmark:
        "<benchmarks>/manifest.tsv"
    conda:
        "../../environment.yml"
    params:
        config=shlex.quote(json.dumps(config, sort_keys=True)),
        states=STUDY_STATES,
    shell:
        "private-experts manifest --config {params.config} --provenance {input.provenance}"
        " --quality {input.quality} --ledger {input.ledger} --states {params.states} --outputs {input.outputs} --stamps {input.stamps}"
        " --output {output} 2> {log}"
