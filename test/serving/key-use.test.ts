// Recording when keys were used: the test moves the timers.
import { afterEach, expect, jest, test } from "bun:test";
import pino from "pino";
import { recordKeyUse } from "../../src/following/record-key-use.ts";
import { Keyring } from "../../src/keys/keyring.ts";
import type { Key, KeyStore } from "../../src/keys/key.ts";
import { createSecret, digestSecret } from "../../src/keys/secret.ts";

const INTERVAL_MS = 60_000;

/** Advances the timers, and lets what they started go on. */
async function advance(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms);
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

afterEach(() => void jest.useRealTimers());

test("a key's use is recorded after the database did not answer once, as when a connection is replaced", async () => {
  jest.useFakeTimers();
  const secret = createSecret();
  const keyring = new Keyring();
  keyring.apply([{ id: "key_1", project: "acme", digest: digestSecret(secret) } as Key]);
  const written: string[] = [];
  let calls = 0;
  const keys = {
    async touchKeys(lastUses: Map<string, string>) {
      if (++calls === 1) return new Promise<void>(() => {});
      written.push(...lastUses.keys());
    },
  } as unknown as KeyStore;
  recordKeyUse(keyring, keys, { logger: pino({ level: "silent" }), isUnavailable: () => false });
  const held = keyring.find(secret, 0);
  if (held !== undefined) keyring.noteUse(held, 1);
  await advance(INTERVAL_MS);
  expect([calls, written]).toEqual([1, []]);
  await advance(INTERVAL_MS);
  expect(written).toEqual(["key_1"]);
});
