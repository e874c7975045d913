import type { Logger } from "pino";
import type { KeyStore } from "../keys/key.ts";
import type { Keyring } from "../keys/keyring.ts";
import { withinTime } from "./within-time.ts";

/** Once a minute costs the database nearly nothing. No request waits for it. */
const INTERVAL_MS = 60_000;
const LAST_WRITE_MS = 1000;
const LAST_RETRY_MS = 50;

interface KeyUseContext {
  logger: Logger;
  /** True for an error that says that the store cannot be used just now. */
  isUnavailable: (error: unknown) => boolean;
}

/**
 * Writes once a minute when each key was last used, and once more when it is stopped. What could not be written is written
 * with the next. A role that may only read is enough for serving: the times are then not known.
 */
export function recordKeyUse(
  keyring: Keyring,
  keys: KeyStore,
  { logger, isUnavailable }: KeyUseContext,
): { stop(): Promise<void> } {
  let unwritten = new Map<string, string>();
  /** False when another attempt may succeed. */
  const write = async (): Promise<boolean> => {
    const lastUses = new Map([...unwritten, ...keyring.takeLastUses()]);
    unwritten = new Map();
    if (lastUses.size === 0) return true;
    try {
      await keys.touchKeys(lastUses);
      return true;
    } catch (error) {
      unwritten = new Map([...lastUses, ...unwritten]);
      logger.debug({ err: error }, "cannot write when keys were last used");
      return !isUnavailable(error);
    }
  };
  const writeLast = async (): Promise<void> => {
    const deadline = Date.now() + LAST_WRITE_MS;
    while (!(await write()) && Date.now() < deadline) await Bun.sleep(LAST_RETRY_MS);
  };
  const timer = setInterval(() => void write(), INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
      // A database that does not answer must not delay the end of the server.
      await withinTime(writeLast(), LAST_WRITE_MS).catch(() => undefined);
    },
  };
}
