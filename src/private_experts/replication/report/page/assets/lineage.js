// The graph of one claim: what it rests on to its left, what rests on it to its right, directly or not.
const lineage = (() => {
  const [LETTER, SMALL, HEIGHT, PITCH, GAP, PADDING] = [6.7, 5.6, 34, 42, 46, 9]; // in pixels; widths of a letter first
  const arrows = JSON.parse(document.getElementById("arrows").textContent);

  // The column of each claim that an arrow leads to from this one, over others or not: 1, 2, ... by the longest way
  function columns(id, next) {
    const column = new Map();
    const visit = (name, place) => {
      if ((column.get(name) ?? -1) >= place) return;
      column.set(name, place);
      for (const other of next.get(name) ?? []) visit(other, place + 1);
    };
    visit(id, 0);
    return column;
  }

  function neighbours(one, other) {
    const found = new Map();
    for (const arrow of arrows) found.set(arrow[one], [...(found.get(arrow[one]) ?? []), arrow[other]]);
    return found;
  }
  const [below, above] = [neighbours(1, 0), neighbours(0, 1)];

  function element(name, attributes, ...inside) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...inside);
    return made;
  }

  function box(id) {
    const claim = document.getElementById(id).dataset;
    const known = claim.verdict === "holds" && claim.known ? ` · ${claim.known}` : "";
    return { id, verdict: claim.verdict, sign: claim.sign, second: claim.verdict + known };
  }

  // Places by column; within one, each near the middle of its neighbours in the columns that are nearer to the claim
  function placed(id) {
    const at = new Map([...columns(id, below)].map(([name, place]) => [name, -place]));
    for (const [name, place] of columns(id, above)) at.set(name, place);
    const order = new Map();
    for (const name of at.keys()) order.set(at.get(name), [...(order.get(at.get(name)) ?? []), box(name)]);
    const height = Math.max(...[...order.values()].map((column) => column.length)) * PITCH;
    const middle = new Map();
    for (const place of [...order.keys()].sort((a, b) => Math.abs(a) - Math.abs(b))) {
      const towards = place < 0 ? above : below;
      const wanted = (each) => {
        const known = (towards.get(each.id) ?? []).map((name) => middle.get(name)).filter((y) => y !== undefined);
        return known.length ? known.reduce((sum, y) => sum + y, 0) / known.length : height / 2;
      };
      const column = order.get(place).sort((a, b) => wanted(a) - wanted(b));
      column.forEach((each, number) => middle.set(each.id, height / 2 + (number - (column.length - 1) / 2) * PITCH));
    }
    let x = 6;
    for (const place of [...order.keys()].sort((a, b) => a - b)) {
      const column = order.get(place);
      for (const each of column) {
        each.width = Math.round(Math.max(LETTER * (each.id.length + each.sign.length + 1), SMALL * each.second.length) + 2 * PADDING);
        Object.assign(each, { x, y: middle.get(each.id) });
      }
      x += Math.max(...column.map((each) => each.width)) + GAP;
    }
    return { boxes: [...order.values()].flat(), width: x - GAP + 6, height };
  }

  // Return the graph of a claim as an SVG that scrolls
  function drawn(id) {
    const { boxes, width, height } = placed(id);
    const known = new Map(boxes.map((each) => [each.id, each]));
    const tip = element("marker", { id: `tip-${id}`, viewBox: "0 0 8 8", refX: 7.5, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, element("path", { d: "M0 .8 7.5 4 0 7.2z" }));
    const lines = arrows.filter(([one, other]) => known.has(one) && known.has(other)).map(([one, other]) => {
      const [from, to] = [known.get(one), known.get(other)];
      const [x, end] = [from.x + from.width, to.x];
      const half = (x + end) / 2;
      const path = `M${x} ${from.y}C${half} ${from.y} ${half} ${to.y} ${end} ${to.y}`;
      return element("path", { d: path, class: from.verdict === "fails" ? "broken" : "", "marker-end": `url(#tip-${CSS.escape(id)})` });
    });
    const links = boxes.map((each) => {
      const top = each.y - HEIGHT / 2;
      const text = element("text", { x: each.x + PADDING, y: top + 14 }, element("tspan", { class: "sign" }, each.sign), ` ${each.id}`);
      const words = element("text", { x: each.x + PADDING, y: top + 27, class: "grip" }, each.second);
      const shape = element("rect", { x: each.x, y: top, width: each.width, height: HEIGHT, rx: each.verdict === "fails" ? 0 : 8 });
      return element("a", { href: `#${each.id}`, class: `box ${each.verdict.replace(" ", "-")}${each.id === id ? " here" : ""}` }, shape, text, words);
    });
    const frame = document.createElement("div");
    frame.className = "scroll graph";
    frame.tabIndex = 0;
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", `Graph of ${id}`);
    frame.append(element("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `What ${id} rests on, and what rests on it` }, element("defs", {}, tip), element("g", { class: "arrows" }, ...lines), ...links));
    return frame;
  }

  // Show the graph in a place of the page, with the claim in sight
  function show(id, place) {
    const frame = drawn(id);
    place.replaceChildren(...[...place.children].filter((each) => each.matches("summary")), frame);
    const here = frame.querySelector(".here rect");
    frame.scrollLeft = Number(here.getAttribute("x")) - frame.clientWidth / 2;
    frame.scrollTop = Number(here.getAttribute("y")) - frame.clientHeight / 2;
  }

  return { show };
})();
