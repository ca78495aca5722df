// Lines with bands, drawn by uPlot: a chart with its values at a place, its key and its table; and tiles of many charts.
"use strict";

const INK = "#333333", GRID = "#e4e4de", RULE = "#555555";

/** Return an element of the page with these properties and children. */
function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Return a short piece of a line. */
function swatch({ colour, dashes }) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "swatch");
  svg.setAttribute("viewBox", "0 0 30 8");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(svg.namespaceURI, "path");
  for (const [name, value] of Object.entries({ d: "M0 4H30", stroke: colour, "stroke-width": 2.5,
    "stroke-dasharray": dashes.join(" ") || "none" })) line.setAttribute(name, value);
  svg.append(line);
  return svg;
}

/** Return uPlot's data: x, then of each line its values and, if it has a band, its lower and its upper end. */
function columns(x, lines) {
  return [x, ...lines.flatMap(line => line.low ? [line.values, line.low, line.high] : [line.values])];
}

/** Return uPlot's series and bands for these lines. */
function drawn(lines, width) {
  const series = [{}], bands = [];
  for (const line of lines) {
    series.push({ stroke: line.colour, dash: line.dashes, width, points: { show: false } });
    if (!line.low) continue;
    bands.push({ series: [series.length + 1, series.length], fill: `${line.colour}2e` });
    series.push({ points: { show: false } }, { points: { show: false } });
  }
  return { series, bands };
}

/** Return the range of the lines' values, and of their bands as far as they are no wider than what the values span. */
function range(lines, least = 0) {
  const values = lines.flatMap(line => line.values).filter(Number.isFinite);
  const ends = lines.flatMap(line => [...(line.low ?? []), ...(line.high ?? [])]).filter(Number.isFinite);
  const low = Math.min(least, ...values), high = Math.max(...values);
  const room = (high - low || 1) / 2;
  return [Math.max(low - room, Math.min(low, ...ends)), Math.min(high + room, Math.max(high, ...ends)) + room * 0.04];
}

/** Return what stands at a tick of a logarithmic axis: powers of ten alone are named. */
function powerOfTen(value) {
  const power = Math.round(Math.log10(value));
  return Math.abs(value / 10 ** power - 1) < 1e-9 ? (power < -2 ? `1e${power}` : String(10 ** power)) : "";
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
    this.slider.addEventListener("input", () => this.onPlace(Number(this.slider.value)));
    this.table.addEventListener("toggle", () => this.tabulate());
    new ResizeObserver(() => this.plot?.setSize(this.size())).observe(this.box);
  }

  size() {
    const width = Math.max(this.box.clientWidth, 200);
    return { width, height: Math.round(Math.min(460, Math.max(260, width * 0.5))) };
  }

  /** Draw lines over x. `words` has the title, the names of the axes, and what to call a place on the x axis. */
  draw({ x, lines, words, log = false, limits = null }) {
    Object.assign(this, { x, lines, words });
    this.plot?.destroy();
    const { series, bands } = drawn(lines, 2);
    const axis = { stroke: INK, grid: { stroke: GRID, width: 1 }, ticks: { stroke: GRID }, font: "12px sans-serif",
      labelFont: "13px sans-serif", labelSize: 22 };
    this.plot = new uPlot({
      ...this.size(),
      legend: { show: false },
      scales: { x: { time: false }, y: { distr: log ? 3 : 1, range: () => limits ?? range(lines) } },
      axes: [{ ...axis, label: words.x, size: 34 },
        { ...axis, label: words.y, size: 54, ...(log ? { values: (_, ticks) => ticks.map(powerOfTen) } : {}) }],
      cursor: { y: false, drag: { x: false, y: false }, points: { size: (plot, each) => series[each].stroke ? 8 : 0 } },
      series,
      bands,
    }, columns(x, lines), this.box);
    hover(this.plot, index => index !== this.index && this.onPlace(index));
    this.slider.labels[0].textContent = words.x;
    this.box.setAttribute("role", "img");
    this.box.setAttribute("aria-label", words.title);
    this.slider.max = x.length - 1;
    this.key.replaceChildren(...lines.map(line => made("li", {}, swatch(line), made("span", { textContent: line.label }),
      made("output"))));
    this.tabulate();
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
    // A chart that was just made has its scales a moment later.
    queueMicrotask(() => this.plot.setCursor({ left: this.plot.valToPos(this.x[index], "x"), top: 0 }));
  }

  /** Write the table, if it is open. */
  tabulate() {
    if (!this.table.open || !this.lines) return;
    const head = [this.words.x, ...this.lines.map(line => line.label)];
    const rows = this.x.map((_, index) => [this.words.place(index), ...this.lines.map(line => line.said(index))]);
    this.table.querySelector(".scroll").replaceChildren(tableOf(head, rows));
  }
}

/** Return a table; the first cell of each row names it. */
function tableOf(head, rows) {
  const cell = (tag, scope) => text => made(tag, scope ? { textContent: text, scope } : { textContent: text });
  return made("table", {},
    made("thead", {}, made("tr", {}, ...head.map(cell("th", "col")))),
    made("tbody", {}, ...rows.map(([name, ...values]) => made("tr", {}, cell("th", "row")(name), ...values.map(cell("td"))))));
}

/** A chart without axes, with a line at the chosen place. */
class Tile {
  constructor(box, { x, lines, limits }, placeOf, onPlace) {
    const { series, bands } = drawn(lines, 1.5);
    this.plot = new uPlot({
      width: Math.max(box.clientWidth, 80),
      height: 96,
      padding: [4, 2, 4, 2],
      legend: { show: false },
      scales: { x: { time: false }, y: { range: () => limits ?? range(lines) } },
      axes: [{ show: false }, { show: false }],
      cursor: { x: false, y: false, drag: { x: false, y: false }, points: { show: false } },
      series,
      bands,
      hooks: {
        draw: [plot => rule(plot, x[Math.min(placeOf(), x.length - 1)])],
      },
    }, columns(x, lines), box);
    hover(this.plot, onPlace);
  }
}

/** Tell where the pointer is. */
function hover(plot, onPlace) {
  plot.over.addEventListener("mousemove", event => onPlace(plot.posToIdx(event.offsetX)));
}

/** Draw a vertical line at a place of the x axis. */
function rule(plot, at) {
  const left = Math.round(plot.valToPos(at, "x", true));
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = RULE;
  ctx.setLineDash([3, 3]);
  ctx.beginPath();
  ctx.moveTo(left, bbox.top);
  ctx.lineTo(left, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
