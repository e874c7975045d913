// The log of a SQLite file under constant reads, as from busy servers.
import { expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { startAsker } from "../read-path/connection.ts";
import { publish } from "../support/catalog.ts";
import { startCommand, startServing } from "../support/command.ts";
import { createKey, waitFor } from "../support/server.ts";
import { createTestFolder, openTestStore, sqlite } from "../support/store.ts";

/** Reads overlapping snapshots without a gap; prints a line once the first is open. */
const READER = `
const { Database } = require("bun:sqlite");
const begin = (handle) => { handle.run("begin"); handle.query("select count(*) from counters").get(); };
let [one, other] = [1, 2].map(() => new Database(process.argv[1]));
begin(one);
console.log("reading");
setInterval(() => {
  begin(other);
  one.run("rollback");
  [one, other] = [other, one];
}, 2);
`;
const MB = 1024 * 1024;

/** The log is moved into the file at 16 MB; an import's transaction and concurrent readers may add to that. */
const MAX_LOG_BYTES = 28 * MB;
const IMPORTED_BYTES = 40 * MB;

test("the log stays small while an import writes far more and a server and others keep reading", async () => {
  const database = await openTestStore(sqlite);
  const path = database.url.slice("sqlite:".length);
  const lessons = Array.from({ length: 500 }, (_, n) => ({ id: `l${n}`, name: "L", additionalText: "x".repeat(5000) }));
  await publish(database.store, "acme", [{ _id: "a", name: "A", chapters: [{ name: "A", lessons }] }]);
  const key = await createKey(database.store, "acme");
  // No cache, so that each answer reads the database.
  const server = await startServing(["serve", "--cache-size", "0"], { env: { LECTERN_DATABASE: database.url } });
  let count = 0;
  const ask = async (): Promise<[string, { key: string }]> => {
    // The other reader keeps snapshots open; this one only leaves the import its share of the processors.
    await Bun.sleep(2);
    return [`/api/v1/courses/a/lessons/l${count++ % 500}`, { key }];
  };
  const asker = startAsker(server.url, ask, ({ status }, asked) => (status === 200 ? undefined : `${status} ${asked}`));
  const reader = Bun.spawn([process.execPath, "-e", READER, path], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const _ of reader.stdout) break;
  const folder = createTestFolder();
  const file = `${folder.path}/courses.ndjson`;
  writeFileSync(file, createIncompressible(IMPORTED_BYTES));
  const importing = startCommand(["import", file, "--project", "other", "--database", database.url]);
  let most = 0;
  while (importing.exitCode === null) {
    most = Math.max(most, statSync(`${path}-wal`).size);
    await Bun.sleep(5);
  }
  expect(importing.exitCode).toBe(0);
  expect(most).toBeLessThan(MAX_LOG_BYTES);
  expect(statSync(path).size).toBeGreaterThan(IMPORTED_BYTES / 2);
  expect(statSync(`${path}-wal`).size).toBeLessThan(MAX_LOG_BYTES);
  reader.kill();
  await reader.exited;
  await waitFor(() => asker.answers > 0);
  await asker.stop();
  expect(asker.failures).toEqual([]);
  server.kill();
  await server.exited;
  folder.remove();
  await database.drop();
});

/** Courses whose lessons compress to three quarters at best. */
function createIncompressible(bytes: number): string {
  const createText = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString("base64");
  let text = "";
  for (let course = 0; text.length < bytes; course++) {
    const lessons = Array.from({ length: 10 }, (_, n) => ({ id: `l${n}`, name: "L", additionalText: createText() }));
    text += `${JSON.stringify({ _id: `c${course}`, name: `C ${course}`, chapters: [{ name: "A", lessons }] })}\n`;
  }
  return text;
}
