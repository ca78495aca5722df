"""Layouts of figures that are the same in every run."""

from matplotlib.figure import Figure


def settle(figure: Figure) -> None:
    """Lay a figure out once, and keep the layout, rounded to six digits.

    The solver of constrained layout differs in the last digits from run to run, and the ids in an SVG depend on them.
    """
    figure.draw_without_rendering()
    places = [axis.get_position(original=True).bounds for axis in figure.axes]
    figure.set_layout_engine("none")
    for axis, (left, bottom, width, height) in zip(figure.axes, places, strict=True):
        axis.set_position((round(left, 6), round(bottom, 6), round(width, 6), round(height, 6)))
