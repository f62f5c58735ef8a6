// Put the numbers of the evidence into an answer.

import { html } from "./elements.js";
import { valueText } from "./values.js";

const MAX_CITATIONS = 20;

/**
 * Return the pieces of an answer: strings, and {citation: index} after the first mention of each answer that the item
 * of evidence supports. Evidence whose answers the text does not name comes at the end.
 */
export function cited(text, answers) {
  const places = [];
  const rest = [];
  const taken = new Array(text.length).fill(false);
  const longestFirst = [...answers].sort((one, other) => valueText(other.value).length - valueText(one.value).length);
  for (const answer of longestFirst) {
    const indexes = answer.evidence.slice(0, MAX_CITATIONS);
    const [start, end] = mention(text, answer.value, taken);
    if (start < 0) {
      rest.push(...indexes);
      continue;
    }
    taken.fill(true, start, end);
    places.push({ end, indexes });
  }
  places.sort((one, other) => one.end - other.end);
  return pieces(text, places, rest);
}

/** Return where the first free mention of a value starts and ends; texts separate the thousands of long numbers. */
function mention(text, value, taken) {
  const names = [valueText(value), String(value)];
  if (/^-?\d+$/.test(String(value))) names.push(String(value).replace(/\B(?=(\d{3})+$)/g, ","));
  for (const name of names.filter(Boolean)) {
    for (let start = text.indexOf(name); start >= 0; start = text.indexOf(name, start + 1)) {
      const isWhole = !isWordAt(text, start - 1) && !isWordAt(text, start + name.length);
      if (isWhole && !taken[start]) return [start, start + name.length];
    }
  }
  return [-1, -1];
}

function isWordAt(text, place) {
  return place >= 0 && place < text.length && /[\p{L}\p{N}]/u.test(text[place]);
}

function pieces(text, places, rest) {
  const found = [];
  const seen = new Set();
  let at = 0;
  const mark = (indexes) => {
    for (const index of indexes) {
      if (seen.has(index) || seen.size >= MAX_CITATIONS) continue;
      seen.add(index);
      found.push({ citation: index });
    }
  };
  for (const { end, indexes } of places) {
    found.push(text.slice(at, end));
    at = end;
    mark(indexes);
  }
  const ending = rest.length && text.endsWith(".") && at < text.length ? "." : "";
  found.push(text.slice(at, text.length - ending.length));
  mark(rest.sort((one, other) => one - other));
  return [...found, ending];
}

/** Return the answer as a paragraph; `onCite` gets the index of the evidence behind a number. */
export function citedAnswer(text, answers, onCite) {
  const children = cited(text, answers).map((piece) =>
    typeof piece === "string"
      ? piece
      : html(
          "button",
          {
            type: "button",
            class: "citation",
            "aria-label": `Evidence ${piece.citation + 1}`,
            click: () => onCite(piece.citation),
          },
          `[${piece.citation + 1}]`,
        ),
  );
  return html("p", { class: "answer" }, ...children);
}
