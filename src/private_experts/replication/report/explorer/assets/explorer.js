// The widgets, the two charts, and what each choice changes.
"use strict";

Bokeh.logger.set_level("warn");
const address = new URLSearchParams(location.search);
const narrow = innerWidth < 700;
const field = name => ({ field: name });

/** Put a widget or a figure into an element. */
async function put(model, element) {
  const view = await Bokeh.Plotting.show(model, element);
  // The library would stop the tabulator at a chart, though no key does anything there.
  if (view.canvas) view.canvas.events_el.tabIndex = -1;
}

/** Return a list to choose from. It opens on what the address says, if the list has that. */
function selectOf(name, title, options, first) {
  const values = (Array.isArray(options) ? options : Object.values(options).flat()).map(([value]) => value);
  const wanted = address.get(name);
  const select = new Bokeh.Widgets.Select({ title, options, value: values.includes(wanted) ? wanted : first });
  put(select, document.getElementById(name));
  return select;
}

const played = ({ curves }) => Object.keys(curves).length;
// The largest of the paper's three states; else the first in which all algorithms play.
const opening = states.has("CA") ? "CA" : records.states.reduce((best, next) => played(next) > played(best) ? next : best).state;
const state = selectOf("state", "State", records.states.map(({ state: name, hospitals, weeks }) =>
  [name, `${name} (${hospitals} hospitals, ${weeks.length} weeks)`]), opening);
const level = selectOf("level", "Privacy level μ", records.levels.map(mu => [mu, mu]), records.levels[1] ?? records.levels[0]);
const quantity = selectOf("quantity", "Show", {
  "of each algorithm": [["gain", "cumulative gain"], ["regret", "regret to the best hospital"]],
  "ratio of gains": records.algorithms.map(({ name, label }) => [name, `ratio to ${label}`]),
}, "gain");
const first = address.get("show")?.split(",") ?? records.first;
const groups = [...document.querySelectorAll("[data-group]")].map(element => {
  const members = records.algorithms.filter(({ group }) => group === element.dataset.group);
  const box = new Bokeh.Widgets.CheckboxGroup({
    labels: members.map(({ label }) => label),
    active: members.flatMap(({ name }, index) => first.includes(name) ? [index] : []),
  });
  put(box, element);
  return { box, members };
});

/** Return the names of the algorithms that are shown, in the order of the lists. */
function shown() {
  return groups.flatMap(({ box, members }) => members.filter((_, index) => box.active.includes(index))).map(({ name }) => name);
}

/** Return a figure with its title, what its data are, and what its saved picture needs. */
function figureOf(options) {
  const figure = Bokeh.Plotting.figure({ tools: "pan,box_zoom,reset", sizing_mode: "stretch_both", ...options });
  figure.toolbar.logo = null;
  figure.add_tools(new Bokeh.SaveTool());
  figure.add_layout(new Bokeh.Title({ text: `Data: ${records.said.data}`, text_font_style: "normal", text_font_size: "11px" }), "below");
  return figure;
}

/** Return an empty source of these columns. */
function sourceOf(...names) {
  return new Bokeh.ColumnDataSource({ data: Object.fromEntries(names.map(name => [name, []])) });
}

/** Write a table; the first cell of a row names it. */
function tabulate(root, head, rows) {
  const cell = (tag, text, scope = "") => Object.assign(document.createElement(tag), { textContent: text, scope });
  const table = document.createElement("table");
  table.createTHead().insertRow().append(...head.map(text => cell("th", text, "col")));
  const body = table.createTBody();
  for (const [name, ...values] of rows) body.insertRow().append(cell("th", name, "row"), ...values.map(text => cell("td", text)));
  root.querySelector(".scroll").replaceChildren(table);
}

// One state: a line with a band for each algorithm.
const weekly = figureOf({ x_range: [0, 1], y_range: [0, 1] });
const bands = sourceOf("x", "y", "colour"), lines = sourceOf("x", "y", "colour", "dashes", "label");
weekly.patches(field("x"), field("y"), { source: bands, fill_color: field("colour"), fill_alpha: 0.18, line_color: null });
const drawn = weekly.multi_line(field("x"), field("y"), { source: lines, line_color: field("colour"), line_dash: field("dashes"), line_width: 2 });
weekly.add_tools(new Bokeh.HoverTool({ renderers: [drawn], mode: "vline", line_policy: "nearest",
  tooltips: "<div>week $snap_x{0}, @label: $snap_y{0.00}</div>" }), new Bokeh.CrosshairTool({ dimensions: "height" }));
weekly.add_layout(new Bokeh.Legend({ items: [new Bokeh.LegendItem({ label: field("label"), renderers: [drawn] })],
  location: "bottom_left", ncols: narrow ? 1 : 3, border_line_color: null, padding: 0, margin: 2, spacing: narrow ? 0 : 12 }), "above");

// All states: a point with its interval for each algorithm. A point that is tapped chooses its state.
const across = figureOf({ x_range: [...states.keys()], y_range: [0, 1] });
const points = sourceOf("x", "y", "low", "high", "colour", "state", "label", "words");
across.segment(field("x"), field("low"), field("x"), field("high"), { source: points, line_color: field("colour"), line_width: 1.5 });
const dots = across.scatter(field("x"), field("y"), { source: points, size: 7, color: field("colour"), nonselection_alpha: 0.6 });
across.add_tools(new Bokeh.HoverTool({ renderers: [dots], tooltips: "<div>@state, @label: @words</div>" }), new Bokeh.TapTool({ renderers: [dots] }));
across.xgrid.grid_line_color = null;

function drawWeeks(names) {
  const { hospitals, weeks, best } = states.get(state.value);
  const { axis, says } = wordsOf(quantity.value);
  const own = linesOf(state.value, level.value, quantity.value, names);
  const total = summed(best, records.units.gain).at(-1);
  const level_of = weeks.map(() => total);
  const extra = quantity.value === "gain"
    ? [{ label: "best single hospital, total", colour: "#000000", dashes: [1, 4], values: level_of, low: level_of, high: level_of }] : [];
  const all = [...own, ...extra], x = weeks.map((_, week) => week + 1), random = own.filter(line => line.low.some((low, week) => low < line.high[week]));
  const title = `${state.value}, ${hospitals} hospitals, μ = ${level.value}`;
  const ratio = algorithms.has(quantity.value);
  const range = limitsOf(all, ratio ? Math.floor(weeks.length / 4) : 0);
  setUp("week", weekly, title, axis, range);
  weekly.xaxis.axis_label = `week, ${weeks[0]} to ${weeks.at(-1)}`;
  weekly.x_range.setv({ start: 0, end: weeks.length + 1, reset_start: 0, reset_end: weeks.length + 1 });
  const inside = value => Number.isFinite(value) ? value : 10 * range.end; // a band without an end
  bands.data = { x: random.map(() => [...x, ...x.toReversed()]), colour: random.map(({ colour }) => colour),
    y: random.map(({ low, high }) => [...low, ...high.toReversed()].map(inside)) };
  lines.data = { x: all.map(() => x), y: all.map(({ values }) => values), colour: all.map(({ colour }) => colour),
    dashes: all.map(({ dashes }) => dashes), label: all.map(({ label }) => label) };
  const missing = [...(ratio ? [quantity.value] : []), ...names]
    .filter((name, at, list) => list.indexOf(name) === at && !states.get(state.value).curves[name]?.[level.value])
    .map(name => algorithms.get(name).label);
  caption("week", says, extra.length ? "Dotted: the total of the single hospital that is best in hindsight." : "",
    ratio ? "The scale fits the later weeks, as the first ratios are of small numbers." : "", random.length ? bandsSay() : "", missing.length ? `Not played here: ${missing.join(", ")}.` : "");
  tabulate(document.getElementById("week"), ["week", ...all.map(({ label }) => label)],
    weeks.map((date, week) => [`${week + 1}, ${date}`, ...all.map(line => inWords(line, week))]));
}

function drawStates(names) {
  const { axis, says } = wordsOf(quantity.value);
  const title = `All states at the end, μ = ${level.value}`;
  const cells = [...states.keys()].flatMap(name => linesOf(name, level.value, quantity.value, names).map(line => {
    const last = line.values.length - 1;
    return { ...line, state: name, y: line.values[last], low: line.low[last], high: line.high[last], words: inWords(line, last) };
  }));
  setUp("all", across, title, axis, limitsOf(cells.map(({ y, low, high }) => ({ values: [y], low: [low], high: [high] }))));
  const offset = name => names.length > 1 ? 0.6 * (names.indexOf(name) / (names.length - 1) - 0.5) : 0;
  points.data = {
    x: cells.map(cell => [cell.state, offset(cell.name)]),
    ...Object.fromEntries(["y", "low", "high", "colour", "state", "label", "words"].map(key => [key, cells.map(cell => cell[key])])),
  };
  stress();
  caption("all", says, "Tap a point to see its state above.", bandsSay());
  const of = new Map(cells.map(cell => [`${cell.state} ${cell.name}`, cell.words]));
  tabulate(document.getElementById("all"), ["state", ...names.map(name => algorithms.get(name).label)],
    [...states.keys()].map(place => [place, ...names.map(name => of.get(`${place} ${name}`) ?? "")]));
}

/** Say in a figure, and to who does not see it, what it draws; and fit its y axis. */
function setUp(id, figure, title, axis, { start, end }) {
  document.getElementById(id).setAttribute("aria-label", `${title}: ${axis}`);
  figure.title.text = title;
  figure.toolbar.tools.find(tool => tool instanceof Bokeh.SaveTool).filename = `${title}, ${axis}`; // else it wants to know one
  figure.yaxis.axis_label = axis;
  figure.y_range.setv({ start, end, reset_start: start, reset_end: end });
}

function bandsSay() {
  const { repetitions, confidence, intervals } = records.said;
  return `Means of ${repetitions} repetitions, with Student intervals that hold jointly at ${confidence} % for all ${intervals} means in this file (Bonferroni).`;
}

function caption(id, ...words) {
  document.querySelector(`#${id} figcaption`).textContent = words.filter(Boolean).join(" ");
}

/** Stress the points of the chosen state. */
function stress() {
  points.selected.indices = points.data.state.flatMap((name, index) => name === state.value ? [index] : []);
}

function draw() {
  const names = shown();
  const choice = { state: state.value, level: level.value, quantity: quantity.value, show: names.join(",") };
  history.replaceState(null, "", `?${new URLSearchParams(choice)}`); // a link to what is drawn
  drawWeeks(names);
  drawStates(names);
}

for (const widget of [state, level, quantity]) widget.properties.value.change.connect(draw);
for (const { box } of groups) box.properties.active.change.connect(draw);
points.selected.properties.indices.change.connect(() => {
  state.value = points.data.state[points.selected.indices[0]] ?? state.value;
  stress(); // all points of the state, of which one was tapped
});
draw();
put(weekly, document.querySelector("#week .chart"));
put(across, document.querySelector("#all .chart"));
