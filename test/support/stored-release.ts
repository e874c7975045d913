// What a release leaves in `test/stored/VERSION`: its database, its sources and its answers.

export const DATABASE = "lectern.db.gz";
export const COURSES = "courses";
export const LINES = "lines.ndjson";

export interface StoredAnswer {
  project: string;
  path: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The headers that never change for one content. */
export const KEPT_HEADERS = ["content-type", "etag", "link", "catalog-release"];

export const toKey = (project: string): string => `stored-${project}-key-0123`;

export const importSource = (project: string, path: string): string[] =>
  `import|${path}|--project|${project}|--public-url|https://courses.example`.split("|");
