import type { MetricsSnapshot } from "../http/observe/metrics.ts";
import type { StateUpdate } from "../following/served-state.ts";

/** Messages from a supervisor to a worker. Apart from beats, the first one has the whole state. */
export type ToWorker =
  | { type: "start"; state: StateUpdate; isStoreAway: boolean; port: number }
  | { type: "update"; update: StateUpdate }
  | { type: "store"; isAway: boolean }
  | { type: "metrics" }
  | { type: "beat" }
  | { type: "stop" };

/** Messages from a worker to its supervisor. */
export type FromWorker =
  | { type: "waiting" }
  | { type: "listening"; port: number }
  | { type: "failed"; message: string }
  | { type: "metrics"; snapshot: MetricsSnapshot }
  | { type: "beat" };

/**
 * How a supervisor notices a worker that hangs. Silence is counted in beats that were sent and not answered: a supervisor that is
 * suspended itself, as on a machine that sleeps, sends none.
 */
export interface Heartbeat {
  intervalMs: number;
  /** After this many beats without an answer a worker does not count as ready. */
  quietBeats: number;
  /** After this many it is killed. */
  hungBeats: number;
}

/**
 * A worker under full load answers a beat within a second, one on a machine that swaps within a few. Clients wait about
 * ten seconds for an answer: those of a worker that hangs lose their connection before, and reach another one.
 */
export const HEARTBEAT: Heartbeat = { intervalMs: 1000, quietBeats: 3, hungBeats: 8 };
