import { fstatSync, write } from "node:fs";
import { partTarget } from "../request/request-url.ts";

/** Lines are written after this time, or as soon as this many characters wait. */
const FLUSH_INTERVAL_MS = 200;
const MAX_WAITING_CHARACTERS = 64 * 1024;
/**
 * Several processes may write to one pipe. The system writes up to this size in one piece (POSIX's PIPE_BUF), so lines stay
 * whole.
 */
const MAX_PIPE_BYTES = 4096;
/** Keeps a line below that size in any script: a character takes 3 bytes at most. */
const MAX_PATH_CHARACTERS = 1000;
/** When this much waits for a slow reader of the log, further lines are dropped. */
const MAX_UNWRITTEN_CHARACTERS = 8 * 1024 * 1024;
/** How long `close` waits for a reader that reads nothing. */
const CLOSE_MS = 300;
const LINE_BREAK = 10;

/** One JSON line per request, to standard output, in batches that never make a request wait. */
export class AccessLog {
  #waiting = "";
  #isWriting = false;
  #dropped = 0;
  #timeMs = 0;
  #time = "";
  readonly #fileDescriptor: number;
  /** Files and devices take everything in one piece. */
  readonly #maxPieceBytes: number;
  readonly #timer: Timer;

  constructor(fileDescriptor = 1) {
    this.#fileDescriptor = fileDescriptor;
    const stat = fstatSync(fileDescriptor);
    this.#maxPieceBytes = stat.isFIFO() || stat.isSocket() ? MAX_PIPE_BYTES : Infinity;
    this.#timer = setInterval(() => this.#flush(), FLUSH_INTERVAL_MS);
  }

  /**
   * Logs a request; `target` is its undecoded path and query. The query is left out, since a client may have put a key
   * there.
   */
  write(method: string, target: string, status: number, durationMs: number): void {
    if (this.#waiting.length > MAX_UNWRITTEN_CHARACTERS) {
      this.#dropped++;
      return;
    }
    const time = this.#formatTime(Date.now());
    const { path } = partTarget(target);
    const duration = Math.round(durationMs * 1000) / 1000;
    const shown = path.length > MAX_PATH_CHARACTERS ? `${path.slice(0, MAX_PATH_CHARACTERS)}…` : path;
    this.#waiting += `{"time":"${time}","method":"${method}","path":${JSON.stringify(shown)},"status":${status},"durationMs":${duration}}\n`;
    if (this.#waiting.length > MAX_WAITING_CHARACTERS) this.#flush();
  }

  /** Formatting the time is half the work of a line, and under load many lines have the same millisecond. */
  #formatTime(nowMs: number): string {
    if (nowMs !== this.#timeMs) {
      this.#timeMs = nowMs;
      this.#time = new Date(nowMs).toISOString();
    }
    return this.#time;
  }

  /** Writes what waits, and closes the log; gives up when its reader takes too long. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const deadline = Date.now() + CLOSE_MS;
    while ((this.#isWriting || this.#waiting !== "") && Date.now() < deadline) {
      this.#flush();
      await Bun.sleep(5);
    }
    // A write that nobody reads would keep the process alive for ever. In any other case the process ends before this
    // timer.
    if (this.#isWriting) setTimeout(() => process.exit(), CLOSE_MS).unref();
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

  #writeAll(text: Buffer): void {
    const end =
      text.byteLength <= this.#maxPieceBytes
        ? text.byteLength
        : text.lastIndexOf(LINE_BREAK, this.#maxPieceBytes - 1) + 1;
    write(this.#fileDescriptor, text.subarray(0, end), (error, written) => {
      const isFull = error?.code === "EAGAIN";
      // A log whose reader has ended must not stop the server.
      if (error !== null && !isFull) this.#isWriting = false;
      else if (isFull) setTimeout(() => this.#writeAll(text), FLUSH_INTERVAL_MS);
      else if (written < text.byteLength) this.#writeAll(text.subarray(written));
      else this.#isWriting = false;
    });
  }
}
