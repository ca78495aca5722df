# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Expert advice under local privacy: the replication, live
#
# *Prediction with Expert Advice under Local Differential Privacy* (Jacobsen and Fawaz, ICLR 2026, arXiv 2512.06971)
# asks how to decide week after week when nobody may be trusted with the true figures. This notebook explains what the
# paper does and lets its algorithms play. Then it says what held in this replication and what did not. Four related
# papers follow at the end.
#
# There are two kinds of cells. Some play small games: change a value in CAPITALS and run the cell again. Others read
# what `make reproduce` computed: tables, figures, and the ledger of claims. The ledger has a verdict on each
# quantitative statement of the papers.

# %%
import math

import numpy as np
import pandas as pd
from IPython.display import Markdown, display
from matplotlib.figure import Figure
from scipy.special import ndtr, ndtri

from private_experts.algorithms import RWFTPL, RWAdaBatch
from private_experts.games import play, private_reports, static_regret, switches
from private_experts.games.streams import STREAMS, easy, zero
from private_experts.privacy import GaussianDP, SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.plotting.figures import style
from private_experts.replication.plotting.palette import BLUE, GREEN, ORANGE, VERMILION
from private_experts.replication.report.notebook_reader import drawn, find, tabled
from private_experts.replication.study.hospital_game import game
from private_experts.replication.study.players.rw_ftpl import play as rw_ftpl
from private_experts.replication.study.players.rw_meta import play as rw_meta
from private_experts.replication.study.players.tree_ftpl import play as tree_ftpl
from private_experts.replication.study.players.yardsticks import play as yardsticks
from private_experts.replication.study.table_2_columns import COLUMN
from private_experts.walks.gap import density

SEED = 2026
results = find()
print(results.data)

# %% [markdown]
# ## The game
#
# Each week every hospital of a state reports its *density*: the share of its beds in which COVID patients lie. Before
# the reports of a week come in, the algorithm names one hospital, say to send help to. Its gain is that hospital's
# density.
#
# In general there are $n$ *experts* (here hospitals) and $T$ *rounds* (weeks). In round $t$ expert $i$ brings a *gain*
# $g_t(i)$ between 0 and 1. The algorithm chooses $i_t$ and knows only the rounds before. What it misses is its *static
# regret*, the distance to the best single expert in hindsight:
#
# $$R_T = \max_i \sum_{t=1}^{T} g_t(i) - \sum_{t=1}^{T} g_t(i_t)$$
#
# Regret can be negative: an algorithm that changes hospitals at the right moments beats every single one.

# %%
STATE = results.table("table-2")["state"].iloc[0]  # or another state of the study

panel = results.panel(STATE)
weeks, hospitals = panel.density.shape
best = panel.density.sum(axis=0).argmax()
changes = switches(panel.density.argmax(axis=1))
print(f"{STATE}: {weeks} weeks, {hospitals} hospitals.")
print(f"From one week to the next, another hospital has the highest density {changes} times.")

with style():
    figure = Figure(figsize=(8, 2.8), layout="constrained")
    axis = figure.subplots()
    axis.plot(panel.density, color="#bbbbbb", lw=0.6)
    axis.plot(panel.density[:, best], color=BLUE, lw=1.6, label="best single hospital in hindsight")
    axis.plot(panel.density.max(axis=1), color=VERMILION, lw=1, ls="--", label="best of each week")
    axis.set(xlabel="week", ylabel="density", title=f"{STATE}: one grey line for each hospital")
    axis.legend()
drawn(figure, "Densities of all hospitals by week; the best single one and each week's best stand out.")

# %% [markdown]
# ## Local noise
#
# Under *local* privacy each hospital adds noise to its figure before the figure leaves the house. Nobody, not even
# the algorithm, sees a true density. How much noise is enough? Suppose one patient had gone to another hospital. Two
# densities change, each by at most one over the beds there. So all reports of week $t$ together move by at most
# $\Delta_t = \sqrt{2} / \text{(smallest number of beds)}$ in Euclidean distance.
#
# Add Gaussian noise of standard deviation $\eta_t = \Delta_t / \mu$. The reports are then *$\mu$-GDP*: to tell from
# them where that patient was is at least as hard as to tell $N(0, 1)$ from $N(\mu, 1)$ by a single draw. An attack
# that raises false alarms with probability $\alpha$ overlooks the truth with probability at least
# $\Phi(\Phi^{-1}(1 - \alpha) - \mu)$. Small $\mu$ is strong privacy.
#
# Three cautions. The numbers of beds are taken to be public. The promise is about one person in one week, and $k$ weeks
# of the same person are only $\sqrt{k}\,\mu$-GDP. The noise here is seeded, so that results can be repeated: it
# simulates privacy and protects nobody.

# %%
MU = 1.0  # try 0.25, or 4

local = GaussianDP(MU, "local")
sensitivity = math.sqrt(2) / panel.smallest_beds
noise = SimulatedNoise(rng_for(SEED, "one hospital's reports"))
told = private_reports(panel.density, local, sensitivity, noise)
reports = np.array([report.values[0] for report in told])

with style():
    figure = Figure(figsize=(8, 2.8), layout="constrained")
    axis = figure.subplots()
    axis.plot(reports[:, best], color=ORANGE, lw=0, marker=".", label="what it reports")
    axis.plot(panel.density[:, best], color=BLUE, lw=1.6, label="true density")
    axis.set(xlabel="week", ylabel="density", title=f"The best hospital of {STATE}, {local}")
    axis.legend()
drawn(figure, "A hospital's true density as a line, its noisy reports as points scattered around it.")

# %%
FALSE_ALARMS = 0.05

levels = pd.DataFrame({"privacy level μ": [4.0, 2.0, 1.0, 0.5, 0.25]})
mu = levels["privacy level μ"]
levels["noise in the median week"] = np.median(sensitivity) / mu
levels[f"missed at {FALSE_ALARMS:.0%} false alarms"] = ndtr(ndtri(1 - FALSE_ALARMS) - mu)
tabled(levels)

# %% [markdown]
# ## RW-FTPL: follow the leader of the noisy totals
#
# The simplest algorithm works: add up the noisy reports and name the leader, the hospital with the largest total,
#
# $$i_t = \operatorname{argmax}_i \left( z_0 + \tilde{g}_1 + \dots + \tilde{g}_{t-1} \right)(i)$$
#
# where $z_0$ is fresh noise. It sees nothing but private reports, so its choices are at least as private as these. That
# is the paper's first observation. The noise in the totals is a random walk (RW), and following a noisy leader is
# called *follow the perturbed leader* (FTPL). The noise is useful, too: an adversary cannot exploit a leader that it
# cannot foresee. If the noise has the same scale $\eta$ in all rounds and the gains are fixed in advance,
#
# $$\mathbb{E} R_T \le \left(\eta + \frac{2}{\eta}\right) \sqrt{2 T \log n}$$
#
# The bound holds for every stream of gains. Here are four, some hard and some easy.

# %%
T, N = 400, 10
REPETITIONS = 100
ONE = GaussianDP(1.0, "local")

rows = []
for eta in (0.2, 0.5, math.sqrt(2), 5.0):
    regrets = {"noise scale η": eta}
    for name in ("alternating", "turncoat", "coin-flips", "easy"):
        gains = STREAMS[name](T, N)
        noise = SimulatedNoise(rng_for(SEED, "rw-ftpl", name, eta))
        # Of gains that one person can move by η in all, so that the noise has scale η.
        algorithm = RWFTPL(N, ONE, noise_scale=eta, noise=noise, repetitions=REPETITIONS)
        actions = play(algorithm, private_reports(gains, ONE, eta, noise, REPETITIONS))
        regrets[name] = static_regret(gains, actions).mean()
    rows.append(regrets | {"bound": (eta + 2 / eta) * math.sqrt(2 * T * math.log(N))})
tabled(pd.DataFrame(rows), digits=1)

# %% [markdown]
# ## It rarely switches
#
# A random walk moves far but turns seldom. So the noisy leader stays for long, even in the worst case, in which all
# experts are equally good. The number $S_T$ of switches grows only like $\sqrt{T}$. With equal means the rate is known:
#
# $$\mathbb{E} S_T \approx \frac{2}{\sqrt{\pi}} f_n(0) \sqrt{T}$$
#
# Here $f_n$ is the density of the gap between the largest and the second largest of $n$ standard normals. (The growth
# is a result of Devroye, Lugosi and Neu. The constant was derived for this replication and has a claim in the ledger.
# The limit is approached slowly, from below.)

# %%
N = 10
HORIZONS = (100, 400, 1600)
REPETITIONS = 200

rows = []
for horizon in HORIZONS:
    gains = zero(horizon, N)
    noise = SimulatedNoise(rng_for(SEED, "switches", N, horizon))
    algorithm = RWFTPL(N, ONE, noise_scale=1.0, noise=noise, repetitions=REPETITIONS)
    actions = play(algorithm, private_reports(gains, ONE, 1.0, noise, REPETITIONS))
    counts = switches(actions)
    error = 2 * counts.std(ddof=1) / math.sqrt(REPETITIONS)
    law = 2 / math.sqrt(math.pi) * float(density(0.0, N)) * math.sqrt(horizon)
    rows.append((horizon, counts.mean(), error, law))
columns = ["rounds T", "switches", "± (two standard errors)", "limit law"]
tabled(pd.DataFrame(rows, columns=columns), digits=1)

# %% [markdown]
# ## RW-AdaBatch: looking less often reveals less
#
# A leader that is far ahead will hardly lose its place in the next few rounds. So there is no need to look.
# RW-AdaBatch asks how many rounds $B$ may pass while the probability of a new leader is at most
# $\alpha \sqrt{\log n / (t + B)}$. The paper's Theorem 1 on random walks gives the answer. The algorithm keeps its
# choice for these $B$ rounds and then takes in the *sum* of their reports.
#
# Each report hides among the others of its batch. To those who see nothing but the choices, a figure in a batch of size
# $B$ is protected with $\mu / \sqrt{B}$ instead of $\mu$, after the fact. (To those who see the reports it is $\mu$ as
# before.) The regret bound grows by at most a factor of $1 + \alpha / 2$.
#
# The further ahead the best expert, the larger the batches: easy data get more privacy.

# %%
GAPS = (0.0, 0.1, 0.3, 1.0)  # by how much expert 0 is better than the others
ALPHA = 0.01
T, N, ETA = 400, 10, 2.0
REPETITIONS = 50

looks = [(VERMILION, "-"), (ORANGE, "--"), (GREEN, "-."), (BLUE, ":")]
rows = []
with style():
    figure = Figure(figsize=(8, 2.8), layout="constrained")
    axis = figure.subplots()
    for gap, (colour, dashes) in zip(GAPS, looks, strict=False):
        gains = easy(T, N, gap)
        row = {"gap": gap}
        for name in ("RW-FTPL", "RW-AdaBatch"):
            # The same key for both, so that they get the same reports.
            noise = SimulatedNoise(rng_for(SEED, "batches", gap))
            settings = {"noise_scale": ETA, "noise": noise, "repetitions": REPETITIONS}
            if name == "RW-FTPL":
                algorithm = RWFTPL(N, ONE, **settings)
            else:
                algorithm = RWAdaBatch(N, ONE, **settings, alpha=ALPHA, horizon=T)
            actions = play(algorithm, private_reports(gains, ONE, ETA, noise, REPETITIONS))
            row[f"regret of {name}"] = static_regret(gains, actions).mean()
        sizes = algorithm.containing_sizes()
        row["mean batch size"] = sizes.mean()
        row["mean of 1/√B"] = (1 / np.sqrt(sizes)).mean()
        rows.append(row)
        axis.plot(sizes.mean(axis=1), color=colour, ls=dashes, lw=1.4, label=f"gap {gap:g}")
    axis.set(xlabel="round", ylabel="mean size of its batch")
    axis.set_title("The clearer the leader, the larger the batches (the last end with the game)")
    axis.legend()
drawn(figure, "Mean batch size by round for several gaps: the larger the gap, the faster it grows.")

# %% [markdown]
# What batching costs in regret, and what it brings: `1/√B` is the factor by which the privacy level falls.

# %%
tabled(pd.DataFrame(rows))

# %% [markdown]
# ## RW-Meta: choosing among learners
#
# When waves of infections move through a state, following the best single hospital is not enough. RW-Meta follows
# *learners*, experts that themselves learn: here twelve rolling regressions and RW-FTPL. The regressions differ in how
# far they look back and how strongly they are regularised. All learners read the same noisy reports, so using many of
# them costs no privacy.
#
# There is one difficulty. The choice between two learners needs noise, as in RW-FTPL, so that it cannot be foreseen.
# This noise is that in the difference of their totals, and it cancels whenever both name the same hospital. So there is
# hardly any noise between learners that often agree. RW-Meta therefore adds correlated noise $y_t$ of its own. Then all
# totals have independent noise of the same size, up to a common shift, which changes no leader. Its variance is at
# least $2t$ in week $t$: this *floor* is there without privacy, too.

# %%
LEVEL = 1.0
REPETITIONS = 10

played = game(panel, STATE, [LEVEL], REPETITIONS, SEED)
strengths = {"weak": 0.1, "medium": 1.0, "strong": 10.0}
plays = rw_meta(played, {"family": "trend", "windows": [8, 16, 32, 64], "strengths": strengths})
plays += rw_ftpl(played) + tree_ftpl(played) + yardsticks(played)
totals = {each.algorithm: each.earned.sum(axis=0).mean() for each in plays}
learners = [total for name, total in totals.items() if name.startswith("learner/")]
rows = [
    ("RW-Meta", totals["rw-meta"]),
    ("the best of its regressions", max(learners)),
    ("the worst of its regressions", min(learners)),
    ("RW-FTPL", totals["rw-ftpl"]),
    ("Agarwal and Singh's tree, least noise (central)", totals["min-noise"]),
    ("Agarwal and Singh's tree, least regret (central)", totals["min-regret"]),
    ("best single hospital in hindsight", panel.density.sum(axis=0).max()),
    ("a hospital drawn at random each week", totals["uniform"]),
]
tabled(pd.DataFrame(rows, columns=[f"{STATE}, μ = {LEVEL:g}", "mean total gain"]), digits=1)

# %% [markdown]
# ## The study
#
# `make reproduce` plays these games for all states of the study at all privacy levels, many times each. Below are the
# paper's Table 2 and Figure 2, on the data named at the top of this notebook. A cell is the sum over all weeks of the
# density of the hospital that was named, so each week adds at most 1.

# %%
names = [
    "rw_meta",
    "central",
    "min_noise",
    "min_regret",
    "best_linear",
    "rw_ftpl",
    "best_hospital",
    "ratio_to_min_noise",
]
columns = {"state": "state", "mu": "μ", **{name: COLUMN[name].heading for name in names}}
tabled(results.table("table-2")[list(columns)].rename(columns=columns))

# %%
results.picture("figure-2")

# %% [markdown]
# Min Noise is not the strongest central algorithm. What locality costs, and what learners bring, are two questions. The
# next figure keeps them apart. The strongest central leader and a curator with the same learners stand beside RW-FTPL
# and the learners on local reports.

# %%
results.picture("locality")

# %% [markdown]
# The paper's conclusions from its table are claims too. On data other than the paper's no verdict can be expected of
# them. (On synthetic data they are not run.)

# %%
claims = results.claims("000")
tabled(claims.loc[claims["expected"] == "", ["claim", "statement", "verdict"]])

# %% [markdown]
# ## What held, and what did not
#
# A claim *holds* when the whole interval of the measured value lies on the right side of the bound at every point of a
# grid. It *fails* when the interval lies on the wrong side at some point, a *counterexample*, and is *undecided*
# otherwise. Intervals hold jointly over the grid at 99.9 %. A statement that is wrong is in the ledger twice: as it
# stands, expected to fail, and mended, expected to hold. An erratum of the paper is only what the paper itself says.
# Transcriptions, heuristics and what nobody claimed are marked as such.

# %%
tabled(results.verdicts())

# %% [markdown]
# A claim that holds may be worth much or little. Its *strength* says how it is known: proved in ball arithmetic, tried
# on all cases, or found by two routes that agree. Otherwise it says how near the values come to their bounds. A claim
# is *tight* when some point uses at least half of its bound.

# %%
tabled(results.strengths())

# %%
tabled(results.errata("000"))

# %% [markdown]
# The fatal one is E000-6. Learners read the reports, and RW-Meta's extra noise is built from the same reports. Learners
# that react to them can make the regret grow like the number of rounds, whatever Theorem 3 says.
#
# E000-5 is a caution. Theorem 1 bounds the probability that noise alone changes the leader. True gains move as well,
# and can shrink its lead by up to 1 in a round. Batches chosen by the theorem alone then break their tolerance.
# With $k - B$ in the place of the lead $k$ they keep it, so this is what RW-AdaBatch does here.
#
# A bound that holds by a factor of a hundred tests little. So here are the stochastic claims that hold and are nearest
# to failing. `margin` is the distance between value and bound, relative to the larger of the two.

# %%
near = claims[(claims["kind"] == "stochastic") & (claims["verdict"] == "holds")]
tabled(near[["claim", "statement", "strength", "margin"]].head(8), digits=3)

# %% [markdown]
# ## Four related papers
#
# - **002**, *Optimal Gap-Dependent Regret for Private Stochastic Decision-Theoretic Online Learning*: gains are drawn
#   independently each round, and one expert is better than all others by a gap. How small can regret be under pure
#   privacy? There the probability of any outcome changes by at most a factor $e^{\varepsilon}$.
# - **004**, *Tracking the Best Expert Privately*: regret is measured against sequences of experts that switch a few
#   times.
# - **003**, *Online Distribution Learning with Local Private Constraints*: a distribution is estimated from labels that
#   each person randomises before sending them.
# - **001**, *Improved Differentially Private and Lazy Online Convex Optimization*: the action is a point of a convex
#   set, and each change of it costs privacy.
#
# Their claims are in the same ledger. These belong to errata, of which each says whose it is, and those below are
# nearest to failing:

# %%
OTHERS = ("002", "004", "003", "001")

for paper in OTHERS:
    counts = results.claims(paper)["verdict"].value_counts()
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    print(f"{paper}: {counts.sum()} claims: {verdicts}" if verdicts else f"{paper}: not in this ledger")

# %%
tabled(pd.concat([results.errata(paper) for paper in OTHERS]))

# %%
near = pd.concat([results.claims(paper) for paper in OTHERS])
near = near[(near["kind"] == "stochastic") & (near["verdict"] == "holds")].sort_values("margin")
tabled(near[["claim", "statement", "strength", "margin"]].head(8), digits=3)

# %% [markdown]
# One figure of each paper:

# %%
first = {figure["paper"]: figure for figure in reversed(results.ledger["figures"])}
for figure in [first[paper] for paper in OTHERS if paper in first]:
    display(Markdown(f"**{figure['title']}.** {figure['caption']}"))
    display(results.picture(figure["name"]))

# %% [markdown]
# ## Go on from here
#
# - Change a state, a privacy level or a stream above, and run the cell again.
# - `private-experts verify 000/theorem-1` recomputes one claim and prints its evidence; `private-experts claims` lists
#   them all.
# - A config of your own changes the whole study: see *Another state, another privacy level* in the README.
# - `claims.md` has all verdicts, each with its counterexample or the grid point nearest to failing. `make paper`
#   typesets the report.
