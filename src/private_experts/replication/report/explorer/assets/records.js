// What the file holds, as numbers; and what is chosen, which stands in the address.
"use strict";

const records = JSON.parse(document.getElementById("records").textContent);
const algorithms = new Map(records.algorithms.map(each => [each.name, each]));
const places = new Map(records.states.map(each => [each.state, each]));
const cells = records.amplification.cells;

/** Return the values behind differences from one week to the next, in whole units. */
function summed(steps, unit) {
  let at = 0;
  return steps.map(step => (at += step) * unit);
}

/** Return gain and spread by week of an algorithm in a state at a privacy level; null where it did not play. */
function curve(state, name, level) {
  const pair = places.get(state).curves[name]?.[level];
  if (!pair) return null;
  return { gain: summed(pair[0], records.units.gain), spread: summed(pair[1], records.units.spread) };
}

/** Return half the width of a band around a mean. */
function halfWidth(spread, band) {
  return band === "mean" ? records.per_spread * spread : band === "runs" ? 2 * spread : 0;
}

/** Return the values that the cells of amplification have for one of their parameters. */
function valuesOf(name) {
  return [...new Set(cells.map(each => each[name]))].sort((a, b) => a - b);
}

/** Return the cell with these parameters. */
function cellOf(chosen) {
  return cells.find(each => ["n", "mu", "round", "tolerance"].every(name => each[name] === chosen[name]));
}

const played = ({ curves }) => Object.keys(curves).length;
const middle = values => values[Math.floor(values.length / 2)];
// What may be chosen of each, where a list says it, and what is chosen at first.
const CHOICES = {
  view: ["state", "all", "amplification"],
  state: [...places.keys()],
  level: records.levels,
  beside: ["", ...records.levels],
  quantity: Object.keys(QUANTITIES),
  reference: [...algorithms.keys()],
  band: ["mean", "runs", "none"],
  sort: ["name", "hospitals", "gain"],
  scale: ["own", "shared"],
  n: valuesOf("n"),
  mu: valuesOf("mu"),
  round: valuesOf("round"),
  tolerance: valuesOf("tolerance"),
  measure: ["tradeoff", "increase", "delta"],
  along: ["curves", "n", "mu", "round", "tolerance"],
};
const DEFAULTS = {
  ...Object.fromEntries(Object.entries(CHOICES).map(([name, values]) => [name, values[0]])),
  // The largest of the paper's three; else the first in which all algorithms play.
  state: places.has("CA") ? "CA" : records.states.reduce((best, each) => played(each) > played(best) ? each : best).state,
  level: records.levels[1] ?? records.levels[0],
  reference: algorithms.has("rw-meta") ? "rw-meta" : CHOICES.reference[0],
  n: middle(CHOICES.n),
  mu: middle(CHOICES.mu),
  round: middle(CHOICES.round),
  tolerance: middle(CHOICES.tolerance),
  show: records.first.filter(name => algorithms.has(name)).join(","),
  week: "", // none is the last one
  at: "",
};

/** Return what an address chooses; what it cannot choose is as at first. */
function fromAddress(search) {
  const asked = new URLSearchParams(search);
  const found = { ...DEFAULTS };
  for (const [name, value] of asked) {
    if (CHOICES[name]?.includes(value)) found[name] = value;
    else if (name === "show") found.show = value.split(",").filter(each => algorithms.has(each)).join(",");
    else if (["week", "at"].includes(name) && /^\d+$/.test(value)) found[name] = value;
  }
  return found;
}

/** Return the address of a choice: what differs from the first choice. */
function toAddress(chosen) {
  const kept = Object.entries(chosen).filter(([name, value]) => value !== DEFAULTS[name]);
  return kept.length ? `?${new URLSearchParams(kept)}` : "?";
}
