// Raw socket clients: some read nothing, some disconnect, some read slowly.
import { connect, type Socket } from "node:net";

/** The number of answers by status; status 0 is a connection that closed without an answer. */
export type Statuses = Map<number, number>;

export interface HostileClient {
  readonly statuses: Statuses;
  /** Sends a request and disconnects. */
  leave(path: string, encoding?: string): Promise<void>;
  /** Sends a request, once or repeatedly on one connection, and reads only the first bytes. */
  stall(path: string, options?: { encoding?: string; times?: number }): Promise<void>;
  /** Sends a request and reads its answer. */
  read(path: string, encoding?: string): Promise<void>;
  /** Closes all open connections. */
  close(): void;
}

/** Clients of a local server that share a key. */
export function createHostileClient(port: number, key: string): HostileClient {
  const statuses: Statuses = new Map();
  const sockets = new Set<Socket>();

  const open = async (): Promise<Socket> => {
    const socket = connect({ host: "127.0.0.1", port });
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    await new Promise<void>((resolve) => {
      socket.once("connect", () => resolve());
      socket.once("close", () => resolve());
    });
    return socket;
  };
  const format = (path: string, encoding: string): string =>
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\naccept-encoding: ${encoding}\r\n`;
  const count = (status: number): void => void statuses.set(status, (statuses.get(status) ?? 0) + 1);
  /** Resolves with an answer's first bytes, or none if the connection closes before them. */
  const readFirst = async (socket: Socket): Promise<Buffer> =>
    new Promise((resolve) => {
      socket.once("data", (chunk) => resolve(Buffer.from(chunk)));
      socket.once("close", () => resolve(Buffer.alloc(0)));
    });
  const countFirst = async (socket: Socket): Promise<void> => {
    const head = (await readFirst(socket)).toString("latin1");
    count(Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0));
  };

  return {
    statuses,
    async leave(path, encoding = "identity") {
      const socket = await open();
      await new Promise<void>((resolve) => socket.write(`${format(path, encoding)}\r\n`, () => resolve()));
      // Gives the server time to read the request.
      await Bun.sleep(5);
      socket.destroy();
    },
    async stall(path, { encoding = "identity", times = 1 } = {}) {
      const socket = await open();
      socket.write(`${format(path, encoding)}\r\n`.repeat(times));
      await countFirst(socket);
      socket.pause();
    },
    async read(path, encoding = "identity") {
      const socket = await open();
      socket.write(`${format(path, encoding)}connection: close\r\n\r\n`);
      const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
      await countFirst(socket);
      socket.on("data", () => {});
      await ended;
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
