// Server-sent events (HTML standard, §9.2): the newest message for every reader.

/** Browsers allow six connections to a host; more readers than this are no pages. */
const MAX_READERS = 32;
/** Below the time after which a connection without traffic is closed. */
const KEEP_ALIVE_MS = 20_000;

/** Streams of events. A reader that is slow gets the newest message when it can take one, and none of those in between. */
export class EventStreams {
  readonly #readers = new Set<EventReader>();
  readonly #keepAlive: Timer;
  #newest: Uint8Array | undefined;

  constructor() {
    this.#keepAlive = setInterval(() => this.#readers.forEach((reader) => reader.keepAlive()), KEEP_ALIVE_MS);
    this.#keepAlive.unref();
  }

  /** Opens a stream, which begins with the newest message. Undefined when too many are open. */
  open(signal: AbortSignal): ReadableStream<Uint8Array> | undefined {
    if (this.#readers.size >= MAX_READERS) return undefined;
    const reader = new EventReader(() => this.#readers.delete(reader));
    this.#readers.add(reader);
    signal.addEventListener("abort", () => reader.end(), { once: true });
    // Without a byte the header would wait.
    reader.send(this.#newest ?? KEEP_ALIVE);
    return reader.stream;
  }

  /** Sends a message of one line. */
  send(message: string): void {
    this.#newest = new TextEncoder().encode(`data: ${message}\n\n`);
    for (const reader of this.#readers) reader.send(this.#newest);
  }

  close(): void {
    clearInterval(this.#keepAlive);
    for (const reader of this.#readers) reader.end();
  }
}

class EventReader {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #onEnd: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #waiting: Uint8Array | undefined;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
    this.stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#flush(),
      cancel: () => this.end(),
    });
  }

  send(message: Uint8Array): void {
    this.#waiting = message;
    this.#flush();
  }

  keepAlive(): void {
    if ((this.#controller?.desiredSize ?? 0) > 0) this.#controller?.enqueue(KEEP_ALIVE);
  }

  end(): void {
    const controller = this.#controller;
    if (controller === undefined) return;
    this.#controller = undefined;
    this.#onEnd();
    try {
      controller.close();
    } catch {
      // The client has closed it.
    }
  }

  #flush(): void {
    const message = this.#waiting;
    if (message === undefined || this.#controller === undefined || (this.#controller.desiredSize ?? 0) <= 0) return;
    this.#waiting = undefined;
    this.#controller.enqueue(message);
  }
}

/** A comment. */
const KEEP_ALIVE = new TextEncoder().encode(":\n\n");
