"""Metrics for Prometheus, in its text format 0.0.4: the public facts of the page, as numbers."""

from collections.abc import Iterable, Mapping

from examples.hospitals.coordinator import Coordinator

TYPE = "text/plain; version=0.0.4; charset=utf-8"

Samples = Iterable[tuple[Mapping[str, str], float]]


def metrics(coordinator: Coordinator, answers: Mapping[int, int]) -> str:
    """Return all metrics; `answers` is how often each status was answered since this process began."""
    setting, week, (accounts, reported) = coordinator.setting, coordinator.week, coordinator.so_far()
    levels = zip(setting.hospitals, accounts.of_hospitals().tolist(), strict=True)
    wait = coordinator.wait()
    families: list[tuple[str, str, str, Samples]] = [
        ("week", "gauge", "The week that is open for reports; one more than all weeks when they are over.", _one(week)),
        ("weeks", "gauge", "How many weeks there are.", _one(setting.weeks)),
        ("week_open_seconds", "gauge", "Since when the week is open, in this process.", _one(coordinator.open_for())),
        ("week_overdue_seconds", "gauge", "Since when the week should be closed.", _one(max(-wait, 0.0))),
        ("chosen", "gauge", "1 for the hospital that was chosen for the open week.",
         [({"hospital": coordinator.reason().hospital}, 1)]),
        ("reported", "gauge", "Whether a hospital has reported for the open week, or for the last when all are over.",
         [({"hospital": name}, int(min(week, setting.weeks) in weeks)) for name, weeks in reported.items()]),
        ("reports", "gauge", "Reports of a hospital that are counted.",
         [({"hospital": name}, len(weeks)) for name, weeks in reported.items()]),
        ("level", "gauge", "The privacy level that a week's reports have at most, mu.", _one(setting.mu)),
        ("spent_level", "gauge", "The level of all reports of a hospital: the root of the sum of their squares.",
         [({"hospital": name}, level) for name, level in levels]),
        ("spent_level_all", "gauge", "The level for one who was a patient in every week.", _one(accounts.of_all())),
        ("put_back", "gauge", "Whether the database seems to have been put back.", _one(int(coordinator.put_back))),
        ("answers_total", "counter", "Answers since the coordinator began, by status.",
         [({"status": f"{status}"}, count) for status, count in sorted(answers.items())]),
    ]  # fmt: skip
    return "".join(_family(f"hospitals_{name}", kind, told, samples) for name, kind, told, samples in families)


def _one(value: float) -> Samples:
    return [({}, value)]


def _family(name: str, kind: str, told: str, samples: Samples) -> str:
    lines = [f"# HELP {name} {told}", f"# TYPE {name} {kind}"]
    for labels, value in samples:
        braces = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        lines.append(f"{name}{{{braces}}} {float(value)!r}" if labels else f"{name} {float(value)!r}")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
