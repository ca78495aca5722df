"""Which of the paper's weeks are there, which were copied by hand, and which are missing."""

from private_experts.replication.report.weeks import weeks

# In the file weeks begin on Fridays, two days before the paper's.
PLAYED = ("2020-08-07", "2020-08-14", "2020-12-18", "2021-01-22", "2021-01-29", "2023-06-02")


def test_weeks_are_numbered_from_the_papers_first_and_those_that_lack_are_spans_of_dates():
    found = weeks(PLAYED, pinned=True)
    assert (found.there, found.copied, found.between) == ([0, 1, 19, 24, 25, 147], [0, 1, 19, 24], 142)
    spans = ["2020-08-23 to 2020-12-13", "2020-12-27 to 2021-01-17", "2021-02-07 to 2023-05-28"]
    assert found.missing == spans
    within = found._replace(there=range(1, 147))
    assert (within.missing, within.between) == (["2020-08-09", "2023-06-04"], 0)


def test_other_data_has_no_copied_weeks_and_later_weeks_are_not_the_papers():
    found = weeks((*PLAYED, "2024-01-05"), pinned=False)
    assert (len(found.there), list(found.copied), weeks([], pinned=True).between) == (6, [], 0)
