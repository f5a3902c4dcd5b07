"use strict";
// Two agents in the same scenarios: the paired difference, the chance of improvement, and every scenario.

const RESAMPLES = 10000;
const ROUNDING = 1e-9; // values that differ by less are equal
const compared = JSON.parse(document.getElementById("compared").textContent);
const choice = document.getElementById("choice");

// SFC32: small, and the same draws on every visit.
function random(seed) {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, seed];
  const next = () => {
    const sum = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c * 9) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 4294967296;
  };
  for (let i = 0; i < 20; i += 1) next();
  return next;
}

const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;

function middle(values) {
  const ordered = [...values].sort((a, b) => a - b);
  const cut = Math.floor(0.25 * ordered.length);
  return mean(ordered.slice(cut, ordered.length - cut));
}

const counted = (agent, value) => (agent.feasible ? value : Math.min(value, 0));
function interval(value, drawn) {
  const ordered = [...drawn].sort((a, b) => a - b);
  const at = (share) => {
    const place = share * (ordered.length - 1);
    const low = Math.floor(place);
    return ordered[low] + (place - low) * ((ordered[low + 1] ?? ordered[low]) - ordered[low]);
  };
  return { value, low: at(0.025), high: at(0.975) };
}

// Where the first does better than the second, 1, and 0.5 where both do as well: by their seeds and scenarios.
function wins(one, other) {
  const better = (a, b) => (Math.abs(a - b) <= ROUNDING ? 0.5 : Number(a > b));
  return one.scores.map((ours) => other.scores.map((theirs) => Float64Array.from(ours, (score, i) => better(score, theirs[i]))));
}

// Resamples two agents: scenarios for both together, training seeds for each by itself.
function paired(one, other, scenarios) {
  const next = random(1);
  const draw = (n) => Array.from({ length: n }, () => Math.floor(next() * n));
  const all = (n) => [...Array(n).keys()];
  const over = (values, places) => places.reduce((sum, i) => sum + values[i], 0) / places.length;
  const score = (agent, places, seeds) => {
    const means = agent.scores.map((values) => over(values, places));
    return counted(agent, middle(seeds.map((s) => means[s])));
  };
  const won = wins(one, other);
  const chance = (places, ours, theirs) => {
    const means = won.map((row) => row.map((values) => over(values, places)));
    return mean(ours.flatMap((s) => theirs.map((t) => means[s][t])));
  };
  const found = (...drawn) => [score(one, drawn[0], drawn[1]) - score(other, drawn[0], drawn[2]), chance(...drawn)];
  const counts = [scenarios.length, one.scores.length, other.scores.length];
  const resampled = all(RESAMPLES).map(() => found(...counts.map(draw)));
  const [difference, share] = found(...counts.map(all)).map((value, k) => interval(value, resampled.map((each) => each[k])));
  return { difference, chance: share };
}

const said = (value, digits) => value.toFixed(digits).replace("-", "\u2212");
const told = (found, digits) => `${said(found.value, digits)} (${said(found.low, digits)} to ${said(found.high, digits)})`;

function verdict(one, other, found) {
  const box = document.getElementById("verdict");
  const tie = found.difference.low <= 0 && found.difference.high >= 0;
  const first = tie ? "They tie: the interval of the difference holds 0." : `${(found.difference.value > 0 ? one : other).name} is better by more than chance.`;
  const facts = [
    ["Difference of the scores", `${told(found.difference, 1)} points`],
    [`Chance that ${one.name} does better in a scenario`, told(found.chance, 2)],
    ["Training seeds", `${one.scores.length} and ${other.scores.length}`],
  ];
  const list = Object.assign(document.createElement("dl"), { className: "facts" });
  for (const [name, value] of facts) {
    const item = document.createElement("div");
    item.append(Object.assign(document.createElement("dt"), { textContent: name }), Object.assign(document.createElement("dd"), { textContent: value }));
    list.append(item);
  }
  box.replaceChildren(Object.assign(document.createElement("p"), { className: "lead", textContent: first }), list);
  const infeasible = [one, other].filter((agent) => !agent.feasible).map((agent) => agent.name);
  if (infeasible.length) box.append(Object.assign(document.createElement("p"), { className: "bad", textContent: `Infeasible: ${infeasible.join(", ")}.` }));
}

function table(one, other, scenarios) {
  const box = document.getElementById("scenarios");
  const heads = box.tHead.rows[0].querySelectorAll("button");
  [heads[1].textContent, heads[2].textContent] = [one.name, other.name];
  const rows = scenarios.map((name, i) => {
    const [a, b] = [one, other].map((agent) => mean(agent.scores.map((scores) => scores[i])));
    const row = document.createElement("tr");
    row.append(Object.assign(document.createElement("th"), { scope: "row", textContent: name }));
    for (const value of [a, b, a - b]) row.append(Object.assign(document.createElement("td"), { textContent: said(value, 1) }));
    return { row, point: { name, x: b, y: a } };
  });
  box.tBodies[0].replaceChildren(...rows.map((each) => each.row));
  return rows.map((each) => each.point);
}

function show() {
  const set = compared.sets[choice.elements.on.selectedIndex];
  const [one, other] = ["a", "b"].map((name) => set.agents[choice.elements[name].selectedIndex]);
  verdict(one, other, paired(one, other, set.scenarios));
  const data = { kind: "scatter", x: other.name, y: one.name, diagonal: true, points: table(one, other, set.scenarios) };
  draw(document.getElementById("scatter"), (host) => scatter(host, data));
  const address = new URLSearchParams({ on: set.id, a: one.name, b: other.name });
  history.replaceState(null, "", `#?${address}`);
}

function fill(select, names, value, otherwise) {
  select.replaceChildren(...names.map((name) => Object.assign(document.createElement("option"), { textContent: name })));
  select.selectedIndex = names.includes(value) ? names.indexOf(value) : Math.max(0, Math.min(otherwise, names.length - 1));
}

function fillAgents(a, b) {
  const names = compared.sets[choice.elements.on.selectedIndex].agents.map((agent) => agent.name);
  const expert = names.findIndex((name) => name.startsWith("expert "));
  fill(choice.elements.a, names, a, expert === 0 ? 1 : 0);
  fill(choice.elements.b, names, b, expert >= 0 ? expert : 1);
}

if (compared.sets.some((set) => set.agents.length)) {
  const start = chosen();
  const ids = compared.sets.map((set) => set.id);
  fill(choice.elements.on, compared.sets.map((set) => set.title), null, Math.max(0, ids.indexOf(start.get("on"))));
  fillAgents(start.get("a"), start.get("b"));
  choice.hidden = false;
  choice.addEventListener("change", (event) => {
    const now = ["a", "b"].map((name) => choice.elements[name].value);
    if (event.target.name === "on") fillAgents(...now);
    show();
  });
  choice.elements.swap.addEventListener("click", () => {
    const [a, b] = ["a", "b"].map((name) => choice.elements[name].selectedIndex);
    [choice.elements.a.selectedIndex, choice.elements.b.selectedIndex] = [b, a];
    show();
  });
  choice.addEventListener("submit", (event) => event.preventDefault());
  show();
}
