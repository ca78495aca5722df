"""Whatever is sent, the answer is one sentence of JSON, and what is counted is right. Bounded to about two seconds."""

import json
import math
import re
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples.hospitals.desk import SETTING, TOKENS, Desk, good

STATUSES = {200, 400, 401, 404, 405, 408, 409, 410, 413, 422}
# In the suite the same few inputs each time, about a second for each test; `make fuzz` tries many others.
LONG = settings.get_current_profile_name() == "fuzz"
FUZZ = settings(
    settings() if LONG else settings(max_examples=150, derandomize=True, deadline=None, database=None),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

odd = [None, True, [], {}, [[0.25]], {"week": 1}, "", "1", "\ud800", 10**400, -1, 2**63, math.nan, -math.inf]
# All that UTF-8 knows. Hypothesis tries every character there is to find the same set by the codec's name.
signs = st.characters(exclude_categories=["Cs"])
anything = st.sampled_from(odd) | st.floats() | st.text(signs, max_size=20)
steps = st.integers(-(2**28), 5 * 2**28).map(lambda step: step / 2**30)
values = st.sampled_from([0.25, 0.5, -0.0, 5e-324, 2**30, 1.2]) | anything
near = st.fixed_dictionaries(
    {
        "week": st.sampled_from([1] * 9 + [0, 2, 5, 1.0]) | anything,
        "value": st.one_of(steps, steps, steps, values),
        "scale": st.sampled_from([SETTING.scale("H01")] * 9 + [0, 1.0]) | anything,
    },
    optional={"patients": anything},
).map(lambda content: json.dumps(content).encode())
changed = st.tuples(near, st.integers(0, 80), st.binary(max_size=3)).map(
    lambda parts: parts[0][: parts[1]] + parts[2] + parts[0][parts[1] + 1 :]
)
right = st.builds(good, week=st.integers(1, 3), value=steps).map(lambda content: json.dumps(content).encode())
wild = st.binary(max_size=1100) | anything.map(lambda content: json.dumps(content).encode())
bodies = st.sampled_from([right, near, near, changed, wild]).flatmap(lambda chosen: chosen)


odd_paths = st.text("/.%\x00ab", max_size=9).map("/z{}".format)


def assert_answer(desk: Desk, answer: Any) -> None:
    assert answer.status in STATUSES
    assert list(answer.told) == ["answer" if answer.status == 200 else "error"]
    assert re.fullmatch(r"[A-Z][^\n]{10,150}\.", answer.sentence)
    for value in desk.store.reports(1)[0].values():
        assert math.isfinite(value)
        assert abs(value - 0.5) <= 0.5 + 10 * SETTING.scale("H01")
        assert (value * 2**30).is_integer()


@FUZZ
@given(body=bodies, hospital=st.sampled_from(list(TOKENS)))
def test_any_body(desk: Desk, body: bytes, hospital: str) -> None:
    before = desk.store.reports(1)[0]
    answer = desk.report(hospital, body)
    assert_answer(desk, answer)
    after = desk.store.reports(1)[0]
    assert after.items() >= before.items()  # nothing that was counted changes
    assert len(after) - len(before) <= (answer.status == 200)


@FUZZ
@given(
    method=st.sampled_from(["GET", "POST", "PUT", "HEAD", "DELETE", "OPTIONS", "BREW"]),
    path=st.sampled_from(["/reports", "/reports/", "/x", "/reports/H01", "/held", "/ahead", "/draws"]) | odd_paths,
    header=st.text(st.characters(max_codepoint=255), max_size=60),
    pieces=st.lists(st.binary(max_size=400), max_size=5),
    end=st.sampled_from(["whole", "breaks off"]),
)
def test_any_request(desk: Desk, method: str, path: str, header: str, pieces: list[bytes], end: Any) -> None:
    answer = desk.ask(method, path, pieces, end, Authorization=header)
    assert answer.status in STATUSES
    if method != "HEAD":
        assert_answer(desk, answer)
    assert desk.store.reports(1) == [{}]
