"""What a run would do, why, and for how long: `jobs` asks Snakemake, `causes` compares, `forecast` counts seconds.

What would run is for Snakemake to say. Why is found out here: Snakemake notes for each result what it was made of, and
this is compared with what there is now, down to the definition that changed and the way that leads to it.
"""
