// Whose address the access log has, behind proxies and without.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStore } from "../../src/store/open-store.ts";
import { runCommand, startServing } from "../support/command.ts";
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

/** The clients of all requests, in their order. */
async function listClients(options: string[]): Promise<string[]> {
  const server = await startServing(["serve", "--access-log", "on", ...options], { env });
  for (const [index, [header]] of forwarded.entries()) {
    await send(server.url, `/${index}`, { headers: header === "" ? {} : { "x-forwarded-for": header } });
  }
  await waitFor(() => server.stdout().split("\n").length > forwarded.length);
  server.kill();
  await server.exited;
  const lines = server.stdout().trimEnd().split("\n");
  const parsed = lines.map((line) => JSON.parse(line) as { client: string; path: string });
  return forwarded.map((_, index) => parsed.find(({ path }) => path === `/${index}`)?.client ?? "");
}

describe("the client in the access log", () => {
  test("is the rightmost address that is not a trusted proxy's", async () => {
    const clients = await listClients(["--trust-proxy", TRUSTED, "--workers", "2"]);
    expect(clients).toEqual(forwarded.map(([, client]) => client));
  });

  test("is the connection's address, whatever a header says, if that is not a trusted proxy", async () => {
    const clients = await listClients(["--trust-proxy", "10.0.0.0/8"]);
    expect(new Set(clients)).toEqual(new Set(["127.0.0.1"]));
  });

  test.each(["10.0.0.0/33", "localhost", "10.0.0.0/8/8", "::1/129", "fe80::1%eth0", "10.0.0.1,", ""])(
    "is configured with addresses and networks, and rejects %j",
    async (networks) => {
      const { exitCode, stderr } = await runCommand(["serve", "--trust-proxy", networks], { env });
      expect(exitCode).toBe(2);
      expect(stderr).toContain("is neither an address nor a network");
    },
  );
});
