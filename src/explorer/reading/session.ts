// What the page holds while it has a key: the client, what it was answered, and the release that is current.
import { createCatalogClient, type CatalogClient } from "../../../packages/client/src/catalog-client.ts";
import { createAnswerCache } from "./answer-cache.ts";
import { createLoggingFetch, RequestLog } from "./request-log.ts";

/** What a page is told: that another release is current than before, or that the key is no longer taken. */
export type SessionEvent = "released" | "refused";

/** Reading with a key. */
export interface Session {
  log: RequestLog;
  /** A client that reads a release, or whatever is current. */
  reading(release: number | undefined): Promise<CatalogClient>;
  /** The current release, as the last answer named it; undefined before the first one, or when nothing is published. */
  readonly current: number | undefined;
  /** Calls `listener` with each event, until the function that it returns is called. */
  subscribe(listener: (event: SessionEvent) => void): () => void;
}

/** Throws a TypeError for a key that no header can hold. */
export function createSession(apiKey: string): Session {
  const log = new RequestLog();
  const listeners = new Set<(event: SessionEvent) => void>();
  const tell = (event: SessionEvent): void => {
    for (const listener of listeners) listener(event);
  };
  let current: number | undefined;
  const onAnswer = ({ status, headers, url }: Response): void => {
    if (status === 401) return tell("refused");
    const named = headers.get("catalog-release");
    if (named === null || new URL(url).searchParams.has("release") || Number(named) === current) return;
    const isFirst = current === undefined;
    current = Number(named);
    if (!isFirst) tell("released");
  };
  const client = createCatalogClient({
    // Where this page is: a proxy may add a path.
    baseUrl: new URL(".", document.baseURI),
    apiKey,
    cache: createAnswerCache(),
    // A view says at once that the server is away, and asks again by itself.
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
