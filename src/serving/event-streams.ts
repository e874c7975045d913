// Server-sent events (HTML standard, §9.2): the newest message for every reader.

/** Browsers allow six connections to a host; more readers than this are no pages. */
const MAX_READERS = 32;
/** Below the time after which a connection without traffic is closed. */
const KEEP_ALIVE_MS = 20_000;
/** A comment. */
const KEEP_ALIVE = new TextEncoder().encode(":\n\n");

type Reader = ReadableStreamDefaultController<Uint8Array>;

/** Streams of events. A reader that is slow gets the newest message when it can take one, and none of those in between. */
export class EventStreams {
  /** Each with what it could not take yet. */
  readonly #readers = new Map<Reader, Uint8Array | undefined>();
  readonly #keepAlive: Timer;
  #newest = KEEP_ALIVE;

  constructor() {
    this.#keepAlive = setInterval(() => {
      for (const [reader, waiting] of this.#readers) this.#send(reader, waiting ?? KEEP_ALIVE);
    }, KEEP_ALIVE_MS).unref();
  }

  /** Opens a stream, which begins with the newest message. Undefined when too many are open. */
  open(signal: AbortSignal): ReadableStream<Uint8Array> | undefined {
    if (this.#readers.size >= MAX_READERS) return undefined;
    return new ReadableStream<Uint8Array>({
      start: (reader) => {
        signal.addEventListener("abort", () => this.#end(reader), { once: true });
        // Without a byte the header would wait.
        this.#send(reader, this.#newest);
      },
      pull: (reader) => this.#send(reader, this.#readers.get(reader)),
    });
  }

  /** Sends a message of one line. */
  send(message: string): void {
    this.#newest = new TextEncoder().encode(`data: ${message}\n\n`);
    for (const reader of this.#readers.keys()) this.#send(reader, this.#newest);
  }

  close(): void {
    clearInterval(this.#keepAlive);
    for (const reader of this.#readers.keys()) this.#end(reader);
  }

  #send(reader: Reader, message: Uint8Array | undefined): void {
    const canTake = (reader.desiredSize ?? 0) > 0;
    this.#readers.set(reader, canTake ? undefined : message);
    if (canTake && message !== undefined) reader.enqueue(message);
  }

  #end(reader: Reader): void {
    if (!this.#readers.delete(reader)) return;
    try {
      reader.close();
    } catch {
      // The client has closed it.
    }
  }
}
