// Elements that the views are made of.
"use strict";

/** Return an element of the page with these properties and children. */
function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Return an element of a drawing with these attributes and children; attributes that are null are left out. */
function shape(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Return a short piece of a line. */
function swatch({ colour, dashes }) {
  return shape("svg", { class: "swatch", viewBox: "0 0 30 8", "aria-hidden": "true" },
    shape("path", { d: "M0 4H30", stroke: colour, "stroke-width": 2.5, "stroke-dasharray": dashes.join(" ") || null }));
}

/** Return a table; the first cell of each row names it. */
function tableOf(head, rows) {
  const cell = (tag, scope) => text => made(tag, scope ? { textContent: text, scope } : { textContent: text });
  return made("table", {},
    made("thead", {}, made("tr", {}, ...head.map(cell("th", "col")))),
    made("tbody", {}, ...rows.map(([name, ...values]) => made("tr", {}, cell("th", "row")(name), ...values.map(cell("td"))))));
}
