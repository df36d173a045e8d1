// @ts-check
// Questions to the server. The README of the server's code describes them.

const GONE = "gridmill serve does not answer; is it still running?";

/** The parts of a grid that the server does not use. */
const OWN = ["corner", "centre", "colours"];

/** The token of this run of the server. */
const runToken = document.querySelector('meta[name="gridmill-token"]')?.getAttribute("content") ?? "";

/**
 * Sends a question.
 * @param {string} name
 * @param {object} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<Response>}
 */
const send = (name, question, signal) =>
  post(name, JSON.stringify(question, (key, value) => (OWN.includes(key) ? undefined : value)), { "Content-Type": "application/json" }, signal);

/**
 * Sends a file, and resolves to its id.
 * @param {File} file
 * @returns {Promise<{ id: number }>}
 */
export async function sendFile(file) {
  return (await post("open", file, { "X-Gridmill-Name": encodeURIComponent(file.name) })).json();
}

/**
 * @param {string} name
 * @param {string | File} body
 * @param {Record<string, string>} headers
 * @param {AbortSignal} [signal]
 */
async function post(name, body, headers, signal) {
  let response;
  try {
    response = await fetch(`/api/${name}`, { method: "POST", headers: { ...headers, "X-Gridmill-Token": runToken }, body, signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error(GONE);
  }
  if (!response.ok) throw new Error((await response.json()).error);
  return response;
}

/**
 * Asks a question that has one answer.
 * @param {string} name
 * @param {object} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function ask(name, question, signal) {
  const answer = await (await send(name, question, signal)).json();
  signal?.throwIfAborted();
  return answer;
}

/**
 * Asks a question that is answered by a stream of events. Resolves at the end of the answer; throws if it fails.
 * @param {string} name
 * @param {object} question
 * @param {AbortSignal} signal
 * @param {(event: any) => void} hear
 */
export async function listen(name, question, signal, hear) {
  const response = await send(name, question, signal);
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read().catch((error) => {
      throw signal.aborted ? error : new Error(GONE);
    });
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (signal.aborted) return;
      const event = JSON.parse(line);
      if (event.event === "error") throw new Error(event.error);
      hear(event);
    }
  }
}

/**
 * Whether an error only means that a question was aborted.
 * @param {unknown} error
 */
export const isAbort = (error) => error instanceof DOMException && error.name === "AbortError";
