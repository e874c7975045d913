// What a client is created with, and what each request takes.

export interface CatalogClientOptions {
  /** Where the service is, such as `https://catalog.example`; with the path before `/api/v1` where a proxy adds one. */
  baseUrl: string | URL;
  apiKey: string;
  /** Keeps answers, so that what did not change is not sent again: a `Map`, or a store of your own. For one key only. */
  cache?: AnswerCache | undefined;
  /** How often a request is sent again after 429, 502, 503, 504 or a fault of the network; 3 unless given. */
  retries?: number | undefined;
  /** Ends an attempt after this time and sends the request again; 30,000 unless given. */
  timeoutMs?: number | undefined;
  /** Used in place of the global `fetch`. A CatalogError that it throws is not tried again. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** An answer that is kept, to be asked for again with its ETag. */
export interface CachedAnswer {
  etag: string;
  body: string;
  /** Its Link header, which a 304 need not repeat. */
  link?: string | null | undefined;
}

/** Keeps answers by their URL. What it gives up is asked for as a whole. */
export interface AnswerCache {
  get(url: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined>;
  set(url: string, answer: CachedAnswer): unknown;
}

export interface RequestOptions {
  /** Ends the request, its waiting and its repetitions; the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}
