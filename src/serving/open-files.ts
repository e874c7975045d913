import { closeSync, openSync } from "node:fs";
import type { Server } from "bun";
import type { Logger } from "pino";

const INTERVAL_MS = 1000;
/** The log mentions the limit at most once in this time. */
const QUIET_MS = 60_000;

/**
 * Checks once a second whether this process can still open a file. At the limit it can accept no connection, and Bun tries
 * again without a pause: then idle connections are closed, so that waiting clients get their turn.
 */
export function watchOpenFiles(server: Server<undefined>, logger: Logger): { stop(): void } {
  let toldAtMs = -Infinity;
  const timer = setInterval(() => {
    if (canOpen()) return;
    const closed = server.closeIdleConnections();
    const nowMs = performance.now();
    if (nowMs - toldAtMs < QUIET_MS) return;
    toldAtMs = nowMs;
    logger.error({ closed }, "the limit of open files is reached, idle connections are closed; raise LimitNOFILE");
  }, INTERVAL_MS);
  return { stop: () => clearInterval(timer) };
}

function canOpen(): boolean {
  try {
    closeSync(openSync("/dev/null", "r"));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== "EMFILE" && code !== "ENFILE";
  }
}
