import { createPublishingQueries } from "./publishing-queries.ts";
import { openPostgres } from "./postgres.ts";
import { openSqliteToLook } from "./sqlite.ts";

/** Somebody waits with a finger on a key. */
const TIMEOUT_MS = 1000;

/** What has a name that people type. */
export type NameKind = "project" | "channel" | "source";

/**
 * The names of all projects, of a project's channels, or of a channel's sources. Only looks at the database, and waits a second
 * at most. Throws when it is not there or does not answer.
 */
export async function listStoreNames(
  url: string,
  kind: NameKind,
  project: string | undefined,
  channel: string,
): Promise<string[]> {
  const engine = url.startsWith("sqlite:") ? openSqlite(url) : await openPostgresToLook(url);
  try {
    const reader = createPublishingQueries(engine.read);
    if (kind === "project") return await reader.listProjects();
    if (project === undefined) return [];
    if (kind === "channel") return await reader.listChannelNames(project);
    const release = await reader.findCurrentRelease(project, channel);
    return release === undefined ? [] : (await reader.listSources(release)).map(({ name }) => name);
  } finally {
    await engine.close();
  }
}

function openSqlite(url: string) {
  const read = openSqliteToLook(url.slice("sqlite:".length));
  return { read, close: async () => read.close() };
}

async function openPostgresToLook(url: string) {
  const postgres = { poolSize: 1, connectTimeoutMs: TIMEOUT_MS, statementTimeoutMs: TIMEOUT_MS };
  return openPostgres(url, { create: false, schema: "trusted", postgres });
}
