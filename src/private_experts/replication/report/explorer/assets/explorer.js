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

/** Return the largest of the paper's three states; else the first of those in which most algorithms play. */
function opening() {
  const played = ({ curves }) => Object.keys(curves).length;
  const most = records.states.reduce((best, next) => played(next) > played(best) ? next : best);
  return states.has("CA") ? "CA" : most.state;
}

const inState = ({ state: name, hospitals, weeks }) => [name, `${name} (${hospitals} hospitals, ${weeks.length} weeks)`];
const state = selectOf("state", "State", records.states.map(inState), opening());
const levels = records.levels.map(mu => [mu, mu]);
const level = selectOf("level", "Privacy level μ", levels, records.levels[1] ?? records.levels[0]);
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
  return groups.flatMap(({ box, members }) => [...box.active].sort((a, b) => a - b).map(index => members[index].name));
}

/** Return a figure that says what its data are, also in a saved picture. */
function figureOf(ranges) {
  const figure = Bokeh.Plotting.figure({ tools: "pan,box_zoom,reset", sizing_mode: "stretch_both", ...ranges });
  figure.toolbar.logo = null;
  figure.add_tools(new Bokeh.SaveTool());
  const text = `Data: ${records.said.data}`.replace(" (", "\n("); // two lines, or a narrow picture cuts the file's name
  figure.add_layout(new Bokeh.Title({ text, text_font_style: "normal", text_font_size: "11px" }), "below");
  return figure;
}

/** Return an empty source of these columns. */
function sourceOf(...names) {
  return new Bokeh.ColumnDataSource({ data: Object.fromEntries(names.map(name => [name, []])) });
}

// One state: a line with a band for each algorithm.
const weekly = figureOf({ x_range: [0, 1], y_range: [0, 1] });
const bands = sourceOf("x", "y", "colour");
const lines = sourceOf("x", "y", "colour", "dashes", "label");
weekly.patches(field("x"), field("y"), {
  source: bands, fill_color: field("colour"), fill_alpha: 0.18, line_color: null,
});
const drawn = weekly.multi_line(field("x"), field("y"), {
  source: lines, line_color: field("colour"), line_dash: field("dashes"), line_width: 2,
});
const atWeek = new Bokeh.HoverTool({
  renderers: [drawn],
  mode: "vline",
  line_policy: "nearest",
  tooltips: "<div>week $snap_x{0}, @label: $snap_y{0.00}</div>",
});
weekly.add_tools(atWeek, new Bokeh.CrosshairTool({ dimensions: "height" }));
const legend = new Bokeh.Legend({
  items: [new Bokeh.LegendItem({ label: field("label"), renderers: [drawn] })],
  location: "bottom_left",
  ncols: narrow ? 1 : 3,
  spacing: narrow ? 0 : 12,
  border_line_color: null,
  padding: 0,
  margin: 2,
});
weekly.add_layout(legend, "above");

// All states: a point with its interval for each algorithm. A point that is tapped chooses its state.
const POINT = ["y", "low", "high", "colour", "state", "label", "words"];
const across = figureOf({ x_range: [...states.keys()], y_range: [0, 1] });
const points = sourceOf("x", ...POINT);
across.segment(field("x"), field("low"), field("x"), field("high"), {
  source: points, line_color: field("colour"), line_width: 1.5,
});
const dots = across.scatter(field("x"), field("y"), {
  source: points, size: 7, color: field("colour"), nonselection_alpha: 0.6,
});
const atPoint = new Bokeh.HoverTool({ renderers: [dots], tooltips: "<div>@state, @label: @words</div>" });
across.add_tools(atPoint, new Bokeh.TapTool({ renderers: [dots] }));
across.xgrid.grid_line_color = null;

/** Say in a figure, and to who does not see it, what it draws; and fit its y axis. */
function setUp(id, figure, title, axis, { start, end }) {
  document.getElementById(id).setAttribute("aria-label", `${title}: ${axis}`);
  figure.title.text = title;
  figure.yaxis.axis_label = axis;
  figure.y_range.setv({ start, end, reset_start: start, reset_end: end });
  // Without a name the tool opens a dialog for one.
  figure.toolbar.tools.find(tool => tool instanceof Bokeh.SaveTool).filename = `${title}, ${axis}`;
}

/** Write the sentences of a figure's caption. */
function caption(id, ...sentences) {
  document.querySelector(`#${id} figcaption`).textContent = sentences.filter(Boolean).join(" ");
}

/** Write the table of a figure; the first cell of a row names it. */
function tabulate(id, head, rows) {
  const cell = (tag, text, scope = "") => Object.assign(document.createElement(tag), { textContent: text, scope });
  const table = document.createElement("table");
  table.createTHead().insertRow().append(...head.map(text => cell("th", text, "col")));
  const body = table.createTBody();
  for (const [name, ...values] of rows) {
    body.insertRow().append(cell("th", name, "row"), ...values.map(text => cell("td", text)));
  }
  document.querySelector(`#${id} .scroll`).replaceChildren(table);
}

/** Return what bands and intervals are. */
function meansAndIntervals() {
  const { repetitions, confidence, intervals } = records.said;
  return `Means of ${repetitions} repetitions, with Student intervals that hold jointly at ${confidence} % `
    + `for all ${intervals} means in this file (Bonferroni).`;
}

/** Return the total of the single hospital that is best in hindsight, as a line at its height. */
function bestOf({ best, weeks }) {
  const total = summed(best, records.units.gain).at(-1);
  const values = weeks.map(() => total);
  return { label: "best single hospital, total", colour: "#000000", dashes: [1, 4], values, low: values, high: values };
}

/** Return the labels of the algorithms that did not play in a state, of those that its drawing needs. */
function missingIn({ curves }, names) {
  const needed = new Set([...names, ...(algorithms.has(quantity.value) ? [quantity.value] : [])]);
  return [...needed].filter(name => !curves[name]?.[level.value]).map(name => algorithms.get(name).label);
}

function drawWeeks(names) {
  const place = states.get(state.value);
  const { hospitals, weeks } = place;
  const { axis, says } = wordsOf(quantity.value);
  const ratio = algorithms.has(quantity.value);
  const best = quantity.value === "gain" ? [bestOf(place)] : [];
  const curves = [...linesOf(state.value, level.value, quantity.value, names), ...best];
  const column = key => curves.map(line => line[key]);
  const range = limitsOf(curves, ratio ? Math.floor(weeks.length / 4) : 0);
  setUp("week", weekly, `${state.value}, ${hospitals} hospitals, μ = ${level.value}`, axis, range);
  weekly.xaxis.axis_label = `week, ${weeks[0]} to ${weeks.at(-1)}`;
  weekly.x_range.setv({ start: 0, end: weeks.length + 1, reset_start: 0, reset_end: weeks.length + 1 });
  const numbers = weeks.map((_, week) => week + 1);
  lines.data = {
    x: curves.map(() => numbers), y: column("values"), colour: column("colour"), dashes: column("dashes"), label: column("label"),
  };
  const random = curves.filter(({ low, high }) => low.some((end, week) => end < high[week]));
  const drawable = end => Number.isFinite(end) ? end : 10 * range.end; // of a band without an end
  bands.data = {
    x: random.map(() => [...numbers, ...numbers.toReversed()]),
    y: random.map(({ low, high }) => [...low, ...high.toReversed()].map(drawable)),
    colour: random.map(({ colour }) => colour),
  };
  const missing = missingIn(place, names);
  caption("week", says,
    best.length ? "Dotted: the total of the single hospital that is best in hindsight." : "",
    ratio ? "The scale fits the later weeks, as the first ratios are of small numbers." : "",
    random.length ? meansAndIntervals() : "",
    missing.length ? `Not played here: ${missing.join(", ")}.` : "");
  tabulate("week", ["week", ...column("label")],
    weeks.map((date, week) => [`${week + 1}, ${date}`, ...curves.map(line => inWords(line, week))]));
}

function drawStates(names) {
  const { axis, says } = wordsOf(quantity.value);
  const cells = [...states.keys()].flatMap(name => linesOf(name, level.value, quantity.value, names).map(line => {
    const last = line.values.length - 1;
    const [y, low, high] = [line.values, line.low, line.high].map(values => values[last]);
    return { ...line, state: name, y, low, high, words: inWords(line, last) };
  }));
  const range = limitsOf(cells.map(({ y, low, high }) => ({ values: [y], low: [low], high: [high] })));
  setUp("all", across, `All states at the end, μ = ${level.value}`, axis, range);
  // Points of a state stand side by side, in the order of the lists.
  const aside = name => names.length > 1 ? 0.6 * (names.indexOf(name) / (names.length - 1) - 0.5) : 0;
  points.data = {
    x: cells.map(cell => [cell.state, aside(cell.name)]),
    ...Object.fromEntries(POINT.map(key => [key, cells.map(cell => cell[key])])),
  };
  stress();
  const random = cells.some(({ low, high }) => low < high);
  caption("all", says, "Tap a point to see its state above.", random ? meansAndIntervals() : "");
  const said = new Map(cells.map(cell => [`${cell.state} ${cell.name}`, cell.words]));
  tabulate("all", ["state", ...names.map(name => algorithms.get(name).label)],
    [...states.keys()].map(place => [place, ...names.map(name => said.get(`${place} ${name}`) ?? "")]));
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
