"""From a stage's signature follow the command, its help, the rule's flags and the rule's command."""

import argparse
import inspect
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.replication.stage_cli import (
    ARGUMENT,
    FLAGS,
    INPUT,
    PARAMS,
    PERSON,
    WILDCARD,
    Config,
    Folder,
    Output,
    Stem,
    add_command,
    call,
    flags,
    flat,
    is_rule,
    nested,
    parameters,
)
from private_experts.replication.workflow import cli
from tests.each import each


def a_stage(
    claim: Annotated[str, ARGUMENT, "Its id."],
    records: Annotated[Sequence[Path], INPUT, "Files of games; 5 % of them are empty."],
    panel: Annotated[Path, INPUT],
    state: Annotated[Annotated[str, WILDCARD, "Any state."], "This state."],
    levels: Annotated[Sequence[float], Config("privacy_levels")],
    repetitions: Annotated[int, Config("batching.repetitions")],
    seed: Annotated[int | None, Config("seed")],
    learners: Annotated[Mapping[str, Any], Config("learners")],
    column_names: Annotated[Sequence[str], PARAMS],
    output: Output,
    table: Stem,
    folder: Folder,
    extra: Annotated[Sequence[Path], INPUT] = (),
    provenance: Annotated[Path | None, INPUT] = None,
    adjacency: Annotated[Literal["move", "removal"], Config("hospital.adjacency")] = "move",
    reach: Annotated[float | Literal["derived"], Config("hospital.reach")] = 1.0,
    weeks: Annotated[int, FLAGS] = 148,
    quick: Annotated[bool, FLAGS] = False,
) -> None:
    """Do something with
    100 % of the records.

    More than anybody reads in a list of commands.
    """


def bare(path: Annotated[Path, PERSON] = Path("here")) -> int:
    """Do nothing."""
    return 0


WORDS = {
    **{"records": ["a.csv", "b c.csv"], "panel": ["NM.csv"], "state": ["NM"]},
    **{"privacy_levels": ["inf", "1", "0.5"], "batching.repetitions": ["20"], "seed": ["7"]},
    **{"learners": ["family=trend", "strengths.weak=0.1"], "column-names": ["beds", "sum of all"]},
    **{"output": ["out.csv"], "table": ["t"], "folder": ["f"]},
}
WHOLE = ["000/theorem-1", *(word for name, words in WORDS.items() for word in (f"--{name}", *words))]


def command(stage=a_stage) -> argparse.ArgumentParser:
    return add_command(argparse.ArgumentParser(prog="p").add_subparsers(), stage)


def read(words, stage=a_stage) -> dict:
    given = vars(command(stage).parse_args(words))
    assert given.pop("stage") is stage
    return given


# ---------------------------------------------------------------- from the signature to a command


def test_what_is_given_arrives_as_the_type_that_the_signature_names():
    given = {"claim": "000/theorem-1", "state": "NM", "repetitions": 20, "seed": 7}
    given |= {"levels": [float("inf"), 1.0, 0.5], "column_names": ["beds", "sum of all"]}
    given |= {"learners": {"family": "trend", "strengths": {"weak": 0.1}}}
    given |= {"records": [Path("a.csv"), Path("b c.csv")], "panel": Path("NM.csv")}
    given |= {"output": Path("out.csv"), "table": Path("t"), "folder": Path("f")}
    default = {"extra": (), "provenance": None, "adjacency": "move", "reach": 1.0, "weeks": 148}
    assert read(WHOLE) == given | default | {"quick": False}
    assert read([], bare) == {"path": Path("here")}


@each(
    ("more", "name", "value"),
    [
        (["--extra"], "extra", []),  # a rule whose input is empty names the flag and nothing after it
        (["--extra", "x", "y"], "extra", [Path("x"), Path("y")]),
        (["--provenance"], "provenance", None),
        (["--hospital.adjacency", "removal"], "adjacency", "removal"),
        (["--hospital.reach=3.7"], "reach", 3.7),
        (["--quick"], "quick", True),
    ],
)
def test_an_input_that_may_be_left_out_may_also_be_named_without_a_value(more, name, value):
    assert read([*WHOLE, *more])[name] == value


def refusal(words, capsys) -> str:
    with pytest.raises(SystemExit) as end:
        command().parse_args(words)
    assert end.value.code == 2
    return capsys.readouterr().err


def test_what_has_no_default_must_be_given(capsys):
    required = re.findall(r"--([\w.-]+)", refusal(["000/theorem-1"], capsys).partition("required: ")[2])
    assert required == [*WORDS]


@each(
    ("more", "reason"),
    [
        (["--hospital.adjacency", "moved"], "argument --hospital.adjacency: invalid choice: 'moved'"),
        (["--batching.repetitions", "2.5"], "argument --batching.repetitions: invalid int value: '2.5'"),
        (["--panel", "a", "b"], "unrecognized arguments: b"),
    ],
)
def test_words_of_another_kind_are_refused(capsys, more, reason):
    assert f"error: {reason}" in refusal([*WHOLE, *more], capsys)


CONFIG = {
    "privacy_levels": [float("inf"), 1, 0.5],
    "batching": {"repetitions": 20, "alpha": 0.01},
    "seed": 2026,
    "hospital": {"adjacency": "move", "reach": "derived"},
    "learners": {"family": "trend", "windows": [8, 16], "strengths": {"weak": 0.1}},
}


def test_flags_are_what_the_config_says_and_nothing_else():
    assert flags(a_stage, CONFIG) == [
        *("--privacy_levels", "inf", "1", "0.5"),
        "--batching.repetitions=20",
        "--seed=2026",
        *("--learners", "family=trend", "windows=[8, 16]", "strengths.weak=0.1"),
        "--hospital.adjacency=move",
        "--hospital.reach=derived",
    ]
    assert flags(bare, CONFIG) == []
    given = read([*WHOLE, *flags(a_stage, CONFIG)])
    assert (given["levels"], given["learners"]) == (CONFIG["privacy_levels"], CONFIG["learners"])


@each(
    ("value", "words"),
    [
        (None, []),
        (0, ["--seed=0"]),
        (-1e-9, ["--seed=-1e-09"]),
        (True, ["--seed"]),
        (False, []),
        ("a'; rm -rf b", ["--seed=a'; rm -rf b"]),
        (["one", "b c"], ["--seed", "one", "b c"]),
    ],
)
def test_a_value_of_the_config_becomes_words(value, words):
    def stage(seed: Annotated[str, Config("seed")]) -> None: ...

    assert flags(stage, CONFIG | {"seed": value}) == words


SIGNS = "a0. -,:=\n'\"[]{}é☃"  # all of Unicode would be tabled first, which takes two seconds
KEYS = st.text("aZ0_-é", min_size=1, max_size=3)
SECTION = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(SIGNS, max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.dictionaries(KEYS, SECTION, max_size=3))
def test_a_section_of_the_config_survives_as_words_in_its_order(section):
    assert json.dumps(nested(flat(section))) == json.dumps(section)


def test_a_rule_names_inputs_outputs_wildcards_and_params_as_its_stage_does():
    assert call(a_stage) == (
        "a-stage {params.flags:q} --records {input.records:q} --panel {input.panel:q} --state "
        "{wildcards.state:q} --column-names {params.column_names:q} --output {output.output:q} "
        "--table {params.table:q} --folder {params.folder:q} --extra {input.extra:q} --provenance "
        "{input.provenance:q}"
    )


# ---------------------------------------------------------------- the stages of the study


STAGES = cli.stages()


def test_stages_are_found_by_their_names():
    assert {"reports", "games", "batch_sizes", "checks", "verify"} <= STAGES.keys()
    assert "write_text" not in STAGES  # what a module of stages imports is none
    assert not [name for name, stage in STAGES.items() if name.startswith("_") or name != stage.__name__]


def test_every_command_and_each_of_its_flags_has_a_help_of_its_own_that_can_be_printed(capsys):
    parser = cli.parser()
    for name, stage in STAGES.items():
        assert inspect.getdoc(stage), name
        helps = [parameter.help for parameter in parameters(stage)]
        assert "" not in helps, name
        assert len({*helps}) == len(helps), name
        with pytest.raises(SystemExit) as end:
            parser.parse_args([name.replace("_", "-"), "--help"])
        assert end.value.code == 0, name
        assert name.replace("_", "-") in capsys.readouterr().out


def test_what_a_rule_gives_is_read_back_by_the_command():
    """The words of every rule, with something in each place, are those that its command takes."""
    parser, place = cli.parser(), {"wildcards": "3", "input": "a b", "output": "a", "params": "a"}
    for name, stage in STAGES.items():
        if not is_rule(stage):
            continue
        known, words = parameters(stage), []
        first = {one.name: get_args(one.type)[0] for one in known if get_origin(one.type) is Literal}
        first |= {one.name: "3" for one in known if one.type is int}
        for word in shlex.split(call(stage))[2:]:
            source, _, rest = word.removeprefix("{").partition(".")
            named = rest.removesuffix(":q}")
            if "flags" not in word:
                words.append(str(first.get(named, place[source])) if word.startswith("{") else word)
        for one in known:  # what comes in {params.flags}
            if one.source == FLAGS or isinstance(one.source, Config):
                chosen = first.get(one.name, "1") if get_origin(one.type) is Literal else "1"
                words += [one.flag, *([] if one.type is bool else [str(chosen)])]
        given = vars(parser.parse_args([name.replace("_", "-"), *words]))
        assert {one.name for one in known} <= given.keys(), name
