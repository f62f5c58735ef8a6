// Say whether an answer is right, for the next training.

import { post } from "./api.js";
import { html } from "./elements.js";

/** Return buttons that send feedback about the reply to what was asked: a question, and its graph if there are several. */
export function feedbackButtons(asked, reply) {
  const said = html("span", { role: "status" });
  const send = async (body) => {
    try {
      await post("feedback", { ...asked, ...body });
      said.textContent = "Thank you, noted.";
      choices.hidden = true;
      correction.hidden = true;
    } catch (error) {
      said.textContent = error.message;
    }
  };
  const correction = correctionForm(send);
  const choices = html(
    "span",
    { class: "choices" },
    html("button", { type: "button", click: () => send(confirmation(reply)) }, "Right"),
    html("button", { type: "button", click: () => open(correction) }, "Wrong"),
  );
  return html("div", { class: "feedback" }, choices, said, correction);
}

function confirmation(reply) {
  return reply.plan ? { plan: { steps: reply.plan.steps } } : { answers: [] };
}

function open(correction) {
  correction.hidden = false;
  correction.querySelector("textarea").focus();
}

function correctionForm(send) {
  const text = html("textarea", { id: "right-answers", rows: 3 });
  const submit = (event) => {
    event.preventDefault();
    send({ answers: text.value.split("\n").map((line) => line.trim()).filter(Boolean) });
  };
  return html(
    "form",
    { hidden: true, submit },
    html("label", { for: "right-answers" }, "The right answers, one per line; leave it empty if the graph has none"),
    text,
    html("button", { type: "submit" }, "Send"),
  );
}
