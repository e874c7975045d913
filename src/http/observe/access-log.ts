import { closeSync, constants, fstatSync, openSync, write, writeSync } from "node:fs";
import { FULL_BYTES, LineBuffer, type AnsweredRequest } from "./line-buffer.ts";

/** Lines are written after this time, or as soon as a buffer of them is full. */
const FLUSH_INTERVAL_MS = 200;
/**
 * Several processes may write to one pipe. The system writes up to this size in one piece (POSIX's PIPE_BUF), so lines stay
 * whole.
 */
const MAX_PIPE_BYTES = 4096;
/** When this much waits for a slow reader of the log, further lines are dropped. */
const MAX_UNWRITTEN_BYTES = 8 * 1024 * 1024;
/** A full pipe is tried again after this time: it holds about 64 KiB, so that a reader gets up to 6 MB a second. */
const RETRY_MS = 10;
/** How long `close` waits for a reader that reads nothing. */
const CLOSE_MS = 300;
const LINE_BREAK = 10;

/** One JSON line per request, to standard output, in batches that never make a request wait. */
export class AccessLog {
  #current = new LineBuffer();
  /** Takes the next lines while the other is written. */
  #spare: LineBuffer | undefined;
  /** Wait for their turn, while a reader is slow. */
  readonly #full: LineBuffer[] = [];
  #isWriting = false;
  #dropped = 0;
  readonly #fileDescriptor: number;
  /** Files and devices take everything in one piece. */
  readonly #maxPieceBytes: number;
  /** The same pipe, where a write that finds no room fails at once. */
  #impatient: number | undefined;
  readonly #timer: Timer;

  constructor(fileDescriptor = 1) {
    this.#fileDescriptor = fileDescriptor;
    const stat = fstatSync(fileDescriptor);
    if (stat.isFIFO()) this.#impatient = openImpatient(fileDescriptor);
    this.#maxPieceBytes = stat.isFIFO() || stat.isSocket() ? MAX_PIPE_BYTES : Infinity;
    this.#timer = setInterval(() => this.#flush(), FLUSH_INTERVAL_MS);
  }

  /** Logs a request, without its query, since a client may have put a key there. */
  write(request: AnsweredRequest): void {
    if (this.#full.length * FULL_BYTES >= MAX_UNWRITTEN_BYTES) {
      this.#dropped++;
      return;
    }
    this.#current.appendRequest(request);
    if (!this.#current.isFull) return;
    this.#full.push(this.#replaceCurrent());
    this.#flush();
  }

  /** Writes what waits, and closes the log; gives up when its reader takes too long. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const deadline = Date.now() + CLOSE_MS;
    while ((this.#isWriting || this.#current.end > 0) && Date.now() < deadline) {
      this.#flush();
      await Bun.sleep(5);
    }
    if (this.#impatient !== undefined) closeSync(this.#impatient);
    this.#impatient = undefined;
    // A write that nobody reads would keep the process alive for ever. In any other case the process ends before this
    // timer.
    if (this.#isWriting) setTimeout(() => process.exit(), CLOSE_MS).unref();
  }

  #flush(): void {
    if (this.#isWriting) return;
    if (this.#dropped > 0) {
      this.#current.appendText(`{"time":"${new Date().toISOString()}","droppedLines":${this.#dropped}}\n`);
      this.#dropped = 0;
    }
    const next = this.#full.shift() ?? (this.#current.end > 0 ? this.#replaceCurrent() : undefined);
    if (next === undefined) return;
    this.#isWriting = true;
    const start = this.#full.length === 0 ? this.#writeAtOnce(next) : 0;
    if (start < next.end) this.#writeAll(next, start);
    else this.#writeNext(next);
  }

  #replaceCurrent(): LineBuffer {
    const replaced = this.#current;
    this.#current = this.#spare ?? new LineBuffer();
    this.#spare = undefined;
    return replaced;
  }

  /**
   * Writes to a pipe what it has room for, and gives the number of bytes: with pieces so small, a write in the background costs
   * more than the lines.
   */
  #writeAtOnce({ bytes, end }: LineBuffer): number {
    if (this.#impatient === undefined) return 0;
    let start = 0;
    try {
      while (start < end) start += writeSync(this.#impatient, bytes, start, this.#pieceEnd(bytes, start, end) - start);
    } catch {
      // The pipe is full, or its reader has ended: the write in the background waits, or tells.
    }
    return start;
  }

  /** Where a piece ends that the system writes whole. */
  #pieceEnd(bytes: Buffer, start: number, end: number): number {
    if (end - start <= this.#maxPieceBytes) return end;
    return bytes.lastIndexOf(LINE_BREAK, start + this.#maxPieceBytes - 1) + 1;
  }

  #writeAll(lines: LineBuffer, start: number): void {
    const { bytes, end } = lines;
    const length = this.#pieceEnd(bytes, start, end) - start;
    write(this.#fileDescriptor, bytes, start, length, null, (error, written) => {
      const isFull = error?.code === "EAGAIN";
      if (isFull) setTimeout(() => this.#writeAll(lines, start), RETRY_MS);
      else if (error === null && start + written < end) this.#writeAll(lines, start + written);
      // A log whose reader has ended must not stop the server.
      else this.#writeNext(lines);
    });
  }

  #writeNext(written: LineBuffer): void {
    written.empty();
    this.#spare = written;
    this.#isWriting = false;
    if (this.#full.length > 0) this.#flush();
  }
}

/**
 * Opens a pipe once more, for writes that never wait: others share the file descriptor that the process was given, and with it
 * the setting. Undefined where the system has no such door (only Linux has), or does not let this user in.
 */
function openImpatient(fileDescriptor: number): number | undefined {
  try {
    return openSync(`/proc/self/fd/${fileDescriptor}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}
