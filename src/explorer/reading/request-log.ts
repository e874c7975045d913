// Records the page's requests and answers for the request panel.

/** The maximum number of stored requests. */
const MAX_ENTRIES = 50;
/** The maximum number of bytes stored of a body. */
const MAX_BODY = 20_000;

/** A request and its answer, once received. */
export interface LoggedRequest {
  id: number;
  url: string;
  /** The ETag sent as If-None-Match. */
  knownTag: string | undefined;
  /** The number of the view that sent the request. */
  page: number;
  /** Undefined while pending; 0 without an answer. */
  status: number | undefined;
  /** The time until the end of the answer. */
  durationMs: number;
  headers: [name: string, value: string][];
  /** The size of the uncompressed body. */
  bytes: number;
  /** The beginning of the body. */
  body: string;
  isCut: boolean;
  /** Why there is no answer, or "". */
  fault: string;
}

/** The last 50 requests, newest first, without the key. */
export class RequestLog {
  #entries: readonly LoggedRequest[] = [];
  #lastId = 0;
  #page = 1;
  readonly #listeners = new Set<() => void>();

  get entries(): readonly LoggedRequest[] {
    return this.#entries;
  }

  get page(): number {
    return this.#page;
  }

  /** Assigns the following requests to a new view. */
  turnPage(): void {
    this.#page++;
    this.#notify();
  }

  /** Calls `listener` after each change; returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Records a request. Returns a function that records its end. */
  begin(url: string, knownTag: string | undefined): (end: Partial<LoggedRequest>) => void {
    const id = ++this.#lastId;
    const entry: LoggedRequest = {
      id,
      url,
      knownTag,
      page: this.#page,
      status: undefined,
      durationMs: 0,
      headers: [],
      bytes: 0,
      body: "",
      isCut: false,
      fault: "",
    };
    this.#entries = [entry, ...this.#entries].slice(0, MAX_ENTRIES);
    this.#notify();
    return (end) => {
      this.#entries = this.#entries.map((each) => (each.id === id ? { ...each, ...end } : each));
      this.#notify();
    };
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Creates a `fetch` that records requests. Calls `onAnswer` with each answer. */
export function createLoggingFetch(log: RequestLog, onAnswer: (response: Response) => void) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const knownTag = new Headers(init.headers).get("if-none-match") ?? undefined;
    const end = log.begin(url, knownTag);
    const startedAtMs = performance.now();
    const measure = (): number => performance.now() - startedAtMs;
    try {
      // The client has its own cache; the browser's cache would hide 304 answers.
      const response = await fetch(url, { ...init, cache: "no-store" });
      const bytes = await response.clone().arrayBuffer();
      const body = new TextDecoder().decode(bytes.slice(0, MAX_BODY));
      end({
        status: response.status,
        durationMs: measure(),
        headers: Array.from(response.headers),
        bytes: bytes.byteLength,
        body,
        isCut: bytes.byteLength > MAX_BODY,
      });
      onAnswer(response);
      return response;
    } catch (error) {
      const isAborted = init.signal?.aborted === true;
      const fault = isAborted ? "canceled: the page no longer needs the answer" : "no answer";
      end({ status: 0, durationMs: measure(), fault });
      throw error;
    }
  };
}

/** Formats a request as a curl command, with the key in a variable. */
export function formatCurl({ url, knownTag }: Pick<LoggedRequest, "url" | "knownTag">): string {
  const condition = knownTag === undefined ? "" : ` -i --compressed -H ${quote(`If-None-Match: ${knownTag}`)}`;
  return `curl${condition} -H "x-api-key: $LECTERN_KEY" ${quote(url)}`;
}

/** Quotes text for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
