"""The study as a DAG. Science is in config/, cores and memory in profiles/, rules beside them."""

from snakemake.utils import min_version

min_version("9.20")


configfile: "config/study.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/hospital.smk"
include: "workflow/rules/products.smk"
include: "workflow/rules/readings.smk"
include: "workflow/rules/own_counts.smk"
include: "workflow/rules/batching.smk"
include: "workflow/rules/explorer.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/run.smk"


# What takes seconds is not worth the wait in a cluster's queue: it runs where Snakemake does.
localrules:
    all,
    reports,
    panels,
    panels_of_scenario,
    quality,
    suppression,
    table_2,
    figure_2,
    generality,
    readings,
    patient_columns,
    sensitivity,
    rw_meta_variants,
    privacy_models,
    own_counts,
    hospital_batches,
    figure_1,
    figure_amplification,
    explorer,
    ledger,
    verdicts,
    report_facts,
    notebook,
    manifest,
    page,


# All that a rule without wildcards reads or writes: whatever is gone is made again.
EVERY_FILE = [
    path
    for each in workflow.rules
    if not each.has_wildcards()
    for path in (*getattr(rules, each.name).input, *getattr(rules, each.name).output)
]
# Also what jobs write beside a file that is asked for, such as the beds of a panel, which readers find by its name.
BESIDE_THEM = {}
for path in EVERY_FILE:
    for each in workflow.rules:
        if path not in BESIDE_THEM and each.has_wildcards() and each.is_producer(path):
            BESIDE_THEM |= dict.fromkeys(each.expand_output(each.get_wildcards(path))[0])
EVERY_FILE += BESIDE_THEM


rule all:
    default_target: True
    input:
        EVERY_FILE,
        # A function, so that Snakemake has found its records.
        lambda wildcards: study.refuse_unrecorded(EVERY_FILE, workflow.persistence.metadata),


onsuccess:
    if (study.results / "manifest.json").exists():  # it does not when one result alone was asked for
        shell("private-experts summary --manifest {study.results}/manifest.json --started {STARTED}")


onerror:
    print(*complaints(Path(config["pathvars"]["logs"]), STARTED), sep="\n", file=sys.stderr)
