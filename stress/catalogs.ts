// Catalogs for attacks: a project of the largest supported size, and a small one whose readers must not be affected.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIVE_CHANNEL } from "../src/catalog/store.ts";
import { issueKey } from "../src/keys/issue-key.ts";
import { openNdjsonFile } from "../src/content/readers/ndjson.ts";
import { importCatalog } from "../src/publishing/import-catalog.ts";
import { openStore, type Store } from "../src/store/open-store.ts";
import { SCHEMA_VERSION } from "../src/store/schema.ts";

export interface CatalogSize {
  courses: number;
  /** Lessons in each of two courses: one has a single chapter, the other a chapter for every second lesson. */
  lessons: number;
  /** Lessons of 60 KB in a third course, which compress to more than half their size. */
  mediumLessons: number;
  /** The number of courses with one lesson of 5 MB. */
  largeLessons: number;
}

export interface StressCatalog extends CatalogSize {
  database: string;
  /** The keys of both projects. */
  attackersKey: string;
  readersKey: string;
}

export const LIST = "/api/v1/courses";
/** Each release changes one lesson in each long course. */
export const RELEASES = 4;
export const LONG_COURSE = "long-course";
export const CHAPTERS_COURSE = "chapters-course";
/** A course of lessons with the longest names. */
export const NAMES_COURSE = "names-course";
/** Returns the slug of a long course. */
export const slugOf = (course: string): string => `${course}-slug`;
export const MEDIUM_COURSE = "medium-course";
export const HEAVY_COURSE = "heavy-course";
export const SMALL_COURSES = 20;
const NAMED_LESSONS = 12_000;
const LONG_NAME_CHARACTERS = 900;
const MEDIUM_LESSON_WORDS = 4500;
const LARGE_LESSON_CHARACTERS = 5_000_000;
const AT = new Date("2026-01-01T00:00:00Z");

/** Imports the catalogs into a database in `folder`, unless they are there already. */
export async function prepareCatalogs(folder: string, size: CatalogSize): Promise<StressCatalog> {
  // Another version of the schema may store courses differently.
  const base = join(folder, [...Object.values(size), `releases${RELEASES}`, `schema${SCHEMA_VERSION}`].join("-"));
  const database = `sqlite:${base}/lectern.db`;
  const keysPath = join(base, "keys.json");
  if (!existsSync(keysPath)) {
    rmSync(base, { recursive: true, force: true });
    mkdirSync(base, { recursive: true });
    const store = await openStore(database, { create: true });
    for (let release = 1; release <= RELEASES; release++) {
      await importProject(store, base, "attacked", listAttackedCourses(size, release));
    }
    await importProject(store, base, "beside", listSmallCourses());
    const create = async (project: string): Promise<string> =>
      (await issueKey(store.keys, { project, channel: LIVE_CHANNEL, name: "", drafts: false })).secret;
    const keys = { attackersKey: await create("attacked"), readersKey: await create("beside") };
    await store.close();
    writeFileSync(keysPath, JSON.stringify(keys), { mode: 0o600 });
  }
  const keys = (await Bun.file(keysPath).json()) as Pick<StressCatalog, "attackersKey" | "readersKey">;
  return { ...size, database, ...keys };
}

async function importProject(store: Store, folder: string, project: string, lines: Iterable<object>): Promise<void> {
  const path = join(folder, `${project}.ndjson`);
  const writer = Bun.file(path).writer();
  for (const line of lines) {
    await writer.write(`${JSON.stringify(line)}\n`);
  }
  await writer.end();
  const outcome = await importCatalog({
    project,
    channel: LIVE_CHANNEL,
    source: openNdjsonFile(path, { assetBase: undefined }),
    store: store.publishing,
    now: () => AT,
    report: (problem) => console.error(problem),
  });
  rmSync(path);
  if (outcome.status !== "published") throw new Error(`The catalog ${project} was not published: ${outcome.status}.`);
}

function* listAttackedCourses(
  { courses, lessons, mediumLessons, largeLessons }: CatalogSize,
  release: number,
): Generator<object> {
  for (let n = 0; n < courses; n++) {
    // The first thousand courses have summaries of 3 KB, which makes the largest list pages.
    const thumbnail = n < 1000 ? `https://cdn.example.org/${"a".repeat(2700)}.png` : "";
    yield { _id: `course-${n}`, slug: `slug-${n}`, name: `Course ${n} about something`, thumbnail };
  }
  const nameLesson = (n: number) => ({
    id: `l-${n}`,
    name: `Lesson number ${n}${n === release ? `, ${release}` : ""}`,
  });
  const createLong = (id: string, chapters: object[]) => ({ _id: id, slug: slugOf(id), name: id, chapters });
  yield createLong(LONG_COURSE, [{ name: "All", lessons: Array.from({ length: lessons }, (_, n) => nameLesson(n)) }]);
  yield createLong(
    CHAPTERS_COURSE,
    Array.from({ length: lessons / 2 }, (_, n) => {
      return { id: `c-${n}`, name: `Chapter ${n}`, lessons: [nameLesson(2 * n), nameLesson(2 * n + 1)] };
    }),
  );
  const longNames = Array.from({ length: NAMED_LESSONS }, (_, n) => {
    const { id, name } = nameLesson(n);
    return { id, name: `${name} ${"long name ".repeat(LONG_NAME_CHARACTERS / 10)}` };
  });
  yield createLong(NAMES_COURSE, [{ name: "All", lessons: longNames }]);
  const words = (n: number): string =>
    Array.from({ length: MEDIUM_LESSON_WORDS }, (_, word) => Bun.hash(`${n} ${word}`).toString(36)).join(" ");
  yield {
    _id: MEDIUM_COURSE,
    name: "A course of medium-sized lessons",
    chapters: [
      {
        name: "All",
        lessons: Array.from({ length: mediumLessons }, (_, n) => ({
          id: `l-${n}`,
          name: `L ${n}`,
          additionalText: words(n),
        })),
      },
    ],
  };
  const text = (n: number): string => `<p>${`${n} heavy words `.repeat(LARGE_LESSON_CHARACTERS / 14)}</p>`;
  for (let n = 0; n < largeLessons; n++) {
    yield {
      _id: `${HEAVY_COURSE}-${n}`,
      name: `Heavy course ${n}`,
      chapters: [{ name: "All", lessons: [{ id: "heavy", name: "Heavy", additionalText: text(n) }] }],
    };
  }
}

function* listSmallCourses(): Generator<object> {
  for (let n = 0; n < SMALL_COURSES; n++) {
    const lessons = Array.from({ length: 10 }, (_, l) => ({
      id: `l-${l}`,
      name: `L ${l}`,
      additionalText: "text ".repeat(600),
    }));
    yield { _id: `small-${n}`, name: `Small ${n}`, chapters: [{ name: "C", lessons }] };
  }
}
