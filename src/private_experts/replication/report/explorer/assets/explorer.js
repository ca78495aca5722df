// The three views, and the controls that they share.
"use strict";

document.documentElement.classList.add("js");
document.getElementById("totals").open = false; // open for those without scripts
if (innerWidth < 700) document.querySelectorAll(".group").forEach(each => { each.open = false; });

const form = document.getElementById("controls");
const chosen = fromAddress(location.search);
const gains = new Chart(document.getElementById("one-state"), index => choose({ week: String(index + 1) }));
const amplification = new Chart(document.getElementById("batching"), index => choose({ at: String(index) }));
const all = document.getElementById("all-states");
let tiles = [];

const VIEWS = {
  state: { draw: drawState, place: () => gains.place(weekIndex()) },
  all: { draw: drawAll, place: placeAll },
  amplification: { draw: drawAmplification, place: () => amplification.place(placeIndex()) },
};

/** Return the names of the algorithms that are shown, in the order of the list. */
function shown() {
  const asked = new Set(chosen.show.split(","));
  return [...algorithms.keys()].filter(name => asked.has(name));
}

function weeksOf(state) {
  return places.get(state).weeks;
}

/** Return where the chosen week stands among a state's weeks; the last one if none is chosen. */
function weekIndex(state = chosen.state) {
  const last = weeksOf(state).length - 1;
  return chosen.week ? Math.min(Math.max(Number(chosen.week) - 1, 0), last) : last;
}

function placeIndex() {
  const last = amplification.x.length - 1;
  return chosen.at ? Math.min(Number(chosen.at), last) : Math.floor(last / 2);
}

/** Return the lines of a state's chart, one for each algorithm that is shown and played there. */
function linesOf(state) {
  return shown().flatMap(name => {
    const found = curve(state, name, chosen.level);
    if (!found) return [];
    const { gain, spread } = found;
    const half = spread.map(each => halfWidth(each, chosen.band));
    const line = { ...algorithms.get(name), values: gain };
    line.said = index => gain[index].toFixed(2) + (half[index] ? ` ± ${half[index].toFixed(2)}` : "");
    if (half.some(each => each > 0)) {
      line.low = gain.map((each, index) => each - half[index]);
      line.high = gain.map((each, index) => each + half[index]);
    }
    return [line];
  });
}

/** Return the line of the single hospital that is best in hindsight: its total, at the height where a gain would equal it. */
function bestOf(state) {
  const { best, weeks } = places.get(state);
  return { label: "best single hospital, total", colour: "#000000", dashes: [1, 4], values: weeks.map(() => best),
    said: () => best.toFixed(2) };
}

function drawState() {
  const { state, hospitals, weeks } = places.get(chosen.state);
  const title = `${state}, ${hospitals} hospitals, ${weeks.length} weeks, μ = ${chosen.level}`;
  document.querySelector("#one-state h2").textContent = title;
  const missing = shown().filter(name => !curve(state, name, chosen.level)).map(name => algorithms.get(name).label);
  document.querySelector("#one-state .missing").textContent = missing.length ? `Not played here: ${missing.join(", ")}.` : "";
  gains.draw({
    x: weeks.map((_, index) => index + 1),
    lines: [...linesOf(state), bestOf(state)],
    words: { title: `Cumulative gain by week: ${title}`, x: "week", y: "cumulative gain",
      place: index => `${index + 1}, ${weeks[index]}` },
  });
}

/** Return the states in the chosen order. */
function ordered() {
  const first = shown()[0];
  const gain = state => (first && curve(state, first, chosen.level)?.gain[weekIndex(state)]) || 0;
  const keys = { name: () => 0, hospitals: each => -each.hospitals, gain: each => -gain(each.state) };
  const keyed = records.states.map(each => [keys[chosen.sort](each), each]);
  return keyed.sort((a, b) => a[0] - b[0] || a[1].state.localeCompare(b[1].state)).map(([, each]) => each);
}

function drawAll() {
  const states = ordered();
  const lines = new Map(states.map(({ state }) => [state, linesOf(state)]));
  const limits = chosen.scale === "shared" ? range([...lines.values()].flat()) : null;
  document.querySelector("#all-states h2").textContent = `All states, μ = ${chosen.level}`;
  const names = shown().slice(0, 3).map(name => algorithms.get(name));
  all.querySelector(".key").replaceChildren(...shown().map(name => algorithms.get(name)).map(each =>
    made("li", {}, swatch(each), made("span", { textContent: each.label }))));
  const boxes = states.map(({ state, hospitals, weeks }) => {
    const box = made("div", { className: "chart" });
    const values = names.map(name => made("output", { className: "value" }, swatch(name), made("span")));
    const link = made("a", { href: toAddress({ ...chosen, view: "state", state }), className: "tile" },
      made("b", { textContent: state }), made("small", { textContent: ` ${hospitals} hospitals, ${weeks.length} weeks` }), box, made("div", { className: "values" }, ...values));
    link.addEventListener("click", event => {
      event.preventDefault();
      choose({ view: "state", state });
      scrollTo(0, 0);
    });
    return { state, link, box, values };
  });
  document.getElementById("tiles").replaceChildren(...boxes.map(each => each.link));
  tiles = boxes.map(each => ({ ...each, lines: lines.get(each.state), tile: new Tile(
    each.box,
    { count: weeksOf(each.state).length, lines: lines.get(each.state), limits },
    index => choose({ week: String(index + 1) }),
  ) }));
  const slider = all.querySelector("input[type=range]");
  slider.max = Math.max(...records.states.map(each => each.weeks.length)) - 1;
}

function placeAll() {
  const names = shown().slice(0, 3);
  for (const { state, values, lines, tile } of tiles) {
    const index = weekIndex(state);
    values.forEach((each, number) => {
      each.lastChild.textContent = lines.find(line => line.name === names[number])?.values[index].toFixed(2) ?? "–";
    });
    tile.place(index);
  }
  const longest = records.states.reduce((a, b) => a.weeks.length < b.weeks.length ? b : a);
  const index = weekIndex(longest.state);
  const slider = all.querySelector("input[type=range]");
  slider.value = index;
  const dates = records.states.map(({ state, weeks }) => weeks[weekIndex(state)]).sort(); // states begin in different weeks
  const where = `${index + 1}, ${[...new Set([dates[0], dates.at(-1)])].join(" to ")}`;
  slider.setAttribute("aria-valuetext", where);
  all.querySelector(".where").textContent = where;
  tabulateAll();
}

function tabulateAll() {
  const table = all.querySelector("details");
  if (!table.open) return;
  const names = shown();
  const rows = tiles.map(({ state, lines }) => [state, ...names.map(name =>
    lines.find(line => line.name === name)?.said(weekIndex(state)) ?? "")]);
  table.querySelector(".scroll").replaceChildren(tableOf(["state", ...names.map(name => algorithms.get(name).label)], rows));
}

/** Return the lines of one cell of amplification for the chosen measure. */
function curvesOf(cell, names, look) {
  const { units } = records;
  return names.filter(({ name }) => !(chosen.measure === "increase" && name === "unamplified")).map(each => {
    const delta = chosen.measure === "delta";
    const written = cell[delta ? "delta" : "tradeoff"][each.name];
    const under = chosen.measure === "increase" ? cell.tradeoff.unamplified[0] : null;
    const [values, low, high] = written.map(line => line.map((value, index) =>
      delta ? 10 ** (value * units.delta) : (value - (under ? under[index] : 0)) * units.error));
    const text = value => delta ? value.toExponential(2) : value.toFixed(4);
    const said = index => text(values[index]) + (low ? ` [${text(low[index])}, ${text(high[index])}]` : "");
    return { ...each, ...look(each), values, low, high, said };
  });
}

function amplificationLines() {
  const { names } = records.amplification;
  if (chosen.along === "curves") return curvesOf(cellOf(chosen), names, () => ({}));
  return CHOICES[chosen.along].flatMap((value, number) => {
    const { colour } = records.compared[number % records.compared.length];
    const cell = cellOf({ ...chosen, [chosen.along]: value });
    const two = names.filter(({ name }) => ["simulation", "analytic"].includes(name));
    return curvesOf(cell, two, each => ({ colour, dashes: each.name === "simulation" ? [] : [8, 4],
      label: `${SYMBOLS[chosen.along]} = ${value}: ${each.label}` }));
  });
}

const SYMBOLS = { n: "n", mu: "μ", round: "round", tolerance: "α" };

function drawAmplification() {
  const relative = chosen.along === "mu";
  const delta = chosen.measure === "delta";
  const x = delta
    ? records.amplification.shares.map(share => relative ? share : share * Number(chosen.mu))
    : records.amplification.errors.map(each => each * records.units.error);
  const name = delta ? (relative ? "ε / μ" : "ε") : "type I error";
  const y = { tradeoff: "type II error", increase: "increase of type II error", delta: "δ" }[chosen.measure];
  const fixed = Object.keys(SYMBOLS).filter(each => each !== chosen.along).map(each => `${SYMBOLS[each]} = ${chosen[each]}`);
  const title = `Privacy of one datum, ${y}: ${fixed.join(", ")}`;
  document.querySelector("#batching h2").textContent = title;
  amplification.draw({
    x,
    lines: amplificationLines(),
    log: delta,
    limits: delta ? [1e-6, 1] : chosen.measure === "tradeoff" ? [0, 1] : null,
    words: { title, x: name, y, place: index => String(Number(x[index].toPrecision(4))) },
  });
}

/** Show a choice in the controls. */
function setControls() {
  for (const field of form.elements) {
    if (field.name === "show") field.checked = chosen.show.split(",").includes(field.value);
    else if (field.name in chosen) field.value = chosen[field.name];
  }
  for (const part of document.querySelectorAll("[data-views]")) part.hidden = !part.dataset.views.split(" ").includes(chosen.view);
  for (const link of document.querySelectorAll("nav [data-view]")) {
    link.href = toAddress({ ...chosen, view: link.dataset.view });
    if (link.dataset.view === chosen.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

let writing = 0;

/** Change what is chosen, and draw what that changes. A place alone moves no line. */
function choose(changes) {
  const moved = Object.keys(changes).every(name => ["week", "at"].includes(name));
  Object.assign(chosen, changes);
  if (!moved) draw();
  else VIEWS[chosen.view].place();
  clearTimeout(writing); // browsers refuse to write the address too often
  writing = setTimeout(() => history.replaceState(null, "", toAddress(chosen)), 120);
}

function draw() {
  setControls();
  VIEWS[chosen.view].draw();
  VIEWS[chosen.view].place();
}

form.addEventListener("input", event => {
  const field = event.target;
  if (field.name === "show") {
    const boxes = [...form.querySelectorAll("input[name=show]:checked")];
    choose({ show: boxes.map(each => each.value).join(",") });
  } else if (field.name in chosen) choose({ [field.name]: field.value });
});
form.addEventListener("submit", event => event.preventDefault());
all.querySelector("input[type=range]").addEventListener("input", event => choose({ week: String(Number(event.target.value) + 1) }));
all.querySelector("details").addEventListener("toggle", tabulateAll);
for (const link of document.querySelectorAll("nav [data-view]")) link.addEventListener("click", event => {
  event.preventDefault();
  choose({ view: link.dataset.view });
});
draw();
