// The server of a preview, for browsers on this machine.
import type { ChangeFeed } from "../catalog/store.ts";
import { readState } from "../following/follow-store.ts";
import { respondError } from "../http/respond.ts";
import { applyUpdate, createRequestContext, type ApiOptions, type RequestContext } from "../http/request-context.ts";
import { findCaller } from "../http/admit-request.ts";
import { HttpError, invalidKey, missingKey } from "../http/request/errors.ts";
import type { KeyStore } from "../keys/key.ts";
import { findTarget, partTarget } from "../http/request/request-url.ts";
import { listen } from "./listen.ts";

const HOST = "127.0.0.1";
const EVENTS_PATH = "/preview/events";
/** Limits open event streams. A browser opens only six connections per host, so its pages never need more than this. */
const MAX_READERS = 32;
/** Shorter than the time-out for idle connections. */
const KEEP_ALIVE_MS = 20_000;
/** An SSE comment. */
const KEEP_ALIVE = new TextEncoder().encode(":\n\n");

export interface PreviewServerOptions extends Omit<ApiOptions, "corsOrigins"> {
  changes: ChangeFeed;
  keys: KeyStore;
  /** With 0, the system picks a free port. */
  port: number;
}

export type PreviewServer = Awaited<ReturnType<typeof startPreviewServer>>;

/**
 * Listens on the loopback address. Other pages in the author's browser can read nothing: there are no CORS headers, and
 * requests with another `Host`, as after DNS rebinding, are refused. Throws if the store cannot be read or the port is
 * in use.
 */
export async function startPreviewServer(options: PreviewServerOptions) {
  const context = createRequestContext({ ...options, corsOrigins: [] });
  const refresh = async (): Promise<void> => applyUpdate(context, await readState(options.changes, options.keys));
  await refresh();
  const events = new EventStreams();
  const api = listen(context, {
    keys: options.keys,
    host: HOST,
    port: options.port,
    sharesPort: false,
    logsRequests: false,
    answerFirst(request) {
      if (!isOwnHost(request)) return refuse(request, new HttpError(421, WRONG_HOST), context);
      // `new URL` would fail here if `Host` contained an invalid port.
      const { path } = partTarget(findTarget(request.url));
      return path === EVENTS_PATH ? respondEvents(request, events, context) : undefined;
    },
  });
  return {
    port: api.port,
    refresh,
    /** Sends a message to open pages, and to pages opened before the next message. */
    announce: (message: string): void => events.send(message),
    async stop(): Promise<void> {
      events.close();
      await api.stop();
    },
  };
}

const WRONG_HOST = "This preview is only for browsers on this machine: open http://127.0.0.1 with the preview's port";

/** Returns true if `Host` names this machine, with any port. */
function isOwnHost(request: Request): boolean {
  const host = request.headers.get("host") ?? "";
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i.test(host);
}

function respondEvents(request: Request, events: EventStreams, context: RequestContext): Response {
  const caller = findCaller(request, context.state, context.now());
  if (caller === undefined) {
    return refuse(request, request.headers.has("x-api-key") ? invalidKey() : missingKey(), context);
  }
  if (request.method !== "GET")
    return refuse(request, new HttpError(405, "Method not allowed; use GET", { allow: "GET" }), context);
  const body = events.open(request.signal);
  if (body === undefined)
    return refuse(request, new HttpError(503, "Too many pages of this preview are open; close one"), context);
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
}

function refuse(request: Request, error: HttpError, context: RequestContext): Response {
  return respondError(request, error, context.cors);
}

/** Server-sent events (HTML standard, §9.2). A slow reader gets only the newest message. */
class EventStreams {
  #readers = 0;
  #newest = KEEP_ALIVE;
  #next = Promise.withResolvers<Uint8Array | undefined>();
  readonly #keepAlive = setInterval(() => this.#wake(KEEP_ALIVE), KEEP_ALIVE_MS).unref();

  /** Opens a stream that starts with the newest message. Returns undefined if too many are open. */
  open(signal: AbortSignal): ReadableStream<Uint8Array> | undefined {
    if (this.#readers >= MAX_READERS) return undefined;
    this.#readers++;
    let isGone = false;
    signal.addEventListener("abort", () => {
      if (!isGone) this.#readers--;
      isGone = true;
    });
    let sent: Uint8Array | undefined;
    return new ReadableStream<Uint8Array>({
      pull: async (reader) => {
        // The first message is sent at once, because Bun delays the header until the first byte.
        const message = sent === this.#newest ? await this.#next.promise : this.#newest;
        if (isGone) return;
        if (message === undefined) return reader.close();
        sent = this.#newest;
        reader.enqueue(message);
      },
    });
  }

  send(message: string): void {
    this.#newest = new TextEncoder().encode(`data: ${message}\n\n`);
    this.#wake(this.#newest);
  }

  close(): void {
    clearInterval(this.#keepAlive);
    this.#next.resolve(undefined);
  }

  #wake(message: Uint8Array): void {
    this.#next.resolve(message);
    this.#next = Promise.withResolvers();
  }
}
