import type { ChangeFeed } from "../catalog/store.ts";
import { applyUpdate, createRequestContext, type ApiOptions } from "../http/request-context.ts";
import { listen, type ListenOptions, type RunningApi } from "./listen.ts";
import type { Samples } from "../http/observe/metrics.ts";
import type { SearchOutcome, SearchRequest } from "../search/searcher.ts";
import type { StateUpdate } from "../following/served-state.ts";

/** Messages from the supervisor to a worker. `start`, with the whole state, precedes all messages except beats. */
export type ToWorker =
  | { type: "start"; state: StateUpdate; isStoreAway: boolean; port: number }
  | { type: "update"; update: StateUpdate }
  | { type: "store"; isAway: boolean }
  | { type: "found"; id: number; outcome: SearchOutcome }
  | { type: "metrics" }
  | { type: "beat" }
  | { type: "stop" };

/** Messages from a worker to the supervisor. */
export type FromWorker =
  | { type: "waiting" }
  | { type: "listening"; port: number }
  | { type: "failed"; message: string }
  | { type: "damage"; damage: string | undefined }
  | { type: "search"; id: number; request: SearchRequest }
  | { type: "metrics"; snapshot: Samples }
  | { type: "beat" };

/**
 * Settings of the beats that reveal hanging workers. The supervisor counts unanswered beats, not time, because a
 * suspended machine sends no beats.
 */
export interface Heartbeat {
  intervalMs: number;
  /** After this many unanswered beats, a worker counts as not ready. */
  quietBeats: number;
  /** After this many unanswered beats, the supervisor kills the worker. */
  hungBeats: number;
}

/**
 * A worker under full load answers a beat within a second, or within a few seconds on a swapping machine. Clients wait
 * about ten seconds: killing a hanging worker earlier makes its clients reconnect to another worker.
 */
export const HEARTBEAT: Heartbeat = { intervalMs: 1000, quietBeats: 3, hungBeats: 8 };

export interface WorkerProcessOptions extends ApiOptions, Omit<ListenOptions, "port" | "sharesPort"> {
  content: ChangeFeed;
  /** Whether the supervisor has a search process. */
  searches: boolean;
}

/**
 * Serves until the supervisor sends `stop` or ends. Ignores signals: a terminal sends them to all processes at once,
 * and the supervisor decides when workers stop.
 */
export async function runWorker(options: WorkerProcessOptions): Promise<void> {
  const tell = (message: FromWorker): void => void process.send?.(message);
  const searches = new Map<number, (outcome: SearchOutcome) => void>();
  let searchCount = 0;
  const searchTexts = async (request: SearchRequest): Promise<SearchOutcome> => {
    const { promise, resolve } = Promise.withResolvers<SearchOutcome>();
    searches.set(++searchCount, resolve);
    tell({ type: "search", id: searchCount, request });
    return promise;
  };
  const context = createRequestContext({ ...options, searchTexts: options.searches ? searchTexts : undefined });
  context.store.onDamage = (damage) => tell({ type: "damage", damage });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  let api: RunningApi | undefined;
  const stopped = new Promise<void>((resolve) => {
    process.on("disconnect", resolve);
    process.on("message", (message: ToWorker) => {
      switch (message.type) {
        case "start":
          applyUpdate(context, message.state);
          context.store.isAway = message.isStoreAway;
          try {
            api = listen(context, { ...options, port: message.port, sharesPort: true });
            tell({ type: "listening", port: api.port });
          } catch (error) {
            tell({ type: "failed", message: (error as Error).message });
          }
          break;
        case "update":
          applyUpdate(context, message.update);
          break;
        case "store":
          context.store.isAway = message.isAway;
          if (message.isAway) options.content.reconnect();
          break;
        case "found":
          searches.get(message.id)?.(message.outcome);
          searches.delete(message.id);
          break;
        case "metrics":
          if (api !== undefined) tell({ type: "metrics", snapshot: api.snapshot() });
          break;
        case "stop":
          resolve();
          break;
        case "beat":
          break;
      }
    });
  });
  // The supervisor might have ended before the listener was added.
  if (process.connected) {
    tell({ type: "waiting" });
    await stopped;
  }
  await api?.stop();
  process.removeAllListeners("message");
  process.disconnect?.();
}

/** Answers beats. Call this function first, so that beats are answered even during a slow start. */
export function answerBeats(): void {
  const answer: FromWorker = { type: "beat" };
  process.on("message", (message: ToWorker) => {
    if (message.type === "beat") process.send?.(answer);
  });
}
