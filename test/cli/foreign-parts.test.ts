// Triggers, views and rules in a database, which Lectern does not create and which can change what it stores or reads.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publish } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { createTestFolder, engines, openTestStore, sqlite, type TestStore } from "../support/store.ts";

const COURSES = [{ _id: "a", name: "A", chapters: [{ id: "c", name: "C", lessons: [{ id: "l", name: "L" }] }] }];

let database: TestStore;
const run = async (...args: string[]) => runCommand([...args, "--database", database.url]);

describe.each(engines)("doctor on $name", (engine) => {
  beforeEach(async () => {
    database = await openTestStore(engine);
    await publish(database.store, "acme", COURSES);
  });
  afterEach(async () => database.drop());

  test("names what could change the content", async () => {
    const isSqlite = engine.name === "sqlite";
    const statements = isSqlite
      ? [
          "create trigger spy after insert on releases begin update course_versions set slug = 'x'; end",
          "create view shown as select * from releases",
        ]
      : [
          "create function change() returns trigger language plpgsql as 'begin return null; end'",
          "create trigger spy before insert on releases for each row execute function change()",
          "create rule lost as on delete to releases do instead nothing",
          "create table theirs (id integer)",
          "create trigger their_own before insert on theirs for each row execute function change()",
        ];
    for (const statement of statements) await database.execute(statement);
    const { exitCode, stdout } = await run("doctor", "--host", "127.0.0.1");
    expect(exitCode).toBe(4);
    const names = isSqlite ? "trigger spy, view shown" : "rule lost on releases, trigger spy on releases";
    expect(stdout.split("\n").find((line) => line.includes("schema"))).toBe(
      `warning  schema: Lectern did not create these parts, which can change content: ${names}. ` +
        "If you do not need them, drop them, and run `lectern doctor --deep`.",
    );
  });
});

test("a backup with a trigger or a view is not restored, and the trigger does not run", async () => {
  database = await openTestStore(sqlite);
  await publish(database.store, "acme", COURSES);
  const folder = createTestFolder();
  const backup = join(folder.path, "backup.db");
  expect((await run("backup", backup)).exitCode).toBe(0);
  const path = database.url.slice("sqlite:".length);
  await database.store.close();
  const file = new Database(backup);
  file.run("create view shown as select * from releases");
  file.run("create trigger spy after update on store_identity begin update course_versions set slug = 'changed'; end");
  file.close();
  const [before, beforeBackup] = [readFileSync(path), readFileSync(backup)];
  const { exitCode, stderr } = await run("restore", backup);
  expect([exitCode, stderr]).toEqual([
    1,
    `lectern: ${backup} has parts that Lectern did not create, and that can change content: trigger spy, view shown. ` +
      "Nothing was changed. Use another backup, or drop them in a copy of this one.\n",
  ]);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readFileSync(backup).equals(beforeBackup)).toBe(true);
  await database.drop();
  folder.remove();
});
