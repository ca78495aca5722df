import os
from pathlib import Path

import pytest
import yaml

from private_experts.errors import InputError
from private_experts.replication.ledger.yaml_text import LARGEST, load_yaml, read_yaml
from tests.each import each

ROOT = Path(__file__).parents[3]


@each(
    ("text", "key", "line"),
    [
        ("seed: 1\nseed: 2", "seed", 2),
        ("a: {b: 1, c: 2, b: 3}", "b", 1),
        ("a: &x {b: 1}\nc: {<<: *x, d: 1, d: 2}", "d", 2),
        ("a: &x {b: 1}\nc: {<<: *x, <<: *x}", "<<", 2),
        ("1: a\n0x1: b", "0x1", 2),  # written otherwise, and the same
        (".nan: a\n.nan: b", ".nan", 2),
    ],
)
def test_a_key_that_appears_twice_is_refused_with_its_line(text, key, line):
    with pytest.raises(
        yaml.YAMLError, match=rf"(?s)key '{key}' appears twice; keep one of them.*line {line},"
    ):
        load_yaml(text)


@each(
    ("text", "value"),
    [
        ("a: {b: 1}\nb: {b: 1}", {"a": {"b": 1}, "b": {"b": 1}}),
        # what a mapping says itself counts
        ("a: &x {b: 1}\nc: {<<: *x, b: 2}", {"a": {"b": 1}, "c": {"b": 2}}),
        # A mapping that takes what another merges has its keys twice, but nobody wrote them twice.
        (
            "x: &x {a: 1}\nin: {side: &b {<<: *x, a: 2}}\nc: {<<: *b, e: 1}",
            {"x": {"a": 1}, "in": {"side": {"a": 2}}, "c": {"a": 2, "e": 1}},
        ),
        ("1: a\n'1': b\n=: c", {1: "a", "1": "b", "=": "c"}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
    ],
)
def test_the_same_key_in_other_mappings_and_merged_keys_are_allowed(text, value):
    assert load_yaml(text) == value


def repeated(one, level):
    """Return a text of a few lines that stands for 9 ** 8 values."""
    lines = [f"x0: &x0 {one}", *(level(n, ",".join([f"*x{n - 1}"] * 9)) for n in range(1, 9))]
    return "\n".join(lines)


@each(
    "text",
    [
        repeated("[1,2,3]", lambda n, nine: f"x{n}: &x{n} [{nine}]"),
        repeated("{a: 1}", lambda n, nine: f"x{n}: &x{n} {{<<: [{nine}]}}"),
        "a: &a {b: *a}",
        "a: &a [1, *a]",
    ],
)
def test_aliases_that_repeat_without_end_are_refused_at_once(text):
    with pytest.raises(yaml.YAMLError, match=r"its aliases \(\*\) make it more than 1,000,000 values"):
        load_yaml(text)


def test_a_million_values_are_allowed_with_what_aliases_repeat():
    text = f"a: &x {[1] * 999}\nb: [{','.join(['*x'] * 998)}]\nc: {{}}"
    assert len(load_yaml(text.format([1] * 997))["c"]) == 997
    with pytest.raises(yaml.YAMLError, match="more than 1,000,000 values"):
        load_yaml(text.format([1] * 998))


@each("path", ["config/study.yaml", "claims/schema.yaml"])
def test_the_projects_own_files_say_what_they_said_to_yamls_own_loader(path):
    assert read_yaml(ROOT / path) == yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def test_a_file_is_refused_in_one_line(tmp_path):
    def refusal(path):
        with pytest.raises(InputError) as caught:
            read_yaml(path)
        (line,) = str(caught.value).splitlines()
        assert line.startswith(f"{path}: ")
        return line

    path = tmp_path / "a.yaml"
    assert "no such file; name a YAML file" in refusal(path)
    path.write_text("a: 1\nb:\n  c: 1\n  c: 2\n")
    assert "is not valid YAML (key 'c' appears twice; keep one of them" in refusal(path)
    assert "line 4" in refusal(path)
    path.write_bytes(b"a: \xff")
    assert "is not valid YAML" in refusal(path)
    os.truncate(path, LARGEST + 1)
    assert "has 16,777,217 bytes, and 16,777,216 are allowed" in refusal(path)
    (tmp_path / "loop").symlink_to("loop")
    assert "cannot be read" in refusal(tmp_path / "loop")
