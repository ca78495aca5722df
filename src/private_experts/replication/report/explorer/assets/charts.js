// A chart: a figure, the values of its lines at a place, their key and their table.
"use strict";

/** Return the range of the lines' values, and of their bands as far as they are no wider than what the values span. */
function range(lines, least = 0) {
  const values = lines.flatMap(line => line.values).filter(Number.isFinite);
  const ends = lines.flatMap(line => [...(line.low ?? []), ...(line.high ?? [])]).filter(Number.isFinite);
  const low = Math.min(least, ...values), high = Math.max(...values);
  const room = (high - low || 1) / 2;
  return [Math.max(low - room, Math.min(low, ...ends)), Math.min(high + room, Math.max(high, ...ends)) + room * 0.04];
}

/** Return where in ascending values the one nearest to a value stands. */
function nearest(values, value) {
  return values.reduce((best, each, index) => Math.abs(each - value) < Math.abs(values[best] - value) ? index : best, 0);
}

/** A chart in an element with a `.chart`, a slider, a `.key` and a table. */
class Chart {
  constructor(root, onPlace) {
    this.root = root;
    this.box = root.querySelector(".chart");
    this.slider = root.querySelector("input[type=range]");
    this.key = root.querySelector(".key");
    this.table = root.querySelector("details");
    this.onPlace = onPlace;
    this.figures = new Map();
    this.slider.addEventListener("input", () => this.onPlace(Number(this.slider.value)));
    this.table.addEventListener("toggle", () => this.tabulate());
  }

  /** Draw lines over x. `words` has the title, the names of the axes, and what to call a place on the x axis. */
  draw({ x, lines, words, log = false, limits = null }) {
    Object.assign(this, { x, lines, words });
    this.figure = this.figureOf(log ? "log" : "linear");
    this.figure.draw(x, lines, limits ?? range(lines), [words.x, words.y]);
    this.slider.labels[0].textContent = words.x;
    this.box.setAttribute("role", "img");
    this.box.setAttribute("aria-label", words.title);
    this.slider.max = x.length - 1;
    this.key.replaceChildren(...lines.map(line => made("li", { title: line.says ?? "" }, swatch(line),
      made("span", { textContent: line.label }), made("output"))));
    this.tabulate();
  }

  /** Show the figure with this scale of y, and hide the one with another. */
  figureOf(scale) {
    if (!this.figures.has(scale)) {
      const place = this.box.appendChild(made("div"));
      this.figures.set(scale, { place, figure: new Figure(place, scale, at => this.move(nearest(this.x, at))) });
    }
    for (const [each, { place }] of this.figures) place.hidden = each !== scale;
    return this.figures.get(scale).figure;
  }

  /** Tell that the pointer is at a place. */
  move(index) {
    if (index !== this.index) this.onPlace(index);
  }

  /** Show the values at a place of the x axis. */
  place(index) {
    this.index = index;
    this.slider.value = index;
    const said = this.lines.map(line => line.said(index));
    this.key.querySelectorAll("output").forEach((each, number) => { each.textContent = said[number]; });
    const where = this.words.place(index);
    this.root.querySelector(".where").textContent = where;
    this.slider.setAttribute("aria-valuetext",
      [where, ...this.lines.map((line, number) => `${line.label} ${said[number]}`)].join("; "));
    this.figure.place(this.x[index], this.lines.map(line => line.values[index]), this.lines.map(line => line.colour));
  }

  /** Write the table, if it is open. */
  tabulate() {
    if (!this.table.open || !this.lines) return;
    const head = [this.words.x, ...this.lines.map(line => line.label)];
    const rows = this.x.map((_, index) => [this.words.place(index), ...this.lines.map(line => line.said(index))]);
    this.table.querySelector(".scroll").replaceChildren(tableOf(head, rows));
  }
}
