"use strict";
// What the words of a search find: every word and every quoted phrase must be there, in the form in which it was typed, or
// with another ending, or in other words for the same thing. Where no claim has them all, the nearest are found.
const search = (() => {
  // Each line has words for one thing, as readers of the papers type them. An id stands for that claim.
  const SYNONYMS = [
    ["differential privacy", "differentially private", "dp", "privacy"],
    ["local differential privacy", "locally private", "local model", "ldp", "local guarantee", "000/local-guarantee"],
    ["central model", "trusted curator", "central dp", "curator", "central differential privacy"],
    ["gaussian differential privacy", "gdp"],
    ["f-dp", "trade-off function", "trade-off curve", "tradeoff curve", "000/lemma-2", "000/local-guarantee"],
    ["privacy budget", "privacy parameter", "privacy level", "privacy loss"],
    ["epsilon", "ε"], ["delta", "δ"], ["mu", "μ"], ["eta", "η"], ["lambda", "λ"],
    ["follow the perturbed leader", "perturbed leader", "ftpl", "random walk perturbation", "rw-ftpl"],
    ["follow the regularised leader", "regularised leader", "ftrl", "follow the leader", "be the leader", "lemma A.2", "001/lemma-a2"],
    ["multiplicative weights", "exponential weights", "weighted majority", "hedge", "mwu"],
    ["expert advice", "prediction with experts", "experts"],
    ["data-dependent experts", "dynamic experts", "learners that react", "adaptive experts", "000/theorem-3/as-printed", "000/theorem-3-independence"],
    ["meta-algorithm", "meta algorithm", "combine learners", "rw-meta"],
    ["correlated noise", "noise correlation", "decorrelation", "000/rw-meta-noise", "000/rw-meta-law"],
    ["adaptive batching", "batch size", "batching", "rw-adabatch", "adabatch"],
    ["amplification by shuffling", "privacy amplification", "amplification by batching", "amplification", "000/proxy-law"],
    ["matrix mechanism", "matrix factorisation", "factorisation", "square root of the sums", "000/central-noise"],
    ["dp-ftrl", "private leader", "leader on noisy sums", "kairouz", "001/rivals"],
    ["limited switching", "switching cost", "lazy", "number of switches", "switches", "few draws", "switching budget"],
    ["low switching", "000/switch-count", "001/switching-bound"],
    ["binary tree", "binary tree mechanism", "tree mechanism", "tree aggregation", "binary mechanism", "dyadic tree", "000/tree-privacy", "continual counting", "continual observation", "continual release", "prefix sums", "tree baseline"],
    ["covid", "covid-19", "hospitals", "hospital", "000/table-2-words", "case study"],
    ["real data", "experiments", "empirical results", "000/table-2-words", "table 2"],
    ["outperforms", "outperform", "beats", "1.5-3x", "1.5 to 3 times", "times as much"],
    ["tracking the best expert", "track the best expert", "tracking of the best expert", "004/theorem-3-6", "004/private-tracker"],
    ["non-stationary", "nonstationary", "distribution shift", "shifting", "tracking", "shifts"],
    ["dynamic regret", "tracking regret", "switching regret", "shifting regret", "adaptive regret"],
    ["static regret", "external regret", "expected regret"],
    ["gap-dependent", "instance-dependent", "problem-dependent", "gap dependent", "Δ_min", "002/theorem-1"],
    ["stochastic setting", "stochastic losses", "iid", "iid losses", "i.i.d. losses", "002/theorem-1"],
    ["pseudo-regret", "pseudoregret", "regret over stochastic losses"],
    ["optimal rate", "minimax optimal", "matching lower bound", "open problem", "002/corollary-1"],
    ["lower bound", "impossibility", "hardness", "at least the regret"],
    ["selection of a block", "exponential mechanism per block", "002/lemma-3"],
    ["exponential mechanism", "softmax", "report noisy max", "report-noisy-max", "gumbel"],
    ["doubling blocks", "dyadic blocks", "doubling epochs", "epoch", "block", "phases"],
    ["random prefix", "random prefix length", "randomised prefix", "002/whole-blocks"],
    ["online convex optimisation", "oco", "private oco", "convex losses", "p-comw", "001/theorem-4-2", "001/regret"],
    ["strongly convex", "strong convexity", "regulariser", "λ", "001/lemma-3-2"],
    ["gibbs sampling", "gibbs measure", "gibbs measures", "log-concave sampling", "gibbs"],
    ["rejection sampling", "lottery", "correlated sampling", "001/claim-d1", "001/theorem-4-2"],
    ["wasserstein", "transport", "optimal transport", "coupling"],
    ["log-sobolev", "logarithmic sobolev", "isoperimetry", "lsi"],
    ["subgaussian concentration", "concentration", "herbst", "001/concentration"],
    ["advanced composition", "composition", "privacy accounting", "001/lemma-a1", "003/lemma-3"],
    ["kl divergence", "kl-divergence", "kl"],
    ["kl risk", "kl-risk", "cumulative kl-risk", "cumulative kl risk", "003/theorem-5", "003/theorem-4"],
    ["total variation", "tv distance", "tv"],
    ["density estimation", "distribution learning", "context-dependent", "hypothesis class", "003/theorem-5"],
    ["hypothesis selection", "tournament", "003/as-quoted", "scheffé"],
    ["pure privacy", "pure dp", "pure differential privacy", "003/theorem-5"],
    ["approximate dp", "approximate privacy", "003/theorem-4"],
    ["log-likelihood", "clipped log-likelihood", "clipping"],
    ["hadamard", "le cam", "assouad", "lower bound class", "003/hadamard-class"],
    ["randomised response", "random response", "rr"],
    ["sparse vector technique", "sparse vector", "svt", "abovethreshold", "above threshold", "004/as-quoted"],
    ["shrinking dartboard", "dartboard"],
    ["fixed share", "algorithm 3", "projected multiplicative weights", "004/fixed-share-regret"],
    ["fingerprinting", "fingerprinting lower bound", "adaptive adversary lower bound", "004/theorem-5-1"],
    ["oblivious adversary", "oblivious", "reduction to static", "004/theorem-4-1", "fixed in advance"],
    ["adaptive adversary", "adaptive adversaries", "adaptively chosen"],
    ["separation", "oblivious and adaptive", "004/adaptive-threshold"],
    ["sensitivity", "neighbouring streams", "neighbouring datasets", "weekly-sensitivity", "moves the"],
    ["patients", "one person", "person", "bed", "beds"],
    ["own counts", "own beds", "heterogeneous noise", "per-hospital noise", "personalised noise", "personalised privacy", "000/own-counts-level", "000/own-counts-gain"],
    ["linear regression", "rolling regression", "linear model", "linear models", "best linear", "autoregression"],
    ["run time", "running time", "computational complexity", "complexity", "000/computation"],
    ["eigenvalue", "leading eigenvector", "lobpcg", "power iteration"],
    ["membership inference", "attack", "attacker", "audit", "auditing", "empirical privacy"],
    ["proof is wrong", "counterexample", "erratum", "mistake", "bug"],
    ["mean of the maximum", "maximum of gaussians", "maximal inequality", "000/as-quoted"],
    ["reflection principle", "maximum of a walk", "000/lemma-3"],
    ["schur-convex", "schur-concave", "majorisation", "000/remark-1"],
  ];
  // What the papers' abstracts and introductions say of the claims in words that their statements lack.
  const TERMS = {
    "000/ex-post": "fully invariant to permutations, permutation-invariant, the shuffle model, a crowd to hide in",
    "000/proxy-law": "a novel form of privacy amplification, analogous to the shuffle model, local-to-central amplification",
    "000/easier-data": "amplification that grows stronger on easier data",
    "000/batching-regret": "improvement that carries essentially no utility cost",
    "000/theorem-1": "the theory of random walks, a characterisation of the switching behaviour of RW-FTPL, stability under LDP, limited switching behavior",
    "000/theorem-3/as-printed": "data-independent experts, data-dependent experts, privately selecting between experts that are themselves non-trivial learning algorithms, regret bounds that scale inversely with the degree of independence between experts, the meta-learner that chooses between learners",
    "000/rw-meta-law": "no extra privacy cost, at no additional privacy cost, noise-sharing scheme",
    "000/special-case": "data-independent experts, static actions",
    "000/table-2-words": "predicting which hospital will report the highest density of COVID patients each week, real-world data, state-of-the-art central DP algorithm, negative static regret, around 90% as well as the best linear model in each setting on average, this comparison must be caveated, not designed for dynamic environments, rolling Gaussian regression algorithms",
    "000/table-2-values": "the highest density of COVID patients, fewer than 100 suspected cases, rolling Gaussian regression algorithms",
    "001/lemma-3-2": "sampling from a strongly log-concave density",
    "001/density-ratio": "a strongly log-concave density",
    "001/rates": "removing the requirement of smoothness, without requiring smoothness, trade off the dimension factors, best known rates for DP-OCO",
    "001/theorem-4-1": "without requiring smoothness, differentially private online convex optimisation",
    "001/theorem-4-2": "explicitly limiting the number of switches via rejection sampling, lazy OCO",
    "002/theorem-1": "horizon-free algorithm, a COLT open problem, instance-dependent regret rate, full information",
    "002/lemma-5": "entropy-potential argument, sum of softmax selection errors over prefix lengths",
    "002/potential": "entropy-potential argument",
    "002/lemma-4": "blocks of exponentially increasing size, a data-independent random prefix of the previous block",
    "002/proposition-1": "event-level pure differential privacy",
    "003/theorem-5": "sequential probability assignments, online conditional distribution estimation, unbounded label sets, privatised labels",
    "003/any-labels": "one bit per user, one-bit communication, communication cost, public randomness",
    "003/theorem-2": "sequential probability assignments, unbounded label sets",
    "003/many-labels": "unbounded label sets",
    "003/batch-choice": "nearly tight upper bound for hypothesis selection in the batch setting",
    "004/theorem-3-6": "stochastic adversary with shifting distributions",
    "004/theorem-4-1": "reduction from dynamic regret minimisation to static regret minimisation",
    "004/adaptive-threshold": "high-privacy regime, linear dynamic regret under adaptive adversaries",
    "004/separation": "high-privacy regime, fundamental separation between oblivious and adaptive adversaries",
    "004/theorem-5-1": "must suffer linear dynamic regret under adaptive adversaries",
    "004/adaptive-sublinear": "sub-linear dynamic regret under adaptive adversaries",
  };
  const FILLERS = new Set("a an and are as at be by can do does for from has have how in into is it its of on or than that the their there this to under was we what when where which why with vs versus whose".split(" "));
  const ENDINGS = /(?:isations?|ations?|ively|ities|ity|ings?|ally|ies|ied|ers?|ed|es|ly|s|e|y)$/;

  const normal = (text) => text.toLowerCase().replaceAll("iz", "is").replace(/(\d)%/g, "$1 %"); // American spelling is found in British, and back
  const stem = (word) => (word.replace(ENDINGS, "").length >= 4 ? word.replace(ENDINGS, "") : word);
  const stems = (phrase) => normal(phrase).split(/[\s-]+/).filter(Boolean).map(stem);
  const known = new Set(SYNONYMS.flat().map((phrase) => phrase.toLowerCase()));
  // MinNoise is Min Noise; but RW-AdaBatch, which the claims write so, stays one word
  const apart = (query) => query.replace(/[\p{L}-]+/gu, (word) => (known.has(word.toLowerCase()) ? word : word.replace(/(\p{Ll})(?=\p{Lu})/gu, "$1 ")));
  const groups = SYNONYMS.map((group) => group.map((phrase) => ({ phrase: normal(phrase), stems: stems(phrase) })));

  // The terms of a query: each has the forms by which it may be found, with what a form counts.
  function terms(query) {
    const text = normal(apart(query));
    const found = [...text.matchAll(/"([^"]+)"?/g)].map((quoted) => [[quoted[1].trim(), 1, ""]]);
    const words = text.replace(/"[^"]*"?/g, " ").split(/\s+/).map((word) => word.replace(/^[(,;]+|[),;:?!]+$/g, "")).filter(Boolean);
    const roots = words.map(stem);
    for (let at = 0; at < words.length;) {
      const same = synonym(words.slice(at));
      const useful = !FILLERS.has(words[at]) || words.every((word) => FILLERS.has(word));
      if (same) found.push(same.forms);
      else if (useful) found.push([[words[at], 1, roots[at]]]);
      at += same ? same.length : 1;
    }
    return found.filter((forms) => forms[0][0]);
  }

  // The longest words for one thing with which a query begins, in all forms that the table has for them
  function synonym(words) {
    const parts = words.flatMap((word) => stems(word));
    let best = null;
    for (const group of groups) {
      for (const each of group) {
        if (!each.stems.every((root, place) => root === parts[place])) continue;
        let length = 0;
        for (let covered = 0; covered < each.stems.length; length += 1) covered += stems(words[length]).length;
        if (best && best.length > length) continue;
        const typed = [words.slice(0, length).join(" "), 1, length === 1 ? stem(words[0]) : ""];
        const others = group.map((other) => [other.phrase, /^\d+\//.test(other.phrase) ? 2 : 0.7, ""]); // an id was chosen for these words
        best = { length, forms: best?.length === length ? [...best.forms, ...others] : [typed, ...others] };
      }
    }
    return best;
  }

  // How well words stand in a text: 3 as whole words, 2 at the start of a word, 1 inside one, 0 not at all. A number, or
  // a word of one or two letters, counts as whole words alone: nobody who asks for 1 means 10 or 0.1.
  function fit(words, text) {
    const short = /^(\d+(\.\d+)*|\p{L}{1,2})$/u.test(words);
    const inWord = (sign) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign);
    const inNumber = (sign, next) => sign === "." && next !== undefined && /\d/.test(next);
    let best = 0;
    for (let at = text.indexOf(words); at >= 0 && best < 3; at = text.indexOf(words, at + 1)) {
      const end = at + words.length;
      const starts = !(inWord(text[at - 1]) && inWord(words[0])) && !inNumber(text[at - 1], text[at - 2]);
      const ends = !(inWord(text[end]) && inWord(words.at(-1))) && !(/\d/.test(words.at(-1)) && inNumber(text[end], text[end + 1]));
      best = Math.max(best, starts && ends ? 3 : short ? 0 : starts ? 2 : 1);
    }
    return best;
  }

  function worth(fields, forms) {
    let best = 0;
    for (const [weight, text] of fields) {
      for (const [words, counts, root] of forms) {
        best = Math.max(best, weight * counts * fit(words, text));
        if (root && root !== words && fit(root, text) >= 2) best = Math.max(best, weight * 1.2);
      }
    }
    return best;
  }

  // How well all terms fit what is said in fields, each with its weight; -1 when one is missing
  function score(fields, wanted) {
    let sum = 0;
    for (const forms of wanted) {
      const best = worth(fields, forms);
      if (!best) return -1;
      sum += best;
    }
    const whole = wanted.map((forms) => forms[0][0]).join(" ");
    for (const [weight, text] of fields) {
      if (fit(whole, text) === 3) sum += 10 * weight + (text.startsWith(whole) ? 5 * weight : 0) + (text === whole ? 50 * weight : 0);
    }
    return sum;
  }

  // Scores of the few that have most of the terms, where none has all; a word that is nowhere counts as the most similar one
  function nearest(texts, wanted, few = 8) {
    const vocabulary = new Set(texts.flatMap((fields) => fields.flatMap(([, text]) => text.match(/\p{L}{4,}/gu) ?? [])));
    const everywhere = (forms) => texts.some((fields) => worth(fields, forms) > 0);
    const meant = wanted.map((forms) => (everywhere(forms) ? forms : similar(forms[0][0], vocabulary))).filter(Boolean);
    const scores = texts.map((fields) => meant.map((forms) => worth(fields, forms)).filter(Boolean))
      .map((hits) => 1000 * hits.length + hits.reduce((sum, hit) => sum + hit, 0));
    const first = scores.map((each, at) => [each, at]).filter(([each]) => each > 0).sort(([a], [b]) => b - a).slice(0, few);
    const kept = new Map(first.map(([each, at]) => [at, each]));
    return scores.map((_, at) => kept.get(at) ?? -1);
  }

  function similar(word, vocabulary) {
    const pairs = (text) => new Set(Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2)));
    const wanted = pairs(word);
    let [best, which] = [word.length > 4 ? 0.65 : 1, null]; // fake is no slip for take
    for (const other of vocabulary) {
      if (Math.abs(other.length - word.length) > 1) continue; // nor bitcoin for coin
      const has = pairs(other);
      const alike = (2 * [...wanted].filter((pair) => has.has(pair)).length) / (wanted.size + has.size);
      if (alike > best) [best, which] = [alike, other];
    }
    return which && [[which, 1, ""]];
  }

  return { terms, score, nearest, normal, TERMS };
})();
