import { write } from "node:fs";
import type { RawTarget } from "./request-url.ts";

/** Lines wait so long at most, and so many characters at most, before they are written. */
const FLUSH_INTERVAL_MS = 200;
const MAX_WAITING_CHARACTERS = 64 * 1024;
/** When the reader of the log is so far behind, lines are dropped rather than memory filled. */
const MAX_UNWRITTEN_CHARACTERS = 8 * 1024 * 1024;

/** One JSON line per request, to standard output, in batches that never make a request wait. */
export class AccessLog {
  #waiting = "";
  #isWriting = false;
  #dropped = 0;
  readonly #fileDescriptor: number;
  readonly #timer: Timer;

  constructor(fileDescriptor = 1) {
    this.#fileDescriptor = fileDescriptor;
    this.#timer = setInterval(() => this.#flush(), FLUSH_INTERVAL_MS);
  }

  /** Notes a request. Queries are left out: somebody may have put a key there. */
  write(request: Request, { path }: RawTarget, status: number, durationMs: number): void {
    if (this.#waiting.length > MAX_UNWRITTEN_CHARACTERS) {
      this.#dropped++;
      return;
    }
    const time = new Date().toISOString();
    const duration = Math.round(durationMs * 1000) / 1000;
    this.#waiting += `{"time":"${time}","method":"${request.method}","path":${JSON.stringify(path)},"status":${status},"durationMs":${duration}}\n`;
    if (this.#waiting.length > MAX_WAITING_CHARACTERS) this.#flush();
  }

  /** Writes what waits, and ends. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    while (this.#isWriting) await Bun.sleep(5);
    this.#flush();
    while (this.#isWriting) await Bun.sleep(5);
  }

  #flush(): void {
    if (this.#isWriting || this.#waiting === "") return;
    const dropped =
      this.#dropped === 0 ? "" : `{"time":"${new Date().toISOString()}","droppedLines":${this.#dropped}}\n`;
    const text = Buffer.from(this.#waiting + dropped);
    this.#waiting = "";
    this.#dropped = 0;
    this.#isWriting = true;
    this.#writeAll(text);
  }

  #writeAll(text: Uint8Array): void {
    write(this.#fileDescriptor, text, (error, written) => {
      const isFull = error?.code === "EAGAIN";
      // A log that nobody takes any more must not stop the service.
      if (error !== null && !isFull) this.#isWriting = false;
      else if (isFull) setTimeout(() => this.#writeAll(text), FLUSH_INTERVAL_MS);
      else if (written < text.byteLength) this.#writeAll(text.subarray(written));
      else this.#isWriting = false;
    });
  }
}
