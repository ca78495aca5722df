"""Parts of the mathematics as LaTeX."""

from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.report import proofs
from private_experts.replication.report.typeset import PAPERS
from tests.each import each
from tests.sources import unbalanced

MATHEMATICS = Path(__file__).parents[3] / "docs/mathematics"
PAGE = """# A document

<a id="first"></a>
## 3. First part [FOUND, proof DERIVED]

Before. Let $a_1 < b$ be as in [the second](#second), *not* in [another](002.md#setting), by Gaïffas & Co.

**Theorem (*best*)** (DERIVED). It has

$$
x \\le 1 .
$$

2. as `000/claim`, 50 %

$$y$$

*Proof.* Clear. ∎ More.

<a id="second"></a>
**Lemma.** No heading.

| what | how much of it there is in all |
| --- | --- |
| one | $x \\lt y$ |
"""


@pytest.fixture
def written(tmp_path):
    """Return what is written for a source of a paper, by file."""

    def made(source, page=PAGE):
        (tmp_path / "000.md").write_text(page)
        proofs.write(source, tmp_path, tmp_path / "out")
        return {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}

    return made


def test_a_part_ends_at_the_next_anchor_and_is_found_by_its_label(written):
    text = written(r"\proofsof{000}{first} \proofsof{000}{second}")
    first, second = text["proofs-000-first.tex"], text["proofs-000-second.tex"]
    assert first.startswith("\\subsection{First part}\n\\label{000:first}%\n\nBefore.")
    assert second.startswith("\\par\\phantomsection\\label{000:second}%\n\\textbf{Lemma.} No heading.")
    assert "Lemma" not in first
    # a column with words breaks its lines
    assert "{l>{\\raggedright\\arraybackslash}X}\n\\toprule\nwhat & how much of it" in second
    assert "in all \\\\\n\\midrule" in second
    assert unbalanced(first) == unbalanced(second) == ""


def test_words_formulas_and_links_are_set(written):
    first = written(r"\proofsof{000}{first} \proofsof{000}{second}")["proofs-000-first.tex"]
    assert r"\hyperref[000:second]{the second} [\S\,\ref{000:second}], \emph{not}" in first
    assert r"another [\texttt{002:\allowbreak{}setting}], by Gaïffas \& Co." in first
    assert "It has\n\\[\\fitted{x \\le 1 .}\\]\n\\begin{enumerate}\\setcounter{enumi}{1}\n" in first
    assert r"\item as \from{000/claim}{\texttt{000/\allowbreak{}claim}}, 50 \%" in first
    assert r"\emph{Proof.} Clear. $\square$ More." in first
    alone = written(r"\proofsof{000}{first}")["proofs-000-first.tex"]  # what is not shown has its place
    assert r"the second [\texttt{000:\allowbreak{}second}]" in alone
    assert r"\ref{" not in alone


MARKED = """<a id="marked"></a>
**Theorem.** As the papers say [SEED; DERIVED], see E004-1, `004/claim` and 10,000 labels, the
paper's bound is that of paper 004 [above](#marked). The paper has it (FOUND: Asi 2025).

**Claim** (DERIVED). In [the same](#marked) way
(DERIVED)
"""


def test_marks_and_short_names_become_words_and_citations(written):
    marked = written(r"\proofsof{000}{marked}", MARKED)["proofs-000-marked.tex"]
    for said in (
        "papers say [legible in our copy; proved here], see E004-1, \\from{004/claim}{\\texttt{004/",
        "10,000 labels, the\npaper's~\\cite{jacobsen2026prediction} bound",
        r"paper \cite{asi2025tracking} in~\hyperref[000:marked]{\S\,\ref*{000:marked}}. The paper has",
        "(published: Asi 2025)",
        r"\textbf{Claim} (proved here). In \hyperref[000:marked]{the same} [\S\,",
    ):
        assert said in marked


def test_a_statement_says_neither_who_proved_it_nor_of_which_paper(written):
    statement = written(r"\statementof{000}{marked}", MARKED.replace("**Theorem.**", "Before."))
    assert statement["statement-000-marked.tex"] == ("In the same [\\texttt{000:\\allowbreak{}marked}] way\n")
    bare = written(r"\statementof{000}{bare}", '<a id="bare"></a>\nIt is one.\n\n*Proof.* Clear.\n')
    assert bare["statement-000-bare.tex"] == "It is one.\n"


def test_a_statement_is_a_theorem_without_its_name_and_its_proof(written):
    text = written(r"\statementof{000}{first}")["statement-000-first.tex"]
    assert text.startswith("It has\n\\[")
    assert [word in text for word in ("000/", "Proof", r"\label")] == [True, False, False]


@each(
    ("source", "page", "complaint"),
    [
        (r"\proofsof{000}{third}", PAGE, "000.md has no anchor 'third'"),
        (r"\proofsof{001}{first}", PAGE, "001.md is not there"),
        (r"\proofsof{000}{first}", PAGE.replace("Before.", "> Before."), "blockquote"),
        (r"\proofsof{000}{first}", PAGE.replace("Before.", "![Before](a.png)"), "image"),
    ],
)
def test_what_is_not_there_or_has_no_latex_is_refused(source, page, complaint, written):
    with pytest.raises(InputError, match=complaint):
        written(source, page)


def test_every_part_of_the_mathematics_that_a_paper_shows_can_be_set(tmp_path):
    papers = [(MATHEMATICS.parents[1] / f"paper/{name}.tex").read_text() for name in PAPERS]
    asked = {request[1:] for request in proofs.requests("".join(papers))}
    parts = [rf"\proofsof{{{document}}}{{{anchor}}}" for document, anchor in sorted(asked)]
    assert len(parts) > 30
    proofs.write("".join(parts), MATHEMATICS, tmp_path)
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert len(made) == len(parts)
    assert [name for name, text in made.items() if unbalanced(text)] == []
