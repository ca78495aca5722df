"""The ledger in LaTeX, for the replication report: claims, errata, figures, and the facts that the report cites."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from typing import Any

from private_experts.replication.ledger import verdicts
from private_experts.replication.ledger.evidence import called
from private_experts.replication.ledger.ledger_tables import relation
from private_experts.replication.ledger.power import UNCAUGHT
from private_experts.replication.ledger.ranking import headlines
from private_experts.replication.ledger.strength import counted, in_words, lazily
from private_experts.replication.plotting.formulas import latex
from private_experts.replication.plotting.latex import breakable, escaped, number

Entry = Mapping[str, Any]

_HEAD = "% Generated from the ledger; needs preamble.tex.\n"
_AT_MOST = r"\ifdim\width>\linewidth\linewidth\else\width\fi"  # as wide as it is, but no wider than the line
_ERRATA = (r"p{0.13\linewidth}", r"p{0.39\linewidth}", r"p{0.39\linewidth}")  # columns of a table of errata
_SIGNS = {"≤": r"\le", "≰": r"\not\le", "≥": r"\ge", "≱": r"\not\ge"}


def claims(ledger: Mapping[str, Any]) -> str:
    """Return the headlines, then all claims, a table each paper: id, statement with formula, verdict, margin."""
    parts = [_HEAD]
    if first := headlines(ledger["claims"]):
        widths = (r"p{0.28\linewidth}", r"p{0.5\linewidth}", r"p{0.14\linewidth}")
        rows = [(_linked(entry), latex(_capital(entry["short"])), _verdict(entry)) for entry in first]
        parts += [r"\subsection*{What matters most}" "\n", _long_table(widths, ("claim", "says", "verdict"), rows)]
    for paper in ledger["papers"]:
        parts += [
            rf"\subsection*{{Paper {paper['paper']}: {escaped(paper['title'])}}}" "\n",
            _long_table(
                (r"p{0.2\linewidth}", r"p{0.45\linewidth}", r"p{0.1\linewidth}", r"p{0.15\linewidth}"),
                ("claim", "statement", "verdict", "nearest to failing, or counterexample"),
                [_claim(entry) for entry in verdicts.of_paper(ledger["claims"], paper["paper"])],
            ),
        ]
    return "".join(parts)


def _linked(entry: Entry) -> str:
    return rf"\hyperlink{{claim:{entry['id']}}}{{{breakable(entry['id'])}}}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _long_table(widths: Sequence[str], names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    columns = "".join(rf">{{\raggedright\arraybackslash}}{width}" for width in widths)
    return "\n".join(
        [
            rf"\begin{{longtable}}{{@{{}}{columns}@{{}}}}",
            r"\toprule",
            " & ".join(names) + r" \\",
            r"\midrule",
            r"\endhead",
            r"\bottomrule",
            r"\endfoot",
            (r" \\" + "\n" + r"\addlinespace" + "\n").join(" & ".join(row) for row in rows) + r" \\",
            r"\end{longtable}",
            "",
        ]
    )


def _claim(entry: Entry) -> tuple[str, str, str, str]:
    name = rf"\hypertarget{{claim:{entry['id']}}}{{{breakable(entry['id'])}}}"
    step = f"A step of {entry['step_of']}. " if entry.get("step_of") else ""
    place = rf"\par {{\footnotesize {escaped(step + entry['place'])}}}"
    worth = rf" \par {{\footnotesize {escaped(entry['strength']['words'])}}}"
    return name + place, _said(entry) + _caught(entry) + _lazy(entry), _verdict(entry) + worth, _margin(entry)


def _caught(entry: Entry) -> str:
    """Return the smallest defects that the check catches, where they were measured; a step's file may be broken."""
    words, _, step = entry.get("caught", "").partition(UNCAUGHT)
    if not words:
        return ""
    step, _, own = step.partition(", ")
    missed = f"{UNCAUGHT}{breakable(step)}" if step else ""
    return rf"\par {{\footnotesize Catches: {escaped(words)}{missed}{escaped(f', {own}' if own else '')}.}}"


def _lazy(entry: Entry) -> str:
    """Return at how many points the lazy program fails, where a claim has one."""
    return rf"\par {{\footnotesize Lazy program: {escaped(lazily(entry))}.}}" if entry.get("lazy") else ""


def _said(entry: Entry) -> str:
    formula = re.sub(r"(?<!\\)([,;])(?=[\s\\])", r"\1\\allowbreak ", " ".join(entry["latex"].split()))
    return f"{latex(entry['statement'])} \\claimformula{{{formula}}}"


def _verdict(entry: Entry) -> str:
    said = rf"\textbf{{{entry['verdict']}}}"
    if not entry["as_expected"]:
        return rf"{said} (expected: {entry['expected']})"
    return said if entry["expected"] else f"{said} (observed)"


def _margin(entry: Entry) -> str:
    """Return the point that the verdict shows, and by how much it is on the right side of its bound."""
    if entry["verdict"] == "not run":
        return escaped(entry.get("reason", ""))
    nearest, (low, high) = entry["worst"], (number(each) for each in entry["margin"])
    margin = low if low == high else f"[{low},\\,{high}]"
    name = f"{called('fails')}: " if entry["verdict"] == "fails" else ""
    value, bound = (number(nearest[each], 4) for each in ("value", "bound"))
    return rf"{name}${value} {_SIGNS[relation(nearest)]} {bound}$\par {{\footnotesize margin ${margin}$}}"


def errata(ledger: Mapping[str, Any]) -> str:
    """Return the errata of the papers, then the slips of others: the wrong statement beside the mended one."""
    found = verdicts.errata(ledger["claims"])
    if not found:
        return _HEAD + "No erratum is in the ledger.\n"
    own = [row for row in found if verdicts.is_papers(row[0])]
    others = [row for row in found if not verdicts.is_papers(row[0])]
    parts = [_HEAD]
    for title, first, rows in (
        ("Errata of the papers", "as printed", own),
        ("Remarks, and what the papers do not say themselves", "as it stands there", others),
    ):
        if rows:
            parts.append(rf"\subsection*{{{title}}}" "\n")
            lines = [line for row in rows for line in _erratum(*row)]
            parts.append(_long_table(_ERRATA, ("erratum", first, "mended"), lines))
    return "".join(parts)


def _erratum(slip: Entry, wrong: Sequence[Entry], right: Sequence[Entry]) -> list[tuple[str, str, str]]:
    """Return rows of an erratum, one for each pair of claims, because no row may be taller than a page."""
    weight = escaped(", ".join([slip["said_by"], slip["severity"] or ""]).strip(", "))
    name = rf"{breakable(slip['name'])} \par {{\footnotesize {weight}}}"
    seen = rf"{latex(slip['title'])}. \par {{\footnotesize {latex(slip['seen'])}}}"
    pairs = [tuple(each and _side(each) for each in pair) for pair in zip_longest(wrong, right, fillvalue=None)]
    rows = [("", printed or "", mended or "") for printed, mended in pairs]
    first = r" \par\smallskip ".join(filter(None, [seen, rows[0][1]]))
    return [(name, first, rows[0][2] or "--"), *rows[1:]]


def _side(entry: Entry) -> str:
    note = rf" \par {{\footnotesize {latex(entry['note'])}}}" if entry["note"] else ""
    return rf"{_said(entry)} \par {_verdict(entry)}: {_margin(entry)} \par {{\footnotesize {_linked(entry)}}}{note}"


def figures(ledger: Mapping[str, Any]) -> str:
    """Return the main figures and then the others by paper, each with its caption and the claims that it shows."""
    titles = {each["paper"]: f"Paper {each['paper']}: {each['title']}" for each in ledger["papers"]}
    parts = [_HEAD]
    for paper, group in groupby(ledger["figures"], key=lambda figure: not figure["main"] and figure["paper"]):
        parts.append(rf"\subsection*{{{escaped(titles[paper] if paper else 'Main figures')}}}" "\n")
        for figure in group:
            links = ", ".join(rf"\hyperlink{{claim:{each}}}{{{breakable(each)}}}" for each in figure["claims"])
            title = escaped(figure["title"])
            caption = f"{title}. {latex(figure['caption'])}" + (f" Claims: {links}." if links else "")
            parts.append(
                "\n".join(
                    [
                        r"\begin{figure}[htbp]",
                        r"\centering",
                        rf"\resizebox{{{_AT_MOST}}}{{!}}{{\includegraphics{{figures/{figure['name']}.pdf}}}}",
                        rf"\caption[{title}]{{{caption}}}",
                        rf"\label{{fig:{figure['name']}}}",
                        r"\end{figure}",
                        "",
                    ]
                )
            )
        parts.append("\\clearpage\n")
    return "".join(parts)


def facts(ledger: Mapping[str, Any]) -> str:
    r"""Return the facts of the run as commands, such as ``\replicationdata`` and ``\verdictcounts``."""
    entries = ledger["claims"]
    count = verdicts.tally(entries)
    data = escaped(ledger["data"])
    warning = rf"\begin{{center}}\Large\bfseries {data}\end{{center}}" if ledger["synthetic"] else ""
    chance = [entry for entry in entries if entry["kind"] == "stochastic" and "repetitions" in entry]
    cited = ledger["citation"]
    commands = {
        "replicationauthors": escaped(cited["authors"]),
        "replicationversion": escaped(cited["version"]),
        "replicationdate": cited["date"],
        "replicationdoi": f", DOI {escaped(cited['doi'])}" if cited["doi"] else "",
        "replicationdata": data,
        "syntheticwarning": warning,
        "replicationclaims": count["total"],
        "replicationsteps": count["steps"],
        "replicationpapers": len(ledger["papers"]),
        "replicationpoints": f"{sum(entry.get('points', 0) for entry in entries):,}",
        "stochasticclaims": len(chance),
        "fewestrepetitions": f"{min((entry['repetitions'] for entry in chance), default=0):,}",
        "mostrepetitions": f"{max((entry['repetitions'] for entry in chance), default=0):,}",
        "notasexpected": count["surprising"],
        "papererrata": sum(count["errata"].values()),
        "fatalerrata": count["errata"]["fatal"],
        "otherslips": count["elsewhere"],
        "verdictcounts": _counts(ledger),
        "strengthcounts": in_words(counted(entries)),
    }
    lines = [rf"\newcommand{{\{name}}}{{{value}}}" for name, value in commands.items()]
    for entry in entries:
        lines += [
            rf"\expandafter\def\csname claim@{entry['id']}@{name}\endcsname{{{text}}}" for name, text in _named(entry)
        ]
    return _HEAD + "\n".join([*lines, ""])


def _named(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield the facts of a claim that prose cites: verdict, and value and bound at the point that the verdict shows."""
    yield "verdict", entry["verdict"]
    if "worst" in entry:
        value, low, high, bound = (number(entry["worst"][name], 3) for name in ("value", "low", "high", "bound"))
        yield "value", f"${value}$" if low == high else f"${value}$ $[{low},\\,{high}]$"
        yield "bound", f"${bound}$"


def _counts(ledger: Mapping[str, Any]) -> str:
    rows = []
    for each in ledger["papers"]:
        count = verdicts.tally(verdicts.of_paper(ledger["claims"], each["paper"]))
        cells = [each["paper"], count["total"], *count["verdicts"].values(), count["surprising"], count["observed"]]
        rows.append(" & ".join(map(str, cells)))
    names = ["paper", "claims", *verdicts.ORDER, "not as expected", "observed"]
    body = "".join(rf"{row} \\" for row in rows)
    head = " & ".join(names)
    columns = "l" + "r" * (len(names) - 1)
    return rf"\begin{{tabular}}{{{columns}}}\toprule {head} \\ \midrule {body}\bottomrule\end{{tabular}}"
