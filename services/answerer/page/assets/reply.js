// Show a reply: the answer with its citations, rows, other readings, evidence, and the plan.

import { citedAnswer } from "./citations.js";
import { details, html, section } from "./elements.js";
import { drawnGraph } from "./graph.js";
import { chart, table } from "./tables.js";
import { percent, valueText } from "./values.js";

/**
 * Return the elements of a reply of `POST /ask`; `onReading` gets the reading that someone chooses, and `onMeant` what
 * someone says that a name means.
 */
export function shownReply(reply, onReading, onMeant, feedback = null) {
  const evidence = shownEvidence(reply);
  return [
    clarification(reply, onMeant),
    section("Answer", ...answer(reply, evidence.cite), feedback),
    rows(reply),
    readings(reply, onReading),
    evidence.element,
    plan(reply),
  ].filter(Boolean);
}

/** Return the result of a reading's plan in the form of a reply of `POST /ask`. */
export function replyOfReading(reading, result) {
  const answers = result.rows.map((row, place) => ({ value: valueOf(row[0]), evidence: result.row_evidence[place] ?? [] }));
  const names = answers.slice(0, 20).map((one) => valueText(one.value));
  const more = answers.length - names.length;
  const isSeveral = result.columns.length > 1;
  return {
    answer: names.length ? `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}` : "The graph has nothing for this reading.",
    answer_type: result.answer_type,
    answers,
    columns: isSeveral ? result.columns : [],
    rows: isSeveral ? result.rows : [],
    truncated: false,
    confidence: reading.score,
    abstained: false,
    alternatives: [],
    topic_entities: reading.topic_entity ? [{ entity: reading.topic_entity }] : [],
    evidence: result.evidence,
    omitted_evidence: 0,
    warnings: result.warnings,
    degraded: [],
    plan: { text: reading.plan, steps: reading.steps, query: result.query },
  };
}

function valueOf(cell) {
  return cell !== null && typeof cell === "object" && "name" in cell ? cell.name : cell;
}

function answer(reply, cite) {
  const notes = reply.warnings.map((warning) => html("li", {}, warning.text));
  if (reply.degraded.length) notes.push(html("li", {}, `Unavailable: ${reply.degraded.join(", ")}.`));
  if (reply.trusted) notes.push(html("li", {}, `The owner of the graph vouches for this question: ${reply.trusted}.`));
  return [
    reply.answer_type === "number" ? html("p", { class: "figure" }, valueText(reply.answers[0]?.value)) : null,
    citedAnswer(reply.answer, reply.answers, cite),
    reply.abstained ? null : html("p", { class: "hint" }, `Confidence ${percent(reply.confidence)}`),
    notes.length ? html("ul", { class: "warnings" }, ...notes) : null,
  ];
}

function clarification(reply, onMeant) {
  if (!reply.clarification) return null;
  const { question, choices } = reply.clarification;
  const buttons = choices.map(({ text, means }) =>
    html("li", {}, html("button", { type: "button", click: () => onMeant(means) }, text)),
  );
  return section(question, html("ul", { class: "readings" }, ...buttons));
}

function rows(reply) {
  if (reply.columns.length) {
    return section("Rows", chart(reply.columns, reply.rows), table(reply.columns, reply.rows));
  }
  if (reply.answers.length < 2) return null;
  const extra = ["kind", "detail"].filter((name) => reply.answers.some((one) => one[name]));
  const cells = reply.answers.map((one) => [one.value, ...extra.map((name) => one[name])]);
  return details(`All ${reply.answers.length} answers`, table(["answer", ...extra], cells));
}

function readings(reply, onReading) {
  if (!reply.alternatives.length) return null;
  const choices = reply.alternatives.map((reading) => html("li", {}, choice(reading, onReading)));
  const list = html("ul", { class: "readings" }, ...choices);
  return reply.abstained ? section("Which one do you mean?", list) : details("Other readings", list);
}

function choice(reading, onReading) {
  const names = reading.answers.length ? reading.answers.join(", ") : "nothing";
  const more = reading.more ? ` and ${reading.more.toLocaleString("en")} more` : "";
  return html(
    "button",
    { type: "button", disabled: reading.steps.length === 0, click: () => onReading(reading) },
    html("code", {}, reading.plan),
    html("span", { class: "hint" }, `${percent(reading.score)}: ${names}${more}`),
  );
}

/** Return the section of the evidence, and `cite`, which shows one item in the list and lights up its edges. */
function shownEvidence(reply) {
  if (!reply.evidence.length) return { element: null, cite: () => {} };
  const topics = new Set(reply.topic_entities.slice(0, 1).map((topic) => topic.entity));
  const graph = drawnGraph(reply.evidence, topics, new Set(reply.answers.map((one) => valueText(one.value))), reply.said);
  const items = reply.evidence.map((item, index) => evidenceItem(item, index, () => light(index)));
  function light(index) {
    graph?.light(index);
    items.forEach((item, place) => item.classList.toggle("lit", place === index));
  }
  const cite = (index) => {
    light(index);
    items[index].focus();
    items[index].scrollIntoView({ block: "nearest" });
  };
  const omitted = reply.omitted_evidence ? html("p", { class: "hint" }, `${reply.omitted_evidence} more are not listed.`) : null;
  return { element: section("Evidence", graph && graphBox(graph), html("ol", { class: "evidence" }, ...items), omitted), cite };
}

function graphBox(graph) {
  const omitted = graph.omitted ? html("p", { class: "hint" }, `${graph.omitted} more facts are not drawn.`) : null;
  return html(
    "div",
    {},
    html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Graph of the evidence" }, graph.element),
    omitted,
  );
}

function evidenceItem(item, index, onChoose) {
  const matches = item.omitted === 1 ? "match" : "matches";
  const more = item.omitted ? ` (${item.omitted.toLocaleString("en")} further ${matches})` : "";
  return html("li", { id: `evidence-${index + 1}`, tabindex: -1, click: onChoose }, `${item.text}${more}`);
}

function plan(reply) {
  if (!reply.plan) return null;
  const { text, steps, query } = reply.plan;
  return section(
    "Plan",
    html("p", {}, html("code", {}, text)),
    details("Steps", html("pre", { tabindex: 0 }, JSON.stringify(steps, null, 2))),
    query ? details("Query that ran", html("pre", { tabindex: 0 }, `${query.text}\n\n${JSON.stringify(query.parameters, null, 2)}`)) : null,
  );
}
