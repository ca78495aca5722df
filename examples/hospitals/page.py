"""The coordinator's web page: the choice, and what protects the patients, in words. It loads nothing from elsewhere."""

import base64
import hashlib
import math
from collections.abc import Sequence
from html import escape

from examples.hospitals.coordinator import Choice
from examples.hospitals.setting import Setting

SHOWN = 12
"""How many weeks the page shows."""

_STYLE = """
:root { color-scheme: light dark; }
body { font: 1.1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 42rem; padding: 0 1rem; }
.choice { font-size: 1.6rem; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid; padding: .3rem 1.2rem .3rem 0; text-align: left; }
caption { text-align: left; padding-bottom: .5rem; }
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


def guesses(mu: float) -> float:
    """Return how often a fair guess about one person is right under mu-GDP, at most: Phi(mu / 2); a coin has 1/2."""
    return (1 + math.erf(mu / math.sqrt(8))) / 2  # scipy has Phi too, but takes longer to load than the rest together


def privacy_in_words(setting: Setting) -> str:
    """Return what the privacy level means, for somebody who has never heard of it."""
    percent = math.ceil(100 * guesses(setting.mu))
    return (
        "Every hospital adds random noise to its figure before the figure leaves the house; nobody else has ever seen "
        f"the true one. The privacy level is {setting.guarantee}: somebody who reads all reports of a week, knows "
        "everything about everybody else, and has to guess in which of two hospitals one patient lay, guesses right at "
        f"most {percent} times in 100. A coin does so 50 times. A patient "
        "of several weeks is protected less: of four weeks, as if the level were twice as large."
    )


def page(setting: Setting, choices: Sequence[Choice]) -> str:
    """Return the page as HTML, with the weeks to show, the newest last."""
    now = choices[-1]
    over = now.week > setting.weeks
    rows = "\n".join(
        f'<tr><th scope="row">{choice.week}</th><td>{escape(choice.hospital)}</td>'
        f"<td>{choice.reported} of {len(setting.beds)}</td></tr>"
        for choice in reversed(choices)
        if choice.week <= setting.weeks
    )
    state = (
        f"All {setting.weeks} weeks are over." if over else f"Week {now.week} of {setting.weeks} is open for reports."
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Week {now.week}: {escape(now.hospital)} - hospitals</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
<h1>Where help is sent</h1>
<p class="choice">For week {now.week} the choice is <strong>{escape(now.hospital)}</strong>.</p>
<p>{state} <a href="/">Read this page again</a> to see what is new.</p>
<h2>What protects the patients</h2>
<p>{escape(privacy_in_words(setting))}</p>
<h2>The latest weeks</h2>
<table>
<caption>A choice is made before the reports of its week arrive.</caption>
<thead><tr><th scope="col">Week</th><th scope="col">Choice</th><th scope="col">Reports</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</main>
</body>
</html>
"""
