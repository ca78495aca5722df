// What of a game is drawn: its gain, or how that compares with the best single hospital, or with another algorithm.
"use strict";

/** Return the values with a band whose half-width at each place is given. */
function banded(values, half) {
  return { values, low: values.map((each, index) => each - half[index]), high: values.map((each, index) => each + half[index]) };
}

const minus = (values, others) => values.map((each, index) => each - others[index]);
const plus = (values, others) => values.map((each, index) => each + others[index]);

// `of` has the gain and half-width of an algorithm by week, those of the one that it is compared with, and the gain so
// far of the single hospital that is then the best. The two may depend on each other in whatever way, so a band of
// both reaches as far as their bands do.
const QUANTITIES = {
  gain: {
    axis: () => "cumulative gain",
    says: () => "Gain is the sum so far of the densities of the chosen hospitals.",
    of: own => banded(own.gain, own.half),
  },
  regret: {
    axis: () => "regret",
    says: () => "Regret is the gain so far of the single hospital that is then the best, less the algorithm’s. Below 0 the algorithm is ahead.",
    of: (own, _, best) => banded(minus(best, own.gain), own.half),
  },
  ratio: {
    axis: other => `gain over that of ${other}`,
    says: other => `Ratio is the gain so far, divided by that of ${other}. The scale fits the later weeks, as the first ratios are of small numbers.`,
    bands: each => `Bands reach from the least to the largest ratio of ${each}.`,
    compares: true,
    of: (own, other) => ({
      values: own.gain.map((each, index) => other.gain[index] > 0 ? each / other.gain[index] : NaN),
      low: own.gain.map((each, index) => Math.max(each - own.half[index], 0) / (other.gain[index] + other.half[index])),
      high: own.gain.map((each, index) => {
        const least = other.gain[index] - other.half[index];
        return least > 0 ? (each + own.half[index]) / least : Infinity;
      }),
    }),
  },
  difference: {
    axis: other => `gain less that of ${other}`,
    says: other => `Difference is the gain so far, less that of ${other}.`,
    bands: each => `Bands add the half-widths of both algorithms’ ${each}.`,
    compares: true,
    of: (own, other) => banded(minus(own.gain, other.gain), plus(own.half, other.half)),
  },
};

/** Return what is drawn of an algorithm; of one that is compared with itself there is no band. */
function quantityOf(name, own, other, best) {
  const drawn = QUANTITIES[name].of(own, other, best);
  const itself = QUANTITIES[name].compares && own === other;
  const random = !itself && [own, ...(QUANTITIES[name].compares ? [other] : [])].some(each => each.half.some(half => half > 0));
  return random ? drawn : { values: drawn.values };
}

/** Return a value in words, with its band. */
function inWords(name, { values, low, high }, index) {
  const text = value => Number.isFinite(value) ? value.toFixed(2) : "–";
  if (!low || high[index] === low[index]) return text(values[index]);
  return name === "ratio" ? `${text(values[index])} [${text(low[index])}, ${text(high[index])}]`
    : `${text(values[index])} ± ${(values[index] - low[index]).toFixed(2)}`;
}
