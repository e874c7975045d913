// Builds and signs a webhook's message (docs/webhooks.md) and sends it once.
import { type HookClock, ATTEMPT_TIMEOUT_MS, type Hook, type HookEvent } from "./hook.ts";
import type { PostResult } from "./post-message.ts";

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

export function createHookSecret(): string {
  return SECRET_PREFIX + crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64();
}

export function createMessage(hook: Hook, happened: HookEvent) {
  const { publicationId, project, channel, action, publishedAt, release, before = null, changes = null } = happened;
  // All attempts share this id. It depends on the time, because a restored database can reuse publication ids.
  const digest = Bun.SHA256.hash(`${hook.id}\n${publicationId}\n${publishedAt}`, "hex");
  const data = { project, channel, action, release: release ?? null, before, changes };
  return {
    id: `evt_${digest.slice(0, 24)}`,
    body: JSON.stringify({ type: "catalog.published", timestamp: publishedAt, data }),
  };
}

type Message = ReturnType<typeof createMessage>;

export function createTestMessage({ project, channel }: Hook, at: string): Message {
  return {
    id: `evt_${crypto.getRandomValues(new Uint8Array(12)).toHex()}`,
    body: JSON.stringify({ type: "test", timestamp: at, data: { project, channel } }),
  };
}

/** Sends a message once. Never throws. After an abort, the result is meaningless. */
export async function attemptDelivery(
  hook: Hook,
  { id, body }: Message,
  clock: HookClock,
  abort?: AbortSignal,
): Promise<PostResult> {
  const { secret, oldSecret, oldSecretEndsAt = "" } = hook;
  const sentAtMs = clock.now();
  const signsWithOld = oldSecret !== undefined && oldSecretEndsAt > new Date(sentAtMs).toISOString();
  const headers = signMessage(id, sentAtMs, body, signsWithOld ? [secret, oldSecret] : [secret]);
  const timeout = new AbortController();
  const stopTimer = clock.startTimer(
    () => timeout.abort(new Error(`no answer within ${ATTEMPT_TIMEOUT_MS / 1000} s`)),
    ATTEMPT_TIMEOUT_MS,
  );
  const signal = abort === undefined ? timeout.signal : AbortSignal.any([timeout.signal, abort]);
  // Imported lazily: `post-message.ts` loads many Node modules, and few processes send messages.
  const { postMessage } = await import("./post-message.ts");
  return postMessage(hook, headers, body, signal).finally(stopTimer);
}

function signMessage(id: string, sentAtMs: number, body: string, secrets: string[]): Record<string, string> {
  const timestamp = String(Math.floor(sentAtMs / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
    return `v1,${new Bun.CryptoHasher("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
