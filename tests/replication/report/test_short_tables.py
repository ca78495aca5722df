"""The tables of the report have the numbers of the run's tables, in the rows and columns that they show."""

import pytest

from private_experts.errors import InputError
from private_experts.replication.files import write_text
from private_experts.replication.report import short_tables
from private_experts.replication.study.statements import BEST

RATIOS = ("ratio_to_best_linear", "ratio_to_min_noise", "ratio_to_min_regret")


def test_ratios_stand_beside_the_printed_ones(tmp_path):
    names = [name for ratio in RATIOS for name in (ratio, f"{ratio}_pm", f"published_{ratio}")]
    header = ",".join(["state", "mu", "weeks", *names])
    write_text(
        tmp_path / "tables/table-2.csv", f"{header}\nNM,inf,94,0.891,0.0123,0.9,1.5,0,1.61,2.25,0.1,\n"
    )
    short_tables.write(tmp_path / "tables", tmp_path / "claims", tmp_path / "short")
    written = sorted(path.name for path in (tmp_path / "short").iterdir())
    assert written == ["short-numbers.tex", "short-table-2.tex"]  # no other table was made
    no_lead = dict.fromkeys(("cells ahead", "cells behind central", "cells local ahead"), "--")
    below = "1 of 1 (over Min Noise), 1 of 1 (over Min Regret), 1 of 1 (over the best linear model)"
    # one level has no slope
    numbers = no_lead | {"weeks": "94", "slope": "--", "below print": below}
    assert (tmp_path / "short/short-numbers.tex").read_text().splitlines() == [
        rf"\expandafter\def\csname number@{name}\endcsname{{\from{{table-2}}{{{text}}}}}"
        for name, text in numbers.items()
    ]
    lines = (tmp_path / "short/short-table-2.tex").read_text().splitlines()
    assert lines[5] == r"NM & $\infty$ & 0.89 $\pm$ 0.01 & 0.90 & 1.50 & 1.61 & 2.25 $\pm$ 0.10 &  \\"


def test_only_rows_with_the_printed_floor_are_shown_and_a_damaged_table_is_refused(tmp_path):
    names = ["score", "RW-Meta / best linear", "best linear / at ∞"]
    ends = [f"{name}{end}" for name in names for end in ("", "_low", "_high")]
    header = ",".join(["what", "floor", "less_best_low", *ends])
    rows = [f"trend,{floor},0,{','.join(['0.1', '0.05', '0.2'] * 3)}" for floor in ("2t", "none")]
    write_text(tmp_path / "readings.csv", "\n".join([header, *rows, ""]))
    short_tables.write(tmp_path, tmp_path, tmp_path)
    text = (tmp_path / "short-readings.tex").read_text()
    assert text.count("trend") == 1
    assert "0.100 [0.050, 0.200]" in text
    write_text(tmp_path / "readings.csv", "what,floor\ntrend\n")
    with pytest.raises(InputError, match=r"readings\.csv: a row is longer or shorter"):
        short_tables.write(tmp_path, tmp_path, tmp_path)


WORDS = (
    "statement,verdict,repetitions",
    *("best,holds,50", "best,holds,400", "best of all,fails,50", "best of all,undecided,800", ""),
)
PLAYS = (
    "route,T,N,value,low,high,verdict",
    *("simulated,25,600,0.77,0.76,0.8,fails", "simulated,50,600,1.0767,1.065,1.4825,fails"),
    *("simulated,100,600,1.5,-inf,inf,undecided", "certified,100,1000000,3,3,3,fails", ""),
)
STATES = ("inf,30,2,3", "0.25,6,24,5", "0.5,18,13,4")


def test_numbers_are_the_largest_of_their_levels_and_shares_in_percent(tmp_path):
    rows = [("inf", 20, 20, 0.9), ("1.0", 20, 25, 0.42), ("0.5", 20, 29, 0.36), ("0.1", 20, 28, 3.17)]
    cells = [f"{mu},{same},{own},{price}" for mu, same, own, price in rows]
    header = "mu,same_rw_meta,own_rw_meta,own_price_posterior"
    write_text(tmp_path / "own-counts.csv", "\n".join([header, *cells, ""]))
    counts = [
        *("trend,2t,best,11,0,1", "Gaussian process,2t,best,8,1,3", "trend,none,best,0,12,0"),
        *("trend,2t,1.5x to 3x,6,6,0", "trend,none,about 90 %,9,9,9", "trend,2t,about 90 %,4,1,7", ""),
    ]
    header = "kind,floor,statement,agrees,differs,undecided"
    write_text(tmp_path / "readings-statements.csv", "\n".join([header, *counts]))
    kinds = ["trend,2t,.08,0", "autoregression,2t,.1,-.01", "tree,2t,.2,.01", "trend,none,.07,0", ""]
    write_text(tmp_path / "readings.csv", "\n".join(["what,floor,score,less_best_low", *kinds]))
    states = ["statement,mu,agrees,undecided,differs", *(f'"{BEST.words}",{cells}' for cells in STATES), ""]
    write_text(tmp_path / "generality-statements.csv", "\n".join(states))
    ratios = [
        "state,patients,weeks,mu,ratio_to_best_linear,lead,lead_over_central,second_local,ratio_to_min_noise,"
        "ratio_to_min_noise_pm",
        *("NM,confirmed,94,inf,0.83,2,3,4,1.1,.2", "NM,confirmed,51,0.25,0.98,1,-1,1,.7,.2", ""),
    ]
    write_text(tmp_path / "own-counts-price.csv", "public_same,public_own\n2.9,11.44\n3.64,6.5\n")
    write_text(tmp_path / "quality.csv", "weeks,weeks_missing_between\n72,23\n94,22\n51,10\n")
    for name in ("table-2", "patient-columns"):
        write_text(tmp_path / f"{name}.csv", "\n".join(ratios))
    leads = ("RW-Meta, own > RW-Meta, same", "posterior means, own > posterior means, same")
    header = ",".join(["mu", *(f'"{lead}{end}"' for lead in leads for end in ("", " pm"))])
    write_text(tmp_path / "own-counts-elsewhere.csv", f"{header}\n0.5,2,1,2,1\n0.5,2,1,-2,1\n")
    write_text(tmp_path / "000/table-2-words.csv", "\n".join(WORDS))
    write_text(tmp_path / "004/theorem-5-2-privacy/as-printed.csv", "\n".join(PLAYS))
    found = {
        name: text(short_tables.read_rows(tmp_path / f"{source}.csv"))
        for name, (source, text) in short_tables.NUMBERS.items()
    }
    assert found == {
        "own gain": "45",
        "weeks": "94",
        "weeks between": "22",
        "public level": "3.6",
        "own public level": "6.5 to 11.4",
        "decided behind central": "1 of 2",
        "games of the lead": "50 to 400",
        "plays reveal": r"$1.08$ $[1.06,\,1.48]$ at $T = 50$ and $N = 600$",
        "curator above": "0.4",
        "curator below": "3.2",
        "cells ahead": "every cell",
        "cells behind central": "every cell",  # with privacy
        "cells local ahead": "no cell",
        "about 90, trend": "holds in 4 cells, fails in 1 and is undecided in 7",
        "about 90, Gaussian process": "--",  # a config may not have played it
        "chosen": "trend",
        "not told apart": "autoregression",
        "states level": "0.25",
        "states": "35",
        "states ahead": "6",
        "states behind": "5",
        "own elsewhere": "of 2 other states that were tried, it gains more on own counts in 2 at each level "
        "with privacy, and less in 0",
        "best": "79",
        "not best": "4",
        "range": "50",
        "slope": r"0.83 at $\mu$ = $\infty$ and 0.98 at $\mu$ = 0.25, "
        "where the printed totals give 0.91 and 0.87",
        "below print": "2 of 2 (over Min Noise), 1 of 2 (over the best linear model)",
        "slope by column": r"0.83, 0.98 with confirmed patients ($\mu$ = $\infty$, 0.25; 94 weeks); "
        r"there Min Noise gains more than RW-Meta at $\mu$ = 0.25",
    }
    (own,) = (number.text for name, number in short_tables.NUMBERS.items() if name == "curator above")
    assert short_tables.NUMBERS["plays reveal"].text([]) == "--"
    assert short_tables.NUMBERS["own public level"].text([{"public_own": "6.5"}]) == "6.5"
    assert own([{"mu": "0.1", "own_price_posterior": "3"}]) == "--"  # a config may have no such level


def test_without_rows_and_of_claims_that_were_not_run_there_are_no_numbers(tmp_path):
    """As on synthetic data, and without a level with privacy."""
    for source in {number.source for number in short_tables.NUMBERS.values()}:
        write_text(tmp_path / f"{source}.csv", "reason\nsynthetic data\n" if "/" in source else "mu,state\n")
    short_tables.write(tmp_path, tmp_path, tmp_path)
    lines = (tmp_path / "short-numbers.tex").read_text().splitlines()
    assert len(lines) == len(short_tables.NUMBERS)
    assert all(line.endswith("{--}}") for line in lines)
