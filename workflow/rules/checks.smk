# One job a claim; the ledger gathers them, and the run fails when a verdict is not as expected.


def code_of_check(wildcards):
    """Return the file that stands for the code of a claim's check."""
    return code_of(ledgers.entry_of(CLAIMS[wildcards.claim]))


def panels_of_claim(wildcards):
    """Return the study's panels, for a claim that asks for them."""
    return panels("study", STUDY_STATES) if CLAIMS[wildcards.claim].needs == "panels" else []


def table_of_claim(wildcards):
    """Return Table 2, for a claim about it."""
    return (
        [f"{config['pathvars']['paper']}/tables/table-2.csv"]
        if CLAIMS[wildcards.claim].needs == "table-2"
        else []
    )


def provenance_of_claim(wildcards):
    """Return where the data comes from, for a claim about data."""
    return str(RESULTS / "hospital" / "provenance.json") if CLAIMS[wildcards.claim].needs else []


def flags_of_claim(wildcards):
    """Return what decides a claim: its check, grid and repetitions, and not its words."""
    claim, quick = CLAIMS[wildcards.claim], config["evidence"]["quick"]
    divisor = 10 if quick else 1
    words = [
        "--check",
        claim.check,
        "--grid",
        ledgers.canonical(claim.effective_grid(quick)),
        "--seed",
        config["seed"],
    ]
    words += ["--repetitions", max(claim.repetitions // divisor, 2), "--cap", max(claim.cap // divisor, 2)]
    return shlex.join(map(str, words + ["--real-data-only"] * claim.real_data_only))


def given_to_claim(wildcards, input):
    """Return the results of the study that a claim asks for, as flags."""
    words = [f"--panels {' '.join(input.panels)}"] if input.panels else []
    words += [f"--table {input.table}"] if input.table else []
    words += [f"--provenance {input.provenance}"] if input.provenance else []
    return " ".join(words)


def code_of_drawing(wildcards):
    """Return the file that stands for the code of what draws a claims' figure."""
    return code_of(ledgers.drawing_of(LEDGER.figures[wildcards.figure]))


def evidence_of_figure(wildcards):
    """Return the evidence that a figure is drawn from."""
    return [str(RESULTS / "claims" / f"{claim}.csv") for claim in LEDGER.figures[wildcards.figure].claims]


def provenance_of_figure(wildcards):
    """Return where the data comes from, for a figure whose claims rest on data."""
    rest = [claim for claim in LEDGER.figures[wildcards.figure].claims if CLAIMS[claim].needs]
    return str(RESULTS / "hospital" / "provenance.json") if rest else []


def flags_of_figure(wildcards, input):
    """Return what draws a figure, from what."""
    figure = LEDGER.figures[wildcards.figure]
    words = ["--draw", figure.draw, "--claims", *figure.claims, "--evidence", RESULTS / "claims"]
    words += ["--seed", config["seed"]] + (["--provenance", input.provenance] if input.provenance else [])
    return shlex.join(map(str, words))


def folder_of_verdicts(wildcards, input):
    """Return the folder that all verdicts lie in, below which a claim's id is its path."""
    return str(Path(input.verdicts[0]).parents[len(Path(next(iter(CLAIMS))).parts) - 1])


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
