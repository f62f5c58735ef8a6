// Draw evidence as a graph: nodes, and edges with the names of their relations. Dagre computes their places.

import dagre from "./dagre.esm.js";
import { shortened, svg } from "./elements.js";
import { relationText } from "./values.js";

const MAX_EDGES = 60;
const MAX_CHARACTERS = 28;
const CHARACTER_WIDTH = 7.4;
const NODE_HEIGHT = 30;

/**
 * Return the distinct facts of a list of evidence, each with the indexes of the items that have it: first the first fact
 * of each item, then the second ones, so that a cut leaves something of every item.
 */
function facts(evidence) {
  const found = new Map();
  const longest = Math.max(0, ...evidence.map((item) => item.triples.length));
  for (let place = 0; place < longest; place += 1) {
    evidence.forEach((item, index) => {
      const triple = item.triples[place];
      if (!triple) return;
      const key = JSON.stringify([triple.subject, triple.relation, triple.object]);
      if (!found.has(key)) found.set(key, { ...triple, evidence: new Set() });
      found.get(key).evidence.add(index);
    });
  }
  return [...found.values()];
}

/**
 * Return a drawing of the facts, {element, omitted, light}, or null without facts; `light` marks an item's edges, and
 * `said` has the names that the owner of the graph gave to relations.
 */
export function drawnGraph(evidence, topics, answers, said = {}) {
  const all = facts(evidence).map((fact) => ({ ...fact, label: relationText(fact.relation, said) }));
  if (all.length === 0) return null;
  const shown = all.slice(0, MAX_EDGES);
  const layout = laidOut(shown);
  const edges = shown.map((fact, place) => drawnEdge(fact, layout.edge(fact.subject, fact.object, String(place))));
  const nodes = layout.nodes().map((name) => drawnNode(name, layout.node(name), topics, answers));
  const { width, height } = layout.graph();
  const element = svg(
    "svg",
    {
      class: "graph",
      role: "img",
      "aria-label": `Graph of ${all.length === 1 ? "1 fact" : `${all.length} facts`}; the list of evidence has the same`,
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
    },
    arrowHeads(),
    ...edges.map((edge) => edge.element),
    ...nodes,
  );
  const light = (index) => {
    for (const edge of edges) edge.element.classList.toggle("lit", edge.fact.evidence.has(index));
    element.querySelector(".lit")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  return { element, omitted: all.length - shown.length, light };
}

function laidOut(shown) {
  const layout = new dagre.graphlib.Graph({ multigraph: true });
  layout.setGraph({ rankdir: "LR", nodesep: 16, ranksep: 56, edgesep: 12, marginx: 12, marginy: 12 });
  for (const name of new Set(shown.flatMap((fact) => [fact.subject, fact.object]))) {
    layout.setNode(name, { width: textWidth(name) + 24, height: NODE_HEIGHT });
  }
  shown.forEach((fact, place) => {
    const label = { width: textWidth(fact.label), height: 18, labelpos: "c" };
    layout.setEdge(fact.subject, fact.object, label, String(place));
  });
  dagre.layout(layout);
  return layout;
}

function textWidth(text) {
  return CHARACTER_WIDTH * [...shortened(text, MAX_CHARACTERS)].length;
}

function arrowHeads() {
  const head = (id) =>
    svg(
      "marker",
      { id, viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" },
      svg("path", { d: "M0 0 8 4 0 8Z" }),
    );
  return svg("defs", {}, head("arrow"), head("arrow-lit"));
}

function drawnEdge(fact, place) {
  const label = fact.label;
  const element = svg(
    "g",
    { class: "edge" },
    svg("title", {}, `${fact.subject} ${label} ${fact.object}`),
    svg("path", { d: curve(place.points) }),
    svg("text", { x: place.x, y: place.y, dy: "0.35em" }, shortened(label, MAX_CHARACTERS)),
  );
  return { fact, element };
}

function curve(points) {
  const [first, ...others] = points;
  const parts = [`M${first.x} ${first.y}`];
  for (let place = 0; place + 1 < others.length; place += 1) {
    const [here, next] = [others[place], others[place + 1]];
    const isLast = place + 2 === others.length;
    const end = isLast ? next : { x: (here.x + next.x) / 2, y: (here.y + next.y) / 2 };
    parts.push(`Q${here.x} ${here.y} ${end.x} ${end.y}`);
  }
  return others.length > 1 ? parts.join("") : `${parts[0]}L${others[0].x} ${others[0].y}`;
}

function drawnNode(name, place, topics, answers) {
  const kinds = [topics.has(name) ? "topic" : "", answers.has(name) ? "found" : ""];
  return svg(
    "g",
    { class: ["node", ...kinds].filter(Boolean).join(" ") },
    svg("title", {}, name),
    svg("rect", {
      x: place.x - place.width / 2,
      y: place.y - place.height / 2,
      width: place.width,
      height: place.height,
      rx: 8,
    }),
    svg("text", { x: place.x, y: place.y, dy: "0.35em" }, shortened(name, MAX_CHARACTERS)),
  );
}
