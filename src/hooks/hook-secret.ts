// Secrets and signatures of Standard Webhooks (https://www.standardwebhooks.com).

const PREFIX = "whsec_";
const BYTES = 32;

/** Makes a new secret. */
export function createHookSecret(): string {
  return PREFIX + crypto.getRandomValues(new Uint8Array(BYTES)).toBase64();
}

/** The three headers that a receiver verifies, with one signature for each secret. */
export function signMessage(id: string, sentAtMs: number, body: string, secrets: string[]): Record<string, string> {
  const timestamp = String(Math.floor(sentAtMs / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${new Bun.CryptoHasher("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
