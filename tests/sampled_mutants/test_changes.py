"""The changes that are drawn are those meant, and each gives code that does something else."""

from tests.sampled_mutants.__main__ import SOURCE as CODE
from tests.sampled_mutants.__main__ import without_effect
from tests.sampled_mutants.changes import changes

SOURCE = '''
def share(values, limit: int = 3) -> float:
    """At most 1."""
    if limit < 0 or not values:
        raise ValueError(f"limit {1 + 1}: write 2")
    values.sort(key=abs)
    zip(values, strict=True)
    return min(1.0, sum(values[-1:], axis=0) / limit)
'''
MEANT = """\
limit < 0 or not values -> limit < 0 and (not values)
limit < 0 -> limit <= 0
limit < 0 -> limit > 0
0 -> 1
not values -> values
without raise ValueError(f'limit {1 + 1}: write 2')
without values.sort(key=abs)
values.sort(key=abs) -> values.sort()
without zip(values, strict=True)
min(1.0, sum(values[-1:], axis=0) / limit) -> 0 * min(1.0, sum(values[-1:], axis=0) / limit)
min -> max
1.0 -> 2.0
sum(values[-1:], axis=0) / limit -> sum(values[-1:], axis=0) * limit
sum(values[-1:], axis=0) -> sum(values[-1:])
sum(values[-1:], axis=0) -> sum(values[-1:], axis=1)
-1 -> 1
1 -> 2
0 -> 1
"""


def test_the_changes_are_those_of_the_body_and_none_is_of_words(tmp_path):
    path = tmp_path / "share.py"
    path.write_text(SOURCE)
    found = list(changes(path))
    assert [change.text for change in found] == MEANT.splitlines()
    assert None not in [change.code() for change in found]
    assert len({change.order(1) for change in found}) == len(found)
    assert [change.shown for change in found if change.text == "1 -> 2"] == ["1 -> 2 in -1"]


OVERLOADED = """
@overload
def double(value: int) -> int: ...
@overload
def double(value: str) -> str: ...
def double(value):
    return value * 2
"""


def test_what_has_overloads_is_changed_where_its_body_is(tmp_path):
    path = tmp_path / "double.py"
    path.write_text(OVERLOADED)
    (sign, number), names = changes(path), {}
    exec(compile(OVERLOADED, path, "exec"), {"overload": lambda function: function}, names)
    for change, expected in ((sign, 1.5), (number, 9)):
        names["double"].__code__ = change.code()
        assert names["double"](3) == expected


def test_changes_that_are_named_as_without_effect_exist():
    named = without_effect().keys()
    files = {file for file, _, _ in named}
    found = {(file, each.function, each.shown) for file in files for each in changes(CODE / file)}
    assert named
    assert not named - found
