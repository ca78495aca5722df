// A figure of BokehJS with lines, bands, and a rule with points at a place.
"use strict";

const INK = "#333333", GRID = "#e4e4de", RULE = "#555555", BAND = 0.18;

Bokeh.logger.set_level("warn");

/** Return a source whose columns have these names, and no values yet. */
function sourceOf(...names) {
  return new Bokeh.ColumnDataSource({ data: Object.fromEntries(names.map(name => [name, []])) });
}

/** A figure that fills an element. */
class Figure {
  constructor(place, scale, onMove) {
    this.figure = Bokeh.Plotting.figure({
      x_range: [0, 1],
      y_range: [0.1, 1],
      y_axis_type: scale,
      tools: [],
      toolbar_location: null,
      sizing_mode: "stretch_both",
      outline_line_color: null,
    });
    for (const axis of this.figure.axes) axis.setv({
      axis_label_text_font: "sans-serif", axis_label_text_font_size: "13px", axis_label_text_font_style: "normal",
      axis_label_text_color: INK, axis_line_color: INK,
      major_label_text_font: "sans-serif", major_label_text_font_size: "12px", major_label_text_color: INK,
      major_tick_line_color: INK, minor_tick_line_color: null,
    });
    for (const grid of this.figure.grids) grid.grid_line_color = GRID;
    const field = name => ({ field: name });
    this.bands = sourceOf("xs", "ys", "colour");
    this.figure.patches(field("xs"), field("ys"), { source: this.bands, fill_color: field("colour"), fill_alpha: BAND,
      line_color: null });
    this.lines = sourceOf("xs", "ys", "colour", "dashes");
    this.figure.multi_line(field("xs"), field("ys"), { source: this.lines, line_color: field("colour"),
      line_dash: field("dashes"), line_width: 2 });
    this.points = sourceOf("x", "y", "colour");
    this.figure.scatter(field("x"), field("y"), { source: this.points, size: 8, color: field("colour") });
    this.rule = new Bokeh.Span({ dimension: "height", line_color: RULE, line_dash: [3, 3] });
    this.figure.add_layout(this.rule);
    this.figure.on_event("mousemove", event => onMove(event.x));
    // The library would stop the tabulator here, though no key does anything.
    Bokeh.Plotting.show(this.figure, place).then(view => {
      this.view = view;
      view.canvas.events_el.tabIndex = -1;
    });
  }

  /** Return what is drawn, as a layer with a canvas. */
  picture() {
    return this.view.export("png");
  }

  /** Draw lines over x, within limits of y, with the names of both axes. */
  draw(x, lines, limits, names) {
    const room = (x.at(-1) - x[0] || 1) / 100; // for half a point
    const withBand = lines.filter(line => line.low);
    const back = [...x].reverse();
    const inside = value => Number.isFinite(value) ? value : limits[1] + 10 * (limits[1] - limits[0]); // no end of a band
    this.figure.x_range.setv({ start: x[0] - room, end: x.at(-1) + room });
    this.figure.y_range.setv({ start: limits[0], end: limits[1] });
    this.figure.axes.forEach((axis, number) => { axis.axis_label = names[number]; });
    this.bands.data = { xs: withBand.map(() => [...x, ...back]),
      ys: withBand.map(line => [...line.low, ...[...line.high].reverse()].map(inside)), colour: withBand.map(line => line.colour) };
    this.lines.data = { xs: lines.map(() => x), ys: lines.map(line => line.values), colour: lines.map(line => line.colour),
      dashes: lines.map(line => line.dashes) };
  }

  /** Draw the rule at a place of x, and a point of each line. */
  place(x, values, colours) {
    this.rule.location = x;
    this.points.data = { x: values.map(() => x), y: values, colour: colours };
  }
}
