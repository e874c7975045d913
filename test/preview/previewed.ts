// `lectern preview` as a process, and the events of its pages.
import { collectText, startCommand } from "../support/command.ts";
import { HANGS_AFTER_MS, waitFor } from "../support/server.ts";
import type { PreviewState } from "../../src/explorer/preview/preview-state.ts";

export type Previewed = Awaited<ReturnType<typeof startPreview>>;

/** Starts a preview and waits for its address. */
export async function startPreview(args: string[], env: Record<string, string> = {}) {
  const child = startCommand(["preview", ...args], { env });
  const streams = [child.stdout, child.stderr].map(collectText);
  const output = (): string => streams.map(({ text }) => text()).join("");
  const untilWritten = async (text: string): Promise<void> =>
    waitFor(() => {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output()}`);
      return output().includes(text);
    });
  await untilWritten("/#key=lectern_");
  await untilWritten("Ctrl-C ends");
  const [, url = "", key = ""] = /(http:\S+)\/#key=(\S+)/.exec(output()) ?? [];
  return {
    pid: child.pid,
    url,
    key,
    /** What it wrote so far. */
    output,
    /** Asks the interface; `path` is what follows `/api/v1`. */
    async get(path: string) {
      const response = await fetch(`${url}/api/v1${path}`, { headers: { "x-api-key": key } });
      const { data } = (await response.json()) as { data: Record<string, unknown> };
      return { status: response.status, data };
    },
    /** Waits until its pages receive a state for which `isWanted` is true, including the present one. */
    async until(isWanted: (state: PreviewState) => boolean): Promise<PreviewState> {
      for await (const state of readStates(url, key)) if (isWanted(state)) return state;
      throw new Error(`the stream of events has ended: ${output()}`);
    },
    /** Waits until it has written this. */
    untilWritten,
    /** Ends it and returns its exit code. */
    async end(signal: NodeJS.Signals = "SIGINT") {
      child.kill(signal);
      await Promise.all(streams.map(({ ended }) => ended));
      return child.exited;
    },
  };
}

async function* readStates(url: string, key: string): AsyncGenerator<PreviewState> {
  const signal = AbortSignal.timeout(HANGS_AFTER_MS);
  const { body } = await fetch(`${url}/preview/events`, { headers: { "x-api-key": key }, signal });
  let text = "";
  for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      if (event.startsWith("data: ")) yield JSON.parse(event.slice("data: ".length)) as PreviewState;
    }
  }
}
