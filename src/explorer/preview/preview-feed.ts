// Follows `lectern preview`. Does not use EventSource, which cannot send a key.
import type { PreviewState } from "./preview-state.ts";

const RETRY_MS = 1000;
const SEPARATOR = "\n\n";
const DATA = "data: ";

/** Why updates stopped: the preview does not answer, or a different preview requires another key. */
export type Away = "no answer" | "another key";

/** Calls `onState` with each state, and `onAway` when the preview is gone. Retries until `signal` aborts. */
export async function followPreview(
  findKey: () => string | undefined,
  onState: (state: PreviewState) => void,
  onAway: (why: Away) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    onAway(await readStates(findKey() ?? "", onState, signal));
    await pause(signal);
  }
}

/** Reads a stream of states. Resolves when the stream ends or fails to start. */
async function readStates(key: string, onState: (state: PreviewState) => void, signal: AbortSignal): Promise<Away> {
  try {
    const url = new URL("preview/events", document.baseURI);
    const { status, body } = await fetch(url, { headers: { "x-api-key": key }, signal });
    if (status === 401) return "another key";
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      const events = (text + part.value).split(SEPARATOR);
      text = events.pop() ?? "";
      // Only the newest state matters.
      const newest = events.findLast((event) => event.startsWith(DATA));
      if (newest !== undefined) onState(JSON.parse(newest.slice(DATA.length)) as PreviewState);
    }
  } catch {
    // The server or the page is gone.
  }
  return "no answer";
}

async function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, RETRY_MS);
    signal.addEventListener("abort", end);
  });
}
