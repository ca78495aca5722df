r"""Parts of the mathematics' Markdown as LaTeX, so that papers have statements and proofs from one source.

A paper asks for a part by its document and its anchor: ``\proofsof{000}{own-counts-rule}`` for all from this
anchor to the next, ``\statementof{000}{own-counts-rule}`` for what stands there before the proof. The site's
parser reads it, and what has no LaTeX here is refused.
"""

import functools
import itertools
import re
from collections.abc import Sequence, Set
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.dollarmath import dollarmath_plugin

from private_experts.errors import InputError
from private_experts.replication.files import write_text
from private_experts.replication.plotting.latex import breakable, escaped, traced

_ASKED = re.compile(r"\\(proofs|statement)of\{([\w-]+)\}\{([\w-]+)\}")
_LEVELS = {"h2": "subsection", "h3": "subsection", "h4": "subsubsection"}
# How the documents mark what is known, name papers and point to places; a paper has words and citations.
_STANDINGS = {
    "SEED-FORCED": "forced by what is legible",
    "SEED": "legible in our copy",
    "FOUND": "published",
    "DERIVED": "proved here",
    "ASSUMED": "chosen here",
}
_STANDING = re.compile("|".join(rf"\b{word}\b" for word in _STANDINGS))
CITED = {
    "000": "jacobsen2026prediction",
    "001": "agarwal2023improved",
    "002": "cesari2026optimal",
    "003": "sima2024online",
    "004": "asi2025tracking",
    "leaders": "cesari2026optimal",  # whose letters it takes
}
_CLAIM = re.compile(r"00\d/[\w/-]+")
_SHORT_NAME = re.compile(r"(?<![\w.,}-])00[0-4](?![\w/:-]|[.,]\d)")
_THE_PAPER = re.compile(r"\b[Tt]he\s+paper(?:['’]s)?(?![\w-])")
_PLACES = {"above", "below", "here"}
_WIDE = 24  # letters from which on a table's column breaks its lines


def requests(source: str) -> list[tuple[str, str, str]]:
    """Return what a paper's source asks for: proofs or a statement, of which document, at which anchor."""
    return _ASKED.findall(source)


def write(source: str, mathematics: Path, output: Path) -> None:
    """Write all parts that a paper's source asks for."""
    included = {f"{document}:{anchor}" for kind, document, anchor in requests(source) if kind == "proofs"}
    for kind, document, anchor in requests(source):
        path = mathematics / f"{document}.md"
        part, label = _part(path, anchor), f"{document}:{anchor}"
        latex = _Latex(document, included, path)
        text = latex.proofs(part, label) if kind == "proofs" else latex.page(_statement(part))
        write_text(output / f"{kind}-{document}-{anchor}.tex", text)


def _part(path: Path, anchor: str) -> str:
    """Return what stands from an anchor to the next one."""
    if not path.is_file():
        raise InputError(f"{path} is not there, of which the paper shows {anchor!r}")
    pieces = re.split(r'^<a id="([\w-]+)"></a>\n', path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    parts = dict(zip(pieces[1::2], pieces[2::2], strict=True))
    if anchor not in parts:
        raise InputError(f"{path} has no anchor {anchor!r}, which the paper shows")
    return parts[anchor]


def _statement(part: str) -> str:
    """Return a part's theorem without its bold name: from there, or from the first words, to its proof."""
    blocks = [block for block in part.strip().split("\n\n") if not block.startswith("#")]
    first = next((number for number, block in enumerate(blocks) if block.startswith("**")), 0)
    theorem = itertools.takewhile(lambda block: not block.startswith("*Proof"), blocks[first:])
    unnamed = re.sub(r"\A\*\*.*?\*\*(?: \([A-Z]+\)\.)?\s*", "", "\n\n".join(theorem))
    return re.sub(r"\s\(DERIVED\)", "", unnamed)


@functools.cache
def _parser() -> MarkdownIt:
    options = {"html": False, "typographer": True}
    return MarkdownIt("commonmark", options).enable(["table", "smartquotes"]).use(dollarmath_plugin)


class _Latex:
    """Writes the LaTeX of one part of a document."""

    def __init__(self, document: str, included: Set[str], path: Path) -> None:
        self.document, self.included, self.path = document, included, path

    def proofs(self, part: str, label: str) -> str:
        """Return all of a part, which says first of which paper it speaks."""
        cited = CITED.get(self.document)
        page = self.page(part, label)
        return _THE_PAPER.sub(rf"\g<0>~\\cite{{{cited}}}", page, count=1) if cited else page

    def page(self, text: str, label: str = "") -> str:
        nodes = SyntaxTreeNode(_parser().parse(text)).children
        first, *others = [self.block(node) for node in nodes]
        if label:
            mark = rf"\label{{{label}}}%"
            headed = first.startswith(r"\sub")
            first = f"{first}\n{mark}" if headed else f"\\par\\phantomsection{mark}\n{first}"
        return _joined([first, *others])

    def block(self, node: SyntaxTreeNode) -> str:
        match node.type:
            case "paragraph" | "inline" | "th" | "td":
                return self.inside(node)
            case "heading":
                title = re.sub(r"^[\d.]+ |\s*\[[^\]]*\]$", "", self.inside(node))
                return rf"\{_LEVELS[node.tag]}{{{title}}}"
            case "math_block":
                return rf"\[\fitted{{{node.content.strip()}}}\]"
            case "bullet_list" | "ordered_list":
                name = "itemize" if node.type == "bullet_list" else "enumerate"
                before = int(node.attrs.get("start", 1)) - 1
                count = rf"\setcounter{{enumi}}{{{before}}}" if before else ""
                items = [_joined([self.block(part) for part in item.children]) for item in node.children]
                text = "".join(rf"\item {item}" for item in items)
                return f"\\begin{{{name}}}{count}\n{text}\\end{{{name}}}"
            case "table":
                return self.table([row for part in node.children for row in part.children])
        raise self.refused(node)

    def table(self, rows: Sequence[SyntaxTreeNode]) -> str:
        cells = [[self.inside(cell) for cell in row.children] for row in rows]
        columns = "".join(map(_column, zip(*cells, strict=True)))
        begin, end = (r"tabularx}{\linewidth", "tabularx") if "X" in columns else ("tabular", "tabular")
        head, *body = [" & ".join(row) + r" \\" for row in cells]
        lines = [r"\toprule", head, r"\midrule", *body, r"\bottomrule", rf"\end{{{end}}}", r"\end{center}"]
        return "\n".join([r"\begin{center}\small", rf"\begin{{{begin}}}{{{columns}}}", *lines])

    def inside(self, node: SyntaxTreeNode) -> str:
        return "".join(map(self.inline, node.children))

    def inline(self, node: SyntaxTreeNode) -> str:
        match node.type:
            case "inline":
                return self.inside(node)
            case "text":
                return _words(node.content)
            case "softbreak":
                return "\n"
            case "em":
                return rf"\emph{{{self.inside(node)}}}"
            case "strong":
                return rf"\textbf{{{self.inside(node)}}}"
            case "code_inline":
                name = rf"\texttt{{{breakable(node.content)}}}"
                return traced((node.content,), name) if _CLAIM.fullmatch(node.content) else name
            case "math_inline":
                return f"${node.content.strip()}$"
            case "math_inline_double":
                return rf"\[\fitted{{{node.content.strip()}}}\]"
            case "link":
                return self.link(str(node.attrs["href"]), self.inside(node))
        raise self.refused(node)

    def refused(self, node: SyntaxTreeNode) -> InputError:
        what = f"{node.type} {node.content[:60]!r}"
        return InputError(f"{self.path}: {what} has no LaTeX here; write it in another way")

    def link(self, to: str, words: str) -> str:
        """Return words with the place where they lead: a section of the paper, or of the documents."""
        file, _, anchor = to.partition("#")
        document = Path(file).stem or self.document
        label = f"{document}:{anchor}"
        if label in self.included and words in _PLACES:
            return rf"in~\hyperref[{label}]{{\S\,\ref*{{{label}}}}}"
        if label in self.included:
            return rf"\hyperref[{label}]{{{words}}} [\S\,\ref{{{label}}}]"
        return rf"{words} [\texttt{{{breakable(label.removesuffix(':'))}}}]"


def _joined(blocks: Sequence[str]) -> str:
    """Return blocks as paragraphs, where a displayed formula is part of one."""
    return re.sub(r"\n\n(?=\\\[)|(?<=\\\])\n\n", "\n", "\n\n".join(blocks)) + "\n"


def _column(cells: Sequence[str]) -> str:
    """Return how a table's column is set: one with words breaks its lines."""
    return r">{\raggedright\arraybackslash}X" if max(map(len, cells)) > _WIDE else "l"


def _words(text: str) -> str:
    """Return words as LaTeX, which knows letters with accents."""
    plain = _STANDING.sub(lambda found: _STANDINGS[found[0]], text)
    pieces = re.split("([À-ž∎])", plain)
    latex = "".join(piece if number % 2 else escaped(piece) for number, piece in enumerate(pieces))
    cited = _SHORT_NAME.sub(lambda found: rf"\cite{{{CITED[found[0]]}}}", latex)
    return cited.replace("∎", r"$\square$")
