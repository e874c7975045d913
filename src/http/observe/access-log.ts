import { fstatSync, write } from "node:fs";
import { toNetwork } from "../request/rate-limit.ts";
import { partTarget } from "../request/request-url.ts";

const FLUSH_INTERVAL_MS = 200;
const FULL_CHARACTERS = 64 * 1024;
/** Writes to a shared pipe are atomic up to this size (POSIX PIPE_BUF), so lines from several processes do not mix. */
const MAX_PIPE_BYTES = 4096;
/** Keeps lines below MAX_PIPE_BYTES in any script: a UTF-16 code unit takes up to 3 bytes. */
const MAX_PATH_CHARACTERS = 1000;
/** New lines are dropped while this many bytes wait for a slow reader. */
const MAX_UNWRITTEN_BYTES = 8 * 1024 * 1024;
/** The delay before another write to a full pipe. A pipe holds about 64 KiB, so a reader gets up to 6 MB/s. */
const RETRY_MS = 10;
const CLOSE_MS = 300;
const LINE_BREAK = 10;

/** Whether the log shows a client's address, only its network, or neither. */
export type LoggedClients = "full" | "network" | "none";

/** The members of a line. Undefined members are omitted. Only `target` can contain characters that JSON must escape. */
export interface LoggedRequest {
  client: string | undefined;
  method: string;
  target: string;
  status: number;
  durationMs: number;
  nowMs: number;
  bytes: number | undefined;
  key: string | undefined;
  project: string | undefined;
  release: string | undefined;
  cache: string | undefined;
  requestId: string | undefined;
  traceParent: string | undefined;
}

function formatRest({ bytes, key, project, release, cache, requestId, traceParent }: LoggedRequest): string {
  let text = bytes === undefined ? "" : `,"bytes":${bytes}`;
  if (key !== undefined) text += `,"key":"${key}","project":"${project}"`;
  if (release !== undefined) text += `,"release":${release}`;
  if (cache !== undefined) text += `,"cache":"${cache}"`;
  if (requestId !== undefined) text += `,"requestId":"${requestId}"`;
  return traceParent === undefined ? text : `${text},"traceparent":"${traceParent}"`;
}

/** Writes one JSON line per request to standard output, in batches that never delay a request. */
export class AccessLog {
  #text = "";
  #writing = Buffer.alloc(0);
  #dropped = 0;
  #time = { ms: NaN, text: "" };
  readonly #fileDescriptor: number;
  readonly #maxPieceBytes: number;
  readonly #timer: Timer;

  readonly #clients: LoggedClients;

  constructor(fileDescriptor = 1, clients: LoggedClients = "full") {
    this.#clients = clients;
    this.#fileDescriptor = fileDescriptor;
    const stat = fstatSync(fileDescriptor);
    this.#maxPieceBytes = stat.isFIFO() || stat.isSocket() ? MAX_PIPE_BYTES : Infinity;
    this.#timer = setInterval(() => this.#flush(), FLUSH_INTERVAL_MS);
  }

  /** Logs a request without its query, where a client might have put a key. */
  write(request: LoggedRequest): void {
    const { target, nowMs } = request;
    if (this.#text.length + this.#writing.byteLength >= MAX_UNWRITTEN_BYTES) {
      this.#dropped++;
      return;
    }
    if (nowMs !== this.#time.ms) this.#time = { ms: nowMs, text: new Date(nowMs).toISOString() };
    const { path } = partTarget(target);
    const shown = path.length > MAX_PATH_CHARACTERS ? `${path.slice(0, MAX_PATH_CHARACTERS)}…` : path;
    const duration = Math.round(request.durationMs * 1000) / 1000;
    const client = this.#formatClient(request.client);
    this.#text +=
      `{"time":"${this.#time.text}"${client},"method":"${request.method}","path":${JSON.stringify(shown)},` +
      `"status":${request.status},"durationMs":${duration}${formatRest(request)}}\n`;
    if (this.#text.length >= FULL_CHARACTERS) this.#flush();
  }

  /** Flushes and closes the log. Gives up if its reader is too slow. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const deadline = Date.now() + CLOSE_MS;
    while (this.#writing.byteLength + this.#text.length > 0 && Date.now() < deadline) {
      this.#flush();
      await Bun.sleep(5);
    }
    // A blocked write would keep the process alive. Without one, the process ends before this timer fires.
    if (this.#writing.byteLength > 0) setTimeout(() => process.exit(), CLOSE_MS).unref();
  }

  #formatClient(client: string | undefined): string {
    if (client === undefined || this.#clients === "none") return "";
    return `,"client":"${this.#clients === "full" ? client : toNetwork(client, { ipv4Bytes: 3, ipv6Groups: 3 })}"`;
  }

  #flush(): void {
    if (this.#writing.byteLength > 0) return;
    if (this.#dropped > 0) this.#text += `{"time":"${new Date().toISOString()}","droppedLines":${this.#dropped}}\n`;
    this.#writing = Buffer.from(this.#text);
    this.#text = "";
    this.#dropped = 0;
    this.#writeNext();
  }

  #writeNext(): void {
    const lines = this.#writing;
    if (lines.byteLength === 0) return;
    const end = lines.lastIndexOf(LINE_BREAK, this.#maxPieceBytes - 1) + 1;
    const length = lines.byteLength <= this.#maxPieceBytes || end === 0 ? lines.byteLength : end;
    write(this.#fileDescriptor, lines, 0, length, null, (error, written) => {
      if (error?.code === "EAGAIN") {
        setTimeout(() => this.#writeNext(), RETRY_MS);
        return;
      }
      // A write error, such as a closed pipe, must not stop the server.
      this.#writing = error === null ? lines.subarray(written) : Buffer.alloc(0);
      this.#writeNext();
    });
  }
}
