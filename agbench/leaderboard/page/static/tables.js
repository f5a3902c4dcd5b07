"use strict";
// Sorting, filtering and choosing columns of the tables. Everything can be read without it.
// What is chosen stands in the address, after "#?", so that a view can be sent to others.

const words = new Intl.Collator("en", { numeric: true });

function numberOf(cell) {
  if ("v" in cell.dataset) return Number(cell.dataset.v);
  const text = cell.textContent.trim().replace(/\u2212/g, "-").replace(/,/g, "");
  return text === "" ? NaN : Number(text);
}

function valueOf(row, column, numeric) {
  const cell = row.cells[column];
  return numeric ? numberOf(cell) : cell.textContent.trim().toLowerCase();
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

// What is chosen, as the address has it: "#?track=rules&hide=Mean".
function chosen() {
  return new URLSearchParams(location.hash.startsWith("#?") ? location.hash.slice(2) : "");
}

function remember(name, value) {
  const now = chosen();
  if (value) now.set(name, value);
  else now.delete(name);
  const text = now.toString();
  history.replaceState(null, "", text ? `#?${text}` : location.pathname);
}

function nameOf(header) {
  return header.textContent.trim();
}

function showColumns(table, hidden) {
  const headers = [...table.tHead.rows[0].cells];
  const away = headers.map((header) => hidden.has(nameOf(header)));
  for (const row of table.rows) {
    if (row.classList.contains("part")) continue;
    away.forEach((gone, i) => { row.cells[i].hidden = gone; });
  }
}

// Puts a choice of columns before a table that has many; the columns of names always stay.
function chooser(table) {
  const names = [...table.tHead.rows[0].cells].map(nameOf).filter((name) => name && name !== "#" && name !== "Agent");
  const hidden = new Set((chosen().get("hide") || "").split("|").filter(Boolean));
  const box = document.createElement("details");
  box.className = "columns";
  box.append(Object.assign(document.createElement("summary"), { textContent: "Columns" }));
  for (const name of names) {
    const input = Object.assign(document.createElement("input"), { type: "checkbox", checked: !hidden.has(name) });
    input.addEventListener("change", () => {
      const others = new Set((chosen().get("hide") || "").split("|").filter(Boolean));
      if (input.checked) others.delete(name);
      else others.add(name);
      remember("hide", [...others].join("|"));
      showColumns(table, new Set(names.filter((each) => others.has(each))));
    });
    const label = document.createElement("label");
    label.append(input, ` ${name}`);
    box.append(label);
  }
  table.closest("div.wide").before(box);
  if (hidden.size) showColumns(table, hidden);
}

// Says that a table goes on to the right, for as long as it does.
function showCut(box, hint) {
  const rest = box.scrollWidth - box.clientWidth;
  box.classList.toggle("cut", rest - box.scrollLeft > 2);
  hint.hidden = rest <= 2;
}

// Another choice in the address of a page that is open already: the page begins with it anew.
addEventListener("hashchange", () => {
  if (location.hash.startsWith("#?")) location.reload();
});
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
for (const table of document.querySelectorAll("table.filtered")) {
  if (table.tHead.rows[0].cells.length > 6) chooser(table);
}
for (const form of document.querySelectorAll("form.filters:not(#choice)")) {
  form.hidden = false;
  for (const [name, value] of chosen()) {
    const field = form.elements.namedItem(name);
    if (field && (field.tagName !== "SELECT" || [...field.options].some((each) => each.value === value))) field.value = value;
  }
  form.addEventListener("input", (event) => {
    filterTables(form);
    remember(event.target.name, event.target.value);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  filterTables(form);
}
