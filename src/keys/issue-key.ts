import type { Key, KeyStore } from "./key.ts";
import { createSecret, digestSecret } from "./secret.ts";

export interface KeyRequest extends Pick<Key, "project" | "channel" | "name" | "drafts"> {
  /** The key expires `expiresMs` milliseconds from now or at `expiresAt`; without either, it never expires. */
  expiresMs?: number | undefined;
  expiresAt?: string | undefined;
  secret?: string;
}

/** Creates and stores a key and returns it with its secret. Throws ExpectedError if the secret is in use. */
export async function issueKey(
  keys: Pick<KeyStore, "insertKey">,
  request: KeyRequest,
): Promise<Key & { secret: string }> {
  const secret = request.secret ?? createSecret();
  const now = Date.now();
  const key: Key = {
    id: `key_${crypto.getRandomValues(new Uint8Array(6)).toHex()}`,
    project: request.project,
    channel: request.channel,
    name: request.name,
    digest: digestSecret(secret),
    lastFour: secret.slice(-4),
    drafts: request.drafts,
    createdAt: new Date(now).toISOString(),
    expiresAt: request.expiresMs === undefined ? request.expiresAt : new Date(now + request.expiresMs).toISOString(),
    revokedAt: undefined,
    lastUsedAt: undefined,
  };
  await keys.insertKey(key);
  return { ...key, secret };
}
