import type { MetricsSnapshot } from "../http/observe/request-metrics.ts";
import type { StateUpdate } from "../following/served-state.ts";

/** What a supervisor tells a worker. Beats apart, the first message that counts is the whole state. */
export type ToWorker =
  | { type: "start"; state: StateUpdate; isStoreAway: boolean; port: number }
  | { type: "update"; update: StateUpdate }
  | { type: "store"; isAway: boolean }
  | { type: "metrics" }
  | { type: "beat" }
  | { type: "stop" };

/** What a worker tells its supervisor. */
export type FromWorker =
  | { type: "waiting" }
  | { type: "listening"; port: number }
  | { type: "failed"; message: string; code: string | undefined }
  | { type: "metrics"; snapshot: MetricsSnapshot }
  | { type: "beat" };
