import { partTarget } from "../request/request-url.ts";

/** A buffer of this many bytes is full. */
export const FULL_BYTES = 64 * 1024;
/** Keeps a line below 4096 bytes in any script: a character takes 3 bytes at most. */
const MAX_PATH_CHARACTERS = 1000;
/** Room for the last line, even if each character of its path were escaped in six bytes, such as `\u0000`. */
const MAX_LINE_BYTES = 8 * 1024;
const [LINE_BREAK, DOT, ZERO, CLOSING_BRACE] = [10, 46, 48, 125];

const encoder = new TextEncoder();

/** A request that was answered. */
export interface AnsweredRequest {
  method: string;
  /** Undecoded path and query. */
  target: string;
  status: number;
  durationMs: number;
  /** When it was answered. */
  nowMs: number;
}

/**
 * Lines of the access log as bytes. A line is put together from parts that are bytes already; only a path that must be escaped
 * or cut, and an unusual duration, are made as strings, which costs more than twice as much.
 */
export class LineBuffer {
  readonly bytes = Buffer.alloc(FULL_BYTES + MAX_LINE_BYTES);
  readonly #view = new DataView(this.bytes.buffer, this.bytes.byteOffset);
  #end = 0;
  #headMs = NaN;
  #headMethod = "";
  #head = new Uint8Array();
  #tailStatus = NaN;
  #tail = new Uint8Array();

  /** The number of bytes in it. */
  get end(): number {
    return this.#end;
  }

  /** Whether it must be emptied before the next line. */
  get isFull(): boolean {
    return this.#end > FULL_BYTES;
  }

  /** Appends the line of a request. */
  appendRequest(request: AnsweredRequest): void {
    const start = this.#end;
    this.#append(this.#headOf(request.method, request.nowMs));
    if (this.#appendPlainPath(request.target)) {
      this.#append(this.#tailOf(request.status));
      this.#appendDuration(Math.round(request.durationMs * 1000));
    } else {
      this.#end = start;
      this.appendText(formatLine(request));
    }
  }

  /** Appends a short text. */
  appendText(text: string): void {
    this.#end += this.bytes.write(text, this.#end);
  }

  empty(): void {
    this.#end = 0;
  }

  #append(part: Uint8Array): void {
    this.bytes.set(part, this.#end);
    this.#end += part.length;
  }

  /** Under load many lines in a row have the same millisecond. */
  #headOf(method: string, nowMs: number): Uint8Array {
    if (nowMs !== this.#headMs || method !== this.#headMethod) {
      this.#headMs = nowMs;
      this.#headMethod = method;
      this.#head = encoder.encode(formatHead(method, nowMs));
    }
    return this.#head;
  }

  #tailOf(status: number): Uint8Array {
    if (status !== this.#tailStatus) {
      this.#tailStatus = status;
      this.#tail = encoder.encode(formatTail(status));
    }
    return this.#tail;
  }

  /** False for a path that is not the same in JSON, or too long. What it has appended is no good then. */
  #appendPlainPath(target: string): boolean {
    const { path } = partTarget(target);
    if (path.length < 4 || path.length > MAX_PATH_CHARACTERS) return false;
    const start = this.#end;
    this.#end += this.bytes.write(path, start);
    return isPlain(this.#view, start, this.#end);
  }

  /** Milliseconds as JavaScript prints them, without zeros at the end. */
  #appendDuration(us: number): void {
    if (!(us >= 0 && us < 1_000_000)) {
      this.appendText(`${us / 1000}}\n`);
      return;
    }
    const { bytes } = this;
    let end = this.#end;
    const ms = Math.trunc(us / 1000);
    if (ms >= 100) bytes[end++] = ZERO + Math.trunc(ms / 100);
    if (ms >= 10) bytes[end++] = ZERO + (Math.trunc(ms / 10) % 10);
    bytes[end++] = ZERO + (ms % 10);
    const rest = us % 1000;
    if (rest > 0) bytes[end++] = DOT;
    if (rest > 0) bytes[end++] = ZERO + Math.trunc(rest / 100);
    if (rest % 100 > 0) bytes[end++] = ZERO + (Math.trunc(rest / 10) % 10);
    if (rest % 10 > 0) bytes[end++] = ZERO + (rest % 10);
    bytes[end++] = CLOSING_BRACE;
    bytes[end++] = LINE_BREAK;
    this.#end = end;
  }
}

/** Whether at least 4 bytes are ASCII that JSON does not escape: neither control characters nor `"` nor `\`. */
function isPlain(view: DataView, start: number, end: number): boolean {
  const last = end - 4;
  let marks = marksOf(view.getInt32(last, true));
  for (let at = start; at < last; at += 4) marks |= marksOf(view.getInt32(at, true));
  return (marks & 0x80808080) === 0;
}

/**
 * Looks at four bytes at once, which takes half the time of a regular expression. The uppermost bit of a byte is set where it
 * is not ASCII, and where what is subtracted is more than there is: from less than a blank, from `"` or `\` made 0.
 */
function marksOf(four: number): number {
  return four | (four - 0x20202020) | ((four ^ 0x22222222) - 0x01010101) | ((four ^ 0x5c5c5c5c) - 0x01010101);
}

function formatHead(method: string, nowMs: number): string {
  return `{"time":"${new Date(nowMs).toISOString()}","method":"${method}","path":"`;
}

function formatTail(status: number): string {
  return `","status":${status},"durationMs":`;
}

function formatLine({ method, target, status, durationMs, nowMs }: AnsweredRequest): string {
  const { path } = partTarget(target);
  const shown = path.length > MAX_PATH_CHARACTERS ? `${path.slice(0, MAX_PATH_CHARACTERS)}…` : path;
  const duration = Math.round(durationMs * 1000) / 1000;
  return `${formatHead(method, nowMs)}${JSON.stringify(shown).slice(1, -1)}${formatTail(status)}${duration}}\n`;
}
