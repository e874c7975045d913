import type { Key } from "./key.ts";
import { digestSecret, findSecretFault } from "./secret.ts";

/** The keys that a server holds in memory, found by their secret without a look-up in the database. */
export class Keyring {
  readonly #byDigest = new Map<string, Key & { expiresAtMs: number }>();

  /** Takes over new and changed keys. */
  apply(keys: Iterable<Key>): void {
    for (const key of keys) {
      if (key.revokedAt !== undefined) this.#byDigest.delete(key.digest);
      else {
        const expiresAtMs = key.expiresAt === undefined ? Infinity : Date.parse(key.expiresAt);
        this.#byDigest.set(key.digest, { ...key, expiresAtMs });
      }
    }
  }

  /** The live key with this secret; undefined when it is unknown, revoked or expired. */
  find(secret: string, nowMs: number): Key | undefined {
    if (findSecretFault(secret) !== undefined) return undefined;
    const key = this.#byDigest.get(digestSecret(secret));
    return key !== undefined && nowMs < key.expiresAtMs ? key : undefined;
  }

  get size(): number {
    return this.#byDigest.size;
  }
}
