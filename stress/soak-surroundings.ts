// The environment of a soak: its own PostgreSQL, database sizes, and lesson files.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createContent } from "../test/support/assets.ts";
import { runProcess } from "../test/support/command.ts";
import { PostgresFolder, PostgresServer } from "../test/support/postgres.ts";
import { executePostgres, type TestDatabase } from "../test/support/store.ts";

const FILMS = 5;
/** A server's usual autovacuum, with shorter intervals for a short run. */
const POSTGRES_SETTINGS = ["autovacuum=on", "autovacuum_naptime=5s", "max_wal_size=64MB", "checkpoint_timeout=30s"];

export async function startPostgres(): Promise<{ server: PostgresServer; database: TestDatabase }> {
  const folder = new PostgresFolder();
  folder.createCluster("soak");
  const server = new PostgresServer(folder, "soak", POSTGRES_SETTINGS);
  await server.start();
  const url = `${server.url}/postgres`;
  return { server, database: { url, execute: async (sql) => executePostgres(url, sql), drop: async () => {} } };
}

/** Returns the sizes of the database and its log, in MB. */
export async function measureDatabase(database: TestDatabase, isPostgres: boolean): Promise<[number, number]> {
  if (isPostgres) {
    const sizes = `select pg_database_size(current_database()) as data, (select sum(size) from pg_ls_waldir())::bigint as log`;
    const [row] = (await database.execute(sizes)) as [{ data: number; log: number }];
    return [row.data / 2 ** 20, row.log / 2 ** 20];
  }
  const path = database.url.slice("sqlite:".length);
  const sizeOf = (file: string): number => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) / 2 ** 20;
  return [sizeOf(path), sizeOf(`${path}-wal`)];
}

/** Publishes a lesson with a new file and downloads it. Returns the faults. */
export async function publishFile(
  database: string,
  serverUrl: string,
  folder: string,
  cycle: number,
): Promise<string | undefined> {
  // Few files in turn, because unreferenced ones stay for a day.
  const film = createContent(100_000, cycle % FILMS);
  const source = join(folder, "films/course");
  mkdirSync(source, { recursive: true });
  writeFileSync(join(source, "1-film.md"), `[Film ${cycle}](film.mp4)`);
  writeFileSync(join(source, "film.mp4"), film);
  const scope = ["--project", "films", "--database", database];
  const args = ["import", join(source, ".."), "--keep", "1", "--public-url", serverUrl, ...scope];
  const { exitCode, stdout, stderr } = await runProcess(args);
  const get = async (path: string): Promise<string> =>
    (await runProcess(["get", `/api/v1/courses/course/lessons${path}`, ...scope])).stdout;
  const [, id = ""] = /"id":\s*"([^"]+)"/.exec(await get("")) ?? [];
  const [url = ""] = /http:\/\/127[^"\\]+film\.mp4/.exec(await get(`/${id}`)) ?? [];
  const sent = exitCode === 0 && url !== "" ? await (await fetch(url)).bytes() : Buffer.of();
  return Bun.deepEquals(film, Uint8Array.from(sent))
    ? undefined
    : `a downloaded file differs: ${url} ${stdout} ${stderr}`;
}
