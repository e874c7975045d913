// Requests and publications in this process, without a socket: for tests with thousands of them, or with their own
// clock.
import pino from "pino";
import type { CatalogReader } from "../../src/catalog/catalog-reader.ts";
import { applyUpdate, createRequestContext, type ApiOptions } from "../../src/http/request-context.ts";
import { readState } from "../../src/following/follow-store.ts";
import type { StateUpdate } from "../../src/following/served-state.ts";
import { handleRequest } from "../../src/http/handle-request.ts";
import type { PublishingContext } from "../../src/publishing/publish.ts";
import type { Store } from "../../src/store/open-store.ts";
import type { Answer, RequestOptions } from "./server.ts";

/** Answers a request as a server that has just polled the store. `path` follows `/api/v1`. */
export type Ask = (path: string, key: string) => Promise<Answer>;

export interface AskOptions {
  /** Replaces the store's reader. */
  catalog?: CatalogReader;
  /** 0 caches nothing. */
  cacheBytes?: number;
  corsOrigins?: "*" | string[];
  now?: () => number;
  createRequestId?: () => string;
  rates?: NonNullable<ApiOptions["rates"]>;
  /** Each client's address; unknown by default. */
  findClient?: () => string;
}

/** A server without a socket. */
export interface UnboundServer {
  /** `signal` aborts when the client disconnects. */
  get(path: string, options?: RequestOptions & { signal?: AbortSignal }): Promise<Answer>;
  /** Polls the store: the next request sees its state. */
  look(): Promise<void>;
  /** Polls it as another store, restored or replaced. */
  lookAnew(): Promise<void>;
  /** Applies an update at once, as a worker does. */
  apply(update: StateUpdate): void;
}

/** Creates a server that has polled its store once. */
export async function createUnboundServer(store: Store, options: AskOptions = {}): Promise<UnboundServer> {
  const context = createRequestContext({
    catalog: store.catalog,
    isUnavailable: store.isUnavailable,
    corsOrigins: "*",
    cacheBytes: 1024 * 1024,
    largeAnswerBytes: 64 * 1024 * 1024,
    assets: store.assets,
    assetBytes: 1024 * 1024,
    logger: pino({ level: "silent" }),
    createRequestId: () => "made",
    ...options,
  });
  context.findClient = options.findClient;
  let seen = "";
  const look = async (): Promise<void> => {
    const revisions = JSON.stringify(await store.changes.readRevisions());
    if (revisions === seen) return;
    applyUpdate(context, await readState(store.changes, store.keys));
    seen = revisions;
  };
  await look();
  return {
    look,
    async lookAnew() {
      const update = await readState(store.changes, store.keys);
      applyUpdate(context, { ...update, replacesKeys: true, replacesPublications: true });
    },
    apply: (update) => applyUpdate(context, update),
    async get(path, { key, method = "GET", headers = {}, signal } = {}) {
      const keyHeader = key === undefined ? {} : { "x-api-key": key };
      const init = { method, headers: { ...keyHeader, ...headers } };
      const request = new Request(`http://localhost${path}`, signal === undefined ? init : { ...init, signal });
      const response = await handleRequest(request, context);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}

/** Reads a store through the interface, from when it is open on. Polls before each request, so none sees an earlier state. */
export function createAsk(opened: { store: Store }): Ask {
  let server: UnboundServer | undefined;
  let served: Store | undefined;
  return async (path, key) => {
    if (served !== opened.store) server = undefined;
    served = opened.store;
    if (server === undefined) server = await createUnboundServer(served);
    else await server.look();
    return server.get(`/api/v1${path}`, { key });
  };
}

/** Publishes in a project at a given time. */
export function publishingAt(store: Store, project: string, at: string): PublishingContext {
  return {
    store: store.publishing,
    project,
    now: () => new Date(at),
    onWait: () => {
      throw new Error("no other writer should run");
    },
  };
}
