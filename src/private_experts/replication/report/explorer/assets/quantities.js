// What of a game is drawn: its gain, or how that compares with the best single hospital, or with another algorithm.
"use strict";

const records = JSON.parse(document.getElementById("records").textContent);
const algorithms = new Map(records.algorithms.map(algorithm => [algorithm.name, algorithm]));
const states = new Map(records.states.map(state => [state.state, state]));

/** Return the values behind differences from one week to the next, in whole units. */
function summed(steps, unit) {
  let sum = 0;
  return steps.map(step => (sum += step) * unit);
}

/** Return gain and half-width by week of an algorithm in a state at a privacy level; null where it did not play. */
function gainOf(state, name, level) {
  const pair = states.get(state).curves[name]?.[level];
  return pair ? {
    gain: summed(pair[0], records.units.gain),
    half: summed(pair[1], records.units.spread).map(spread => records.per_spread * spread),
  } : null;
}

/** Return values with a band around them. */
function banded(values, half) {
  return {
    values,
    low: values.map((value, week) => value - half[week]),
    high: values.map((value, week) => value + half[week]),
  };
}

/** Return the ratio of two gains. They may depend on each other in any way, so its band holds all ratios of theirs. */
function ratioOf(own, other) {
  const values = own.gain.map((gain, week) => other.gain[week] > 0 ? gain / other.gain[week] : NaN);
  if (own === other) return { values, low: values, high: values };
  return {
    values,
    low: own.gain.map((gain, week) => Math.max(gain - own.half[week], 0) / (other.gain[week] + other.half[week])),
    high: own.gain.map((gain, week) => {
      const least = other.gain[week] - other.half[week];
      return least > 0 ? (gain + own.half[week]) / least : Infinity;
    }),
  };
}

const sentences = {
  gain: "Gain is the sum so far of the densities of the chosen hospitals.",
  regret: "Regret is the gain so far of the single hospital that is then the best, less the algorithm’s. Below 0 the algorithm is ahead.",
};

/** Return what a quantity is called, and what it is; all but gain and regret are ratios to the algorithm so named. */
function wordsOf(quantity) {
  const rival = algorithms.get(quantity)?.label;
  return {
    axis: { gain: "cumulative gain", regret: "regret" }[quantity] ?? `gain over that of ${rival}`,
    says: sentences[quantity] ?? `Ratio is the gain so far, divided by that of ${rival}.`,
  };
}

/** Return the lines of algorithms in a state; of those that did not play there, none. */
function linesOf(state, level, quantity, names) {
  const best = summed(states.get(state).best, records.units.gain);
  const rival = algorithms.has(quantity) ? gainOf(state, quantity, level) : null;
  return names.flatMap(name => {
    const own = name === quantity ? rival : gainOf(state, name, level);
    if (!own || (algorithms.has(quantity) && !rival)) return [];
    const drawn = quantity === "gain" ? banded(own.gain, own.half)
      : quantity === "regret" ? banded(best.map((gain, week) => gain - own.gain[week]), own.half)
      : ratioOf(own, rival);
    return [{ ...algorithms.get(name), ...drawn }];
  });
}

/** Return a line's value in a week, with its band. */
function inWords({ values, low, high }, week) {
  const text = value => Number.isFinite(value) ? value.toFixed(2) : "–";
  return text(values[week]) + (low[week] < high[week] ? ` [${text(low[week])}, ${text(high[week])}]` : "");
}

/** Return limits that hold the lines from a week on, and their bands as far as they are no wider than the lines. */
function limitsOf(lines, from = 0) {
  const finite = key => lines.flatMap(line => line[key].slice(from)).filter(Number.isFinite);
  const values = finite("values");
  if (!values.length) return { start: 0, end: 1 };
  const least = Math.min(...values), most = Math.max(...values);
  const room = (most - least || 1) / 2;
  return {
    start: Math.max(least - room, Math.min(least, ...finite("low"))) - room / 20,
    end: Math.min(most + room, Math.max(most, ...finite("high"))) + room / 20,
  };
}
