// Requests and publications in this process, without a socket: for tests with thousands of them, or with their own
// clock.
import pino from "pino";
import { applyUpdate, createRequestContext, type ApiOptions } from "../../src/http/request-context.ts";
import { readState } from "../../src/following/follow-store.ts";
import type { StateUpdate } from "../../src/following/served-state.ts";
import { handleRequest } from "../../src/http/handle-request.ts";
import type { PublishingContext } from "../../src/publishing/publish.ts";
import type { Store } from "../../src/store/open-store.ts";
import type { Answer, RequestOptions } from "./server.ts";

/** Answers a request as a server that has just polled the store. `path` follows `/api/v1`. */
export type Ask = (path: string, key: string) => Promise<Answer>;

/** A server without a socket. */
export type UnboundServer = Awaited<ReturnType<typeof createUnboundServer>>;

/** Creates a server that has polled its store once. `findClient` returns each client's address, by default unknown. */
export async function createUnboundServer(
  store: Store,
  { findClient, ...options }: Partial<ApiOptions> & { findClient?: () => string } = {},
) {
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
  context.findClient = findClient;
  let seen = "";
  const look = async (): Promise<void> => {
    const revisions = JSON.stringify(await store.changes.readRevisions());
    if (revisions === seen) return;
    applyUpdate(context, await readState(store.changes, store.keys));
    seen = revisions;
  };
  await look();
  return {
    /** Polls the store: the next request sees its state. */
    look,
    /** Polls it as another store, restored or replaced. */
    async lookAnew() {
      const update = await readState(store.changes, store.keys);
      applyUpdate(context, { ...update, replacesKeys: true, replacesPublications: true });
    },
    /** Applies an update at once, as a worker does. */
    apply: (update: StateUpdate) => applyUpdate(context, update),
    /** `signal` aborts when the client disconnects. */
    async get(
      path: string,
      { key, method = "GET", headers = {}, signal }: RequestOptions & { signal?: AbortSignal } = {},
    ): Promise<Answer> {
      const keyHeader = key === undefined ? {} : { "x-api-key": key };
      const init = { method, headers: { ...keyHeader, ...headers }, ...(signal && { signal }) };
      const request = new Request(`http://localhost${path}`, init);
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
