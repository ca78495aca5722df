"""A deployment in miniature: hospitals report under local privacy, a coordinator chooses with RW-Meta."""
