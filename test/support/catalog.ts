// Imports catalogs for tests through the same interface as authors' courses.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openNdjsonFile } from "../../src/content/readers/ndjson.ts";
import { formatProblem } from "../../src/content/source.ts";
import { importCatalog } from "../../src/publishing/import-catalog.ts";
import type { ImportOptions } from "../../src/publishing/import-options.ts";
import type { Store } from "../../src/store/open-store.ts";
import { publishingAt } from "./in-process.ts";
import { createTestFolder } from "./store.ts";

/** A course as an author writes it, unchecked, so that tests can write wrong ones. */
export type AuthoredCourse = Record<string, unknown>;

/** Courses as lines of NDJSON. */
export const toNdjson = (courses: AuthoredCourse[]): string =>
  courses.map((course) => `${JSON.stringify(course)}\n`).join("");

/** Imports courses as the whole catalog of a project; `at` is the import's clock. */
export function importCourses(store: Store, project: string, courses: AuthoredCourse[], at?: string) {
  return importNdjson(store, project, toNdjson(courses), at);
}

/** Imports NDJSON text or bytes unchanged. Problems are as printed; the source is called `courses.ndjson`. */
export async function importNdjson(
  store: Store,
  project: string,
  ndjson: string | Uint8Array,
  at = "2026-01-01T00:00:00.000Z",
  { assetBase, ...options }: Partial<Omit<ImportOptions, "source">> & { assetBase?: string } = {},
) {
  const folder = createTestFolder();
  const path = join(folder.path, "courses.ndjson");
  writeFileSync(path, ndjson);
  const problems: string[] = [];
  try {
    const outcome = await importCatalog({
      ...publishingAt(store, project, at),
      channel: "live",
      source: openNdjsonFile(path, { assetBase: assetBase === undefined ? undefined : new URL(assetBase) }),
      report: (problem) => problems.push(formatProblem(problem).replaceAll(`${folder.path}/`, "")),
      ...options,
    });
    return { outcome, problems };
  } finally {
    folder.remove();
  }
}

/** Imports courses that must have no problems, except reused former addresses. */
export async function publish(store: Store, project: string, courses: AuthoredCourse[], at?: string): Promise<number> {
  const { outcome, problems: all } = await importCourses(store, project, courses, at);
  const problems = all.filter((problem) => !problem.includes("is a former slug of course"));
  if (outcome.status !== "published" || problems.length > 0) {
    throw new Error(`expected a release, got ${outcome.status}: ${problems.join("; ")}`);
  }
  return outcome.release.number;
}
