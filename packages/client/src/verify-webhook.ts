// Whether a webhook comes from who it says, by the rules of Standard Webhooks (https://www.standardwebhooks.com).

/** What a hook is told. */
export type WebhookEvent = PublishedEvent | TestEvent;

/** A channel shows another release, or none any more. */
export interface PublishedEvent {
  type: "catalog.published";
  /** When it was published. */
  timestamp: string;
  data: {
    project: string;
    channel: string;
    action: "import" | "remove" | "publish" | "rollback" | "delete";
    /** Null when the channel was deleted. Drafts and their lessons are counted. */
    release: { number: number; courses: number; drafts: number; lessons: number } | null;
    /** The number of the release that the channel showed before; null where there was none. */
    before: number | null;
    /** Against `before`; null where the release was there already, and for the first one of a preview. */
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
  /** The body as it came: parsed and written anew it has another signature. */
  payload: string | Uint8Array | ArrayBuffer;
  headers: Headers | Record<string, string | string[] | undefined>;
  /** `whsec_…`, as `lectern webhooks create` has shown it. */
  secret: string;
  /** How old, or early, a delivery may be by this clock; 300 unless given. A positive number. */
  toleranceSeconds?: number | undefined;
}

/** A request that is not to be trusted: answer it with 401, and do nothing. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/** Gives what a webhook tells. Rejects with a WebhookError when it is not signed with the secret, or not now. */
export async function verifyWebhook(request: WebhookRequest): Promise<WebhookEvent> {
  const { payload, secret, toleranceSeconds = 300 } = request;
  if (!(Number.isFinite(toleranceSeconds) && toleranceSeconds > 0)) {
    throw new WebhookError("toleranceSeconds is not a positive number");
  }
  const headers = readHeaders(request.headers);
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => {
    const value = headers.get(name);
    if (!value) throw new WebhookError(`The request has no ${name}`);
    return value;
  }) as [string, string, string];
  const ageSeconds = Date.now() / 1000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(ageSeconds) > toleranceSeconds) {
    throw new WebhookError("The webhook-timestamp is too old, or in the future");
  }
  const body = typeof payload === "string" ? new TextEncoder().encode(payload) : new Uint8Array(payload);
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  // In JavaScript a variable of the environment may be missing.
  const bytes = typeof secret === "string" ? decodeBase64(secret.replace(/^whsec_/, "")) : undefined;
  if (bytes === undefined || bytes.length === 0) throw new WebhookError("The secret is not whsec_ and base64");
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
  for (const each of signatures.split(" ")) {
    const signature = each.startsWith("v1,") ? decodeBase64(each.slice(3)) : undefined;
    // Takes the same time for any signature that is wrong.
    if (signature === undefined || !(await crypto.subtle.verify("HMAC", key, signature, signed))) continue;
    return parseEvent(new TextDecoder().decode(body));
  }
  throw new WebhookError("The webhook-signature is not of this secret");
}

function parseEvent(body: string): WebhookEvent {
  try {
    const event: unknown = JSON.parse(body);
    if (typeof event === "object" && event !== null && !Array.isArray(event)) return event as WebhookEvent;
  } catch {
    // It is no JSON.
  }
  throw new WebhookError("The body is signed with the secret, but is not the JSON object of a webhook");
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
