"""Whatever is sent, the answer is one sentence of JSON, and the counts are right. `make fuzz` tries more."""

import json
import math
import operator
import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples.hospitals.conftest import FIRST, SECOND, WEEKS, Deployment

# In the suite the same few inputs each time; `make fuzz` tries many others.
FEW = settings(max_examples=200, derandomize=True, deadline=None, database=None)
FUZZ = settings() if settings.get_current_profile_name() == "fuzz" else FEW
TERMS = {"level": 1.0, "unit": "patients per bed", "bounds": [0.0, 1.0], "noise": "secure"}
TERMS["sensitivity"] = 1 / 120

odd = [None, True, [], {}, [[0.25]], {"week": 1}, "", "1", "\ud800", 10**400, -1, 2**63, math.nan, -math.inf]
anything = st.sampled_from(odd) | st.floats() | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
right = {
    "hospital": st.just(FIRST),
    "week": st.just(WEEKS[0]),
    "value": st.floats(-0.1, 1.1),
    "terms": st.just(TERMS),
}
reports = st.fixed_dictionaries(right)
odd_keys = st.dictionaries(st.sampled_from([*right, "mark"]), anything, max_size=1)
near = st.builds(operator.or_, reports, odd_keys)
draws = st.fixed_dictionaries({"week": st.just(WEEKS[0]) | anything, "mark": st.just(32 * "a") | anything})
bodies = st.one_of(reports, near, draws, anything).map(lambda facts: json.dumps(facts).encode())
cut = st.builds(lambda body, at: body[:at], bodies, st.integers(0, 80))
changed = st.builds(operator.add, cut | bodies, st.binary(max_size=3))


@settings(FUZZ, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.sampled_from(["/reports", "/reports", "/draws"])
    | st.text("/.%ab\x00", max_size=9).map("/z{}".format),
    token=st.sampled_from([FIRST] * 9 + [SECOND]) | st.text(st.characters(max_codepoint=255), max_size=60),
    body=bodies | changed | st.binary(max_size=1100),
)
def test_any_request(deployment: Deployment, path: str, token: str, body: bytes) -> None:
    before = deployment.counted()
    status, answer = deployment.coordinator.answer("POST", path, deployment.tokens.get(token, token), body)
    assert status in (200, 400, 401, 403, 404, 409, 410, 422)
    assert list(answer) == ["answer" if status == 200 else "error"]
    assert re.fullmatch(r"[A-Z][^\n]{10,900}\.", next(iter(answer.values())))
    after = deployment.counted()
    assert after[: len(before)] == before  # nothing that was counted changes
    for week, hospital, text, value in after[len(before) :]:
        assert (status, path, week, hospital, text) == (200, "/reports", WEEKS[0], token, body.decode())
        assert value == json.loads(text)["value"]
        assert abs(value - 0.5) <= 0.5 + 10 * math.sqrt(2) / {FIRST: 120, SECOND: 80}[hospital]
