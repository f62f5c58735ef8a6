// Send requests to the service that served this page.

const KEY = "kgqa-api-key";

/** A problem that the service reported, or that kept it from answering. */
export class Problem extends Error {
  constructor(detail, status) {
    super(detail);
    this.status = status;
  }
}

/** Return the API key of this tab, or "". */
export function apiKey() {
  return sessionStorage.getItem(KEY) ?? "";
}

/** Keep an API key until the tab closes; "" forgets it. */
export function keepApiKey(key) {
  if (key) sessionStorage.setItem(KEY, key);
  else sessionStorage.removeItem(KEY);
}

/** Return what this page offers. */
export async function settings() {
  const response = await fetch("page/settings.json");
  return response.ok ? response.json() : { feedback: false, api_key: false };
}

/** Return the JSON at a path. */
export async function get(path) {
  return (await send(path)).json();
}

/** Send JSON, and return the JSON of the reply. */
export async function post(path, body) {
  return (await send(path, body)).json();
}

/** Send a question, and yield each server-sent event of the reply as {name, data}. */
export async function* askStream(body, signal) {
  const response = await send("ask/stream", body, signal);
  let hasEnded = false;
  for await (const event of events(response.body)) {
    if (event.name === "error") throw new Problem(event.data.detail, event.data.status);
    hasEnded ||= event.name === "result";
    yield event;
  }
  if (!hasEnded) throw new Problem("the reply was interrupted; ask again");
}

async function send(path, body, signal) {
  const headers = apiKey() ? { Authorization: `Bearer ${apiKey()}` } : {};
  const posted = { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(path, { ...(body ? posted : { headers }), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("the service cannot be reached; check that it runs, and ask again");
  }
  if (!response.ok) throw new Problem(await detail(response), response.status);
  return response;
}

async function detail(response) {
  try {
    const problem = await response.json();
    const fields = (problem.errors ?? []).map((error) => Object.values(error).join(": "));
    return [problem.detail, ...fields].join("\n");
  } catch {
    return `the service replied with status ${response.status}`;
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let unread = "";
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const blocks = (unread + part.value).split("\n\n");
      unread = blocks.pop();
      for (const block of blocks) yield parsed(block);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parsed(block) {
  const fields = block.split("\n").map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]);
  const { event, data } = Object.fromEntries(fields);
  return { name: event, data: JSON.parse(data) };
}
