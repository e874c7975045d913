import type { KeyStore } from "../keys/key.ts";
import type { Keyring } from "../keys/keyring.ts";
import type { FollowOptions } from "./follow-stores.ts";
import { withinTime } from "./follow-store.ts";

/** One write per minute costs the database almost nothing. */
const INTERVAL_MS = 60_000;
const WRITE_MS = 10_000;
const LAST_WRITE_MS = 1000;
const LAST_RETRY_MS = 50;
/** SQLite blocks the process during a write: about 2 ms for this number of keys. */
const KEYS_PER_WRITE = 250;

/**
 * Records when each key was last used, every minute and once more when stopped. Keys are written in batches, so that
 * requests run in between. Failed writes are retried with the next ones. A server with a read-only role writes nothing.
 */
export function recordKeyUse(
  keyring: Keyring,
  keys: KeyStore,
  { logger, isUnavailable }: Pick<FollowOptions, "logger" | "isUnavailable">,
): { stop(): Promise<void> } {
  let unwritten = new Map<string, string>();
  let writing: Promise<boolean> | undefined;
  /** Returns false if another attempt might succeed. */
  const writeAll = async (): Promise<boolean> => {
    // The count excludes keys used from now on: with them, the loop might never end.
    for (let rest = unwritten.size + keyring.usedCount; rest > 0; rest -= KEYS_PER_WRITE) {
      for (const use of keyring.drainLastUses(KEYS_PER_WRITE - unwritten.size)) unwritten.set(...use);
      try {
        // A write on a connection that was replaced can stay pending forever.
        await withinTime(keys.touchKeys(unwritten), WRITE_MS);
      } catch (error) {
        logger.debug({ err: error }, "cannot record when keys were last used");
        return !isUnavailable(error);
      }
      unwritten = new Map();
      await Bun.sleep(0);
    }
    return true;
  };
  const write = (): Promise<boolean> => (writing ??= writeAll().finally(() => (writing = undefined)));
  const writeLast = async (): Promise<void> => {
    const deadline = Date.now() + LAST_WRITE_MS;
    while (!(await write()) && Date.now() < deadline) await Bun.sleep(LAST_RETRY_MS);
  };
  const timer = setInterval(() => void write(), INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
      // An unresponsive database must not delay the server's exit.
      await withinTime(writeLast(), LAST_WRITE_MS).catch(() => undefined);
    },
  };
}
