// Processes that run commands for all tests, as many as needed, and one browser; tests reach them through a socket.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandResult } from "./command.ts";
import type { HostedCommand } from "./command-host.ts";

/** The variable with the socket's path, for test processes. */
export const COMMAND_HOSTS_VARIABLE = "TEST_COMMAND_HOSTS";
const HOST = fileURLToPath(new URL("command-host.ts", import.meta.url));

export type CommandHost = ReturnType<typeof startCommandHost>;

/** Runs hosts until this process ends. Returns the path of their socket, and a function that deletes it. */
export function startCommandHosts() {
  const folder = mkdtempSync(join(tmpdir(), "lectern-hosts-"));
  const socket = join(folder, "socket");
  const idle: CommandHost[] = [];
  let browser: Promise<string> | undefined;
  const server = Bun.serve({
    unix: socket,
    async fetch(request) {
      // A command may wait for another one.
      server.timeout(request, 0);
      if (request.method === "GET") return new Response(await (browser ??= startBrowser()));
      const host = idle.pop() ?? startCommandHost();
      const result = await host.run((await request.json()) as HostedCommand);
      idle.push(host);
      return Response.json(result);
    },
    error: (error) => new Response(error.message, { status: 500 }),
  });
  return {
    socket,
    remove() {
      void server.stop(true);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Starts a browser, and returns the address of its socket. */
async function startBrowser(): Promise<string> {
  const { launchBrowser } = await import("./browser.ts");
  return (await launchBrowser()).wsEndpoint();
}

/** Starts a host for a file of tests; `prefix` starts its command line. It ends with this process. */
export function startCommandHost(prefix: string[] = []) {
  let [resolve, reject]: [(result: CommandResult) => void, (error: Error) => void] = [() => {}, () => {}];
  const child = Bun.spawn([...prefix, process.execPath, HOST], {
    ipc: (result: CommandResult) => resolve(result),
    onExit: (_child, exitCode, signal) => reject(new Error(`the command ended its process: ${exitCode ?? signal}`)),
    stdio: ["ignore", "inherit", "inherit"],
  });
  return {
    async run(command: HostedCommand) {
      return new Promise<CommandResult>((...settle) => {
        [resolve, reject] = settle;
        child.send(command);
      });
    },
    async end() {
      reject = () => {};
      child.disconnect();
      await child.exited;
    },
  };
}

/** Runs a command in a host. */
export async function runHosted(socket: string, command: HostedCommand): Promise<CommandResult> {
  const response = await fetch("http://localhost/", { unix: socket, method: "POST", body: JSON.stringify(command) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as CommandResult;
}
