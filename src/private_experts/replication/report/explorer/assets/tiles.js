// Many small drawings of lines with bands: plain SVG, because figures of BokehJS would take too long.
"use strict";

const TILE = { width: 100, height: 100 };

/** A drawing without axes, with a line at the chosen place. */
class Tile {
  constructor(box, { count, lines, limits }, onPlace) {
    const [low, high] = limits ?? range(lines);
    this.across = index => TILE.width * (count > 1 ? index / (count - 1) : 0.5);
    const up = value => TILE.height * (high - value) / (high - low || 1);
    const through = values => values.map((value, index) => `${this.across(index).toFixed(2)} ${up(value).toFixed(2)}`);
    const bands = lines.filter(line => line.low).map(line => shape("path", {
      d: `M${[...through(line.low), ...through(line.high).reverse()].join("L")}Z`, fill: line.colour, "fill-opacity": BAND }));
    const strokes = lines.map(line => shape("path", {
      d: `M${through(line.values).join("L")}`, fill: "none", stroke: line.colour, "stroke-width": 1.5,
      "stroke-dasharray": line.dashes.join(" ") || null, "vector-effect": "non-scaling-stroke" }));
    this.rule = shape("path", { stroke: RULE, "stroke-dasharray": "3 3", "vector-effect": "non-scaling-stroke" });
    box.append(shape("svg", { viewBox: `0 0 ${TILE.width} ${TILE.height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      ...bands, ...strokes, this.rule));
    box.addEventListener("mousemove", event => {
      const share = (event.clientX - box.getBoundingClientRect().left) / box.clientWidth;
      onPlace(Math.round(Math.min(Math.max(share, 0), 1) * (count - 1)));
    });
  }

  place(index) {
    const left = this.across(index);
    this.rule.setAttribute("d", `M${left} 0V${TILE.height}`);
  }
}
