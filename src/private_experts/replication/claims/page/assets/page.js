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
    text: [body.dataset.words, ...[...body.querySelectorAll("[data-search]")].map((each) => each.textContent)].join(" ").toLowerCase(),
  }));
  const byId = new Map(claims.map((claim) => [claim.body.id, claim]));
  let sort = "";

  // Opening and closing

  function open(claim, yes) {
    if (yes) {
      claim.sheet.removeAttribute("hidden");
      claim.sheet.querySelectorAll("a[data-figure]").forEach(showPicture);
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

  // Filters and order

  function matches(claim, words, wanted) {
    const data = claim.body.dataset;
    return SELECTS.every((name) => !wanted[name] || (data[name] || "").split(name === "standing" || name === "only" ? " " : "\n").includes(wanted[name]))
      && words.every((word) => claim.text.includes(word));
  }

  function apply() {
    const wanted = Object.fromEntries(SELECTS.map((name) => [name, form.elements[name].value]));
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const claim of claims) {
      const fits = matches(claim, words, wanted);
      claim.body.hidden = !fits;
      shown += fits;
    }
    count.textContent = shown === claims.length ? `${shown} claims` : `${shown} of ${claims.length} claims shown`;
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
    order(state.get("sort") || "");
    apply();
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
    }
  });

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
