// Choose the graph to ask, if there are several.

import { get } from "./api.js";
import { html } from "./elements.js";

const field = document.getElementById("graph-field");
const choice = document.getElementById("graph");

/** List the graphs that may be asked; with a single one, or none yet, there is nothing to choose. */
export async function showGraphs() {
  let names = [];
  try {
    names = (await get("graphs")).graphs.map((graph) => graph.name);
  } catch {
    // Without a key, or without the retriever, the question itself says what is wrong.
  }
  const before = choice.value;
  choice.replaceChildren(...names.map((name) => html("option", { value: name }, name)));
  if (names.includes(before)) choice.value = before;
  field.hidden = names.length < 2;
}

/** Return the field of a request that names the chosen graph; {} for the only one. */
export function chosenGraph() {
  return field.hidden ? {} : { graph: choice.value };
}
