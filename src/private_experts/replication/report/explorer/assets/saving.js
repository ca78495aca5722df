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
