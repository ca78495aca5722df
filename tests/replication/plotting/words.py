"""What a figure's caption and its alternative text say, compared with what is drawn."""

import re
from collections.abc import Iterator

from matplotlib.artist import Artist
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text

from private_experts.replication.plotting.figures import is_drawn
from tests.replication.ledger.ledgers import KNOWN as LEDGER

# What a text may name, and the figure must then show.
NAMES = re.compile(
    r"RW-Meta|RW-FTPL|RW-AdaBatch|Min Noise|Min Regret|Hedge|P-COMW|Algorithm \d|centred "
    r"reports|Randomised response|Report-noisy-max|softmax of whole blocks|Monte Carlo|Theorem "
    r"\d(?:\.\d)?'s constant|tighter|without batching",
    re.IGNORECASE,
)
# Alternative texts say no measured number: it would be typed, and the figure is drawn from the data of each
# run. Up to four they may count lines and panels, which are in the figure's code.
NUMBERS = re.compile(
    r"\d|\b(?:half|halves|thirds?|quarters?|fifths?|sixths?|eighths?|ninths?|twelfths?|\w*(?:enth|illionth)s?"
    r"|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)t(?:y|ies|ieths?)"
    r"|dozens?|hundred\w*|thousand\w*|\w*[mb]illions?|\w+fold|double[ds]?|treble[ds]?|triple[ds]?|times|twice"
    r"|thrice|percent|per cent|orders? of magnitude)\b",
    re.IGNORECASE,
)
NUMBERED = re.compile(r"(?:Algorithm|Figure|Lemma|Table|Theorem) \d(?:\.\d)?")  # names, which are no numbers
LOGARITHMIC = re.compile(r"\blog(?:arithmic)?\b(?! ?K)", re.IGNORECASE)


def check(stem: str, figure: Figure) -> None:
    """Compare the words about a figure with its axes' scales, its legend and the names on it."""
    picture = LEDGER.figures[stem]
    words = f"{picture.caption} {picture.alt}"
    plain = re.sub(r"\$[^$]*\$", "", words)
    panels = [panel for panel in figure.axes if panel.axison]
    panels = [panel for panel in panels if panel.lines or panel.collections or panel.patches]
    scales = [(panel.get_xscale(), panel.get_yscale()) for panel in panels]
    drawn = any(scale in ("log", "symlog") for pair in scales for scale in pair)
    assert bool(LOGARITHMIC.search(plain)) == drawn, f"{stem}: the axes are {scales}"
    if re.search(r"both axes are logarithmic|on logarithmic axes|log-log", plain, re.IGNORECASE):
        assert {*scales} == {("log", "log")}, f"{stem}: the axes are {scales}"
    entries = {
        label: handle
        for panel in figure.axes
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
        if is_drawn(handle)
    }
    named = {text.get_text() for legend in figure.legends for text in legend.get_texts()}
    assert named <= {*entries}, f"{stem}: the legend names what is drawn nowhere"
    shown = " ".join(" ".join(text.get_text() for text in texts_of(figure)).lower().split())
    missing = [name for name in NAMES.findall(plain) if name.lower() not in shown]
    assert missing == [], f"{stem}: named in words and not on the figure"


def texts_of(artist: Artist) -> Iterator[Text]:
    """Return the texts on a figure, but for ticks without a name, which are made only when looked for."""
    if isinstance(artist, Text):
        yield artist
    parts = (
        [artist.label, *vars(artist).get("majorTicks", [])]
        if isinstance(artist, Axis)
        else artist.get_children()
    )
    for part in parts:
        yield from texts_of(part)


def typed(words: str) -> list[str]:
    return NUMBERS.findall(NUMBERED.sub("", words))
