"""Okabe and Ito's palette: told apart in print and by colour-blind readers. Line styles repeat the message."""

BLACK, ORANGE, SKY, GREEN, BLUE, VERMILION, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip
GREY = "#777777"
