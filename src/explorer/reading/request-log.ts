// What the page has asked, and what it was answered: for the panel, which shows every request as it was made.

/** How many requests are kept. */
const MAX_ENTRIES = 50;
/** How much of a body is kept, in characters. */
const MAX_BODY = 20_000;

/** A request, and its answer once it has come. */
export interface LoggedRequest {
  id: number;
  url: string;
  /** The ETag that was sent as If-None-Match. */
  knownTag: string | undefined;
  /** Increases with every change of the view: what belongs together has the same. */
  page: number;
  /** Undefined while it is under way; 0 when no answer came. */
  status: number | undefined;
  /** Until the whole answer was there. */
  durationMs: number;
  headers: [name: string, value: string][];
  /** Of the body, unpacked. */
  bytes: number;
  /** The beginning of the body. */
  body: string;
  isCut: boolean;
  /** Why no answer came; "" otherwise. */
  fault: string;
}

/** Keeps the last 50 requests, the newest first. Nothing of it holds the key. */
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

  /** Says that what is asked from now on belongs to another view. */
  turnPage(): void {
    this.#page++;
    this.#tell();
  }

  /** Calls `listener` after each change, until the function that it returns is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Notes that a request was sent. The function that it returns notes what became of it. */
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
    this.#tell();
    return (end) => {
      this.#entries = this.#entries.map((each) => (each.id === id ? { ...each, ...end } : each));
      this.#tell();
    };
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** A `fetch` that notes what it sends and gets. `onAnswer` is told the headers of every answer. */
export function createLoggingFetch(log: RequestLog, onAnswer: (response: Response) => void) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const knownTag = new Headers(init.headers).get("if-none-match") ?? undefined;
    const end = log.begin(url, knownTag);
    const startedAtMs = performance.now();
    const measure = (): number => performance.now() - startedAtMs;
    try {
      // The client keeps answers itself; the browser's cache would hide which requests are 304.
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
      const fault = isAborted ? "given up: the page needs it no more" : "no answer";
      end({ status: 0, durationMs: measure(), fault });
      throw error;
    }
  };
}

/** The command that makes a request again. It takes the key from a variable: nothing that is copied holds it. */
export function formatCurl({ url, knownTag }: Pick<LoggedRequest, "url" | "knownTag">): string {
  const condition = knownTag === undefined ? "" : ` -i --compressed -H ${quote(`If-None-Match: ${knownTag}`)}`;
  return `curl${condition} -H "x-api-key: $LECTERN_KEY" ${quote(url)}`;
}

/** For a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
