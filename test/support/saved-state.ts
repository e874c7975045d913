// A database put back to an earlier state under whoever uses it, as an operator does who restores a backup in place.
import { Database } from "bun:sqlite";
import { executePostgres, type TestDatabase } from "./store.ts";

const TABLES = [
  "counters",
  "course_versions",
  "course_contents",
  "lessons",
  "releases",
  "release_courses",
  "publications",
  "former_slugs",
  "keys",
];

/** Statements that take an empty store, or one whose documents are texts, back to the schema of an earlier version. */
export const TO_SCHEMA_2 = [
  ...[
    "assets",
    "asset_names",
    "asset_chunks",
    "asset_uploads",
    "version_assets",
    "course_meta",
    "course_contents",
    "release_sources",
    "kept_answers",
    "hooks",
    "hook_attempts",
    "hook_lease",
  ].map((table) => `drop table ${table}`),
  "alter table release_courses drop column source",
  "alter table releases drop column source_name",
  "drop index lessons_by_digest",
  "drop index releases_kept",
  "alter table lessons drop column written_digest",
  "alter table lessons drop column content_digest",
  "alter table lessons drop column meta",
  "alter table lessons drop column body",
  "alter table course_versions drop column course_body",
  "alter table course_versions drop column lesson_list_body",
  "drop index course_versions_by_base",
  "drop index course_versions_by_id",
  "drop index course_versions_by_slug",
  "alter table course_versions drop column base_id",
  "create index course_versions_by_id on course_versions (project, course_id, published)",
  "create index course_versions_by_slug on course_versions (project, slug, published)",
  "update schema_version set version = 2",
];

/** Keeps the content of all tables aside. */
export async function saveState(database: TestDatabase): Promise<void> {
  await executeAll(
    database,
    TABLES.map((table) => `create table saved_${table} as select * from ${table}`),
  );
}

/** Puts back what `saveState` kept, and does more, in one transaction. */
export async function restoreState(database: TestDatabase, more: string[] = []): Promise<void> {
  const restore = TABLES.flatMap((table) => [
    `delete from ${table}`,
    `insert into ${table} select * from saved_${table}`,
  ]);
  await executeAll(database, [...restore, ...more]);
}

/** Runs statements in one transaction. */
export async function executeAll({ url }: TestDatabase, statements: string[]): Promise<void> {
  const text = ["begin", ...statements, "commit"].join(";\n");
  if (!url.startsWith("sqlite:")) {
    await executePostgres(url, text);
    return;
  }
  const database = new Database(url.slice("sqlite:".length));
  database.run("pragma busy_timeout = 5000");
  database.run(text);
  database.close();
}
