import { connect, type Socket } from "node:net";
import { formatRequest } from "../support/server.ts";

/** A client that has read the first bytes of an answer, and stops until told to continue. */
export interface SlowReader {
  socket: Socket;
  status: number;
  /** Reads on to the end of the answer. */
  text: () => Promise<string>;
}

/** Asks for something over a connection of its own. Resolves with the first bytes of the answer. */
export async function startSlowReader(url: string, path: string, key: string): Promise<SlowReader> {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port) });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(Buffer.from(chunk)));
  socket.on("error", () => {});
  await new Promise<void>((resolve) => {
    socket.once("data", () => {
      socket.pause();
      resolve();
    });
    socket.write(formatRequest(path, { key }));
  });
  return {
    socket,
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(Buffer.concat(chunks).toString("latin1"))?.[1]),
    async text() {
      const end = new Promise<void>((resolve) => socket.once("close", () => resolve()));
      socket.resume();
      await end;
      const bytes = Buffer.concat(chunks);
      return bytes.subarray(bytes.indexOf("\r\n\r\n") + 4).toString();
    },
  };
}
