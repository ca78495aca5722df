"""Layouts that are the same every time."""

from matplotlib.figure import Figure


def settle(figure: Figure) -> None:
    """Lay a figure out once and keep it, to six digits.

    The solver behind constrained layout ends a few ulps off from run to run, which the ids in an SVG would show.
    """
    figure.draw_without_rendering()
    places = [axis.get_position(original=True).bounds for axis in figure.axes]
    figure.set_layout_engine("none")
    for axis, (left, bottom, width, height) in zip(figure.axes, places, strict=True):
        axis.set_position((round(left, 6), round(bottom, 6), round(width, 6), round(height, 6)))
