// Whose address the access log has, behind proxies and without.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStore } from "../../src/store/open-store.ts";
import { runProcess, startServing, type RunningCommand } from "../support/command.ts";
import { send, waitFor } from "../support/server.ts";
import { createTestFolder } from "../support/store.ts";

/** Asks come from 127.0.0.1. */
const TRUSTED = "127.0.0.1, 10.0.0.0/8,2001:db8::/32";

const forwarded: [header: string, client: string][] = [
  ["192.0.2.7", "192.0.2.7"],
  ["  192.0.2.7 ", "192.0.2.7"],
  ["198.51.100.9, 192.0.2.7", "192.0.2.7"],
  ["198.51.100.9,192.0.2.7,10.1.2.3, 127.0.0.1", "192.0.2.7"],
  ["198.51.100.9, 192.0.2.7, 2001:db8::5", "192.0.2.7"],
  ["10.1.2.3, 2001:db9::1", "2001:db9::1"],
  ["::ffff:192.0.2.7, ::ffff:10.1.2.3", "192.0.2.7"],
  ["192.0.2.7, 11.0.0.1", "11.0.0.1"],
  // What somebody else has written left of it does not count, whatever it is.
  ["nonsense, 192.0.2.7", "192.0.2.7"],
  ["10.0.0.1, 10.0.0.2", "127.0.0.1"],
  ["192.0.2.7, nonsense", "127.0.0.1"],
  ["192.0.2.7, nonsense, 10.0.0.1", "127.0.0.1"],
  ["192.0.2.7, ", "127.0.0.1"],
  ["192.0.2.7:8080", "127.0.0.1"],
  ["fe80::1%eth0", "127.0.0.1"],
  ['fe80::1%"', "127.0.0.1"],
  ["192.0.2.300", "127.0.0.1"],
  ["", "127.0.0.1"],
  [",".repeat(9000), "127.0.0.1"],
];

let folder: { path: string; remove: () => void };
let env: Record<string, string>;
beforeAll(async () => {
  folder = createTestFolder();
  env = { LECTERN_DATABASE: `sqlite:${folder.path}/lectern.db` };
  await (await openStore(env["LECTERN_DATABASE"] ?? "", { create: true })).close();
});
afterAll(() => folder.remove());

async function listClients(server: RunningCommand): Promise<string[]> {
  for (const [header] of forwarded) {
    await send(server.url, "/healthz", { headers: header === "" ? {} : { "x-forwarded-for": header } });
  }
  await waitFor(() => server.stdout().split("\n").length > forwarded.length);
  server.kill();
  await server.exited;
  const lines = server.stdout().trimEnd().split("\n");
  return lines.map((line) => (JSON.parse(line) as { client: string }).client);
}

describe("the client in the access log", () => {
  test.each(["1", "2"])("is the rightmost address that is not a trusted proxy's (%s workers)", async (workers) => {
    const options = ["--access-log", "on", "--trust-proxy", TRUSTED, "--workers", workers];
    const clients = await listClients(await startServing(["serve", ...options], { env }));
    // Two workers write in no order.
    const [found, expected] = [clients, forwarded.map(([, client]) => client)];
    expect(workers === "1" ? found : found.sort()).toEqual(workers === "1" ? expected : expected.sort());
  });

  test.each([[[]], [["--trust-proxy", "10.0.0.0/8"]]])(
    "is the connection's address, whatever a header says, if that is not a trusted proxy: %j",
    async (options) => {
      const clients = await listClients(await startServing(["serve", "--access-log", "on", ...options], { env }));
      expect(new Set(clients)).toEqual(new Set(["127.0.0.1"]));
    },
  );

  test.each(["10.0.0.0/33", "10.0.0", "localhost", "10.0.0.0/8/8", "::1/129", "fe80::1%eth0", "10.0.0.1,", ""])(
    "is configured with addresses and networks, and rejects %j",
    async (networks) => {
      const { exitCode, stderr } = await runProcess(["serve", "--trust-proxy", networks], { env });
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining("is neither an address nor a network") as unknown as string,
      ]);
    },
  );
});
