"use strict";
// Sorting and filtering of the tables. Everything can be read without it.

const words = new Intl.Collator("en", { numeric: true });

function valueOf(row, column, numeric) {
  const cell = row.cells[column];
  if (!numeric) return cell.textContent.trim().toLowerCase();
  return "v" in cell.dataset ? Number(cell.dataset.v) : NaN;
}

function compare(a, b, numeric, sign) {
  if (!numeric) return sign * words.compare(a.key, b.key);
  if (Number.isNaN(a.key) || Number.isNaN(b.key)) return Number.isNaN(a.key) - Number.isNaN(b.key);
  return sign * (a.key - b.key);
}

// Sorts each part of a table by itself: what is not ranked never stands among what is.
function sortTable(button) {
  const header = button.closest("th");
  const table = button.closest("table");
  const numeric = button.dataset.kind === "number";
  const before = header.getAttribute("aria-sort");
  const first = numeric && button.textContent.trim() !== "#" ? "descending" : "ascending";
  const other = first === "ascending" ? "descending" : "ascending";
  const order = before === first ? other : first;
  for (const each of header.parentElement.cells) if (each.hasAttribute("aria-sort")) each.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  for (const body of table.tBodies) {
    if (body.classList.contains("fixed")) continue;
    const rows = [...body.rows].filter((row) => !row.classList.contains("part"));
    const keyed = rows.map((row) => ({ row, key: valueOf(row, header.cellIndex, numeric) }));
    keyed.sort((a, b) => compare(a, b, numeric, sign));
    body.append(...keyed.map((each) => each.row));
  }
}

function matches(row, filters) {
  const has = (name) => !filters[name] || row.dataset[name].split(" ").includes(filters[name]);
  return has("track") && has("reads") && has("level") && row.dataset.text.includes(filters.text);
}

function filterTables(form) {
  const filters = Object.fromEntries(new FormData(form));
  filters.text = filters.text.trim().toLowerCase();
  let shown = 0;
  let all = 0;
  document.querySelectorAll("table.filtered").forEach((table, place) => {
    for (const body of table.tBodies) {
      if (body.classList.contains("fixed")) continue;
      let visible = 0;
      for (const row of body.rows) {
        if (row.classList.contains("part")) continue;
        row.hidden = !matches(row, filters);
        visible += !row.hidden;
        if (place === 0) all += 1;
      }
      body.hidden = visible === 0;
      if (place === 0) shown += visible;
    }
  });
  form.querySelector("output").textContent = `${shown} of ${all} shown`;
}

// Says that a table goes on to the right, for as long as it does.
function showCut(box, hint) {
  const rest = box.scrollWidth - box.clientWidth;
  box.classList.toggle("cut", rest - box.scrollLeft > 2);
  hint.hidden = rest <= 2;
}

for (const box of document.querySelectorAll("div.wide")) {
  const hint = document.createElement("p");
  hint.className = "hint";
  hint.textContent = "The table is wider than the page: scroll it sideways for more columns \u2192";
  box.before(hint);
  const look = () => showCut(box, hint);
  box.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(box);
}
for (const button of document.querySelectorAll("table.sortable th button")) {
  button.addEventListener("click", () => sortTable(button));
}
for (const form of document.querySelectorAll("form.filters")) {
  form.hidden = false;
  form.addEventListener("input", () => filterTables(form));
  form.addEventListener("submit", (event) => event.preventDefault());
  filterTables(form);
}
