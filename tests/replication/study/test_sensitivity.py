"""The tables of what the paper leaves open."""

from private_experts.replication.study import sensitivity
from tests.replication.study.estimates import cells_of


def test_sensitivity_names_the_statements_that_change():
    table = sensitivity.compare(
        {"study": cells_of(), "other": cells_of(static_regret=1.0, ratio_to_min_noise=1.5)}
    )
    changes = {scenario: part["changes"].tolist() for scenario, part in table.groupby("scenario", sort=False)}
    assert changes == {"study": ["", ""], "other": ["1.5x to 3x (?); negative regret"] * 2}
    assert sensitivity.changes_table(table)["statements that change"].tolist()[0] == "none"
