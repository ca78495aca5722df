"""What a page of one file may load: what it holds."""

import base64
import hashlib

from private_experts.replication.plotting.self_contained_html import policy


def test_the_policy_names_each_style_and_script_and_allows_nothing_else() -> None:
    styles, scripts = ["a {}", "b {}"], ["f()", "é()"]
    parts = dict(part.split(" ", 1) for part in policy(styles, scripts).split("; "))
    assert parts.pop("default-src") == parts.pop("base-uri") == parts.pop("form-action") == "'none'"
    assert parts.pop("img-src") == "data:"
    for name, texts in (("style-src", styles), ("script-src", scripts)):
        digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
        assert parts.pop(name) == " ".join(f"'sha256-{digest}'" for digest in digests)
    assert parts == {}
