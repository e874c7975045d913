// Queries are values: nothing happens before an engine is given one.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Engine } from "../../src/store/engine.ts";
import { openEngine } from "../../src/store/open-store.ts";
import { list, raw, sql } from "../../src/store/query.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";

describe.each(engines)("a query on $name", (testEngine) => {
  let database: TestStore;
  let engine: Engine;
  beforeAll(async () => {
    database = await openTestStore(testEngine);
    engine = await openEngine(database.url, { create: false });
  });
  afterAll(async () => {
    await engine.close();
    await database.drop();
  });

  const countRows = async (): Promise<unknown> => {
    const [row] = await database.execute("select count(*) as n from counters");
    return row;
  };

  test("does not run by being made or awaited, alone or as a part of another", async () => {
    const insert = sql`insert into counters (name, value) values (${"a"}, ${1})`;
    // oxlint-disable-next-line typescript/await-thenable -- that it is none is what this shows
    const awaited = await sql`${insert} returning name`;
    expect(await countRows()).toEqual({ n: 0 });
    expect(await engine.transact(async (transaction) => transaction.run(awaited))).toEqual([{ name: "a" }]);
    expect(await countRows()).toEqual({ n: 1 });
    await engine.transact(async (transaction) => transaction.run(sql`delete from counters`));
  });

  test("takes values, parts with values of their own and lists in the order of the text, as often as it is run", async () => {
    await engine.transact(async (transaction) => {
      const rows = ["a", "b", "c", "d"].map((name, index) => ({ name, value: index }));
      await transaction.insert("counters", rows);
    });
    const condition = sql`name in ${list(["b", "c", "d"])} and value < ${3}`;
    const query = sql<{ name: string; value: number }>`
      select name, value from ${raw("counters")} where value > ${0} and ${condition} and name <> ${"?"} order by name`;
    for (const _ of [1, 2]) {
      expect([...(await engine.read.run(query))]).toEqual([
        { name: "b", value: 1 },
        { name: "c", value: 2 },
      ]);
    }
    expect(() => list([])).toThrow("cannot be empty");
  });

  test("sees at once what its own process commits, also beside others that have just been run", async () => {
    const query = sql<{ value: number }>`select value from counters where name = ${"seen"}`;
    const change = sql`insert into counters (name, value) values (${"seen"}, ${1})`;
    // Nothing here waits for anything but the database: on SQLite all of it happens in one go.
    expect([...(await engine.read.run(query))]).toEqual([]);
    await engine.transact(async (transaction) => transaction.run(change));
    expect([...(await engine.read.run(query))]).toEqual([{ value: 1 }]);
  });

  test("sees what others have committed once it has turned to what came in", async () => {
    const query = sql<{ value: number }>`select value from counters where name = ${"others"}`;
    await engine.read.run(query);
    await database.execute("insert into counters (name, value) values ('others', 1)");
    await new Promise(setImmediate);
    expect([...(await engine.read.run(query))]).toEqual([{ value: 1 }]);
  });

  test("is answered however many different ones came before, while few stay prepared", async () => {
    const widths = [1, 2, 3, 120, 121, 1, 2];
    const all = [...Array.from({ length: 110 }, (_, index) => index + 1), ...widths];
    for (const width of all) {
      const names = Array.from({ length: width }, (_, index) => (index === 0 ? "a" : `none-${index}`));
      const rows = await engine.read.run(sql<{ name: string }>`select name from counters where name in ${list(names)}`);
      expect([...rows]).toEqual([{ name: "a" }]);
    }
  });
});
