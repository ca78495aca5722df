"""Numbers that do not rest on rounding: ball arithmetic, and inequalities that are proved over whole boxes."""
