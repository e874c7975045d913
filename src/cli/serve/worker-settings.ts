import type { ConnectionOptions } from "../../store/engine.ts";
import type { ServeOptions } from "./serve.ts";

/** The variable in which a process of a server finds its settings, as JSON. */
export const WORKER_SETTINGS = "LECTERN_WORKER_SETTINGS";

export function toPostgresOptions(options: ServeOptions): ConnectionOptions {
  return {
    poolSize: options.poolSize,
    connectTimeoutMs: options.connectTimeout,
    statementTimeoutMs: options.statementTimeout,
  };
}
