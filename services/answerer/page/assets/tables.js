// Show rows as a table, and rows with numbers as a bar chart.

import { html, shortened, svg } from "./elements.js";
import { valueText } from "./values.js";

const MAX_ROWS = 200;
const MAX_BARS = 30;
const [LABEL_WIDTH, BAR_WIDTH, NUMBER_WIDTH, BAR_HEIGHT] = [150, 240, 90, 24];

/** Return a table of rows, of which it shows the first 200. */
export function table(columns, rows) {
  const shown = rows.slice(0, MAX_ROWS);
  const omitted = rows.length - shown.length;
  const head = html("tr", {}, ...columns.map((column) => html("th", { scope: "col" }, column)));
  const body = shown.map((row) => html("tr", {}, ...row.map(cell)));
  return html(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Rows" },
    html("table", {}, html("thead", {}, head), html("tbody", {}, ...body)),
    omitted ? html("p", { class: "hint" }, `${omitted.toLocaleString("en")} more rows are not shown.`) : null,
  );
}

function cell(value) {
  return html("td", { class: typeof value === "number" ? "number" : null }, valueText(value));
}

/** Return a chart of the last column of numbers by the first other column, or null if the rows have no such columns. */
export function chart(columns, rows) {
  if (rows.length < 2 || rows.length > MAX_BARS) return null;
  const isNumeric = columns.map((_, place) => rows.every((row) => Number.isFinite(row[place])));
  const [label, number] = [isNumeric.indexOf(false), isNumeric.lastIndexOf(true)];
  if (label < 0 || number < 0) return null;
  const bars = rows.map((row) => ({ label: valueText(row[label]), value: row[number] }));
  return drawn(bars, `${columns[number]} by ${columns[label]}`);
}

function drawn(bars, title) {
  const values = bars.map((bar) => bar.value);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const scale = (value) => LABEL_WIDTH + (BAR_WIDTH * (value - low)) / (high - low || 1);
  const [width, height] = [LABEL_WIDTH + BAR_WIDTH + NUMBER_WIDTH, BAR_HEIGHT * bars.length];
  const rows = bars.map(({ label, value }, place) => {
    const middle = BAR_HEIGHT * (place + 0.5);
    const [start, end] = [scale(Math.min(0, value)), scale(Math.max(0, value))];
    return svg(
      "g",
      { class: "bar" },
      svg("title", {}, `${label}: ${valueText(value)}`),
      svg("text", { x: LABEL_WIDTH - 8, y: middle, dy: "0.35em", class: "label" }, shortened(label, 20)),
      svg("rect", { x: start, y: middle - 8, width: Math.max(1, end - start), height: 16, rx: 2 }),
      svg("text", { x: end + 6, y: middle, dy: "0.35em" }, valueText(value)),
    );
  });
  const chartOf = svg(
    "svg",
    { class: "chart", role: "img", "aria-label": `Bar chart: ${title}; the table has the same numbers`, viewBox: `0 0 ${width} ${height}` },
    ...rows,
  );
  return html("figure", {}, html("figcaption", {}, title), chartOf);
}
