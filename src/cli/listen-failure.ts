// Why a server cannot listen, for whoever started it.
import { CommandFailure } from "./failure.ts";

interface Listening {
  host: string;
  port: number;
  adminHost: string;
  adminPort: number;
}

/** A sentence without its end: why a server cannot listen, from the error of `listen`. */
export function describeListenFault({ code, message = code ?? "" }: { code?: string; message?: string }): string {
  return message
    .replace(/^Failed to start server\. Is port (\d+) in use\?$/, "port $1 is in use")
    .replace(/[.?]+$/, "");
}

/** What to tell of a server that could not start; undefined when listening is not the fault. */
export function toListenFailure(error: unknown, listening: Listening): CommandFailure | undefined {
  const fault = error as { code?: string; message?: string };
  if (fault.code === undefined) return undefined;
  const { host, port, adminHost, adminPort } = listening;
  for (const [flag, address] of [
    ["--host", host],
    ["--admin-host", adminHost],
  ] as const) {
    if (findListenError(address, 0) === undefined) continue;
    return new CommandFailure(
      `Cannot listen on ${address}: this machine has no such address. Give ${flag} one that it has, such as 127.0.0.1.`,
    );
  }
  if (fault.code !== "EADDRINUSE" && fault.code !== "EACCES") return undefined;
  const isNpmStart = process.env["npm_lifecycle_event"] === "start";
  const choice = isNpmStart ? "`npm start -- --port N --admin-port N`" : "--port and --admin-port";
  return new CommandFailure(
    `Cannot listen on ${host} port ${port} and ${adminHost} port ${adminPort}: ${describeListenFault(fault)}. ` +
      `Choose others with ${choice}.`,
  );
}

/** Throws CommandFailure when a port is taken, or an address is none of this machine, before anything is done. */
export function requireFreePorts(listening: Listening): void {
  const { host, port, adminHost, adminPort } = listening;
  const error = findListenError(host, port) ?? findListenError(adminHost, adminPort);
  if (error !== undefined) throw toListenFailure(error, listening) ?? error;
}

function findListenError(hostname: string, port: number): Error | undefined {
  try {
    const server = Bun.serve({ hostname, port, fetch: () => new Response() });
    void server.stop(true);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
