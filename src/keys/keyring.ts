import type { Key } from "./key.ts";
import { digestSecret, findSecretFault } from "./secret.ts";

export interface HeldKey {
  readonly key: Key;
  readonly expiresAtMs: number;
  /** The time of the last use, or 0 if no use is waiting to be stored. */
  lastUsedMs: number;
}

export class Keyring {
  #byDigest = new Map<string, HeldKey>();
  /** Caches keys by secret, so that not every request needs a digest. */
  readonly #bySecret = new Map<string, HeldKey>();
  #revokedDigests = new Set<string>();
  /** Keys whose `lastUsedMs` is not 0. */
  #used = new Set<HeldKey>();

  apply(keys: Iterable<Key>): void {
    this.#add(keys, this.#byDigest);
  }

  /** Replaces all keys and keeps their last uses. */
  replace(keys: Iterable<Key>): void {
    const before = this.#byDigest;
    this.#byDigest = new Map();
    this.#revokedDigests = new Set();
    this.#used = new Set();
    this.#add(keys, before);
  }

  #add(keys: Iterable<Key>, before: ReadonlyMap<string, HeldKey>): void {
    this.#bySecret.clear();
    for (const key of keys) {
      const old = before.get(key.digest);
      if (old !== undefined) this.#used.delete(old);
      if (key.revokedAt !== undefined) {
        this.#byDigest.delete(key.digest);
        this.#revokedDigests.add(key.digest);
        continue;
      }
      const expiresAtMs = key.expiresAt === undefined ? Infinity : Date.parse(key.expiresAt);
      const held = { key, expiresAtMs, lastUsedMs: old?.lastUsedMs ?? 0 };
      this.#byDigest.set(key.digest, held);
      if (held.lastUsedMs !== 0) this.#used.add(held);
    }
  }

  find(secret: string, nowMs: number): HeldKey | undefined {
    const held = this.#bySecret.get(secret) ?? this.#findByDigest(secret);
    // False also for a date that cannot be read.
    return held !== undefined && nowMs < held.expiresAtMs ? held : undefined;
  }

  /** Returns the reason why `find` rejects a secret. */
  findFault(secret: string): "expired" | "revoked" | "unknown" {
    if (findSecretFault(secret) !== undefined) return "unknown";
    const digest = digestSecret(secret);
    if (this.#byDigest.has(digest)) return "expired";
    return this.#revokedDigests.has(digest) ? "revoked" : "unknown";
  }

  noteUse(held: HeldKey, nowMs: number): void {
    if (held.lastUsedMs === 0) this.#used.add(held);
    held.lastUsedMs = nowMs;
  }

  #findByDigest(secret: string): HeldKey | undefined {
    if (findSecretFault(secret) !== undefined) return undefined;
    const held = this.#byDigest.get(digestSecret(secret));
    if (held !== undefined) this.#bySecret.set(secret, held);
    return held;
  }

  /** Returns and clears the last uses of up to `limit` keys, by key id. */
  drainLastUses(limit: number): Map<string, string> {
    const lastUses = new Map<string, string>();
    for (const held of this.#used) {
      if (lastUses.size >= limit) break;
      lastUses.set(held.key.id, new Date(held.lastUsedMs).toISOString());
      held.lastUsedMs = 0;
      this.#used.delete(held);
    }
    return lastUses;
  }

  get usedCount(): number {
    return this.#used.size;
  }
}
