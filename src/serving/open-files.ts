import { closeSync, openSync } from "node:fs";
import type { Server } from "bun";
import type { Logger } from "pino";

const INTERVAL_MS = 1000;
/** A limit that is reached again and again is told of once in so much time. */
const QUIET_MS = 60_000;

/**
 * Looks once a second whether this process may still open a file. At the limit no connection can be taken, and Bun tries
 * again without a pause: then connections on which nothing happens are closed, so that those who wait get their turn.
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
