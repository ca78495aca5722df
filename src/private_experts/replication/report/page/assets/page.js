// Fills in what is opened, filters and sorts the claims, and keeps the state in the address.
(async () => {
  if (!document.documentElement.matches(".js")) return;
  const ledger = document.getElementById("ledger");
  const form = document.getElementById("filters");
  const count = document.getElementById("count");
  const all = document.getElementById("all");
  const SELECTS = ["paper", "kind", "verdict", "known", "standing", "only"];
  const [FEW, AHEAD] = [3, 1e6]; // where fewer claims have all words of a search the nearest are shown too, behind them
  const NAMED = 1e5; // more than any words count
  const RANKS = { known: [...form.elements.known.options].map((each) => each.value).filter(Boolean), verdict: ["fails", "undecided", "not run", "holds"], kind: ["exact", "numerical", "stochastic", "reproduction", "by construction"] };

  const parts = await unpacked(document.getElementById("parts").textContent);
  const claims = [...ledger.tBodies].map((body) => ({
    body,
    get sheet() { return body.querySelector(".sheet"); },
    get toggle() { return body.querySelector(".toggle"); },
    fields: fieldsOf(body.id),
    step: body.matches(".step"),
    below: [], // what else stands in its row: mended forms, which it shows, and steps
    score: 0,
    fits: true,
  }));
  const byId = new Map(claims.map((claim) => [claim.body.id, claim]));
  for (const claim of claims) {
    claim.row = byId.get(claim.body.dataset.row) ?? claim;
    if (claim.row !== claim) claim.row.below.push(claim);
  }
  const counted = claims.filter((claim) => !claim.step).length;
  let sort = "";

  // What is not in the page until it is opened

  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  }

  function fill(place) {
    if (!place.dataset.parts) return;
    place.insertAdjacentHTML("beforeend", place.dataset.parts.split(" ").map((name) => parts[name]).join(""));
    place.removeAttribute("data-parts");
    place.querySelectorAll("a[data-figure]").forEach(showPicture);
    place.querySelectorAll("div[data-parts]:not(.sheet)").forEach(fill); // parts of a part
  }

  // Search: what is said in the place, the id or the statement counts most

  function fieldsOf(id) {
    const [title, statements, place, said, words, rest] = search.normal(parts[id]).split("\t"); // statements decided one by one
    return [[10, title], [9, nameOf(id)], [9, statements], [8, place], [7, search.normal(search.TERMS[id] ?? "")], [6, search.normal(id)], [4, said], [2, words], [1, rest]];
  }

  // What a claim is called, as the paper would write it: 004/theorem-5-2-privacy/as-printed is theorem 5.2 privacy
  function nameOf(id) {
    return id.split("/")[1].replace(/(\d)-(?=\d)/g, "$1.").replaceAll("-", " ").toLowerCase().replaceAll("iz", "is");
  }

  // What leads whatever else it says: the claim of this very id, then those which each paper calls so
  function named(id, words) {
    if (id === words) return 2 * NAMED;
    return id.split("/")[1] === words || nameOf(id) === search.normal(words) ? NAMED : 0;
  }

  // Opening and closing

  function open(claim, yes) {
    if (yes) fill(claim.sheet);
    claim.sheet.hidden = !yes;
    claim.body.classList.toggle("open", yes);
    claim.toggle.setAttribute("aria-expanded", String(yes));
    if (claim.below.length) fold(claim);
  }

  // What stands below a row is shown when the row is open, a step also when it was filtered for, and a mended form also when
  // it was filtered for and the row was not
  function fold(row) {
    for (const each of row.below) {
      each.body.hidden = !((isOpen(row) && !row.body.hidden) || isOpen(each) || (each.fits && (each.step ? filtered : row.body.hidden)));
      if (!each.body.hidden) fill(each.body);
    }
  }

  function isOpen(claim) {
    return claim.body.classList.contains("open");
  }

  function showPicture(link) { // each figure is in the page once; a claim shows a copy of it when it is opened
    const original = document.getElementById("figure/" + link.dataset.figure)?.querySelector("img");
    if (original && !link.parentElement.querySelector("img")) link.before(original.cloneNode());
  }

  document.addEventListener("toggle", (event) => { if (event.target.open) fill(event.target); }, true);
  addEventListener("beforeprint", () => document.querySelectorAll(".card").forEach(fill));
  document.querySelectorAll("img[data-parts]").forEach((picture) => { picture.src = parts[picture.dataset.parts]; });

  // Filters and order

  function matches(claim, wanted) {
    const data = claim.body.dataset;
    return SELECTS.every((name) => !wanted[name] || (data[name] || "").split(name === "standing" || name === "only" ? " " : "\n").includes(wanted[name]));
  }

  let filtered = false; // by words, or by a filter
  let asked = false; // for all claims: until then headlines and what fails or is open stand alone
  const rest = document.getElementById("rest");

  function apply() {
    const wanted = Object.fromEntries(SELECTS.map((name) => [name, form.elements[name].value]));
    const terms = search.terms(form.elements.q.value);
    const before = terms.length > 0 || claims.some((claim) => claim.score > 0);
    filtered = terms.length > 0 || SELECTS.some((name) => wanted[name]);
    const words = form.elements.q.value.replaceAll('"', "").trim().toLowerCase(); // a name leads in quotes too
    for (const claim of claims) claim.score = terms.length ? named(claim.body.id, words) || search.score(claim.fields, terms) : 0;
    const whole = claims.filter((claim) => claim.score >= 0).length;
    const nearest = whole < (terms.length > 1 ? FEW : 1) && terms.length > 0;
    if (nearest) {
      const scores = search.nearest(claims.map((claim) => claim.fields), terms);
      claims.forEach((claim, at) => { claim.score = claim.score < 0 ? scores[at] : claim.score + AHEAD; });
    }
    for (const claim of claims) {
      claim.wanted = matches(claim, wanted);
      claim.fits = claim.score >= 0 && claim.wanted;
    }
    for (const row of claims.filter((claim) => claim.row === claim)) {
      row.body.hidden = !(row.wanted && (row.fits || row.below.some((each) => each.fits)));
      fold(row);
    }
    if (before) order(sort);
    const shown = claims.filter((claim) => claim.fits && !claim.step).length;
    const best = terms.length && !sort ? ", best first" : "";
    const few = whole ? `${whole} of ${counted} claims have all of these words; with the nearest, ${shown} are shown` : `No claim has all of these words. The nearest are ${shown} of ${counted}`;
    count.textContent = nearest && shown ? few : shown === counted ? `${shown} claims` : `${shown} of ${counted} claims shown${best}`;
    document.getElementById("none").hidden = claims.some((claim) => !claim.body.hidden);
    remember();
  }

  function brief() {
    const few = !asked && !filtered && !sort;
    ledger.classList.toggle("brief", few);
    rest.hidden = !few;
    const first = claims.filter((claim) => claim.row === claim && claim.body.dataset.only.split(" ").includes("first"));
    if (few) count.textContent = `${first.length} of ${counted} claims shown: headlines, and what fails or is open`;
  }

  rest.addEventListener("click", () => {
    asked = true;
    apply();
  });

  function remember() {
    brief();
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
    const best = (row) => Math.max(row.score, ...row.below.map((each) => each.score));
    const sorted = claims.filter((claim) => claim.row === claim).sort((one, other) => {
      const [first, second] = [value(one), value(other)];
      if (!button && best(one) !== best(other)) return best(other) - best(one); // what was searched for
      if (Number.isNaN(first) || Number.isNaN(second)) return Number.isNaN(first) - Number.isNaN(second); // what has none comes last
      return (down ? second - first : first - second) || one.body.dataset.order - other.body.dataset.order;
    });
    ledger.append(...sorted.flatMap((row) => [row, ...row.below]).map((claim) => claim.body));
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
    for (const claim of claims) if (yes ? claim.body.checkVisibility() : isOpen(claim)) open(claim, yes);
  });

  // Clicks, keys and addresses

  ledger.addEventListener("click", (event) => {
    const claim = byId.get(event.target.closest(".claim")?.id);
    const onRow = event.target.closest(".row") && !event.target.closest("a, button") && !String(getSelection());
    if (claim && (onRow || event.target.closest(".toggle"))) open(claim, !isOpen(claim));
  });

  function reveal(id) {
    const claim = byId.get(id);
    const place = document.getElementById(id);
    const folds = [];
    for (let fold = place?.closest("details"); fold; fold = fold.parentElement.closest("details")) folds.push(fold);
    for (const fold of folds) {
      fold.open = true;
      fill(fold);
    }
    if (folds.length) place.scrollIntoView();
    if (!claim) return;
    if (!claim.row.body.checkVisibility()) {
      asked = true;
      brief();
    }
    if (claim.row.body.hidden && claim.body.hidden) form.reset();
    claim.row.body.hidden = claim.body.hidden = false;
    fill(claim.body);
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
    const toggles = [...ledger.querySelectorAll(".claim:not([hidden]) .toggle")].filter((each) => each.checkVisibility());
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

  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".command button");
    if (!button) return;
    button.textContent = (await copy(button.previousElementSibling)) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });

  // The picture to play with: one kind of learners stands out

  const oppose = document.getElementById("oppose");
  const chosen = () => document.querySelectorAll(".play [data-kind]").forEach((each) => each.classList.toggle("shown", each.dataset.kind === oppose.value));
  oppose.addEventListener("input", chosen);
  chosen();

  recall(location.search);
  reveal(target());
  document.documentElement.classList.add("ready");
})();
