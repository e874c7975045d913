import type { ConnectionOptions } from "../../store/engine.ts";
import type { ServeOptions } from "./serve.ts";

/** The environment variable that passes settings, as JSON, to a server's processes. */
export const WORKER_SETTINGS = "LECTERN_WORKER_SETTINGS";

export function toPostgresOptions(options: ServeOptions): ConnectionOptions {
  return {
    poolSize: options.poolSize,
    connectTimeoutMs: options.connectTimeout,
    statementTimeoutMs: options.statementTimeout,
  };
}
