import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createCatalogClient } from "../../packages/client/src/catalog-client.ts";
import { publish } from "../support/catalog.ts";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { createKey, send, waitFor } from "../support/server.ts";
import { createTestFolder, useTestStore } from "../support/store.ts";

const lessons = [
  { id: "one", name: "Brewing <b>", additionalText: '<h2 id="water">Hot water</h2><p>Water & patience</p>' },
  { id: "two", name: "Two", additionalText: "<p>Nothing of it</p>" },
];
const COURSES = [{ _id: "tea", slug: "tea", name: "Tea", tags: ["drinks"], chapters: [{ name: "A", lessons }] }];

describe("lectern search, get and serve", () => {
  let env: Record<string, string>;
  let server: RunningCommand | undefined;
  const folder = createTestFolder();
  const database = useTestStore(undefined, async () => {
    await publish(database.store, "acme", COURSES);
    env = { LECTERN_DATABASE: database.url, LECTERN_PROJECT: "acme", LECTERN_SEARCH_DIR: join(folder.path, "search") };
    return async () => {
      server?.kill();
      await server?.exited;
      folder.remove();
    };
  });

  test.each<[args: string[], exitCode: number, stdout: string | RegExp, stderr?: RegExp]>([
    [
      ["search", "water", "pat"],
      0,
      /^Tea › Brewing <b> › Hot water\n {2}tea\/one#water\n {2}Hot water Water & patience\n\n1 found/,
    ],
    [["search", "nowhere"], 0, /^Nothing found\. /],
    [["search", "water", "--course", "tea", "--tag", "drinks", "--offset", "1"], 0, "1 found.\n"],
    [["search", "t", "--json"], 2, "", /a single letter/],
    [["search", "water", "--course", "coffee"], 1, "", /Course not found/],
    [["search", "water", "--search-dir", "/dev/null/below"], 1, "", /ENOTDIR/],
    [["search", "water", "--json"], 0, /^\{"total":1,"results":\[\{"courseId":"tea",/],
    [["get", "/api/v1/search?q=water"], 0, /^HTTP 200\n[^]*"total":1,/],
  ])("%j", async (args, exitCode, stdout, stderr = /^/) => {
    const result = await runCommand(args, { env });
    expect(result.stderr).toMatch(stderr);
    expect([result.exitCode, result.stdout]).toEqual([
      exitCode,
      typeof stdout === "string" ? stdout : expect.stringMatching(stdout),
    ]);
  });

  test("find the same through workers and through the client", async () => {
    const apiKey = await createKey(database.store, "acme");
    server = await startServing(["serve", "--workers", "2"], { env });
    const client = createCatalogClient({ baseUrl: new URL(server.url).origin, apiKey });
    const expected = { total: 1, results: [expect.objectContaining({ lessonId: "one", headingId: "water" })] };
    for (const text of ["wat", "water pat", "hot"]) expect(await client.search(text)).toEqual(expected);
    expect(await client.search("water", { tag: ["drinks"], course: "tea", limit: 5 })).toEqual(expected);
    expect(await (await client.pinned()).search("nowhere")).toEqual({ total: 0, results: [] });
    const refused = await client.search("w").catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining("a single letter") });
    await publish(database.store, "acme", [{ ...COURSES[0], name: "Green tea" }]);
    await waitFor(async () => (await client.search("green")).total === 1);
    server.kill();
    expect(await server.exited).toBe(0);
  });

  test("do not offer the path with --search off", async () => {
    const key = await createKey(database.store, "acme");
    server = await startServing(["serve", "--search", "off"], { env });
    expect((await send(server.url, "/api/v1/search?q=water", { key })).status).toBe(404);
    expect((await send(server.url, "/api/v1/courses", { key })).status).toBe(200);
  });
});
