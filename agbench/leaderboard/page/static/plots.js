"use strict";
// Charts by uPlot. Their data stand in the page; tables beside them have the same numbers.

const MARKS = ["circle", "square", "triangle", "diamond", "cross"];
const STYLES = 7;
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3], [12, 4], [4, 2, 1, 2], [1, 3]];
const HEIGHT = 280;
const DAY = 86400;
const WHOLE_DAYS = [1, 2, 5, 10, 15, 30, 60, 90, 180, 365, 730, 1825, 3650].map((days) => days * DAY);

function ink(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

const colour = (place) => ink(`c${place % STYLES}`);
const dash = (place) => DASHES[(place + Math.floor(place / STYLES)) % STYLES]; // another with each round of colours

function shown(value, digits = 4) {
  if (value === null || value === undefined) return "\u2013";
  const size = Math.abs(value);
  const text = size >= 1e4 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(digits)));
  return text.replace("-", "\u2212");
}

// As wide as the longest label of a tick, so that the axis's title stands beside it.
const room = (u, labels) => Math.max(40, ...(labels ?? []).map((text) => 12 + 6.6 * text.length));

function axis(label, more = {}) {
  return { label, labelSize: 18, labelFont: "12px system-ui, sans-serif", font: "11px system-ui, sans-serif", labelGap: 0, size: room,
    stroke: ink("muted"), grid: { stroke: ink("line"), width: 1 }, ticks: { stroke: ink("line"), width: 1, size: 4 },
    values: (u, ticks) => ticks.map((v) => (v === null ? "" : shown(v))), ...more };
}

function readout(host) {
  const line = document.createElement("p");
  line.className = "readout";
  line.setAttribute("aria-live", "polite");
  line.textContent = "\u00a0";
  host.after(line);
  return line;
}

function legend(host, entries) {
  const list = document.createElement("ul");
  list.className = "key";
  for (const [name, place, form] of entries) {
    const item = document.createElement("li");
    item.append(sample(place, form), ` ${name}`);
    list.append(item);
  }
  host.after(list);
}

// What a key shows of a line, of bars or of marks.
function sample(place, form) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [52, 24];
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  if (form === "mark") mark(context, MARKS[place % MARKS.length], 13, 6, 4, colour(place));
  else if (form === "bars") { context.fillStyle = colour(place); context.fillRect(6, 2, 14, 8); }
  else stroke(context, place, 1.8, () => { context.moveTo(0, 6); context.lineTo(26, 6); });
  return canvas;
}

function stroke(context, place, width, path) {
  context.save();
  context.beginPath();
  context.setLineDash(dash(place));
  context.strokeStyle = colour(place);
  context.lineWidth = width;
  path();
  context.stroke();
  context.restore();
}

function mark(context, shape, x, y, size, paint) {
  context.beginPath();
  if (shape === "circle") context.arc(x, y, size, 0, 7);
  if (shape === "square") context.rect(x - size, y - size, 2 * size, 2 * size);
  if (shape === "triangle") { context.moveTo(x, y - size); context.lineTo(x + size, y + size); context.lineTo(x - size, y + size); context.closePath(); }
  if (shape === "diamond") { context.moveTo(x, y - size); context.lineTo(x + size, y); context.lineTo(x, y + size); context.lineTo(x - size, y); context.closePath(); }
  if (shape === "cross") { context.moveTo(x - size, y - size); context.lineTo(x + size, y + size); context.moveTo(x - size, y + size); context.lineTo(x + size, y - size); }
  context.strokeStyle = paint;
  context.lineWidth = 1.5;
  context.stroke();
  if (shape !== "cross") { context.globalAlpha = 0.45; context.fillStyle = paint; context.fill(); context.globalAlpha = 1; }
}

// Points in a plane. A pointer, or the arrow keys, choose one: it is named below, and Enter opens its page.
function scatter(host, data) {
  const day = (ordinal) => (ordinal - 719163) * DAY; // Python's day 719163 is 1970-01-01
  const points = data.points.map((p) => ({ ...p, x: data.time ? day(p.x) : p.x })).sort((a, b) => a.x - b.x);
  const groups = [...new Set(points.map((p) => p.group ?? ""))].sort();
  const line = readout(host);
  if (groups.length > 1) legend(host, groups.map((name, place) => [name, place, "mark"]));
  let at = -1;
  const when = (x) => new Date(x * 1000).toISOString().slice(0, 10);
  const range = (values, least = 0) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const more = Math.max((high - low || (least ? 0 : Math.abs(high)) || 1) * 0.06, least);
    return [low - more, high + more];
  };
  const heights = points.flatMap((p) => [p.y, Math.max(p.low ?? p.y, p.y - 400), Math.min(p.high ?? p.y, p.y + 400)]);
  const widths = points.map((p) => p.x);
  const both = data.diagonal ? range([...heights, ...widths]) : null;
  const place = (u, p) => [u.valToPos(p.x, "x", true), u.valToPos(p.y, "y", true)];
  function draw(u) {
    const context = u.ctx;
    const ratio = uPlot.pxRatio;
    context.save();
    context.beginPath();
    context.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    context.clip();
    if (data.diagonal) stroke(context, 6, ratio, () => { context.moveTo(...place(u, { x: both[0], y: both[0] })); context.lineTo(...place(u, { x: both[1], y: both[1] })); });
    if (data.best) stroke(context, 0, ratio, () => {
      let best = -Infinity;
      points.forEach((p) => {
        if (p.y <= best) return;
        const [x, y] = place(u, p);
        if (best === -Infinity) context.moveTo(x, y);
        else context.lineTo(x, u.valToPos(best, "y", true));
        context.lineTo(x, y);
        best = p.y;
      });
      context.lineTo(u.bbox.left + u.bbox.width, u.valToPos(best, "y", true));
    });
    points.forEach((p, i) => {
      const [x, y] = place(u, p);
      const kind = groups.indexOf(p.group ?? "");
      if (p.low !== undefined) {
        context.beginPath();
        context.moveTo(x, u.valToPos(p.low, "y", true));
        context.lineTo(x, u.valToPos(p.high, "y", true));
        context.strokeStyle = colour(kind);
        context.lineWidth = ratio;
        context.stroke();
      }
      mark(context, MARKS[kind % MARKS.length], x, y, (i === at ? 7 : 4) * ratio, i === at ? ink("ink") : colour(kind));
    });
    context.restore();
  }
  function choose(u, i) {
    if (i === at) return;
    at = i;
    const p = points[i];
    const x = p && (data.time ? when(p.x) : shown(p.x));
    const ends = p && p.low !== undefined ? ` (${shown(p.low)} to ${shown(p.high)})` : "";
    line.textContent = p ? `${p.name}: ${data.x} ${x}, ${data.y} ${shown(p.y)}${ends}` : "\u00a0";
    u.over.style.cursor = p && p.page ? "pointer" : "default";
    u.redraw(false);
  }
  function near(u) {
    const { left, top } = u.cursor;
    if (left < 0) return;
    let [best, which] = [30, -1];
    points.forEach((p, i) => {
      const away = Math.hypot(u.valToPos(p.x, "x") - left, u.valToPos(p.y, "y") - top);
      if (away < best) [best, which] = [away, i];
    });
    choose(u, which);
  }
  const log = data.log && widths[0] > 0;
  const powers = log && [10 ** Math.floor(Math.log10(widths[0] / 1.2)), 10 ** Math.ceil(Math.log10(widths.at(-1) * 1.2))];
  const chart = new uPlot({
    width: host.clientWidth || 460, height: HEIGHT, legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"), // days are those of UTC
    cursor: { x: false, y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: Boolean(data.time), distr: log ? 3 : 1, range: () => both ?? (log ? powers : range(widths, data.time ? DAY : 0)) },
      y: { range: () => both ?? range(heights) },
    },
    axes: [axis(data.x, { size: 30, ...(data.time ? { values: (u, ticks) => ticks.map(when), space: 90, incrs: WHOLE_DAYS } : {}) }), axis(data.y)],
    series: [{}, { paths: () => null, points: { show: false } }],
    hooks: { draw: [draw], setCursor: [near] },
  }, [points.map((p) => p.x), points.map((p) => p.y)], host);
  const open = () => { if (points[at]?.page) location.href = points[at].page; };
  chart.over.addEventListener("click", open);
  host.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -points.length, End: points.length }[event.key];
    if (step) { choose(chart, Math.min(Math.max(at + step, 0), points.length - 1)); event.preventDefault(); }
    if (event.key === "Enter") open();
  };
  return chart;
}

// Lines that go down in steps, over common places.
function steps(host, data) {
  const xs = [...new Set(data.lines.flatMap((l) => l.x))].sort((a, b) => a - b);
  const spread = (l) => {
    const values = new Map(l.x.map((x, i) => [x, l.y[i]]));
    let last = 1;
    return xs.map((x) => (last = values.get(x) ?? last));
  };
  const stepped = uPlot.paths.stepped({ align: 1 });
  const series = data.lines.map((l, i) => ({
    label: l.name, stroke: colour(i), width: 1.8, dash: dash(i), paths: stepped, points: { show: false },
    value: (u, v) => shown(v, 3),
  }));
  return lines(host, [xs, ...data.lines.map(spread)], data.lines.map(() => "line"), {
    scales: { x: { time: false, range: (u, low, high) => [Math.max(low, -200) - 10, Math.min(high, 1000) + 10] }, y: { range: [0, 1.02] } },
    axes: [axis(data.x, { size: 30 }), axis(data.y, { size: 48 })],
    series: [{ label: data.x, value: (u, v) => shown(v, 3) }, ...series],
  });
}

// Draws a chart of lines and bars with the values of the place that the pointer, or the arrow keys, choose.
function lines(host, data, forms, options) {
  const chart = new uPlot({ width: host.clientWidth || 460, height: HEIGHT, legend: { live: true }, cursor: { drag: { x: false, y: false } }, ...options }, data, host);
  const markers = [...chart.root.querySelectorAll(".u-series:not(.hidden-key) .u-marker")].slice(-forms.length);
  markers.forEach((marker, place) => marker.replaceWith(sample(place, forms[place])));
  host.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
    if (!step) return;
    const place = Math.min(Math.max((chart.cursor.idx ?? -1) + step, 0), data[0].length - 1);
    chart.setCursor({ left: chart.valToPos(data[0][place], "x"), top: 1 });
    event.preventDefault();
  };
  return chart;
}

// One panel of a season: lines, bars and bands over its days.
function panel(host, content, first, group) {
  const start = Date.parse(`${first}T00:00:00Z`) / 1000;
  let day = 0;
  const xs = content.x.map((gap) => start + Math.round((day += gap) * 86400)); // each day follows the one before
  const read = (curve, values) => values?.map((v) => (v === null ? null : v / 10 ** (curve.decimals ?? 0)));
  const curves = content.curves.map((c) => ({ ...c, y: read(c, c.y), top: read(c, c.top) }));
  const columns = [xs];
  const series = [{ label: "day", value: (u, v) => (v ? new Date(v * 1000).toISOString().slice(0, 10) : "\u2013") }];
  const bands = [];
  const known = (curve) => (u, v, s, i) => {
    if (i === null || i === undefined) return "\u2013";
    const of = (values) => {
      let k = i;
      while (curve.form !== "bars" && k > 0 && values[k] === null) k -= 1;
      return values[k] ?? (curve.form === "bars" ? 0 : null);
    };
    const range = curve.top ? ` to ${shown(of(curve.top))}` : "";
    return `${shown(of(curve.y))}${range} ${curve.unit}`;
  };
  curves.forEach((curve, place) => {
    const base = { label: curve.name, scale: curve.right ? "right" : "y", stroke: colour(place), width: 1.8, spanGaps: true, points: { show: false }, value: known(curve) };
    if (curve.form === "bars") series.push({ ...base, fill: colour(place), paths: uPlot.paths.bars({ size: [0.7, 6, 2] }) });
    else series.push({ ...base, dash: dash(place) });
    columns.push(curve.y);
    if (curve.top) {
      series.push({ ...base, label: "", class: "hidden-key", dash: [] });
      columns.push(curve.top);
      bands.push({ series: [columns.length - 1, columns.length - 2], fill: `${colour(place)}44` });
    }
  });
  const units = (right) => [...new Set(content.curves.filter((c) => Boolean(c.right) === right).map((c) => c.unit))].filter((unit) => unit !== "\u2013").join(", ");
  const fromZero = (right) => content.curves.some((c) => Boolean(c.right) === right && c.form === "bars");
  const scale = (right) => ({ range: (u, low, high) => {
    if (low === null) return [0, 1];
    const more = (high - low || Math.abs(high) || 1) * 0.05;
    const near = fromZero(right) || (low >= 0 && low <= 0.3 * high);
    return [near ? Math.min(low, 0) : low - more, fromZero(right) ? Math.max(high + more, 0) : high + more];
  } });
  const axes = [axis("", { labelSize: 0, size: 28, space: 70, values: (u, ticks) => ticks.map((t) => new Date(t * 1000).toLocaleDateString("en", { day: "numeric", month: "short", timeZone: "UTC" })) }), axis(units(false), { scale: "y" })];
  const right = content.curves.some((curve) => curve.right);
  if (right) axes.push(axis(units(true), { scale: "right", side: 1, grid: { show: false } }));
  return lines(host, columns, content.curves.map((curve) => curve.form), {
    height: 200, padding: [null, right ? null : 24, null, null], scales: { x: { time: true }, y: scale(false), ...(right ? { right: scale(true) } : {}) },
    axes, series, bands, cursor: { drag: { x: false, y: false }, sync: { key: group } },
  });
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

async function season(box, number) {
  const seasons = await unpacked(box.closest("[data-seasons]").dataset.seasons);
  const content = seasons[box.dataset.season];
  box.replaceChildren();
  return content.panels.map((each, place) => {
    const figure = document.createElement("figure");
    const caption = Object.assign(document.createElement("figcaption"), { textContent: each.title });
    const host = document.createElement("div");
    host.className = "plot";
    host.tabIndex = 0;
    host.setAttribute("role", "img");
    host.setAttribute("aria-label", `${each.title}: ${each.curves.map((c) => c.name).join(", ")}; arrow keys go from day to day`);
    figure.append(caption, host);
    box.append(figure);
    return panel(host, each, content.first, `season-${number}`);
  });
}

const drawers = { scatter, steps };
const drawn = new Map(); // host: what draws it again

function draw(host, again) {
  host.querySelectorAll(".uplot").forEach((old) => old.remove());
  while (host.nextElementSibling?.matches(".readout, .key")) host.nextElementSibling.remove();
  drawn.set(host, again);
  again(host);
}

for (const host of document.querySelectorAll("[data-plot]")) {
  const data = JSON.parse(host.dataset.plot);
  draw(host, (where) => drawers[data.kind](where, data));
}
document.querySelectorAll("[data-season]").forEach((box, number) => {
  const details = box.closest("details");
  const open = () => { if (details.open && !drawn.has(box)) draw(box, () => season(box, number)); };
  details.addEventListener("toggle", open);
  open();
});

// Drawn anew where the width or the colours change.
let waiting;
function renew() {
  clearTimeout(waiting);
  waiting = setTimeout(() => { for (const [host, again] of drawn) draw(host, again); }, 150);
}
let width = innerWidth;
addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; renew(); } });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", renew);
