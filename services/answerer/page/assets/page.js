// Ask a question, show each stage as it arrives, and then the reply.

import { apiKey, askStream, keepApiKey, post, settings } from "./api.js";
import { html } from "./elements.js";
import { feedbackButtons } from "./feedback.js";
import { chosenGraph, showGraphs } from "./graphs.js";
import { replyOfReading, shownReply } from "./reply.js";
import { percent } from "./values.js";

const UNAUTHENTICATED = 401;
const MAX_EVIDENCE = 50;
const COST_OF_WRONG = 1; // people see how sure a reply is, and other readings
const form = document.getElementById("ask");
const question = document.getElementById("question");
const keyField = document.getElementById("key-field");
const key = document.getElementById("key");
const stages = document.getElementById("stages");
const status = document.getElementById("status");
const reply = document.getElementById("reply");

let offered = { feedback: false, api_key: false };
let asking = new AbortController();

function showStage(name, text) {
  stages.hidden = false;
  stages.append(html("li", { class: `stage-${name}` }, html("b", {}, name), html("span", {}, text)));
}

const STAGES = {
  topic: ({ topic_entities: topics }) => topics.slice(0, 3).map((topic) => topic.entity).join(", ") || "none linked",
  plan: ({ plan }) => plan?.text ?? "none",
  answers: ({ answers, abstained, confidence }) =>
    abstained ? "none is certain enough" : `${answers.length} found, confidence ${percent(confidence)}`,
  evidence: ({ evidence }) => (evidence.length === 1 ? "1 item" : `${evidence.length} items`),
};

function begin() {
  asking.abort();
  asking = new AbortController();
  stages.replaceChildren();
  stages.hidden = true;
  reply.replaceChildren();
  reply.setAttribute("aria-busy", "true");
  status.textContent = "Asking…";
  return asking;
}

async function ask(asked, means = {}) {
  const own = begin();
  const graph = chosenGraph();
  const draft = html("p", { class: "answer draft" });
  try {
    for await (const { name, data } of askStream(
      { question: asked, means, explain: true, max_evidence: MAX_EVIDENCE, cost_of_wrong: COST_OF_WRONG, ...graph },
      own.signal,
    )) {
      if (own !== asking) return;
      if (name === "text") draft.append(data.text);
      else if (name === "discard") draft.replaceChildren();
      else if (name === "result") show(asked, graph, data, means);
      else if (STAGES[name]) showStage(name, STAGES[name](data));
      if (name === "evidence") reply.replaceChildren(draft);
    }
  } catch (error) {
    fail(own, error);
  }
}

function show(asked, graph, result, means) {
  const feedback = offered.feedback ? feedbackButtons({ question: asked, ...graph }, result) : null;
  const onReading = (reading) => askReading(asked, graph, reading);
  const onMeant = async (chosen) => {
    await ask(asked, { ...means, ...chosen });
    reply.focus(); // the button that had the focus is gone
  };
  finish(shownReply(result, onReading, onMeant, feedback), result);
  showStage("done", `in ${Math.round(result.timings_ms.total).toLocaleString("en")} ms`);
}

async function askReading(asked, graph, reading) {
  const own = begin();
  try {
    const result = await post("plan", { plan: { steps: reading.steps }, ...graph });
    if (own !== asking) return;
    const chosen = replyOfReading(reading, result);
    const feedback = offered.feedback ? feedbackButtons({ question: asked, ...graph }, chosen) : null;
    finish(shownReply(chosen, () => {}, () => {}, feedback), chosen);
    showStage("reading", reading.plan);
    reply.focus(); // the button that had the focus is gone
  } catch (error) {
    fail(own, error);
  }
}

function finish(elements, result) {
  reply.replaceChildren(...elements);
  reply.setAttribute("aria-busy", "false");
  status.textContent = `Answer: ${result.answer}`;
}

function fail(own, error) {
  if (own !== asking || error.name === "AbortError") return;
  const message = html("p", { class: "error", role: "alert" }, error.message);
  reply.replaceChildren(message);
  reply.setAttribute("aria-busy", "false");
  status.textContent = "";
  if (error.status === UNAUTHENTICATED) {
    keyField.hidden = false;
    key.focus();
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (key.value.trim() !== apiKey()) changeKey();
  const asked = question.value.trim();
  if (asked) ask(asked);
});

/** Another key may be for other graphs. */
function changeKey() {
  keepApiKey(key.value.trim());
  return showGraphs();
}

key.addEventListener("change", changeKey);
key.value = apiKey();
offered = await settings();
keyField.hidden = !offered.api_key;
if (!offered.api_key || apiKey()) await showGraphs();
