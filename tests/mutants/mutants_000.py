"""Mutants of what draws in paper 000's algorithms."""

from collections.abc import Callable

from private_experts.algorithms.baselines import Uniform
from private_experts.algorithms.credited_leader import CreditedLeader
from private_experts.algorithms.decorrelation import extra_noise
from private_experts.algorithms.delayed import Delayed
from private_experts.algorithms.fresh_meta import FreshMeta
from private_experts.algorithms.hedge import Hedge
from private_experts.algorithms.hedge_meta import HedgeMeta
from private_experts.algorithms.known_advice import _covariances, leaders
from private_experts.algorithms.prefix_ftpl import PrefixFTPL
from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.algorithms.rw_meta import RWMeta
from private_experts.algorithms.sleeping_experts import SleepingExperts
from private_experts.algorithms.smoothed_leader import SmoothedLeader
from private_experts.algorithms.tree_ftpl import TreeFTPL
from private_experts.games import NamedExperts, private_reports
from private_experts.games.play import _made_private
from private_experts.privacy import privatize
from private_experts.privacy.banded import BandedSums
from private_experts.privacy.correlated import CorrelatedReports, MatrixSums
from private_experts.privacy.noise import SecureNoise, SimulatedNoise, perturbed_by_expert
from private_experts.privacy.own_counts import own_scales
from private_experts.privacy.side_by_side import _together
from private_experts.privacy.tight_tree import TightTreeSums
from private_experts.privacy.tree import TreeSums
from private_experts.replication.study.own_counts import own_games
from private_experts.replication.study.players import prefix_sums
from tests.mutants.mutant import DRAWN_WRONGLY, Mutant, edited

CLAIM = "000/drawn-noise"
TEST = "tests/replication/papers/p000/test_noise_000.py::test_what_is_drawn_has_the_stated_law"
NOISE = "tests/privacy/test_noise.py::"
OWN = f"{NOISE}test_each_call_and_copy_has_numbers_of_its_own_in_the_stated_scale_to_the_digit"
SIDE_BY_SIDE = "tests/privacy/test_side_by_side.py::"
AS_MANY = f"{SIDE_BY_SIDE}test_one_mechanism_with_a_sensitivity_for_each_expert_does_as_many_mechanisms"
DIGITS = "tests/privacy/test_sums.py::test_the_noise_of_all_releases_together_is_as_described_to_the_digit"
PLAY = "tests/games/test_play.py::"
LEARNERS = "for_any_number_of_learners_to_the_digit"
PLAYERS = "tests/replication/study/players/test_prefix_sums.py::"
WEEKS = "test_the_noise_of_plays_is_scaled_to_their_level_and_each_weeks_own_sensitivity"

MUTANTS: dict[str, Mutant] = {}


def add(function: Callable, old: str, changes: dict[str, tuple[str, ...]]) -> None:
    """Add mutants that write other words for some of a function, by name: the words, the mechanism, the test.

    By default that is the mechanism's own test.
    """
    for name, (new, mechanism, *test) in changes.items():
        [named] = test or [f"{TEST}[{mechanism}]"]
        assert f"000: {name}" not in MUTANTS
        MUTANTS[f"000: {name}"] = Mutant(edited(function, old, new), CLAIM, named, mechanism)


# Noise, and reports

add(
    SimulatedNoise.perturb,
    "self._rng.standard_normal(shape)",
    {
        **{
            f"{name}, {where}": (new, mechanism)
            for name, new in DRAWN_WRONGLY.items()
            for where, mechanism in (("reports", "Reports"), ("trees", "TightTreeSums"))
        },
        **{
            f"{name}, correlated sums": (DRAWN_WRONGLY[name], mechanism)
            for name, mechanism in (
                ("half the noise", "MatrixSums"),
                ("noise reused between rounds", "BandedSums"),
                ("noise in the first round alone", "CorrelatedReports"),
                ("one draw shared by copies", "SideBySideReports"),
                ("no noise", "SideBySideSums"),
            )
        },
        **{
            f"one draw shared by both halves of the copies, {where}": (
                "{0}[np.arange(repetitions) % max(1, repetitions // 2)]",
                mechanism,
            )
            for where, mechanism in (("reports", "Reports"), ("trees", "TightTreeSums"))
        },
        "sizes of noise reused between rounds, signs anew": (
            "np.copysign(vars(self).setdefault(str(shape), abs(x := {0})), x)",
            "Reports",
        ),
        "every thousandth copy draws the same": ("{0}[np.arange(repetitions) % 1000]", "Reports", OWN),
        "every sixteenth round draws the same": (
            "(vars(self).setdefault('kept', []).append({0}) or self.kept[(len(self.kept) - 1) % 16]).copy()",
            "Reports",
            OWN,
        ),
    },
)
add(
    SimulatedNoise.perturb,
    "report *= scale",
    {
        "a thirtieth less noise": ("{0} * 0.97", "Reports", OWN),
        "half the noise of gains of 1": ("{0} * np.where(values < 1, 1, 0.5)", "Reports", OWN),
        "half the noise of single copies": ("{0} / (1 + (repetitions == 1))", "Reports"),
        "half the noise of gains per copy": (
            "{0} / (1 + (values.ndim == 2 and not np.array_equal(scale, 1.0)))",
            "Reports",
        ),
        "own counts, half the noise of gains per copy": (
            "{0} / (1 + (np.ndim(scale) == 1 and values.ndim == 2))",
            "Reports",
        ),
    },
)
THREADS = f"{NOISE}test_any_number_of_threads_draws_the_same_noise[False-shape0]"
add(
    SimulatedNoise.perturb,
    "part *= scale[",
    {"half the noise drawn by threads": ("part /= 2\n            {0}", "Reports", THREADS)},
)
SCALES = f"{NOISE}test_secure_noise_has_the_scale_of_each_expert"
add(
    SecureNoise.perturb,
    "scale.tolist()",
    {"the least scale of secure noise for all experts": ("[scale.min()] * len(scale)", "Reports", SCALES)},
)
LOSSES = f"{PLAY}test_every_round_is_privatised_once_with_its_own_scale"
add(
    privatize,
    "report = made(array, reach",
    {
        "half the noise in a narrow unit, one report": ("{0} / (1 + (unit < 1))", "Reports"),
        "own counts, half the noise in another unit": (
            "{0} / (1 + (moved != None and unit != 1))",
            "Reports",
        ),
        "half the noise of losses, one report": ("{0} / (1 + losses)", "Reports", LOSSES),
    },
)
add(
    private_reports,
    "dtype=np.float64) / unit",
    {
        "half the noise in a narrow unit, all rounds": ("{0} / (1 + (unit < 1))", "Reports"),
        "half the noise of losses, all rounds": ("{0} / (1 + losses)", "Reports", LOSSES),
    },
)
add(
    own_scales,
    "math.sqrt(moved)",
    {"own counts, a person in two experts at most": ("math.sqrt(min(moved, 2))", "Reports")},
)
add(
    NamedExperts._report,
    "self._privatize(values)",
    {
        "noise reused where gains stay, experts by name": (
            "vars(self).setdefault('kept', {}).setdefault(values.tobytes(), {0})",
            "RWFTPL",
            "tests/games/test_named_experts.py::test_a_local_algorithm_hears_reports",
        )
    },
)
MADE = f"{PLAY}test_true_gains_reach_no_local_algorithm"
add(
    _made_private,
    "noise, copies, bounds",
    {"one draw shared by copies, a play that makes reports": ("noise, 1, bounds", "RWFTPL", MADE)},
)
add(
    perturbed_by_expert,
    "noise.perturb(wide, 1.0, n)",
    {
        "half the noise, each expert's tree": ("noise.perturb(wide, 0.5, n)", "SideBySideSums"),
        "one draw for all experts, each expert's tree": (
            "(wide + noise.perturb(0 * wide[:1], 1.0, 1))",
            "SideBySideSums",
        ),
        "side by side, half the noise of a single copy": (
            "noise.perturb(wide, 1 / (1 + (repetitions == 1)), n)",
            "SideBySideReports",
            AS_MANY,
        ),
        "half the noise by expert, of five and more": (
            "noise.perturb(wide, 1 / (1 + (n > 4)), n)",
            "SideBySideReports",
            AS_MANY,
        ),
    },
)
add(
    CorrelatedReports.report_any,
    "protected[None], self._scale",
    {"half the noise by expert, correlated reports": ("{0} / 2", "SideBySideReports")},
)
WORST = f"{SIDE_BY_SIDE}test_the_guarantee_is_that_of_the_worst_experts"
add(
    _together,
    "[-moved:]",
    {"side by side, a person in two experts at most": ("[-min(moved, 2) :]", "SideBySideSums", WORST)},
)

# Sums

add(
    MatrixSums.__init__,
    "nothing[None], scale",
    {"half the first noise by expert, matrices": ("{0} / 2", "SideBySideSums")},
)
add(
    TightTreeSums._perturbed,
    "float(scale[0])",
    {
        "no noise from block 8 on, tight tree": ("{0} * (self._count < 8)", "TightTreeSums"),
        # Left nodes alone are released unless sums are refined; the widest of 16 rounds comes last.
        "no noise of a node of 16 rounds, tight tree": (
            "{0} * (self._count != 16 or scale is not scales[-1])",
            "TightTreeSums",
        ),
    },
)
add(
    TightTreeSums.__init__,
    "np.column_stack(level)",
    {
        "half the noise of left nodes by expert": (
            "{0} / (1 + (self.by_expert and not refined))",
            "SideBySideSums",
        ),
        "half the noise, trees of three coordinates": (
            "{0} / (1 + (n > 2 and not self.by_expert))",
            "TightTreeSums",
            DIGITS,
        ),
    },
)
add(
    TreeSums.release,
    "if self._padded",
    {
        "no padding, tree": ("if False", "TreeSums"),
        "no padding of uneven rounds, tree": ("{0} and not np.ndim(self.node_scale)", "TreeSums"),
    },
)
add(
    TreeSums._scale_of,
    "return (",
    {
        "an eighth of the noise of a node of 16 rounds, tree": (
            "return 1 / (1 + 7 * (end - start == 16)) * (",
            "TreeSums",
        ),
        "half the noise, nodes of 32 rounds": (
            "return 1 / (1 + (end - start >= 32)) * (",
            "TreeSums",
            DIGITS,
        ),
    },
)
add(
    BandedSums.add,
    "weights @ self._data, self._scale",
    {
        "no noise from vector 9 on, bands": ("{0} * (self._count < 8)", "BandedSums"),
        "half the noise, bands from vector 31 on": ("{0} / (1 + (self._count >= 30))", "BandedSums", DIGITS),
    },
)

# Leaders of reports and of sums

for kind, where in ((RWFTPL, "RW-FTPL"), (RWAdaBatch, "RW-AdaBatch")):
    add(
        kind.__init__,
        "self.total = ",
        {
            f"no z_0, {where}": ("{0}0 * ", kind.__name__),
            f"less z_0 in a narrow unit, {where}": (
                "{0}(min(1, self.bounds[1] - self.bounds[0]) if self.bounds else 1) * ",
                kind.__name__,
            ),
        },
    )
add(
    RWFTPL.__init__,
    "self.total = ",
    {"half z_0 of own scales, RW-FTPL": ("{0}1 / (1 + (np.ptp(scale) > 0)) * ", "RWFTPL")},
)
add(RWFTPL.update, "self.total += ", {"no update, RW-FTPL": ("{0}0 * ", "RWFTPL")})
add(
    RWAdaBatch.__init__,
    "self.total = ",
    {
        "half z_0 of scales of rounds, RW-AdaBatch": ("{0}1 / (1 + (np.ptp(scales) > 0)) * ", "RWAdaBatch"),
        "half z_0 of a sensitivity, RW-AdaBatch": ("{0}1 / (1 + (sensitivity is not None)) * ", "RWAdaBatch"),
    },
)
add(
    RWAdaBatch._begin,
    "self._remaining[idle] = sizes",
    {"batches of one round, RW-AdaBatch": ("{0} = sizes // sizes", "RWAdaBatch")},
)
add(
    RWAdaBatch.predict,
    "self._leader.copy()",
    {"looks into batches, RW-AdaBatch": ("(self.total + self._buffer).argmax(axis=-1)", "RWAdaBatch")},
)
add(
    PrefixFTPL.update_unchecked,
    " if self._width == 1 else gains * self._width",
    {"sums in no unit": ("", "PrefixFTPL"), "sums in no unit, tree": ("", "TreeFTPL")},
)
add(
    PrefixFTPL.update_unchecked,
    "_actions = None",
    {"no update, leader of sums": ("unread = None", "TreeFTPL")},
)
add(
    TreeFTPL.__init__,
    "chosen = scale",
    {"half of a given scale, tree leader": ("{0} / (1 + (np.ndim(scale) == 0 and scale == 4))", "TreeFTPL")},
)
add(
    CreditedLeader._credit, "self.totals += ", {"no update, leader of credits": ("{0}0 * ", "CreditedLeader")}
)
add(SmoothedLeader._credit, "credit += ", {"no update, smoothed leader": ("{0}0 * ", "SmoothedLeader")})
add(Delayed._turn, "self._copy = idle[0]", {"no turns, delayed": ("self._copy = 0", "Delayed")})
add(
    Delayed.__init__,
    "self._round = 1",
    {
        "one z_0 for all copies, delayed": (
            "{0}\n        for copy in self._copies: copy.total = self._copies[0].total.copy()",
            "Delayed",
        )
    },
)
add(
    Delayed.update,
    "door(copy)(reports[number])",
    {"the last of reports that arrive together, delayed": ("number < max(reports) or {0}", "Delayed")},
)

# Choices between learners

for kind, words, digits in (
    (HedgeMeta, "self.rates[:, None]", f"test_hedge_meta.py::test_noise_is_of_the_rate_{LEARNERS}"),
    (FreshMeta, "return noise", f"test_fresh_meta.py::test_noise_has_its_scales_{LEARNERS}"),
):
    name = kind.__name__
    add(
        CreditedLeader._choice,
        "self._extra()",
        {
            **{f"{wrong}, {name}": (new, name) for wrong, new in DRAWN_WRONGLY.items()},
            f"half the noise of a third learner, {name}": (
                "{0} / (1 + (np.arange(self.totals.shape[1]) > 1))",
                name,
            ),
        },
    )
    add(
        kind._extra,
        words,
        {
            f"half the noise {when}, {name}": (f"{{0}} / (1 + ({so}))", name, f"tests/algorithms/{digits}")
            for when, so in (
                ("of five learners", "self.totals.shape[1] > 3"),
                ("from round 40 on", "self._round > 40"),
            )
        },
    )
add(
    FreshMeta._extra,
    "noise += self.gumbel",
    {"half the Gumbel noise beside normal noise": ("{0} / (1 + np.any(self._scale))", "FreshMeta")},
)
add(HedgeMeta.rates.fget, "self._entropy()", {"twice the rates, HedgeMeta": ("2 * {0}", "HedgeMeta")})
add(HedgeMeta.update, "report.scale", {"noise costs nothing, HedgeMeta": ("0.0", "HedgeMeta")})
add(
    extra_noise,
    "return noise",
    {
        f"{name}, RW-Meta's lottery": (f"return {new}", "RWMeta")
        for name, new in {
            "no noise": "0 * noise",
            "half the noise": "noise / 2",
            # Rounds that are known ahead are drawn together, (rounds, copies, learners).
            "noise in the first round alone": (
                "noise * (vars(extra_noise).setdefault(str(id(rng)), noise) is noise)"
                " * (np.arange(len(noise)) == 0)[:, None, None]"
            ),
            "noise reused between rounds": (
                "0 * noise + vars(extra_noise).setdefault(f'{id(rng)}{noise.shape[1:]}', noise[:1])"
            ),
            "one draw shared by copies": "np.repeat(noise[:, :1], noise.shape[1], axis=1)",
        }.items()
    },
)
add(
    leaders,
    "+ extra)",
    {
        "no extra noise, games known ahead": ("+ 0 * extra)", "RWMeta"),
        "half the extra noise, games known ahead": ("+ extra / 2)", "RWMeta"),
        "one draw of extra noise, games known ahead": ("+ extra[-1])", "RWMeta"),
        "no noise of a second choice, games known ahead": (
            "+ extra * (name == next(iter(choices))))",
            "RWMeta",
        ),
        "half the noise where copies' advice differs, known ahead": (
            "+ extra / (1 + (before.shape[1] > 1)))",
            "RWMeta",
        ),
        "half the noise of games that become known later": ("+ extra / (1 + (first_round > 1)))", "RWMeta"),
    },
)
add(
    RWMeta._extra,
    "return ",
    {
        "half the noise where copies' advice differs, by rounds": (
            "{0}1 / (1 + (len(self._sigma) > 1)) * ",
            "RWMeta",
        )
    },
)
add(
    _covariances,
    "variance = scale * scale",
    {
        "four times the variance of own scales, known ahead": (
            "{0} * (1 + 3 * (np.ndim(scale) > 0))",
            "RWMeta",
        )
    },
)
add(
    RWMeta.update,
    "report.scale)",
    {
        "four times the variance of own scales, by rounds": (
            "report.scale * (1 + (np.ndim(report.scale) > 0)))",
            "RWMeta",
        )
    },
)

# Choices between experts

add(
    SleepingExperts.predict,
    "exponential_mechanism(self._scores(), self.rate, self._rng)",
    {
        f"{name}, {mechanism}": (new, mechanism)
        for name, new in {
            "no noise": "self._scores().argmax(axis=-1)",
            "half the noise": "exponential_mechanism(self._scores(), 2 * self.rate, self._rng)",
            "one draw shared by copies": DRAWN_WRONGLY["one draw shared by copies"],
        }.items()
        for mechanism in ("SleepingHedge", "SleepingSoftmax")
    },
)
add(
    SleepingExperts._credit,
    "] += credits",
    {"no update, sleeping experts": ("] += 0 * credits", "SleepingHedge")},
)
add(
    Hedge._drawn,
    "self._rng.random((len(totals), self.repetitions))",
    {
        "no noise, Hedge": ("0 * {0} + 0.5", "Hedge"),
        "one draw shared by copies, Hedge": ("np.repeat({0}[:, :1], self.repetitions, axis=1)", "Hedge"),
        "one draw shared by halves, Hedge": ("np.tile({0}[:, ::2], 2)[:, : self.repetitions]", "Hedge"),
        "one draw for a stretch, Hedge": ("np.repeat({0}[:1], len(totals), axis=0)", "Hedge"),
    },
)
add(Hedge._rates, "2 * np.sqrt", {"half the noise, Hedge": ("4 * np.sqrt", "Hedge")})
add(Hedge.update_unchecked, "+ gains", {"no update, Hedge": ("", "Hedge")})
add(
    Uniform.predict,
    "self._rng.integers(self._n, size=self._repetitions)",
    {
        "drawn in the first round alone, uniform": (DRAWN_WRONGLY["noise reused between rounds"], "Uniform"),
        "one draw shared by copies, uniform": (DRAWN_WRONGLY["one draw shared by copies"], "Uniform"),
        "drawn among three experts, uniform": (
            "self._rng.integers(min(self._n, 3), size=self._repetitions)",
            "Uniform",
        ),
    },
)

# The study's plays

add(
    prefix_sums.play,
    'GaussianDP(mu, "central")',
    {"the study's sums at twice the level": ('GaussianDP(2 * mu, "central")', "PrefixFTPL", PLAYERS + WEEKS)},
)
add(
    prefix_sums.play,
    "repetitions=game.repetitions",
    {"the study's sums with one draw for all copies": ("repetitions=1", "PrefixFTPL", PLAYERS + WEEKS)},
)
add(
    own_games.play_covered,
    "_covering_sensitivity(game)",
    {
        "the study's noise for all in a public file, for other figures": (
            "game.sensitivity",
            "Reports",
            "tests/replication/study/own_counts/test_own_games.py::"
            "test_covering_noise_is_for_what_one_person_moves_in_the_public_file",
        )
    },
)
