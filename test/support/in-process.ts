// Requests and publications in this process, without a socket: for tests that make thousands of them, or that say what
// time it is.
import pino from "pino";
import { createRequestContext } from "../../src/http/request-context.ts";
import { readState } from "../../src/following/follow-store.ts";
import { handleRequest } from "../../src/http/handle-request.ts";
import type { PublishingContext } from "../../src/publishing/publish.ts";
import type { Store } from "../../src/store/open-store.ts";
import type { Answer } from "./server.ts";

/** Answers a request as a server would that has just looked at the store. `path` is what follows `/api/v1`. */
export type Ask = (path: string, key: string) => Promise<Answer>;

/** Reads a store through the interface. Each request first learns what is new, so none sees an earlier state. */
export function createAsk(store: Store): Ask {
  const context = createRequestContext({
    catalog: store.catalog,
    isUnavailable: store.isUnavailable,
    corsOrigins: "*",
    cacheBytes: 1024 * 1024,
    largeAnswerBytes: 64 * 1024 * 1024,
    assets: store.assets,
    assetBytes: 1024 * 1024,
    logger: pino({ level: "silent" }),
  });
  return async (path, key) => {
    context.state.apply(await readState(store.changes, store.keys));
    const request = new Request(`http://localhost/api/v1${path}`, { headers: { "x-api-key": key } });
    const response = await handleRequest(request, context);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

/** Publishing in a project at a time that the test says. */
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
