"""Numbers that do not rest on rounding: ball arithmetic, and inequalities proved over whole boxes."""
