// The log of a SQLite file under constant reads, as from busy servers.
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { startAsker } from "../read-path/connection.ts";
import { publish } from "../support/catalog.ts";
import { startCommand, startServing } from "../support/command.ts";
import { createKey, waitFor } from "../support/server.ts";
import { openTestStore } from "../support/store.ts";
import { writeFolder } from "../support/written-folder.ts";

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

const IMPORTED_BYTES = 96 * MB;
/** The log is moved into the file at 16 MB, and at each further 16 MB if a reader was not scheduled in time. */
const MAX_LOG_BYTES = 64 * MB;

test("the log stays small while an import writes far more and a server and others keep reading", async () => {
  const database = await openTestStore();
  const path = database.url.slice("sqlite:".length);
  await publish(database.store, "acme", [{ _id: "a", name: "A" }]);
  const key = await createKey(database.store, "acme");
  // No cache, so that each answer reads the database.
  const server = await startServing(["serve", "--cache-size", "0"], { env: { LECTERN_DATABASE: database.url } });
  const ask = async (): Promise<[string, { key: string }]> => {
    // The other reader keeps snapshots open; this one only leaves the import its share of the processors.
    await Bun.sleep(10);
    return ["/api/v1/courses/a", { key }];
  };
  const asker = startAsker(server.url, ask, ({ status }, asked) => (status === 200 ? undefined : `${status} ${asked}`));
  const reader = Bun.spawn([process.execPath, "-e", READER, path], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const _ of reader.stdout) break;
  const films = [1, 2, 3].map((part) => [`a/${part}.mp4`, Buffer.alloc(IMPORTED_BYTES / 3, part)] as const);
  const links = films.map(([, film]) => `[Film ${film[0]}](${film[0]}.mp4)`);
  const folder = writeFolder({ "a/1-l.md": links.join("\n"), ...Object.fromEntries(films) });
  const args = ["import", folder, "--project", "other", "--public-url", "https://catalog.example"];
  const importing = startCommand([...args, "--database", database.url]);
  let most = 0;
  while (importing.exitCode === null) {
    most = Math.max(most, statSync(`${path}-wal`).size);
    await Bun.sleep(5);
  }
  expect(importing.exitCode).toBe(0);
  expect(most).toBeLessThan(MAX_LOG_BYTES);
  expect(statSync(`${path}-wal`).size).toBeLessThan(MAX_LOG_BYTES);
  reader.kill();
  await reader.exited;
  await waitFor(() => asker.answers > 0);
  await asker.stop();
  expect(asker.failures).toEqual([]);
  server.kill();
  await server.exited;
  await database.drop();
});
