// Options of a client and of its requests.

export interface CatalogClientOptions {
  /** The service's URL, such as `https://catalog.example`, with any path that a proxy adds before `/api/v1`. */
  baseUrl: string | URL;
  apiKey: string;
  /** Caches answers, so that unchanged ones are not sent again: a `Map` or your own store, for one key only. */
  cache?: AnswerCache | undefined;
  /** The number of retries after status 429, 502, 503 or 504, or after a network error; 3 by default. */
  retries?: number | undefined;
  /** The time limit for each attempt, in milliseconds; 30,000 by default. */
  timeoutMs?: number | undefined;
  /** Replaces the global `fetch`. If it rejects with a CatalogError, the request is not retried. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** A cached answer, which the client revalidates with its ETag. */
export interface CachedAnswer {
  etag: string;
  body: string;
  /** The answer's Link header, which a 304 need not repeat. */
  link?: string | null | undefined;
}

/** Caches answers by URL. A cache is allowed to evict answers at any time. */
export interface AnswerCache {
  get(url: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined>;
  set(url: string, answer: CachedAnswer): unknown;
}

export interface RequestOptions {
  /** Aborts the request and its retries; the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}
