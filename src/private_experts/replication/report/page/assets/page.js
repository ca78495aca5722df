"use strict";
// The page is complete without this script, which folds, filters and sorts it and keeps the state in the address.
(() => {
  const ledger = document.getElementById("ledger");
  const form = document.getElementById("filters");
  const count = document.getElementById("count");
  const all = document.getElementById("all");
  const SELECTS = ["paper", "kind", "verdict", "strength", "standing", "only"];
  const RANKS = { strength: [...form.elements.strength.options].map((each) => each.value).filter(Boolean), verdict: ["fails", "undecided", "not run", "holds", "by construction"], kind: ["exact", "numerical", "stochastic", "reproduction", "by construction"] };

  const claims = [...ledger.tBodies].map((body) => ({
    body,
    sheet: body.querySelector(".sheet"),
    toggle: body.querySelector(".toggle"),
    fields: fieldsOf(body),
    score: 0,
  }));
  const byId = new Map(claims.map((claim) => [claim.body.id, claim]));
  let sort = "";

  // Search: every word and every quoted phrase must be there; what is said in the place, the id or the statement counts most

  function fieldsOf(body) {
    const text = (each) => each.textContent.toLowerCase();
    const found = [...body.querySelectorAll("[data-search]")];
    const where = body.querySelector(".head .where");
    return [
      [9, nameOf(body.id)],
      [8, text(where)],
      [6, body.id.toLowerCase()],
      [4, body.dataset.statement.toLowerCase()],
      [2, body.dataset.words.toLowerCase()],
      [1, found.filter((each) => each !== where).map(text).join(" ")],
    ];
  }

  // What a claim is called, as the paper would write it: 004/theorem-5-2-privacy/as-printed is theorem 5.2 privacy
  function nameOf(id) {
    return id.split("/")[1].replace(/(\d)-(?=\d)/g, "$1.").replaceAll("-", " ").toLowerCase();
  }

  function termsOf(query) {
    return [...query.toLowerCase().matchAll(/"([^"]*)"?|\S+/g)].map((found) => (found[1] ?? found[0]).trim()).filter(Boolean);
  }

  // How well a term stands in a text: 3 as whole words, 2 at the start of a word, 1 inside one, 0 not at all. A number, or
  // a word of one or two letters, counts as whole words alone: nobody who asks for 1 means 10 or 0.1.
  function fit(term, text) {
    const short = /^(\d+(\.\d+)*|[a-z]{1,2})$/.test(term);
    const inWord = (sign) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign);
    const inNumber = (sign, next) => sign === "." && next !== undefined && /\d/.test(next);
    let best = 0;
    for (let at = text.indexOf(term); at >= 0 && best < 3; at = text.indexOf(term, at + 1)) {
      const end = at + term.length;
      const starts = !(inWord(text[at - 1]) && inWord(term[0])) && !inNumber(text[at - 1], text[at - 2]);
      const ends = !(inWord(text[end]) && inWord(term.at(-1))) && !(/\d/.test(term.at(-1)) && inNumber(text[end], text[end + 1]));
      best = Math.max(best, starts && ends ? 3 : short ? 0 : starts ? 2 : 1);
    }
    return best;
  }

  function scoreOf(claim, terms) {
    let score = 0;
    for (const term of terms) {
      const best = Math.max(...claim.fields.map(([weight, text]) => weight * fit(term, text)));
      if (!best) return -1;
      score += best;
    }
    const whole = terms.join(" ");
    for (const [weight, text] of claim.fields) {
      if (fit(whole, text) === 3) score += 10 * weight + (text.startsWith(whole) ? 5 * weight : 0) + (text === whole ? 50 * weight : 0);
    }
    return score;
  }

  // Opening and closing

  function open(claim, yes) {
    if (yes) {
      claim.sheet.removeAttribute("hidden");
      claim.sheet.querySelectorAll("a[data-figure]").forEach(showPicture);
      claim.sheet.querySelectorAll("script.rest").forEach(showRows);
    } else {
      claim.sheet.setAttribute("hidden", "until-found"); // so that the browser's own search finds it
    }
    claim.body.classList.toggle("open", yes);
    claim.toggle.setAttribute("aria-expanded", String(yes));
  }

  function isOpen(claim) {
    return claim.toggle.getAttribute("aria-expanded") === "true";
  }

  function showPicture(link) { // each figure is in the page once; a claim shows a copy of it when it is opened
    const original = document.getElementById("figure/" + link.dataset.figure)?.querySelector("img");
    if (original && !link.parentElement.querySelector("img")) link.before(original.cloneNode());
  }

  function showRows(script) { // the points that the page holds as data
    const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const columns = JSON.parse(script.textContent).map((column) => {
      if (!Array.isArray(column[0])) return column;
      const [few, which] = column;
      return typeof which === "number" ? Array(which).fill(few[0]) : [...which].map((letter) => few[LETTERS.indexOf(letter)]);
    });
    const [verdicts, starts, widths, ...texts] = columns;
    const table = script.closest(".scroll").querySelector("table");
    const first = table.tBodies[0].rows[0];
    const place = [...first.cells].findIndex((cell) => cell.querySelector(".bar")) - 1;
    const drawn = verdicts.map((verdict, number) => {
      const row = document.createElement("tr");
      const name = document.createElement("span");
      name.className = "verdict " + verdict.replace(" ", "-");
      name.textContent = verdict;
      const bar = first.querySelector(".bar").cloneNode(true);
      bar.setAttribute("class", "bar " + verdict.replace(" ", "-"));
      bar.firstElementChild.setAttribute("x", starts[number] + "%");
      bar.firstElementChild.setAttribute("width", widths[number] + "%");
      const cells = texts.map((column) => column[number]);
      cells.splice(place, 0, bar);
      for (const cell of [name, ...cells]) row.insertCell().append(cell);
      return row;
    });
    table.tBodies[0].append(...drawn);
    const left = table.querySelector(".left");
    left.textContent = left.dataset.more;
    if (left.dataset.more === "0") table.tFoot.remove();
    script.remove();
  }

  function showCode(folded) { // so is each function, and a claim shows copies of those that its check needs
    if (folded.querySelector(".piece")) return;
    const pieces = folded.dataset.pieces.split(" ").map((name) => document.getElementById("code/" + name).cloneNode(true));
    pieces.forEach((piece) => piece.removeAttribute("id"));
    folded.querySelector("p").replaceWith(...pieces);
  }

  document.addEventListener("toggle", (event) => {
    if (event.target.matches?.("details.code") && event.target.open) showCode(event.target);
  }, true);

  // Filters and order

  function matches(claim, wanted) {
    const data = claim.body.dataset;
    return SELECTS.every((name) => !wanted[name] || (data[name] || "").split(name === "standing" || name === "only" ? " " : "\n").includes(wanted[name]));
  }

  function apply() {
    const wanted = Object.fromEntries(SELECTS.map((name) => [name, form.elements[name].value]));
    const terms = termsOf(form.elements.q.value);
    const asked = claims.some((claim) => claim.score > 0) || terms.length > 0;
    let shown = 0;
    for (const claim of claims) {
      claim.score = terms.length ? scoreOf(claim, terms) : 0;
      const fits = claim.score >= 0 && matches(claim, wanted);
      claim.body.hidden = !fits;
      shown += fits;
    }
    if (asked) order(sort);
    const best = terms.length && !sort ? ", best first" : "";
    count.textContent = shown === claims.length ? `${shown} claims` : `${shown} of ${claims.length} claims shown${best}`;
    document.getElementById("none").hidden = shown > 0;
    remember();
  }

  function remember() {
    const state = new URLSearchParams();
    for (const name of ["q", ...SELECTS]) if (form.elements[name].value) state.set(name, form.elements[name].value);
    if (sort) state.set("sort", sort);
    const query = state.toString();
    try {
      history.replaceState(null, "", location.pathname + (query ? "?" + query : "") + location.hash);
    } catch { /* a browser that keeps no state for files on disk */ }
  }

  function recall(query) {
    const state = new URLSearchParams(query);
    form.elements.q.value = state.get("q") || "";
    for (const name of SELECTS) {
      form.elements[name].value = state.get(name) || "";
      if (form.elements[name].selectedIndex < 0) form.elements[name].value = "";
    }
    sort = state.get("sort") || "";
    apply();
    order(sort);
  }

  function order(how) {
    const down = how.startsWith("-");
    const key = how.replace(/^-/, "");
    const button = ledger.tHead.querySelector(`[data-sort="${CSS.escape(key)}"]`);
    sort = button ? how : "";
    ledger.tHead.querySelectorAll("th").forEach((cell) => cell.removeAttribute("aria-sort"));
    ledger.tHead.querySelectorAll("button").forEach((each) => each.toggleAttribute("data-on", each === button));
    if (button) button.closest("th").setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (claim) => {
      const text = claim.body.dataset[button ? key : "order"];
      if (RANKS[key]) return RANKS[key].includes(text) ? RANKS[key].indexOf(text) : NaN;
      return text === "" ? NaN : Number(text);
    };
    const sorted = [...claims].sort((one, other) => {
      const [a, b] = [value(one), value(other)];
      if (!button && one.score !== other.score) return other.score - one.score; // what was searched for
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b); // what has none comes last
      return (down ? b - a : a - b) || one.body.dataset.order - other.body.dataset.order;
    });
    ledger.append(...sorted.map((claim) => claim.body));
  }

  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => recall("")));
  ledger.tHead.addEventListener("click", (event) => {
    const key = event.target.closest("[data-sort]")?.dataset.sort;
    if (!key) return;
    const first = key === "seconds" ? "-seconds" : key; // the longest first
    const second = key === "seconds" ? "seconds" : "-" + key;
    order(sort === first ? second : sort === second ? "" : first);
    remember();
  });
  all.addEventListener("click", () => {
    const yes = all.getAttribute("aria-pressed") !== "true";
    all.setAttribute("aria-pressed", String(yes));
    all.textContent = yes ? "Close all" : "Open all shown";
    for (const claim of claims) if (!yes || !claim.body.hidden) open(claim, yes);
  });

  // Clicks, keys and addresses

  for (const claim of claims) {
    claim.toggle.addEventListener("click", () => open(claim, !isOpen(claim)));
    claim.body.querySelector(".row").addEventListener("click", (event) => {
      if (!event.target.closest("a, button") && !String(getSelection())) open(claim, !isOpen(claim));
    });
    claim.sheet.addEventListener("beforematch", () => open(claim, true));
  }

  function reveal(id) {
    const claim = byId.get(id);
    if (!claim) return;
    if (claim.body.hidden) form.reset();
    claim.body.hidden = false;
    open(claim, true);
    claim.body.scrollIntoView();
  }

  const target = () => decodeURIComponent(location.hash.slice(1));
  addEventListener("hashchange", () => reveal(target()));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    const address = link.getAttribute("href");
    if (link.matches(".filter")) {
      event.preventDefault();
      const [query, anchor] = address.split("#");
      recall(query);
      location.hash = anchor;
      document.getElementById(anchor).scrollIntoView();
    } else if (address === location.hash) reveal(target());
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      form.elements.q.focus();
      form.elements.q.select();
    } else if (event.key === "Escape" && event.target === form.elements.q) {
      form.elements.q.value = "";
      apply();
    } else if (event.key === "Escape" && event.target.closest(".sheet")) {
      const claim = byId.get(event.target.closest(".claim").id);
      open(claim, false);
      claim.toggle.focus();
    } else step(event);
  });

  // From the search to the claims that it found, and from claim to claim
  function step(event) {
    const way = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    const here = event.target.matches(".toggle");
    if (!way || !(here || (event.target === form.elements.q && event.key === "ArrowDown"))) return;
    const toggles = [...ledger.querySelectorAll(".claim:not([hidden]) .toggle")];
    const to = here ? toggles.indexOf(event.target) + way : 0;
    event.preventDefault();
    if (to < 0 && Number.isFinite(way)) form.elements.q.focus();
    else toggles[Math.min(Math.max(to, 0), toggles.length - 1)]?.focus();
  }

  // Commands to copy

  async function copy(code) {
    try {
      await navigator.clipboard.writeText(code.textContent);
      return true;
    } catch {
      getSelection().selectAllChildren(code);
      return document.execCommand("copy");
    }
  }

  for (const code of document.querySelectorAll(".command code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", async () => {
      button.textContent = (await copy(code)) ? "Copied" : "Press Ctrl+C";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    code.after(button);
  }

  recall(location.search);
  if (byId.has(target())) reveal(target());
})();
