// Benchmark catalogs: the same bytes on every machine.
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { LIVE_CHANNEL } from "../src/catalog/store.ts";
import { issueKey } from "../src/keys/issue-key.ts";
import { openNdjsonFile } from "../src/content/readers/ndjson.ts";
import { importCatalog } from "../src/publishing/import-catalog.ts";
import { openStore } from "../src/store/open-store.ts";
import { SCHEMA_VERSION } from "../src/store/schema.ts";

export interface CatalogShape {
  name: string;
  courses: number;
  lessonsPerCourse: number;
  /** Characters of HTML per lesson. */
  lessonCharacters: number;
}

export interface BenchCatalog extends CatalogShape {
  database: string;
  key: string;
}

/** A realistic size: more lessons than a cache holds. */
export const REAL: CatalogShape = { name: "real", courses: 1000, lessonsPerCourse: 48, lessonCharacters: 4000 };

const WORDS = "light water stone garden letter river number window winter summer paper engine colour market".split(" ");

/** Imports the output of `write` into its own database in `folder`, once. */
export async function prepareCatalog(
  folder: string,
  shape: CatalogShape,
  write: (path: string, shape: CatalogShape) => void = writeNdjson,
): Promise<BenchCatalog> {
  // Another version of the schema may store courses differently.
  const size = `${shape.courses}-${shape.lessonsPerCourse}-${shape.lessonCharacters}`;
  const name = `${shape.name}-${size}-schema${SCHEMA_VERSION}`;
  const path = join(folder, `${name}.db`);
  const keyPath = join(folder, `${name}.key`);
  const database = `sqlite:${path}`;
  if (!existsSync(keyPath)) {
    mkdirSync(folder, { recursive: true });
    const source = join(folder, `${name}.ndjson`);
    write(source, shape);
    const store = await openStore(database, { create: true });
    const outcome = await importCatalog({
      project: "bench",
      channel: LIVE_CHANNEL,
      source: openNdjsonFile(source, { assetBase: undefined }),
      store: store.publishing,
      now: () => new Date("2026-01-01T00:00:00Z"),
      report: (problem) => console.error(problem),
      onWait: () => console.error("waiting for another import"),
    });
    if (outcome.status === "invalid") throw new Error(`The catalog ${name} has errors.`);
    const { secret } = await issueKey(store.keys, { project: "bench", channel: LIVE_CHANNEL, name: "", drafts: false });
    await store.close();
    writeFileSync(keyPath, secret, { mode: 0o600 });
  }
  return { ...shape, database, key: await Bun.file(keyPath).text() };
}

export const courseId = (course: number): string => `course-${course}`;
export const lessonId = (lesson: number): string => `lesson-${lesson}`;

/** Writes courses of a shape as NDJSON. */
export function writeNdjson(path: string, { courses, lessonsPerCourse, lessonCharacters }: CatalogShape): void {
  const file = openSync(path, "w");
  for (let course = 0; course < courses; course++) writeSync(file, `${JSON.stringify(createCourse(course))}\n`);
  closeSync(file);

  function createCourse(course: number) {
    const lessons = Array.from({ length: lessonsPerCourse }, (_, lesson) => ({
      id: lessonId(lesson),
      name: `Lesson ${lesson}: ${phrase(course * 31 + lesson, 4)}`,
      url: `https://video.example.org/${course}/${lesson}.mp4`,
      additionalText: html(course * 31 + lesson, lessonCharacters),
    }));
    return {
      _id: courseId(course),
      slug: `slug-${course}`,
      name: `Course ${course}: ${phrase(course, 4)}`,
      thumbnail: `https://img.example.org/${course}.jpg`,
      createdAt: new Date(Date.UTC(2025, 0, 1) + course * 60_000).toISOString(),
      chapters: lessons.length === 0 ? [] : [{ id: "c1", name: "Chapter", lessons }],
    };
  }
}

function phrase(seed: number, words: number): string {
  return Array.from({ length: words }, (_, i) => WORDS[(seed * (i + 7) + i * i) % WORDS.length]).join(" ");
}

function html(seed: number, characters: number): string {
  let text = "";
  for (let i = 0; text.length < characters; i++) text += `<p>${phrase(seed + i, 12)}.</p>\n`;
  return text.slice(0, characters);
}
