// Puts a database back to an earlier state while it is used, as restoring a backup in place does.
import { Database } from "bun:sqlite";
import { executePostgres, type TestDatabase } from "./store.ts";

const TABLES = `counters course_versions version_chapters lesson_versions version_lessons releases release_courses
  publications former_slugs keys`.split(/\s+/);

/** Saves the content of all tables. */
export async function saveState(database: TestDatabase): Promise<void> {
  const save = TABLES.map((table) => `create table saved_${table} as select * from ${table}`);
  await executeAll(database, save);
}

/** Restores what `saveState` saved, and runs more statements, in one transaction. */
export async function restoreState(database: TestDatabase, more: string[] = []): Promise<void> {
  const restore = TABLES.map((table) => `delete from ${table}; insert into ${table} select * from saved_${table}`);
  await executeAll(database, [...restore, ...more]);
}

/** Runs statements in one transaction. */
export async function executeAll({ url }: TestDatabase, statements: string[]): Promise<void> {
  const text = ["begin", ...statements, "commit"].join(";\n");
  if (!url.startsWith("sqlite:")) return void (await executePostgres(url, text));
  const database = new Database(url.slice("sqlite:".length));
  database.run("pragma busy_timeout = 5000");
  database.run(text);
  database.close();
}
