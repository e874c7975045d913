import { startList, type Bytes } from "../../catalog/body.ts";
import {
  ContentMissing,
  type Chapter,
  type CourseParts,
  type ListedCourse,
  type ListedLesson,
  type TranslatedCourse,
} from "../../catalog/catalog-reader.ts";
import type { CourseSummaryDocument } from "../../catalog/documents.ts";
import { isIdentifier } from "../../catalog/identifier.ts";
import { renderCourseMetaMembers, renderLessonMetaMembers } from "../../catalog/meta-document.ts";
import type { Release } from "../../catalog/store.ts";
import { formatPageLinks, splitIds } from "../request/parameters.ts";
import {
  appendMembers,
  listChapters,
  listWithMembers,
  renderList,
  toCourse,
  toRange,
  type Operation,
  type OperationInput,
  type Pieces,
} from "./operation.ts";
import { readData } from "./large-bodies.ts";
import { ROWS_AT_ONCE } from "./text-column.ts";
import {
  MAX_ROWS,
  findTranslations,
  readLessonTranslations,
  readTranslations,
  renderCourseTranslations,
} from "./translations.ts";

/** Longer pages, more names in `ids`, and courses with more full lessons wait for a permit. */
const MAX_COURSES_AT_ONCE = 100;
const MAX_NAMES_AT_ONCE = 20;
const MAX_WHOLE_LESSONS_AT_ONCE = 20;
const ESTIMATED_COURSE_BYTES = 600;
const ESTIMATED_WHOLE_LESSON_BYTES = 4000;

export const listCourses: Operation = async (input) => {
  const { catalog, release, parameters, work } = input;
  if (release === undefined) return { data: [startList(0), "]}"] };
  const positions = await selectCourses(input, release);
  const total = positions?.length ?? release.courses;
  const { from, end } = toRange(parameters, total);
  if (end - from > MAX_COURSES_AT_ONCE) await work.hold((end - from) * ESTIMATED_COURSE_BYTES);
  const chunks =
    positions === undefined
      ? catalog.readCourses(release, { from, end })
      : catalog.pickCourses(release, positions.slice(from, end));
  const link = formatPageLinks(parameters, release.number, total);
  return { data: renderList(total, renderCourses(input, release, chunks), work), link };
};

async function* renderCourses(
  { catalog, parameters: { include }, work }: OperationInput,
  release: Release,
  chunks: AsyncIterable<ListedCourse[]>,
): AsyncGenerator<string[]> {
  const hasMeta = include.includes("meta");
  for await (const courses of chunks) {
    const listTranslations = await readTranslations(catalog, release, hasMeta ? courses : [], work);
    let rendered: string[] = [];
    let translated = 0;
    for (const course of courses) {
      const { summary, slug, meta, digest } = course;
      const translations = listTranslations(course);
      const withMeta = hasMeta ? renderCourseMetaMembers(slug, meta, true, renderCourseTranslations(translations)) : "";
      rendered.push(
        appendMembers(appendMembers(summary, withMeta), include.includes("digest") ? `"digest":"${digest}"` : ""),
      );
      translated += translations.length;
      if (translated < MAX_ROWS) continue;
      yield rendered;
      rendered = [];
      translated = 0;
    }
    yield rendered;
  }
}

/** Returns positions in the requested order, or undefined for the whole list in its own order. */
export async function selectCourses(input: OperationInput, release: Release): Promise<number[] | undefined> {
  const { catalog, parameters, tables, work } = input;
  const { foldedName, filter } = parameters;
  const { ids, language, tags, updatedSince, sort } = filter;
  if (foldedName === "" && language === "" && tags.length === 0 && updatedSince === undefined && sort === undefined) {
    return ids && findIds(input, release, ids);
  }
  return tables.use(release, catalog, work, async (table) => {
    // Filtering and sorting many courses takes milliseconds, so it needs a permit.
    if (release.courses > ROWS_AT_ONCE) await work.hold(table.answerBytes);
    let found = ids && (await findIds(input, release, ids));
    if (foldedName !== "") found = intersect(found, await table.findName(foldedName, work));
    if (language !== "") found = intersect(found, await table.findLanguage(language, work));
    for (const tag of tags) {
      // Stop early: a URL can name more tags than any course has.
      if (found?.length === 0) return found;
      found = intersect(found, await table.findTag(tag, work));
    }
    if (updatedSince !== undefined) found = intersect(found, table.findUpdatedSince(updatedSince));
    return sort === undefined ? found : table.sort(found, sort, work);
  });
}

async function findIds(
  { catalog, work }: OperationInput,
  release: Release,
  values: readonly string[],
): Promise<number[]> {
  const asked = values.flatMap((value) => [value, ...splitIds(value)]);
  // Finding many names takes milliseconds in the database, so it needs a permit.
  if (asked.length > MAX_NAMES_AT_ONCE) await work.hold(0);
  // Invalid identifiers match no course, and a database might reject them.
  const courses = await catalog.findPositions(release, [...new Set(asked)].filter(isIdentifier));
  const byId = new Map(courses.map((course) => [course.id, course.position]));
  const bySlug = new Map(courses.map((course) => [course.slug, course.position]));
  const found = values.flatMap((value) => {
    const whole = byId.get(value);
    return whole === undefined ? splitIds(value).map((part) => byId.get(part) ?? bySlug.get(part)) : [whole];
  });
  return [...new Set(found)].filter((position) => position !== undefined).sort((a, b) => a - b);
}

/** Both lists ascend. */
function intersect(one: number[] | undefined, other: number[]): number[] {
  if (one === undefined) return other;
  let at = 0;
  return other.filter((position) => {
    while ((one[at] ?? Infinity) < position) at++;
    return one[at] === position;
  });
}

export const getCourse: Operation = async (input) => {
  const { catalog, release, readsDrafts, segments, parameters, work } = input;
  const { include } = parameters;
  const asked = [...toCourse(release, segments), readsDrafts] as const;
  if (include.includes("lessons")) {
    const course = await catalog.findCourseParts(...asked);
    return course && renderWholeCourse(input, asked[0], course);
  }
  const body = await catalog.findCourse(...asked);
  if (body === undefined || include.length === 0) return body && { body };
  const course = await catalog.findCourseParts(...asked);
  if (course === undefined) throw new ContentMissing(asked[0].id);
  const translations = include.includes("meta") ? await findTranslations(catalog, asked[0], course, work) : [];
  const members = renderCourseMembers(input, course, translations);
  const object = await readData(body, work);

  async function* render(): AsyncGenerator<string | Bytes> {
    yield object.subarray(0, -1);
    yield* members;
    yield "}";
  }

  return { data: render() };
};

/** Renders the members that `include` adds, except full lessons, each with a leading comma. */
async function* renderCourseMembers(
  input: OperationInput,
  course: CourseParts,
  translations: TranslatedCourse[],
): AsyncGenerator<string | Bytes> {
  const { include } = input.parameters;
  const { slug, meta, published } = course;
  const others = renderCourseTranslations(translations);
  if (include.includes("meta")) yield `,${renderCourseMetaMembers(slug, meta, published, others)}`;
  if (!include.includes("tree")) return;
  yield ",";
  yield* renderTree(input, course);
}

/** Renders a course with full lessons. Reads lessons only as the consumer asks for them. */
async function renderWholeCourse(
  input: OperationInput,
  release: Release,
  course: CourseParts,
): Promise<{ data: Pieces }> {
  const { catalog, parameters, work } = input;
  const { versionId, lessons, summary } = course;
  if (lessons > MAX_WHOLE_LESSONS_AT_ONCE) await work.hold(lessons * ESTIMATED_WHOLE_LESSON_BYTES);
  const hasMeta = parameters.include.includes("meta");

  async function* render(): AsyncGenerator<string | Bytes> {
    const { _id, projectId, name, ...rest } = JSON.parse(summary) as CourseSummaryDocument;
    const chapters = await listChapters(versionId, input);
    const translations = hasMeta ? await findTranslations(catalog, release, course, work) : [];
    yield `${JSON.stringify({ _id, projectId, name }).slice(0, -1)},"chapters":[`;
    const beginChapters = createChapterStarts(
      versionId,
      chapters,
      (chapter) => `${JSON.stringify(chapter).slice(0, -1)},"lessons":[`,
    );
    for await (const chunk of catalog.readLessonBodies(versionId, { from: 0, end: lessons })) {
      const renderTranslations = await readLessonTranslations(catalog, translations, chunk, work);
      for (const lesson of chunk) {
        yield* joinTexts(beginChapters(lesson.chapter + 1, ","));
        const members = hasMeta ? renderLessonMetaMembers(lesson.meta, renderTranslations(lesson)) : "";
        yield* listWithMembers(await readData({ digest: lesson.digest, bytes: lesson.body }, work), members);
        await work.pause();
      }
    }
    yield* joinTexts(beginChapters(chapters.length, ""));
    yield `${chapters.length === 0 ? "" : "]}"}],${JSON.stringify(rest).slice(1, -1)}`;
    yield* renderCourseMembers(input, course, translations);
    yield "}";
  }

  return { data: render() };
}

const MAX_LESSONS_AT_ONCE = 500;
const ESTIMATED_NODE_BYTES = 150;
const MAX_PIECE_CHARACTERS = 64 * 1024;

async function* renderTree(
  { catalog, work }: Pick<OperationInput, "catalog" | "work">,
  { versionId, lessons: count, treeDigest }: CourseParts,
): AsyncGenerator<string | Bytes> {
  if (treeDigest !== undefined) {
    const tree = await catalog.findTree(versionId);
    if (tree === undefined) throw new ContentMissing(versionId);
    yield '"tree":';
    yield await readData(tree, work);
    return;
  }
  if (count > MAX_LESSONS_AT_ONCE) await work.hold(count * ESTIMATED_NODE_BYTES);
  const chapters = await listChapters(versionId, { catalog, work });
  const renderHead = ({ name }: Chapter): string => `{"name":${JSON.stringify(name)},"parts":[`;
  const beginChapters = createChapterStarts(versionId, chapters, renderHead);
  function* renderNodes(some: ListedLesson[]): Generator<string> {
    for (const { id, name, chapter } of some) {
      yield* beginChapters(chapter + 1, ",");
      yield JSON.stringify({ id, name });
    }
  }
  yield '"tree":[';
  for await (const chunk of catalog.readLessons(versionId, { from: 0, end: count })) {
    await work.pause();
    yield* joinTexts(renderNodes(chunk));
  }
  yield* joinTexts(beginChapters(chapters.length, ""));
  yield chapters.length === 0 ? "]" : "]}]";
}

/**
 * Returns a function that yields the end of the open chapter and the heads of all chapters before the index `end`, or
 * `separator` if they have already begun. Throws ContentMissing if there are fewer than `end` chapters.
 */
function createChapterStarts(
  versionId: number,
  chapters: readonly Chapter[],
  renderHead: (chapter: Chapter) => string,
): (end: number, separator: string) => Generator<string> {
  let begun = 0;
  return function* (end, separator) {
    if (end > chapters.length) throw new ContentMissing(versionId);
    if (end <= begun) yield separator;
    for (const chapter of chapters.slice(begun, end)) yield (begun++ === 0 ? "" : "]},") + renderHead(chapter);
  };
}

/** Joins short texts into pieces of limited length. */
function* joinTexts(texts: Iterable<string>): Generator<string> {
  let piece = "";
  for (const text of texts) {
    piece += text;
    if (piece.length < MAX_PIECE_CHARACTERS) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}
