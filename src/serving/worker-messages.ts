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
  | { type: "failed"; message: string; code: string | undefined }
  | { type: "metrics"; snapshot: MetricsSnapshot }
  | { type: "beat" };
