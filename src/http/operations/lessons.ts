import { digestLesson } from "../../catalog/answer-digests.ts";
import {
  ContentMissing,
  type CatalogReader,
  type CourseParts,
  type LessonParts,
  type ListedLesson,
} from "../../catalog/catalog-reader.ts";
import type { CourseSummaryDocument } from "../../catalog/documents.ts";
import type { NavMembers } from "../../catalog/included-documents.ts";
import { renderLessonMetaMembers } from "../../catalog/meta-document.ts";
import type { Release } from "../../catalog/store.ts";
import { lessonNotFound } from "../request/errors.ts";
import { formatPageLinks } from "../request/parameters.ts";
import {
  listWithMembers,
  renderList,
  toCourse,
  toLesson,
  toRange,
  type Operation,
  type OperationInput,
} from "./operation.ts";
import { readData } from "./large-bodies.ts";
import { findTranslations, readLessonTranslations, splitForTranslations } from "./translations.ts";

const MAX_LESSONS_AT_ONCE = 500;
const ESTIMATED_LESSON_BYTES = 300;

export const listLessons: Operation = async (input) => {
  const { catalog, release, readsDrafts, parameters, segments, work } = input;
  const { include, limit, offset } = parameters;
  const asked = toCourse(release, segments);
  if (include.length === 0 && limit === undefined && offset === undefined) {
    const body = await catalog.findLessonList(...asked, readsDrafts);
    return body && { body };
  }
  const course = await catalog.findCourseParts(...asked, readsDrafts);
  if (course === undefined) return undefined;
  const { versionId, lessons: total } = course;
  const { from, end } = toRange(parameters, total);
  if (end - from > MAX_LESSONS_AT_ONCE) await work.hold((end - from) * ESTIMATED_LESSON_BYTES);
  const chunks = renderLessons(input, asked[0], course, catalog.readLessons(versionId, { from, end }));
  return {
    data: renderList(total, chunks, work),
    link: formatPageLinks(parameters, asked[0].number, total),
  };
};

async function* renderLessons(
  { catalog, parameters: { include }, work }: OperationInput,
  release: Release,
  course: CourseParts,
  chunks: AsyncIterable<ListedLesson[]>,
): AsyncGenerator<string[]> {
  const hasMeta = include.includes("meta");
  const translations = hasMeta ? await findTranslations(catalog, release, course, work) : [];
  for await (const lessons of splitForTranslations(chunks, translations)) {
    const render = await readLessonTranslations(catalog, translations, lessons, work);
    yield lessons.map((lesson) => {
      const { id, name, digest, meta, updatedAt, hasVideo, hasQuiz } = lesson;
      let json = JSON.stringify({ id, name }).slice(0, -1);
      if (hasMeta) json += `,${renderLessonMetaMembers(meta, render(lesson))}`;
      if (include.includes("digest")) {
        const digested = { updatedAt, digest: digestLesson(digest, meta), hasVideo, hasQuiz };
        json += `,${JSON.stringify(digested).slice(1, -1)}`;
      }
      return `${json}}`;
    });
  }
}

export const getLesson: Operation = async ({ catalog, release, readsDrafts, segments, parameters, work }) => {
  const { include } = parameters;
  const asked = [...toCourse(release, segments), toLesson(segments), readsDrafts] as const;
  if (include.length === 0) {
    const body = requireLesson(await catalog.findLesson(...asked));
    return body && { body };
  }
  const lesson = requireLesson(await catalog.findLessonParts(...asked));
  if (lesson === undefined) return undefined;
  const members: string[] = [];
  if (include.includes("meta")) {
    const translations = await findTranslations(catalog, asked[0], lesson, work);
    const render = await readLessonTranslations(catalog, translations, [lesson], work);
    members.push(renderLessonMetaMembers(lesson.meta, render(lesson)));
  }
  if (include.includes("nav")) members.push(JSON.stringify(await readNav(catalog, lesson)).slice(1, -1));
  return { data: listWithMembers(await readData(lesson, work), members.join(",")) };
};

/** Returns undefined if the course does not exist. Throws 404 if the lesson does not exist. */
function requireLesson<T>(found: T | "no course" | "no lesson"): T | undefined {
  if (found === "no lesson") throw lessonNotFound();
  return found === "no course" ? undefined : found;
}

async function readNav(catalog: CatalogReader, lesson: LessonParts): Promise<NavMembers> {
  const { versionId, position } = lesson;
  const course = await catalog.findVersion(versionId);
  const chapter = await catalog.findChapter(versionId, lesson.chapter);
  if (course === undefined || chapter === undefined) throw new ContentMissing(versionId);
  const range = { from: Math.max(0, position - 1), end: Math.min(position + 2, course.lessons) };
  const lessons = (await Array.fromAsync(catalog.readLessons(versionId, range))).flat();
  const find = (at: number): { id: string; name: string } | null => {
    const found = lessons[at - range.from];
    return found === undefined ? null : { id: found.id, name: found.name };
  };
  const { _id: id, name } = JSON.parse(course.summary) as CourseSummaryDocument;
  return { course: { id, name }, chapter, previous: find(position - 1), next: find(position + 1) };
}
