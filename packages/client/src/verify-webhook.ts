// Verifies a webhook's signature as defined by Standard Webhooks (https://www.standardwebhooks.com).

/** An event of a webhook. */
export type WebhookEvent = PublishedEvent | TestEvent;

/** Reports that a channel shows another release or was deleted. */
export interface PublishedEvent {
  type: "catalog.published";
  /** The time of the publication. */
  timestamp: string;
  data: {
    project: string;
    channel: string;
    action: "import" | "remove" | "publish" | "rollback" | "delete";
    /** The channel's release; null after the channel was deleted. The counts include drafts. */
    release: { number: number; courses: number; drafts: number; lessons: number } | null;
    /** The channel's previous release; null if there was none. */
    before: number | null;
    /** Changes since `before`; null if the release existed before or is the first one of a preview. */
    changes: {
      coursesAdded: number;
      coursesChanged: number;
      coursesRemoved: number;
      lessonsAdded: number;
      lessonsChanged: number;
      lessonsRemoved: number;
    } | null;
  };
}

/** What `lectern webhooks test` sends. */
export interface TestEvent {
  type: "test";
  timestamp: string;
  data: { project: string; channel: string };
}

export interface WebhookRequest {
  /** The body as received: a body that was parsed and serialized again has another signature. */
  payload: string | Uint8Array | ArrayBuffer;
  headers: Headers | Record<string, string | string[] | undefined>;
  /** `whsec_…`, as `lectern webhooks create` prints it. */
  secret: string;
  /** The greatest accepted difference from the current time in seconds, a positive number; 300 by default. */
  toleranceSeconds?: number | undefined;
}

/** A service sends one signature per secret. Each costs a pass over the body, and anyone can send thousands. */
const MAX_SIGNATURES = 10;

/** The request cannot be verified: answer 401 and ignore it. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/** Returns the event. Rejects with a WebhookError if the request cannot be verified, as when its signature is wrong. */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookEvent> {
  const { payload, secret, toleranceSeconds = 300 } = request;
  if (!(Number.isFinite(toleranceSeconds) && toleranceSeconds > 0)) {
    throw new WebhookError("toleranceSeconds must be a positive number");
  }
  const headers = readHeaders(request.headers);
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => {
    const value = headers.get(name);
    if (!value) throw new WebhookError(`The request has no ${name}`);
    return value;
  }) as [string, string, string];
  const ageSeconds = Date.now() / 1000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(ageSeconds) > toleranceSeconds) {
    throw new WebhookError("The webhook-timestamp is too old or in the future");
  }
  const body = typeof payload === "string" ? new TextEncoder().encode(payload) : new Uint8Array(payload);
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  // In JavaScript, callers can pass an unset environment variable: then `secret` is undefined.
  const bytes = typeof secret === "string" ? decodeBase64(secret.replace(/^whsec_/, "")) : undefined;
  if (bytes === undefined || bytes.length === 0) throw new WebhookError("The secret must be base64 after whsec_");
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
  for (const each of signatures.split(" ", MAX_SIGNATURES)) {
    const signature = each.startsWith("v1,") ? decodeBase64(each.slice(3)) : undefined;
    // `verify` compares signatures in constant time.
    if (signature === undefined || !(await crypto.subtle.verify("HMAC", key, signature, signed))) continue;
    return parseEvent(new TextDecoder().decode(body));
  }
  throw new WebhookError("The webhook-signature does not match the secret");
}

function parseEvent(body: string): WebhookEvent {
  try {
    const event: unknown = JSON.parse(body);
    if (typeof event === "object" && event !== null && !Array.isArray(event)) return event as WebhookEvent;
  } catch {
    // The body is not JSON.
  }
  throw new WebhookError("The signature is valid, but the body is not the JSON object of a webhook");
}

function readHeaders(headers: WebhookRequest["headers"]): Map<string, string> {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return new Map(entries.map(([name, value]) => [name.toLowerCase(), String(value ?? "")]));
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
