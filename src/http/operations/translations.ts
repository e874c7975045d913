// Translations of a course or lesson within the release that is read.
import { compareCodePoints } from "../../catalog/compare-code-points.ts";
import type { CatalogReader, TranslatedCourse } from "../../catalog/catalog-reader.ts";
import type { CourseTranslation, LessonTranslation } from "../../catalog/included-documents.ts";
import type { LessonMetaDocument } from "../../catalog/meta-document.ts";
import type { Release } from "../../catalog/store.ts";
import type { AnswerWork } from "./answer-work.ts";

/** Limits the rows per statement, because a SQLite statement blocks the process, and the translations rendered at once. */
export const MAX_ROWS = 1000;
/** A group has up to 101 courses. */
const GROUPS_PER_READ = 10;

interface Translated {
  versionId: number;
  translationGroup: string | undefined;
}

/** Reads the other courses of each translation group, ordered by language. Runs no statement if there is no group. */
export async function readTranslations(
  catalog: CatalogReader,
  release: Release,
  courses: readonly Translated[],
  work: AnswerWork,
): Promise<(course: Translated) => TranslatedCourse[]> {
  const groups = [...new Set(courses.flatMap(({ translationGroup: group }) => group ?? []))];
  const byGroup = new Map<string, TranslatedCourse[]>();
  for (let from = 0; from < groups.length; from += GROUPS_PER_READ) {
    await work.pause();
    const found = await catalog.listTranslations(release, groups.slice(from, from + GROUPS_PER_READ));
    found.sort(
      (a, b) => compareCodePoints(a.language ?? "", b.language ?? "") || compareCodePoints(a.courseId, b.courseId),
    );
    for (const [group, members] of Map.groupBy(found, (course) => course.translationGroup)) byGroup.set(group, members);
  }
  return ({ versionId, translationGroup: group = "" }) =>
    byGroup.get(group)?.filter((course) => course.versionId !== versionId) ?? [];
}

export async function findTranslations(
  catalog: CatalogReader,
  release: Release,
  course: Translated,
  work: AnswerWork,
): Promise<TranslatedCourse[]> {
  return (await readTranslations(catalog, release, [course], work))(course);
}

export function renderCourseTranslations(translations: readonly TranslatedCourse[]): string {
  return JSON.stringify(
    translations.map(({ language = "", courseId, slug }): CourseTranslation => ({ language, courseId, slug })),
  );
}

interface KeyedLesson {
  translationKey: string | undefined;
}

/** Splits chunks of lessons, so that none has more than MAX_ROWS translations: rendering them takes milliseconds. */
export async function* splitForTranslations<T>(
  chunks: AsyncIterable<T[]>,
  { length }: readonly TranslatedCourse[],
): AsyncGenerator<T[]> {
  const step = countAtOnce(length);
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += step) yield chunk.slice(from, from + step);
  }
}

const countAtOnce = (translations: number): number => Math.max(1, Math.floor(MAX_ROWS / Math.max(1, translations)));

/** Reads the translations of a course's lessons. Returns a function that renders a lesson's translations as JSON. */
export async function readLessonTranslations(
  catalog: CatalogReader,
  translations: readonly TranslatedCourse[],
  lessons: readonly KeyedLesson[],
  work: AnswerWork,
): Promise<(lesson: KeyedLesson) => string> {
  const keys = translations.length === 0 ? [] : lessons.flatMap(({ translationKey: key }) => key ?? []);
  const found = new Map<string, Pick<LessonTranslation, "lessonId" | "slug">>();
  const versions = translations.map(({ versionId }) => versionId);
  const step = countAtOnce(versions.length);
  for (let from = 0; from < keys.length; from += step) {
    await work.pause();
    for (const row of await catalog.listTranslatedLessons(versions, keys.slice(from, from + step))) {
      // Parsed here, a few at a time: a course can have fifty thousand translated lessons.
      const { slug } = JSON.parse(row.meta) as LessonMetaDocument;
      found.set(`${row.versionId} ${row.translationKey}`, { lessonId: row.id, slug });
    }
  }
  return ({ translationKey: key }) => {
    const list = translations.flatMap(({ language = "", courseId, versionId }): LessonTranslation[] => {
      const lesson = found.get(`${versionId} ${key}`);
      return lesson === undefined ? [] : [{ language, courseId, ...lesson }];
    });
    return JSON.stringify(list);
  };
}
