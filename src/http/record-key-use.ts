import type { Logger } from "pino";
import type { KeyStore } from "../keys/key.ts";
import type { Keyring } from "../keys/keyring.ts";
import { withinTime } from "./within-time.ts";

/** Rare enough that the database never feels it; off the way of requests. */
const INTERVAL_MS = 60_000;
const LAST_WRITE_MS = 1000;

/**
 * Writes once a minute when each key was last used, and once more when it is stopped. A database that does not take it
 * (a read-only grant will do for serving) is no failure: the times are then simply not known.
 */
export function recordKeyUse(keyring: Keyring, keys: KeyStore, logger: Logger): { stop(): Promise<void> } {
  const write = async (): Promise<void> => {
    const lastUses = keyring.takeLastUses();
    if (lastUses.size === 0) return;
    try {
      await keys.touchKeys(lastUses);
    } catch (error) {
      logger.debug({ err: error }, "cannot write when keys were last used");
    }
  };
  const timer = setInterval(() => void write(), INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
      // A database that does not answer holds up no end.
      await withinTime(write(), LAST_WRITE_MS).catch(() => undefined);
    },
  };
}
