# What the rules of claims, of their figures and of the notebook ask for.

from private_experts.replication.run import notebook as notebooks

NOTEBOOK = "paper/replication.py"


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


def library_of_notebook():
    """Return the files that stand for the code of all that the notebook's cells call."""
    with told_in_one_line():
        entries = notebooks.entries(ROOT / NOTEBOOK)
    return [code_of(entry) for entry in entries]
