import math
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from private_experts.algorithms import (
    RWFTPL,
    DyadicLeader,
    NoisyFixedShare,
    RestartingLeader,
    RWMeta,
    TreeFTPL,
)
from private_experts.errors import InputError
from private_experts.learners import TotalsLeader
from private_experts.privacy import (
    ApproximateDP,
    GaussianDP,
    MatrixSums,
    PureDP,
    Reports,
    SimulatedNoise,
    in_rounds,
    informed_scales,
    own_scales,
    privatize,
    shared_scale,
)
from private_experts.privacy.factorization import square_root
from private_experts.privacy.gaussian_mechanism import delta as exact_delta
from private_experts.privacy.guarantees import (
    central_delta,
    check_guarantee,
    checked_pure_local,
    no_weaker,
    pure_or_approximate,
)
from tests.each import each


def test_noise_scale_in_closed_form_and_at_both_ends():
    assert GaussianDP(0.5, "local").noise_scale(math.sqrt(2)) == math.sqrt(8)
    assert GaussianDP(math.inf, "central").noise_scale(3.0) == 0.0
    with pytest.raises(InputError, match=r"^privacy level mu = 0: .* write a positive number$"):
        GaussianDP(0.0, "local").noise_scale(1.0)
    with pytest.raises(InputError, match="sensitivity"):
        GaussianDP(0.5, "local").noise_scale("1")


@each(
    ("guarantee", "text"),
    [
        (GaussianDP(0.25, "central"), "0.25-GDP (central)"),
        (GaussianDP(math.inf, "local"), "no privacy"),
        (PureDP(0.5, "local"), "0.5-DP (local)"),
        (PureDP(math.inf, "local"), "no privacy"),
        (ApproximateDP(1.0, 1e-6, "central"), "(1, 1e-06)-DP (central)"),
        (ApproximateDP(math.inf, 1e-6, "central"), "no privacy"),
        (ApproximateDP(1.0, 1.0, "local"), "no privacy"),
    ],
)
def test_text_names_level_and_model(guarantee, text):
    assert str(guarantee) == text


KINDS = {
    "mu": lambda level, model="local": GaussianDP(level, model),
    "epsilon": lambda level, model="local": PureDP(level, model),
    "epsilon of two": lambda level, model="local": ApproximateDP(level, 0.1, model),
}
every_kind = each("kind", KINDS)


@every_kind
def test_a_guarantee_is_a_value_of_python_s_floats_and_cannot_be_changed(kind):
    make, level = KINDS[kind], kind.split()[0]
    assert make(1) == make(1.0)
    assert make(1.0) != make(1.0, "central")
    with pytest.raises(AttributeError):
        setattr(make(1.0), level, 2.0)
    with pytest.raises(AttributeError):
        ApproximateDP(1.0, 0.1, "local").delta = 0.2
    for number in (np.uint8(200), np.float32(0.5), 2, Fraction(1, 2)):
        stated = getattr(make(number), level)
        assert (stated, type(stated)) == (float(number), float)


NO_LEVELS = [True, np.True_, "1", None, 1j, [1.0], np.ones(1), -(10**400)]
ROUNDED_TO_0 = Fraction(1, 10**400)


@every_kind
def test_what_is_no_level_no_delta_or_no_model_is_refused_in_one_line(kind):
    level = kind.split()[0]
    for number in (-1e-300, math.nan):
        with pytest.raises(
            InputError, match=rf"^privacy level {level} = {number}: write a positive number, or i"
        ):
            KINDS[kind](number)
    for wrong in (*NO_LEVELS, ROUNDED_TO_0):
        with pytest.raises(
            InputError, match=rf"^privacy level {level} [^\n]*: write a positive number, or inf[^\n]*$"
        ):
            KINDS[kind](wrong)
    for model in ("loocal", None):
        with pytest.raises(InputError, match="write 'local' or 'central'"):
            KINDS[kind](1.0, model)
    for delta in (-1e-9, 1.1, math.nan):
        with pytest.raises(InputError, match=rf"^privacy level delta = {delta}: write a number from 0 to 1$"):
            ApproximateDP(1.0, delta, "local")


@each("model", ["local", "central"])
def test_simulated_noise_is_that_of_all_rounds(model):
    for make in KINDS.values():
        assert in_rounds(replace(make(0.5, model), simulated=True), 3).simulated
        assert not in_rounds(make(0.5, model), 3).simulated


def test_small_integers_of_numpy_compose_like_any_number():
    whole = np.uint8(128)
    assert in_rounds(PureDP(whole, "central"), np.uint8(2)) == PureDP(256.0, "central")
    assert in_rounds(GaussianDP(whole, "central"), np.uint8(2)) == GaussianDP(256.0, "central")
    assert in_rounds(ApproximateDP(whole, 0.0, "central"), 2).epsilon == 256.0
    assert GaussianDP(np.uint8(1), "local").noise_scale(np.uint8(200)) == 200.0
    assert type(GaussianDP(1.0, "local").noise_scale(np.float32(0.1))) is float


@each(("level", "delta"), [(1.0, 1e-6), (8.0, 0.1), (0.0, 1e-3)])
def test_a_gaussian_level_of_epsilon_and_delta_is_the_weakest_that_keeps_them(level, delta):
    stated = GaussianDP.from_epsilon_delta(epsilon=level, delta=delta, model="local")
    assert stated.model == "local"
    of_more = float(exact_delta(epsilon=level, mu=stated.mu * (1 + 1e-9)))
    assert float(exact_delta(epsilon=level, mu=stated.mu)) <= delta < of_more
    assert stated.epsilon(delta) <= level
    endless = GaussianDP.from_epsilon_delta(epsilon=math.inf, delta=delta, model="central")
    assert endless == GaussianDP(math.inf, "central")


@each(
    ("given", "message"),
    [
        ((1.0, 1.0, "local"), r"^privacy level delta = 1\.0: write a number between 0 and 1$"),
        ((1.0, 0, "local"), r"^privacy level delta = 0: write a number between 0 and 1$"),
        ((-1.0, 1e-6, "local"), r"^privacy level epsilon = -1\.0: write a positive number"),
        ((1e-6, 2.0, "local"), r"^privacy level delta = 2\.0: write a number from 0 to 1$"),
        ((1.0, 1e-6, "loocal"), r"^privacy model 'loocal': write 'local' or 'central'$"),
    ],
)
def test_epsilon_and_delta_out_of_range_are_refused_in_one_line(given, message):
    with pytest.raises(InputError, match=message):
        GaussianDP.from_epsilon_delta(**dict(zip(("epsilon", "delta", "model"), given, strict=True)))


FIRST, REACH = Reports(np.zeros((1, 2)), GaussianDP(0.1, "local"), 1.0), 1 / np.array([10, 50])
NOISE = SimulatedNoise(0)
CALIBRATED = {  # whatever takes a mu, by who refuses
    "RW-FTPL": lambda it: RWFTPL(2, it, sensitivity=0.5, noise=NOISE),
    "RW-Meta": lambda it: RWMeta([TotalsLeader(FIRST)], it, rng=0),
    "tree FTPL": lambda it: TreeFTPL(2, it, horizon=9, sensitivity=0.5, noise=NOISE),
    "noisy fixed share": lambda it: NoisyFixedShare(2, it, horizon=9, switches=1, eta=0.3, rng=0),
    "correlated reports": lambda it: MatrixSums(
        2, it, strategy=square_root(9), sensitivity=np.ones(9), noise=NOISE
    ),
    "reports": lambda it: privatize(np.zeros(2), it, 0.5, NOISE),
    "own counts": lambda it: own_scales(REACH, it),
}
ALIKE = {  # others that refuse in the same name
    "reports": [lambda it: Reports(np.zeros((1, 2)), it, 1.0)],
    "own counts": [lambda it: shared_scale(REACH, it), lambda it: informed_scales(REACH, it, "total")],
}


@each("who", [*CALIBRATED])
def test_what_is_calibrated_in_mu_shows_the_line_to_write_for_epsilon_and_delta(who):
    for make in (CALIBRATED[who], *ALIKE.get(who, [])):
        for model in ("local", "central"):
            with pytest.raises(InputError) as caught:
                make(ApproximateDP(1.0, 1e-6, model))
            refusal, line = str(caught.value).split("; write ")
            assert refusal == f"{who}: (1, 1e-06)-DP ({model}) was asked for"
            assert re.fullmatch(
                r"GaussianDP\.from_epsilon_delta\(epsilon=1\.0, delta=1e-06, model='\w+'\)", line
            )
            make(eval(line, {"GaussianDP": GaussianDP}))


@each("make", [DyadicLeader, RestartingLeader])
def test_what_is_pure_shows_the_line_to_write_for_epsilon_and_delta(make):
    given = {"horizon": 100} if make is RestartingLeader else {}
    with pytest.raises(InputError, match="write ") as caught:
        make(2, ApproximateDP(20.0, 1e-6, "central"), rng=1, **given)
    line = re.search(r"write (PureDP\(.*\)), which is no weaker$", str(caught.value))[1]
    make(2, eval(line, {"PureDP": PureDP}), rng=1, **given)


@each(("delta", "text"), [(0.0, "1-DP"), (0.1, "(1, 0.1)-DP")])
def test_what_a_seeded_generator_promises_of_a_curator_says_so(delta, text):
    stated = pure_or_approximate(1.0, delta)
    assert str(stated) == f"{text} (central, simulated noise)"
    assert central_delta("who", stated) == delta


@each(
    ("stated", "kind", "line"),
    [
        (ApproximateDP(0.5, 0.0, "central"), PureDP, "PureDP(0.5, 'local'), which is no weaker"),
        (ApproximateDP(0.0, 0.1, "central"), PureDP, "PureDP(..., 'local')"),
        (GaussianDP(1.0, "local"), PureDP, "PureDP(..., 'local'), such as pure_within of it"),
        (ApproximateDP(0.5, 0.0, "local"), GaussianDP, "GaussianDP(..., 'local')"),
        (1.0, GaussianDP, "GaussianDP(..., 'local')"),
    ],
)
def test_another_kind_is_refused_with_the_line_to_write(stated, kind, line):
    in_any = line.replace("..., 'local'", "..., 'local') or (..., 'central'").replace(
        "0.5, 'local'", "0.5, 'central'"
    )
    for model, shown in (("local", line), (None, in_any)):
        with pytest.raises(InputError) as caught:
            check_guarantee(stated, "who", kind, model)
        assert str(caught.value) == f"who: {stated} was asked for; write {shown}"


@each("wrong", [PureDP(1.0, "local"), GaussianDP(1.0, "central"), ApproximateDP(1.0, 0.1, "local")])
def test_a_curator_with_a_delta_or_none_is_no_other(wrong):
    with pytest.raises(
        InputError, match=r"^who: .* was asked for; write (PureDP|ApproximateDP)\(\.\.\., 'central'\)"
    ):
        central_delta("who", wrong)
    for delta in (0.0, 1.0):
        with pytest.raises(InputError, match=r"^who: delta = .*: write a number between 0 and 1$"):
            central_delta("who", ApproximateDP(1.0, delta, "central"))


@each(("most", "wanted"), [(math.inf, "or inf for no privacy"), (700.0, "at most 700")])
def test_a_pure_level_of_0_is_refused_with_those_that_may_be_written(most, wanted):
    with pytest.raises(InputError, match=f"^who: epsilon = 0.0: write a number above 0, {wanted}$"):
        checked_pure_local("who", PureDP(0.0, "local"), most)


@each("stated", [GaussianDP(1.0, "central"), PureDP(1.0, "central"), ApproximateDP(1.0, 1e-6, "central")])
def test_a_promise_passes_for_a_weaker_one_by_no_more_than_rounding(stated):
    level = "mu" if isinstance(stated, GaussianDP) else "epsilon"
    for required in (1.0, 1.5, 1 - 1e-13):
        assert no_weaker("test", stated, replace(stated, **{level: required})) is stated
    with pytest.raises(InputError, match=r"^test: the settings promise .*; change them, or ask for less$"):
        no_weaker("test", stated, replace(stated, **{level: 1 - 1e-11}))


def test_what_could_be_swapped_or_overlooked_is_said_by_name_alone():
    with pytest.raises(TypeError):
        GaussianDP.from_epsilon_delta(1e-6, 0.5, "local")
    for kind in (GaussianDP, PureDP):
        with pytest.raises(TypeError, match="positional"):
            kind(1.0, "local", True)
        assert not kind(1.0, "local").simulated
