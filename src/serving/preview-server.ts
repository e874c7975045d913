// The server of a preview: for browsers on this machine only, and without what others than its author would need.
import type { ChangeFeed } from "../catalog/store.ts";
import { readState } from "../following/follow-store.ts";
import { respondError } from "../http/answers/respond.ts";
import { applyUpdate, createRequestContext, type ApiOptions, type RequestContext } from "../http/request-context.ts";
import { findCaller } from "../http/handle-request.ts";
import { HttpError, invalidKey, missingKey } from "../http/request/errors.ts";
import type { KeyStore } from "../keys/key.ts";
import { findTarget, partTarget } from "../http/request/request-url.ts";
import { listen } from "./listen.ts";

const HOST = "127.0.0.1";
const EVENTS_PATH = "/preview/events";
/** Browsers allow six connections to a host; more readers than this are no pages. */
const MAX_READERS = 32;
/** Below the time after which a connection without traffic is closed. */
const KEEP_ALIVE_MS = 20_000;
/** A comment. */
const KEEP_ALIVE = new TextEncoder().encode(":\n\n");

export interface PreviewServerOptions extends Omit<ApiOptions, "corsOrigins"> {
  changes: ChangeFeed;
  keys: KeyStore;
  /** 0 takes a free one. */
  port: number;
}

export interface PreviewServer {
  port: number;
  /** Serves what has been published since. */
  refresh(): Promise<void>;
  /** Sends a message to the pages that are open, and to those that are opened later until the next one. */
  tell(message: string): void;
  /** Ends the streams of events, lets answers that are under way finish for up to 4 seconds, closes. */
  stop(): Promise<void>;
}

/**
 * Starts to serve on the loopback address. Other pages that the author has open can read nothing: there are no CORS headers, and
 * a request with the name of another host, which a page gets by changing where its own name leads, is refused. Throws when the
 * store cannot be read or the port is taken.
 */
export async function startPreviewServer(options: PreviewServerOptions): Promise<PreviewServer> {
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
      // Not by URL: with a port in `Host` that is none, the request's is no URL.
      const { path } = partTarget(findTarget(request.url));
      return path === EVENTS_PATH ? respondEvents(request, events, context) : undefined;
    },
  });
  return {
    port: api.port,
    refresh,
    tell: (message) => events.send(message),
    async stop() {
      events.close();
      await api.stop();
    },
  };
}

const WRONG_HOST = "This is a preview for the browser on this machine: open it as http://127.0.0.1 with its port";

/** The port needs no look: nothing else is served on it. */
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
    return refuse(request, new HttpError(503, "Too many pages of this preview are open"), context);
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

/** Streams of server-sent events (HTML standard, §9.2). A slow reader gets the newest message, and none of those in between. */
class EventStreams {
  #readers = 0;
  #newest = KEEP_ALIVE;
  #next = Promise.withResolvers<Uint8Array | undefined>();
  readonly #keepAlive = setInterval(() => this.#wake(KEEP_ALIVE), KEEP_ALIVE_MS).unref();

  /** Opens a stream, which begins with the newest message. Undefined when too many are open. */
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
        // Without a first byte the header would wait.
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
