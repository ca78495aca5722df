"""What is told of the pinned file, by all rules over all its states, is what the documents say."""

from pathlib import Path

from private_experts.replication.ledger.yaml_text import load_yaml
from private_experts.replication.study.data.hospital_reports import columns_used, read, within
from private_experts.replication.study.data.remarks import remarks
from private_experts.replication.study.data.source import PINNED
from tests.replication.study.data.weekly import rules_of

ROOT = Path(__file__).parents[2]


def test_the_known_file_has_what_the_documents_say():
    """The counts are those of docs/data.md#doubts."""
    rules = rules_of(load_yaml((ROOT / "config/study.yaml").read_text(encoding="utf-8"))["hospital"])
    table = read(ROOT / PINNED, (*rules.patients, *rules.beds, *rules.participation))
    chosen, inside = columns_used(table, rules.columns), within(table, rules.first_week, rules.last_week)
    found, new_ids = remarks(inside, chosen["patients"], chosen["beds"], rules.carried_weeks)
    counts = {" ".join(what.split()[:3]): len(cases) for what, cases in found.items()}
    assert counts == {
        "one name under": 4,
        "an id begins": 14,
        "two hospitals exchange": 3,
        "no patients in": 46,
        "no patients, or": 11,
        "as many patients": 2,
        "bed counts 2": 278,
        "patients 5 times,": 23,
        "patients unknown in": 10,
        "patients carried forward": 24,
        "beds carried forward": 54,
        "beds unknown for": 50,
    }
    others = dict.fromkeys(("IL", "MD", "MI", "MN", "ND", "PA", "PR", "TN"), 1)
    assert new_ids == {"FL": 5, "NV": 2, **others}
