// What is drawn, as a file: its values as CSV, and the picture with its title, its key and where its data are from.
"use strict";

/** Give a file to the reader. */
function save(name, parts, type) {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  made("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Return rows as CSV. */
function csvOf(rows) {
  const cell = value => /[",\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
  return rows.map(row => `${row.map(cell).join(",")}\n`).join("");
}

const rounded = value => Number.isFinite(value) ? Number(value.toPrecision(8)) : "";

/** Return a row for each place of each line: what is fixed, the name of the line, the place, the value and its band. */
function rowsOf(fixed, lines, placeOf) {
  return lines.flatMap(({ label, values, low, high }) => values.map((value, index) =>
    [...fixed, label, ...placeOf(index), rounded(value), low ? rounded(low[index]) : "", high ? rounded(high[index]) : ""]));
}

const FONT = "14px sans-serif", LINE = 22, MARGIN = 16;

/** Save charts side by side as a picture, with a title, the key of their lines and what their data are. */
async function savePicture(name, title, charts, lines, data) {
  const drawn = charts.map(({ title: above, chart }) => ({ above, image: chart.figure.picture() }));
  const scale = drawn[0].image.pixel_ratio ?? 1;
  const wide = drawn.map(({ image }) => image.canvas.width / scale);
  const width = 2 * MARGIN + wide.reduce((sum, each) => sum + each, 0), tall = drawn[0].image.canvas.height / scale;
  const height = MARGIN * 2 + LINE * (lines.length + 3) + tall;
  const canvas = made("canvas", { width: width * scale, height: height * scale });
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = "#1b1e22";
  pen.font = `bold ${FONT}`;
  pen.fillText(title, MARGIN, MARGIN + 14);
  pen.font = FONT;
  let left = MARGIN;
  drawn.forEach(({ above, image }, number) => {
    pen.fillText(above, left + wide[number] / 2 - pen.measureText(above).width / 2, MARGIN + LINE + 14);
    pen.drawImage(image.canvas, left, MARGIN + 2 * LINE, wide[number], tall);
    left += wide[number];
  });
  lines.forEach(({ label, colour, dashes }, number) => {
    const y = MARGIN + 2 * LINE + tall + number * LINE + 14;
    pen.strokeStyle = colour;
    pen.lineWidth = 2.5;
    pen.setLineDash(dashes);
    pen.beginPath();
    pen.moveTo(MARGIN, y - 5);
    pen.lineTo(MARGIN + 36, y - 5);
    pen.stroke();
    pen.fillText(label, MARGIN + 46, y);
  });
  pen.fillText(`Data: ${data}`, MARGIN, height - MARGIN);
  save(name, [await new Promise(done => canvas.toBlob(done, "image/png"))], "image/png");
}

const ACROSS = 6, WIDE = 180, TALL = 130;

/** Save the small drawings of all states as one picture. */
function saveTiles(name, title, tiles, lines, data) {
  const top = MARGIN + LINE * (lines.length + 1) + LINE;
  const width = 2 * MARGIN + ACROSS * WIDE, height = top + Math.ceil(tiles.length / ACROSS) * TALL + LINE;
  const words = (x, y, text, bold) => {
    const element = shape("text", { x, y, "font-weight": bold ? "bold" : null });
    element.textContent = text;
    return element;
  };
  const key = lines.flatMap(({ label, colour, dashes }, number) => {
    const y = MARGIN + LINE * (number + 1) + 14;
    return [shape("path", { d: `M${MARGIN} ${y - 5}h36`, stroke: colour, "stroke-width": 2.5, "stroke-dasharray": dashes.join(" ") || null }),
      words(MARGIN + 46, y, label)];
  });
  const drawings = tiles.flatMap(({ state, box }, number) => {
    const x = MARGIN + number % ACROSS * WIDE, y = top + Math.floor(number / ACROSS) * TALL;
    const drawing = box.querySelector("svg").cloneNode(true);
    const place = { x, y: y + 6, width: WIDE - 14, height: TALL - 30 };
    for (const [attribute, value] of Object.entries(place)) drawing.setAttribute(attribute, value);
    return [words(x, y, state), drawing];
  });
  const picture = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "font-family": "sans-serif", "font-size": 14 },
    shape("rect", { width, height, fill: "#fff" }), words(MARGIN, MARGIN + 10, title, true), ...key, ...drawings,
    words(MARGIN, height - 8, `Data: ${data}`));
  save(name, [new XMLSerializer().serializeToString(picture)], "image/svg+xml");
}
