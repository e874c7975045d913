// One connection that stays open, for tests that must know which connection an answer came over, or read its bytes as
// they were sent: fetch decides both by itself.
import { connect, type Socket } from "node:net";
import { gunzipSync } from "node:zlib";
import { formatRequest, type RequestOptions } from "../support/server.ts";

export interface SentAnswer {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: Buffer;
}

/** Requests here have no body. */
export type Asked = Omit<RequestOptions, "body">;

const HEAD_END = "\r\n\r\n";

/** A keep-alive connection that takes one request at a time. */
export class Connection {
  readonly socket: Socket;
  #chunks: Buffer[] = [];
  #length = 0;
  #error: Error | undefined;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk) => {
      this.#chunks.push(Buffer.from(chunk));
      this.#length += chunk.length;
      this.#wake();
    });
    const end = (error: Error): void => {
      this.#error ??= error;
      this.#wake();
    };
    socket.on("error", end);
    socket.on("close", () => end(new Error("the connection was closed")));
  }

  /** Throws if the port is closed. */
  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", () => resolve());
      socket.once("error", reject);
    });
    return new Connection(socket);
  }

  /** Sends a request and reads its answer. Throws when the connection ends before that. */
  async ask(path: string, asked: Asked = {}): Promise<SentAnswer> {
    this.socket.write(formatRequest(path, { ...asked, headers: { connection: "keep-alive", ...asked.headers } }));
    return this.#read(asked.method);
  }

  close(): void {
    this.socket.destroy();
  }

  async #read(method?: string): Promise<SentAnswer> {
    const head = await this.#waitUntil(() => this.#join().indexOf(HEAD_END));
    const [statusLine = "", ...lines] = this.#join().subarray(0, head).toString("latin1").split("\r\n");
    const status = Number(statusLine.split(" ")[1]);
    const fields = lines.map((line) => /^([^:]*):(.*)$/.exec(line) ?? []);
    const headers = Object.fromEntries(fields.map(([, name = "", value = ""]) => [name.toLowerCase(), value.trim()]));
    if (headers["transfer-encoding"] !== undefined) throw new Error("an answer without Content-Length");
    const isEmpty = method === "HEAD" || status === 304 || status === 204;
    const end = head + HEAD_END.length + (isEmpty ? 0 : Number(headers["content-length"]));
    await this.#waitUntil(() => (this.#length >= end ? end : -1));
    const received = this.#join();
    this.#chunks = [received.subarray(end)];
    this.#length -= end;
    return { status, headers, body: received.subarray(head + HEAD_END.length, end) };
  }

  #join(): Buffer {
    const [first, second] = this.#chunks;
    const joined = first !== undefined && second === undefined ? first : Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  /** Waits for more bytes until `find` does not return -1. */
  async #waitUntil(find: () => number): Promise<number> {
    for (;;) {
      const found = find();
      if (found !== -1) return found;
      if (this.#error !== undefined) throw this.#error;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** The text of an answer, in whichever coding it came. */
export function decodeBody({ headers, body }: SentAnswer): string {
  const coding = headers["content-encoding"];
  if (coding !== undefined && coding !== "gzip") throw new Error(`unknown coding ${coding}`);
  return (coding === undefined ? body : gunzipSync(body)).toString();
}

/** Makes one request over a connection of its own. */
export async function askOnce(url: string, path: string, asked?: Asked): Promise<SentAnswer> {
  const connection = await Connection.open(url);
  try {
    return await connection.ask(path, asked);
  } finally {
    connection.close();
  }
}

/** Whether nothing listens there any more. */
export async function isRefused(url: string): Promise<boolean> {
  const connection = await Connection.open(url).catch(() => undefined);
  connection?.close();
  return connection === undefined;
}

/** Requests paths in turn over one connection until stopped, and counts. */
export interface Asker {
  readonly answers: number;
  /** What went wrong, first to last; an asker whose connection failed opens another. */
  readonly failures: string[];
  /** Ends it after the answer in progress. */
  stop(): Promise<void>;
}

/**
 * Starts an asker. `check` says what is wrong with an answer; undefined for nothing. A connection that fails counts unless
 * `isExcused`.
 */
export function startAsker(
  url: string,
  next: () => [path: string, asked: Asked] | Promise<[path: string, asked: Asked]>,
  check: (answer: SentAnswer, path: string) => string | undefined,
  isExcused: () => boolean = () => false,
): Asker {
  const state = { isStopped: false };
  let answers = 0;
  const failures: string[] = [];
  const run = async (): Promise<void> => {
    let connection: Connection | undefined;
    while (!state.isStopped) {
      try {
        connection ??= await Connection.open(url);
        const [path, asked] = await next();
        const problem = check(await connection.ask(path, asked), path);
        if (problem !== undefined) failures.push(problem);
        answers++;
      } catch (error) {
        if (!isExcused()) failures.push(`connection: ${error instanceof Error ? error.message : String(error)}`);
        connection?.close();
        connection = undefined;
        await Bun.sleep(20);
      }
    }
    connection?.close();
  };
  const ended = run();
  return {
    get answers() {
      return answers;
    },
    failures,
    async stop() {
      state.isStopped = true;
      await ended;
    },
  };
}
