// The three views, and the controls that they share.
"use strict";

document.documentElement.classList.add("js");
document.getElementById("totals").open = false; // open for those without scripts

const fields = [...document.querySelectorAll("select, input[name=show]")];
const chosen = fromAddress(location.search);
const panels = [...document.querySelectorAll("#one-state .panel")]; // for a level, and for another beside it
const gains = panels.map(panel => new Chart(panel, index => choose({ week: String(index + 1) })));
const amplification = new Chart(document.getElementById("batching"), index => choose({ at: String(index) }));
const all = document.getElementById("all-states");
let tiles = [];

const VIEWS = {
  state: { section: "one-state", draw: drawState, place: () => levels().forEach((_, number) => gains[number].place(weekIndex())),
    rows: stateRows, picture: statePicture },
  all: { section: "all-states", draw: drawAll, place: placeAll, rows: allRows, picture: allPicture },
  amplification: { section: "batching", draw: drawAmplification, place: () => amplification.place(placeIndex()),
    rows: amplificationRows, picture: amplificationPicture },
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

/** Return the privacy levels that are drawn. */
function levels() {
  return [...new Set([chosen.level, chosen.beside || chosen.level])];
}

/** Return gain and half-width by week of an algorithm in a state; null where it did not play. */
function playOf(state, name, level) {
  const found = curve(state, name, level);
  return found && { gain: found.gain, half: found.spread.map(each => halfWidth(each, chosen.band)) };
}

const compares = () => Boolean(QUANTITIES[chosen.quantity].compares);
const referenceLabel = () => algorithms.get(chosen.reference)?.label;

/** Return the lines of a state's chart, one for each algorithm that is shown and played there. */
function linesOf(state, level = chosen.level) {
  const best = summed(places.get(state).best, records.units.gain);
  const other = compares() ? playOf(state, chosen.reference, level) : null;
  if (compares() && !other) return [];
  return shown().flatMap(name => {
    const own = name === chosen.reference && other ? other : playOf(state, name, level);
    if (!own) return [];
    const line = { ...algorithms.get(name), ...quantityOf(chosen.quantity, own, other, best) };
    line.said = index => inWords(chosen.quantity, line, index);
    return [line];
  });
}

/** Return the line of the single hospital that is best in hindsight: its total, at the height where a gain would equal it. */
function bestOf(state) {
  const { best, weeks } = places.get(state);
  const total = summed(best, records.units.gain).at(-1);
  return { label: "best single hospital, total", says: "In hindsight: the hospital whose densities add up to most.",
    colour: "#000000", dashes: [1, 4], values: weeks.map(() => total), said: () => total.toFixed(2) };
}

/** Return the limits that hold the lines; first ratios are of small numbers, and may leave them. */
function limitsOf(lines) {
  if (chosen.quantity !== "ratio") return range(lines);
  const later = values => values?.slice(Math.floor(values.length / 4));
  return range(lines.map(line => ({ values: later(line.values), low: later(line.low), high: later(line.high) })), 1);
}

/** Return what a caption says of bands, if any are drawn. */
function bandsOf(lines) {
  if (!lines.some(line => line.low)) return "";
  const { confidence, intervals } = records.said;
  const each = chosen.band === "runs" ? "intervals of two standard deviations of single runs to either side"
    : `Student intervals of means, which hold jointly at ${confidence} % for all ${intervals} means in this file (Bonferroni)`;
  return QUANTITIES[chosen.quantity].bands?.(each) ?? `Bands are ${each}.`;
}

/** Write the caption of a view: what is drawn there, and nothing else. */
function caption(view, sentences) {
  document.querySelector(`#${VIEWS[view].section} .caption`).textContent = sentences.filter(Boolean).join(" ");
}

/** Return what is drawn of a state, in words. */
function stateTitle() {
  const { state, hospitals, weeks } = places.get(chosen.state);
  const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
  return `${state}, ${count(hospitals, "hospital")}, ${count(weeks.length, "week")}, ${levels().map(each => `μ = ${each}`).join(" and ")}`;
}

function drawState() {
  const { state, weeks } = places.get(chosen.state);
  const quantity = QUANTITIES[chosen.quantity];
  const drawn = levels().map(level => linesOf(state, level)), every = drawn.flat();
  const extra = chosen.quantity === "gain" ? [bestOf(state)] : [];
  const limits = limitsOf([...every, ...extra]);
  document.querySelector("#one-state h2").textContent = stateTitle();
  panels.forEach((panel, number) => {
    panel.hidden = number >= drawn.length;
    panel.querySelector("h3").textContent = drawn.length > 1 ? `μ = ${levels()[number]}` : "";
    if (panel.hidden) panel.querySelector(".key").replaceChildren();
  });
  drawn.forEach((lines, number) => gains[number].draw({
    x: weeks.map((_, index) => index + 1),
    lines: [...lines, ...extra],
    limits,
    words: { title: `${quantity.axis(referenceLabel())} by week: ${state}, μ = ${levels()[number]}`, x: "week",
      y: quantity.axis(referenceLabel()), place: index => `${index + 1}, ${weeks[index]}` },
  }));
  const missing = [...(compares() ? [chosen.reference] : []), ...shown()].filter(name =>
    levels().some(level => !curve(state, name, level)));
  const absent = [...new Set(missing)].map(name => algorithms.get(name).label);
  document.querySelector("#one-state .missing").textContent = absent.length ? `Not played here: ${absent.join(", ")}.` : "";
  caption("state", [quantity.says(referenceLabel()), `Lines are means of ${records.said.repetitions} repetitions.`,
    bandsOf(every), extra.length ? "Dotted: the total of the single hospital that is best in hindsight." : ""]);
}

const PLAYS = ["state", "mu", "quantity", "algorithm", "week", "date", "value", "low", "high", "data"];

/** Return what is drawn of states at levels, as rows of a table. */
function playRows(states, at) {
  const kind = compares() ? `${chosen.quantity} to ${referenceLabel()}` : chosen.quantity;
  return [PLAYS, ...states.flatMap(state => at.flatMap(level => rowsOf([state, level, kind], linesOf(state, level),
    index => [index + 1, weeksOf(state)[index]]))).map(row => [...row, records.said.data])];
}

function stateRows() {
  return playRows([chosen.state], levels());
}

function allRows() {
  return playRows(ordered().map(each => each.state), [chosen.level]);
}

function allPicture(name) {
  saveTiles(`${name}.svg`, document.querySelector("#all-states h2").textContent, tiles, shown().map(each => algorithms.get(each)),
    records.said.data);
}

function statePicture(name) {
  const charts = levels().map((level, number) => ({ title: levels().length > 1 ? `μ = ${level}` : "", chart: gains[number] }));
  return savePicture(`${name}.png`, `${stateTitle()}: ${QUANTITIES[chosen.quantity].axis(referenceLabel())}`, charts, gains[0].lines, records.said.data);
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
  const shared = chosen.scale === "shared" ? limitsOf([...lines.values()].flat()) : null;
  const quantity = QUANTITIES[chosen.quantity];
  document.querySelector("#all-states h2").textContent = `All states, ${quantity.axis(referenceLabel())}, μ = ${chosen.level}`;
  const names = shown().slice(0, 3).map(name => algorithms.get(name));
  all.querySelector(".key").replaceChildren(...shown().map(name => algorithms.get(name)).map(each =>
    made("li", { title: each.says }, swatch(each), made("span", { textContent: each.label }))));
  const boxes = states.map(({ state, hospitals, weeks }) => {
    const box = made("div", { className: "chart" });
    const values = names.map(name => made("output", { className: "value" }, swatch(name), made("span")));
    const link = made("a", { href: toAddress({ ...chosen, view: "state", state }), className: "tile" },
      made("b", { textContent: state }), made("small", { textContent: ` ${hospitals} hospitals, ${weeks.length} weeks` }), box, made("div", { className: "values" }, ...values));
    chooseBy(link, { view: "state", state });
    link.addEventListener("click", () => scrollTo(0, 0));
    return { state, link, box, values };
  });
  document.getElementById("tiles").replaceChildren(...boxes.map(each => each.link));
  tiles = boxes.map(each => ({ ...each, lines: lines.get(each.state), tile: new Tile(
    each.box,
    { count: weeksOf(each.state).length, lines: lines.get(each.state),
      limits: shared ?? limitsOf(lines.get(each.state)) },
    index => choose({ week: String(index + 1) }),
  ) }));
  const slider = all.querySelector("input[type=range]");
  slider.max = Math.max(...records.states.map(each => each.weeks.length)) - 1;
  caption("all", [quantity.says(referenceLabel()), `Lines are means of ${records.said.repetitions} repetitions.`,
    bandsOf([...lines.values()].flat()), names.length ? `Below each: the values of ${names.map(each => each.label).join(", ")}.` : ""]);
}

function placeAll() {
  const names = shown().slice(0, 3);
  for (const { state, values, lines, tile } of tiles) {
    const index = weekIndex(state);
    values.forEach((each, number) => {
      const value = lines.find(line => line.name === names[number])?.values[index];
      each.lastChild.textContent = Number.isFinite(value) ? value.toFixed(2) : "–";
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

const NO_DATA = "bounds and simulation, without gains";

function amplificationRows() {
  const fixed = Object.keys(SYMBOLS).map(each => each === chosen.along ? "" : chosen[each]);
  const head = [...Object.keys(SYMBOLS), "measure", "curve", amplification.words.x, "value", "low", "high", "data"];
  return [head, ...rowsOf([...fixed, chosen.measure], amplification.lines, index => [rounded(amplification.x[index])])
    .map(row => [...row, NO_DATA])];
}

function amplificationPicture(name) {
  return savePicture(`${name}.png`, amplification.words.title, [{ title: "", chart: amplification }], amplification.lines, NO_DATA);
}

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
  const { horizon, confidence } = records.said;
  caption("amplification", [
    `The privacy of one datum in RW-AdaBatch, on data without gains, with ${horizon} rounds and the least noise that makes reports μ-GDP.`,
    `Bounds hold on all data. The bands of the Monte Carlo curves hold jointly at ${confidence} %, at all tolerances.`,
    delta ? "The logarithm of δ is written to 0.001." : "Errors are written to 0.00001.",
  ]);
}

/** Show a choice in the controls. */
function setControls() {
  for (const field of fields) {
    if (field.name === "show") field.checked = chosen.show.split(",").includes(field.value);
    else field.value = chosen[field.name];
  }
  for (const part of document.querySelectorAll("[data-views]")) part.hidden = !part.dataset.views.split(" ").includes(chosen.view);
  document.getElementById("reference").closest(".field").hidden ||= !compares();
  for (const link of document.querySelectorAll("nav [data-view]")) {
    link.href = toAddress({ ...chosen, view: link.dataset.view });
    if (link.dataset.view === chosen.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  for (const link of document.querySelectorAll("[data-preset]")) {
    link.href = toAddress({ ...chosen, show: link.dataset.preset });
    if (link.dataset.preset === chosen.show) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

let writing = 0;

/** Change what is chosen, and draw what that changes. A place alone moves no line, and is no step to go back. */
function choose(changes) {
  const before = toAddress(chosen);
  const moved = Object.keys(changes).every(name => ["week", "at"].includes(name));
  Object.assign(chosen, changes);
  clearTimeout(writing); // browsers refuse to write the address too often
  if (moved) {
    VIEWS[chosen.view].place();
    writing = setTimeout(() => history.replaceState(null, "", toAddress(chosen)), 120);
  } else if (toAddress(chosen) !== before) {
    history.replaceState(null, "", before); // with the place, which may not be written yet
    history.pushState(null, "", toAddress(chosen));
    draw();
  }
}

function draw() {
  setControls();
  VIEWS[chosen.view].draw();
  VIEWS[chosen.view].place();
}

for (const field of fields) field.addEventListener("input", () => {
  if (field.name !== "show") choose({ [field.name]: field.value });
  else choose({ show: fields.filter(each => each.name === "show" && each.checked).map(each => each.value).join(",") });
});
for (const form of document.forms) form.addEventListener("submit", event => event.preventDefault());
all.querySelector("input[type=range]").addEventListener("input", event => choose({ week: String(Number(event.target.value) + 1) }));
all.querySelector("details").addEventListener("toggle", tabulateAll);

/** Choose by a link, unless it is to open a window. */
function chooseBy(link, changes) {
  link.addEventListener("click", event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(changes);
  });
}
for (const link of document.querySelectorAll("nav [data-view]")) chooseBy(link, { view: link.dataset.view });
for (const link of document.querySelectorAll("[data-preset]")) chooseBy(link, { show: link.dataset.preset });

/** Say what an algorithm does that the pointer or the keyboard is at. */
for (const each of document.querySelectorAll(".algorithm")) for (const event of ["pointerenter", "focusin"])
  each.addEventListener(event, () => {
    document.getElementById("definition").textContent = each.querySelector(".says").textContent;
  });

for (const button of document.querySelectorAll("[data-save]")) button.addEventListener("click", () => {
  const { rows, picture } = VIEWS[chosen.view];
  const parts = chosen.view === "state" ? [chosen.state, ...levels().map(each => `mu-${each === "∞" ? "infinity" : each}`), chosen.quantity]
    : chosen.view === "all" ? ["all-states", `mu-${chosen.level === "∞" ? "infinity" : chosen.level}`, chosen.quantity]
    : ["amplification", chosen.measure];
  const name = parts.join("-");
  if (button.dataset.save === "data") save(`${name}.csv`, [csvOf(rows())], "text/csv");
  else picture(name);
});

addEventListener("popstate", () => {
  clearTimeout(writing);
  Object.assign(chosen, fromAddress(location.search));
  draw();
});
draw();
