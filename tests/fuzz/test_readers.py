"""Files that are nearly right, or not at all: readers take them or refuse them in one line."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.fuzz.targets import STUDY, TARGETS, answers, seed

# In the suite the same few inputs each time, about a second for each reader; `make fuzz` tries many others.
LONG = settings.get_current_profile_name() == "fuzz"
SLOW = {"hospital.csv", "config.yaml", "claims.yaml"}


def bounded(examples: int) -> settings:
    return (
        settings()
        if LONG
        else settings(max_examples=examples, derandomize=True, deadline=None, database=None)
    )


WORDS = """\\ " ' , # { } [ ] : - & * ~ < ? | > % 0x 1:30 yes nan inf 1e999 -1 1..2 -999999 2021-02-30
&a *a <<: !!int !!bool !!timestamp"""
BYTES = [b"\0", b"\n", b"\r\n", b"\t", b": ", b"- "]
BYTES += [b"\x1f\x8b", b"\xff", b"\xef\xbb\xbf", b"\xc2\x85", b"\xe2\x80\xa8"]
LARGE = [b"9" * 30, b"9" * 5000, b"[" * 300]
PIECES = st.binary(max_size=6) | st.sampled_from([*map(str.encode, WORDS.split()), *BYTES, *LARGE])
TWICE = b"what stands there, twice"
EDITS = PIECES | st.just(TWICE) | st.just(b"")  # made once: a strategy is checked when it first draws


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """Draw a file with a few bytes put in, taken out, doubled or moved."""
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 40)))
        edit = draw(EDITS)
        content = content[:start] + (content[start:end] * 2 if edit == TWICE else edit) + content[end:]
    return content[: draw(st.integers(0, len(content)))] if draw(st.integers(0, 9)) == 0 else content


@pytest.mark.parametrize("name", TARGETS)
def test_what_each_reader_takes(name: str, tmp_path: Path) -> None:
    assert answers(name, seed(name), tmp_path)
    if name == "hospital.csv":  # lines may end as on an old Mac
        assert answers(name, seed(name).replace(b"\n", b"\r"), tmp_path)
    if name == "job.log":  # damaged notes about earlier runs are as good as none
        assert answers(name, b"took 1..2 s, 1 s of CPU, 8 MB", tmp_path)


@each(
    ("name", "content"),
    [
        ("claims.yaml", b"\x80"),
        ("config.yaml", b"\x80"),
        ("config.yaml", b"hospital: {first_week: 2021-02-30}"),
        ("config.yaml", b"seed: " + b"9" * 5000),
        ("config.yaml", b"seed: !!int '-'"),
        ("config.yaml", b"offline: !!bool maybe"),
        ("config.yaml", b"a: " + b"[" * 3000),
        ("config.yaml", b"sensitivity: {1: {a: {}}}"),
        ("config.yaml", b"hospital:"),
        ("config.yaml", b"generality: 5"),
        ("config.yaml", b"seed: 1\nseed: 2"),
        ("config.yaml", b'seed: {"\\n": {0: 1}}'),
        ("evidence.csv", b""),
        ("hospital.csv", seed("hospital.csv").replace(b"60.5", b"60\0.5")),
    ],
)
def test_what_once_was_no_line_is_one(name: str, content: bytes, tmp_path: Path) -> None:
    assert not answers(name, content, tmp_path)


@pytest.mark.parametrize("name", TARGETS)
def test_a_damaged_file_is_read_or_refused_in_one_line(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("fuzz")

    @bounded(15 if name in SLOW else 60)
    @given(damaged(seed(name)))
    def try_out(content: bytes) -> None:
        answers(name, content, folder)

    try_out()


# All that UTF-8 knows. Hypothesis tries every character there is to find the same set by the codec's name.
SIGNS = st.characters(exclude_categories=["Cs"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(SIGNS, max_size=5)
    | st.dates()
    | st.sampled_from(
        [0, 1, 2, 2.0, 1e308, 10**400, "NM", "all", "study", "-x", "a\n", "\0", "{a}", "2021-02-30"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(SIGNS, max_size=3) | st.integers(), inner, max_size=3)
    ),
    max_leaves=4,
)


def places(config: Any) -> list[tuple[Any, ...]]:
    """Return where the values of a config stand, whole sections as well."""
    pairs = (
        config.items() if isinstance(config, dict) else enumerate(config) if isinstance(config, list) else ()
    )
    return [place for key, value in pairs for place in [(key,), *((key, *rest) for rest in places(value))]]


@bounded(20)
@given(st.lists(st.tuples(st.sampled_from(places(STUDY)), VALUES), min_size=1, max_size=3))
def test_a_config_with_any_value_anywhere_is_taken_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[tuple[Any, ...], Any]]
) -> None:
    config = copy.deepcopy(STUDY)
    for place, value in changes:
        section = config
        for key in place[:-1]:
            inside = isinstance(section, dict) and key in section
            inside = inside or (isinstance(section, list) and isinstance(key, int) and key < len(section))
            section = section[key] if inside else None
        last = place[-1]
        if isinstance(section, dict) or (
            isinstance(section, list) and isinstance(last, int) and last < len(section)
        ):
            section[last] = value
    text = yaml.dump(config, Dumper=yaml.CSafeDumper, allow_unicode=True)
    answers("config.yaml", text.encode(), tmp_path_factory.getbasetemp())
