// The log of a SQLite file that others read without a pause, as servers at work do.
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { sql } from "../../src/store/query.ts";
import { openEngine } from "../../src/store/open-store.ts";
import { engines, openTestStore } from "../support/store.ts";

/** Reads one snapshot after the other, each begun before the last one ends; says so when the first is there. */
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
const MAX_WRITTEN_MB = 200;

test("the log is taken over into the file also while others read all the time", async () => {
  const [sqlite] = engines;
  if (sqlite?.name !== "sqlite") throw new Error("the first engine is not SQLite");
  const database = await openTestStore(sqlite);
  const path = database.url.slice("sqlite:".length);
  const engine = await openEngine(database.url, { create: false });
  const reader = Bun.spawn([process.execPath, "-e", READER, path], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    for await (const _ of reader.stdout) break;
    await engine.transact(async (transaction) => transaction.run(sql`create table filler (bytes blob)`));
    const sizes: number[] = [];
    // SQLite by itself lets it grow for as long as this goes on.
    while (sizes.length < MAX_WRITTEN_MB && !sizes.some((size, index) => size < (sizes[index - 1] ?? 0))) {
      await engine.transact(async (transaction) =>
        transaction.run(sql`insert into filler values (${new Uint8Array(MB)})`),
      );
      sizes.push(statSync(`${path}-wal`).size);
    }
    expect(sizes.at(-1)).toBe(0);
  } finally {
    reader.kill();
    await reader.exited;
    await engine.close();
    await database.drop();
  }
});
