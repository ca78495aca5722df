"""The table of what the reports contained, state by state, and how often each repair was made."""

import pandas as pd

CAPTION = (
    "What the reports contained, and how often each repair was made. Left out are {absent} states "
    "without reports. 'New ids' are those under which other hospitals may go on. 'Beds briefly high (low)' "
    "are counts that for one report or two lie 15 % or more above (below) those before and after; 'most bed "
    "faults' has the week in which most hospitals report one."
)


def quality_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the records for readers, without the counts that are 0 in every state."""
    figures = table.set_index("state").select_dtypes("number")
    kept = figures.loc[:, (figures != 0).any()].drop(columns="bed_faults_most", errors="ignore").reset_index()
    words = kept.rename(columns={name: str(name).replace("_", " ") for name in kept})
    words.insert(2, "from", table["first_week"].to_numpy())
    words.insert(3, "to", table["last_week"].to_numpy())
    if table["bed_faults_most"].any():
        worst = zip(table["bed_faults_most"], table["bed_faults_week"], strict=True)
        words["most bed faults"] = [f"{most} in {week}" if most else "" for most, week in worst]
    return words
