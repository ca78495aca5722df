"""The coordinator's web page: this week's choice and why, who has reported, what it has cost, and whether all is well.

It has what is public, and nothing of a single report but that it came. It loads nothing from elsewhere. Its script
reads the page again and changes what is new in place; without scripts the page is whole, and a link reads it again.
"""

import base64
import hashlib
import math
from collections.abc import Iterable, Mapping
from html import escape

from examples.hospitals.choosing import LEARNERS
from examples.hospitals.coordinator import Coordinator
from examples.hospitals.setting import Setting

SHOWN = 12
"""How many weeks the page shows."""

_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --soft: #57606a; --line: #8c959f; --bar: #0969da;
  --good: #116329; --bad: #a40e26; }
@media (prefers-color-scheme: dark) { :root { --paper: #0d1117; --ink: #e6edf3; --soft: #9da7b3; --line: #6e7681;
  --bar: #58a6ff; --good: #56d364; --bad: #ff7b72; } }
body { background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; margin: 1.5rem auto;
  max-width: 60rem; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.1rem; color: var(--soft); margin: 0; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
.choice { font-size: 1.8rem; line-height: 1.25; margin: .5rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem 1rem .25rem 0; text-align: left; white-space: nowrap; }
th:first-child, tfoot td { max-width: min(14rem, 40vw); overflow-wrap: break-word; white-space: normal; }
th:first-child { min-width: 5rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .4rem; }
.bar { width: min(10rem, 30vw); height: .8rem; margin-left: .5rem; vertical-align: middle; }
.bar rect { fill: var(--bar); }
.good { color: var(--good); }
.bad { color: var(--bad); font-weight: 600; }
a { color: var(--bar); }
:focus-visible { outline: 3px solid var(--bar); outline-offset: 2px; }
"""

_SCRIPT = """
const again = document.getElementById("again"), steady = document.getElementById("steady");
const news = document.getElementById("news"), every = 1000 * document.body.dataset.every;
async function read() {
  try {
    const answer = await fetch("/", {cache: "no-store"});
    if (!answer.ok) throw new Error(answer.status);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-part]")) {
      const other = fresh.getElementById(part.id);
      if (other && other.innerHTML !== part.innerHTML) part.innerHTML = other.innerHTML;
    }
    document.title = fresh.title;
    news.textContent = "";
  } catch {
    news.textContent = news.textContent ||
      `The coordinator has not answered since ${new Date().toLocaleTimeString()}: what stands here is older.`;
  }
}
again.addEventListener("click", event => { event.preventDefault(); read(); });
document.getElementById("keep").hidden = false;
(async function loop() {
  for (;;) {
    await new Promise(done => setTimeout(done, every));
    if (steady.checked && !document.hidden) await read();
  }
})();
"""


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; style-src {_source(_STYLE)}; script-src {_source(_SCRIPT)}; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
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


def page(coordinator: Coordinator, answers: Mapping[int, int]) -> str:
    """Return the page as HTML; `answers` is how often each status was answered since this process began."""
    setting, now = coordinator.setting, coordinator.choices(1)[-1]
    over = now.week > setting.weeks
    state = (
        f"All {setting.weeks} weeks are over." if over else f"Week {now.week} of {setting.weeks} is open for reports."
    )
    every = min(max(setting.shortest / 2, 1.0), 60.0)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Week {now.week}: {escape(now.hospital)} - hospitals</title>
<style>{_STYLE}</style>
</head>
<body data-every="{every:g}">
<main>
<h1>Where help is sent</h1>
<p class="choice" id="choice" role="status" data-part>For week {now.week} the choice is \
<strong>{escape(now.hospital)}</strong>.</p>
<p><span id="state" data-part>{state}</span> <a href="/" id="again">Read this page again</a>
<label id="keep" hidden><input type="checkbox" id="steady" checked> by itself, every {every:g} s</label></p>
<p id="news" class="bad" role="status"></p>
<h2>Why this hospital</h2>
<div id="why" data-part>{_why(coordinator)}</div>
<h2 id="reports-title">Who has reported, and what it has cost</h2>
<p>Each report spends a part of its patients' privacy: a level, in the table by hospital and week. A dash stands where \
none came, brackets where one was begun. Levels add as squares: a week's is for one who lay in one hospital or in \
another, {setting.mu:g} as each reports once, and that of all weeks for one who was a patient in every week. What a \
report says is shown to its own hospital alone.</p>
<div class="wide" role="region" aria-labelledby="reports-title" tabindex="0">
<table id="reports" data-part>{_reports(coordinator)}</table>
</div>
<h2>Health</h2>
<ul id="health" data-part>{_health(coordinator, answers)}</ul>
<h2>What protects the patients</h2>
<p>{escape(privacy_in_words(setting))}</p>
</main>
<script>{_SCRIPT}</script>
</body>
</html>
"""


def _why(coordinator: Coordinator) -> str:
    reason = coordinator.reason()
    if coordinator.week == 1:
        return "<p>There is no report yet, so the first choice is random.</p>"
    every = len(LEARNERS)
    rows = "\n".join(
        f'<tr><th scope="row">{escape(hospital)}</th><td>{votes} of {every} {_bar(votes / every)}</td></tr>'
        for hospital, votes in reason.votes.items()
    )
    return f"""<p>{every} forecasts look back {LEARNERS[0][0]} to {LEARNERS[-1][0]} weeks, and each names the \
hospital that it expects to be fullest. Followed is one whose hospitals have been fullest so far, by the noisy reports \
and with some noise more. The best of those that name {escape(reason.hospital)} looks back {reason.window} weeks.</p>
<table><caption>What the forecasts name for this week</caption>
<thead><tr><th scope="col">Hospital</th><th scope="col">Forecasts</th></tr></thead>
<tbody>
{rows}
</tbody></table>"""


def _bar(share: float) -> str:
    box = '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
    return f'{box}<rect width="{100 * share:.0f}" height="8"/></svg>'


def _reports(coordinator: Coordinator) -> str:
    setting, (accounts, reported) = coordinator.setting, coordinator.so_far()
    choices = [choice for choice in reversed(coordinator.choices(SHOWN + 1)) if choice.week <= setting.weeks][:SHOWN]
    totals, of_weeks = accounts.of_hospitals(), accounts.of_weeks()
    head = "".join(f'<th scope="col">{choice.week}</th>' for choice in choices)
    body = "\n".join(
        _row(hospital, f"{len(weeks)}", _level(totals[place]),
             (_cell(accounts.levels[choice.week - 1, place], choice.week in weeks) for choice in choices))
        for place, (hospital, weeks) in enumerate(reported.items())
    )  # fmt: skip
    rows = [
        _row("reports", f"{sum(map(len, reported.values()))}", "", (f"{choice.reported}" for choice in choices)),
        _row("level", "", _level(accounts.of_all()), (_level(of_weeks[choice.week - 1]) for choice in choices)),
        _row("choice", "", "", (escape(choice.hospital) for choice in choices)),
    ]
    return f"""<caption>The latest weeks, the newest first</caption>
<thead><tr><th scope="col">Hospital</th><th scope="col">Reports</th><th scope="col">All weeks</th>{head}</tr></thead>
<tbody>
{body}
</tbody>
<tfoot>
{"".join(rows)}
</tfoot>"""


def _row(name: str, count: str, total: str, cells: Iterable[str]) -> str:
    columns = "".join(f"<td>{cell}</td>" for cell in (count, total, *cells))
    return f'<tr><th scope="row">{escape(name)}</th>{columns}</tr>'


def _cell(level: float, reported: bool) -> str:
    if reported:
        return f'<span class="good">{_level(level)}</span>'
    return f"({_level(level)})" if level else "–"


def _level(level: float) -> str:
    return f"{level:.3g}"


def _health(coordinator: Coordinator, answers: Mapping[int, int]) -> str:
    """Return what is well and what is not, as items of a list."""
    setting, week, wait = coordinator.setting, coordinator.week, coordinator.wait()
    accounts, reported = coordinator.so_far()
    items = []
    if week <= setting.weeks:
        waited = [name for name, weeks in reported.items() if week not in weeks]
        items.append(f"Waited for: {escape(', '.join(waited)) or 'nobody'}.")
        late = f'<span class="bad">Week {week} should have been closed {-wait:.0f} s ago.</span>'
        items.append(late if wait < -1 else f"Week {week} closes in {max(wait, 0):.0f} s at the latest.")
    for name, weeks in reported.items():
        silent = min(week, setting.weeks + 1) - 1 - max(weeks, default=0)
        if silent >= 2:
            items.append(f'<span class="bad">{escape(name)} has not reported for {silent} weeks.</span>')
    for place, level in enumerate(accounts.of_weeks().tolist(), start=1):
        if level > setting.mu * (1 + 1e-9):
            items.append(
                f'<span class="bad">Week {place} has level {level:.3g}, more than {setting.mu:g}: '
                "a hospital has sent two values of it.</span>"
            )
    if coordinator.put_back:
        items.append("A hospital has reports of later weeks: the database seems to have been put back.")
    refused = {status: count for status, count in sorted(answers.items()) if status >= 400}
    told = ", ".join(f"{count} with {status}" for status, count in refused.items())
    if not any("bad" in item for item in items):
        items.insert(0, '<span class="good">All is well.</span>')
    items.append(f"Refused since the coordinator began: {told or 'nothing'}.")
    return "\n".join(f"<li>{item}</li>" for item in items)
