// State of a page with a key: client, request log, current release.
import { createCatalogClient, type CatalogClient } from "../../../packages/client/src/catalog-client.ts";
import { createAnswerCache } from "./answer-cache.ts";
import { createLoggingFetch, RequestLog } from "./request-log.ts";

/** Another release is current, or the key was rejected. */
export type SessionEvent = "released" | "refused";

export interface Session {
  log: RequestLog;
  /** Returns a client for a pinned release, or for the current one. */
  reading(release: number | undefined): Promise<CatalogClient>;
  /** The current release as of the last answer; undefined before the first answer, or if nothing is published. */
  readonly current: number | undefined;
  /** Calls `listener` with each event; returns a function that unsubscribes. */
  subscribe(listener: (event: SessionEvent) => void): () => void;
}

/** Creates a session. Throws a TypeError if headers cannot contain the key. */
export function createSession(apiKey: string): Session {
  const log = new RequestLog();
  const listeners = new Set<(event: SessionEvent) => void>();
  const emit = (event: SessionEvent): void => {
    for (const listener of listeners) listener(event);
  };
  let current: number | undefined;
  const onAnswer = ({ status, headers, url }: Response): void => {
    if (status === 401) return emit("refused");
    const named = headers.get("catalog-release");
    if (named === null || new URL(url).searchParams.has("release") || Number(named) === current) return;
    const isFirst = current === undefined;
    current = Number(named);
    if (!isFirst) emit("released");
  };
  const client = createCatalogClient({
    // Relative to the page, because a proxy can add a path.
    baseUrl: new URL(".", document.baseURI),
    apiKey,
    cache: createAnswerCache(),
    // Views report an unavailable server at once and retry themselves.
    retries: 0,
    fetch: createLoggingFetch(log, onAnswer),
  });
  return {
    log,
    reading: async (release) => (release === undefined ? client : client.pinned(release)),
    get current() {
      return current;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
