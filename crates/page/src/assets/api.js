// @ts-check
// Questions to the server: see the README beside the server's code.

const GONE = "gridmill serve does not answer: was it ended?";

/** The parts of a grid that the server has no use for. */
const OWN = ["corner", "centre", "colours"];

/** The token of the run. */
const runToken = document.querySelector('meta[name="gridmill-token"]')?.getAttribute("content") ?? "";

/**
 * Sends a question.
 * @param {string} name
 * @param {object} question
 * @param {AbortSignal} [signal]
 * @returns {Promise<Response>}
 */
async function send(name, question, signal) {
  const headers = { "Content-Type": "application/json", "X-Gridmill-Token": runToken };
  let response;
  try {
    response = await fetch(`/api/${name}`, { method: "POST", headers, body: JSON.stringify(question, (key, value) => (OWN.includes(key) ? undefined : value)), signal });
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
 * Asks a question that is answered event by event. Ends when the answer does; throws if it fails.
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
 * Returns whether an error only says that a question was given up.
 * @param {unknown} error
 */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}
