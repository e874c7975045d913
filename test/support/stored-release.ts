// What a release leaves in `test/stored/VERSION`: its database, its sources and its answers.

import { send } from "./server.ts";

export const DATABASE = "lectern.db.gz";
export const COURSES = "courses";
export const LINES = "lines.ndjson";

/** The headers that never change for one content. */
const KEPT_HEADERS = ["content-type", "etag", "link", "catalog-release"];

export const toKey = (project: string): string => `stored-${project}-key-0123`;

export type StoredAnswer = Awaited<ReturnType<typeof readAnswer>>;

export async function readAnswer(url: string, project: string, path: string) {
  const { status, headers, text } = await send(url, path, path.startsWith("/api") ? { key: toKey(project) } : {});
  const kept = KEPT_HEADERS.map((name) => [name, headers.get(name)]).filter(([, value]) => value !== null);
  return { project, path, status, headers: Object.fromEntries(kept) as Record<string, string>, body: text };
}

export const importSource = (project: string, path: string): string[] =>
  `import|${path}|--project|${project}|--public-url|https://courses.example`.split("|");
