// Secrets and signatures of Standard Webhooks (https://www.standardwebhooks.com): `whsec_` and 24 to 64 bytes in base64.

const PREFIX = "whsec_";
const NEW_BYTES = 32;
const MIN_BYTES = 24;
const MAX_BYTES = 64;

/** Makes a new secret. */
export function createHookSecret(): string {
  return PREFIX + crypto.getRandomValues(new Uint8Array(NEW_BYTES)).toBase64();
}

/** Why a text cannot be the secret of a hook, or undefined when it can. Does not repeat any of it. */
export function findHookSecretFault(secret: string): string | undefined {
  if (!secret.startsWith(PREFIX)) return `it does not begin with ${PREFIX}`;
  const text = secret.slice(PREFIX.length);
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) {
    return `what follows ${PREFIX} is not base64 with its padding`;
  }
  const { length } = toKey(secret);
  if (length >= MIN_BYTES && length <= MAX_BYTES) return undefined;
  return `it stands for ${length} bytes, and must for ${MIN_BYTES} to ${MAX_BYTES}`;
}

/** A message before it is signed. */
export interface Message {
  id: string;
  /** When it is sent, in milliseconds since 1970. */
  sentAtMs: number;
  body: string;
}

/** The three headers that a receiver verifies, with one signature for each secret. */
export function signMessage({ id, sentAtMs, body }: Message, secrets: string[]): Record<string, string> {
  const timestamp = String(Math.floor(sentAtMs / 1000));
  const signatures = secrets.map((secret) => {
    return `v1,${new Bun.CryptoHasher("sha256", toKey(secret)).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

function toKey(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), "base64");
}
