import { toLessonMark } from "../../catalog/answer-digests.ts";
import {
  ContentMissing,
  type CourseDifference,
  type KeptRelease,
  type VersionRef,
} from "../../catalog/catalog-reader.ts";
import type {
  ChangesDocument,
  CourseChangeDocument,
  CourseSummaryDocument,
  ReleaseDocument,
} from "../../catalog/documents.ts";
import { listMetaChanges } from "../../catalog/meta-document.ts";
import type { Release } from "../../catalog/store.ts";
import { releaseNotFound, sinceMissing } from "../request/errors.ts";
import { listChapters, type Operation, type OperationInput } from "./operation.ts";

/** Comparing larger releases, or more changed courses, needs a permit, and so does counting the lessons of more drafts. */
const MAX_COURSES_AT_ONCE = 1000;
const MAX_DIFFERENT_AT_ONCE = 20;
/** Lessons are listed and compared before the first of them is sent, so more of them need a permit, too. */
const LESSONS_PER_PIECE = 500;

export const listReleases: Operation = async ({ catalog, caller: { channel }, release, readsDrafts, work }) => {
  // Their lessons are counted in each release.
  if ((release?.drafts ?? 0) > MAX_COURSES_AT_ONCE) await work.hold(0);
  const kept: KeptRelease[] = [];
  for await (const some of catalog.readKeptReleases(channel.project, channel.name)) {
    await work.pause();
    for (const each of some) kept.push(each);
  }
  kept.sort((a, b) => b.publicationId - a.publicationId);

  const documents = kept.map(({ number, publishedAt, courses, drafts, lessons, draftLessons }): ReleaseDocument => {
    const counts = readsDrafts ? { courses, drafts, lessons } : { courses, drafts: 0, lessons: lessons - draftLessons };
    return { number, publishedAt, ...counts };
  });
  return { data: [JSON.stringify({ total: kept.length, results: documents })] };
};

type Compared = Pick<OperationInput, "catalog" | "readsDrafts" | "work"> & Record<"release" | "since", Release>;

export const listChanges: Operation = async ({ catalog, release, since, readsDrafts, work }) => {
  if (since === undefined) throw sinceMissing();
  if (release === undefined) throw releaseNotFound();
  if (Math.max(release.courses, since.courses) > MAX_COURSES_AT_ONCE) await work.hold(0);
  return { data: renderChanges({ catalog, release, since, readsDrafts, work }) };
};

async function* renderChanges(compared: Compared): AsyncGenerator<string> {
  const { since, release } = compared;
  const head: Omit<ChangesDocument, "results"> = { since: since.number, release: release.number };
  yield `${JSON.stringify(head).slice(0, -1)},"results":[`;
  let separator = "";
  for await (const change of readChanges(compared)) {
    await compared.work.pause();
    yield* renderChange(change, separator);
    separator = ",";
  }
  yield "]}";
}

/** Renders a change in pieces, because it can name a hundred thousand lessons. */
function* renderChange({ lessons, ...change }: CourseChangeDocument, separator: string): Generator<string> {
  let text = `${separator}${JSON.stringify(change).slice(0, -1)},"lessons":[`;
  for (let from = 0; from < lessons.length; from += LESSONS_PER_PIECE) {
    const some = JSON.stringify(lessons.slice(from, from + LESSONS_PER_PIECE)).slice(1, -1);
    if (from > 0) yield text;
    text = from > 0 ? `,${some}` : text + some;
  }
  yield `${text}]}`;
}

async function* readChanges(compared: Compared): AsyncGenerator<CourseChangeDocument> {
  const { catalog, since, release, readsDrafts, work } = compared;
  let different = 0;
  const beginNext = async (): Promise<void> => {
    if (++different > MAX_DIFFERENT_AT_ONCE) await work.hold(0);
    await work.pause();
  };
  for await (const differences of catalog.readDifference(release, since, readsDrafts)) {
    for (const difference of differences) {
      await beginNext();
      const change =
        difference.other === undefined
          ? await describeWhole(compared, difference, "added")
          : await describeChange(compared, difference, difference.other);
      if (change !== undefined) yield change;
    }
  }
  for await (const differences of catalog.readDifference(since, release, readsDrafts)) {
    for (const before of differences) {
      if (before.other !== undefined) continue;
      await beginNext();
      yield await describeWhole(compared, before, "removed");
    }
  }
}

async function describeWhole(
  compared: Compared,
  { courseId, versionId, slug }: CourseDifference,
  change: "added" | "removed",
): Promise<CourseChangeDocument> {
  const { catalog, work } = compared;
  const { lessons: count } = await requireVersion(compared, versionId);
  const lessons: CourseChangeDocument["lessons"] = [];
  for await (const chunk of catalog.readLessons(versionId, { from: 0, end: count })) {
    await work.pause();
    for (const { id } of chunk) lessons.push({ id, change });
  }
  return { _id: courseId, change, slug, formerSlug: "", fields: [], lessons };
}

/** Describes how a course has changed. Returns undefined if readers see no difference. */
async function describeChange(
  compared: Compared,
  { courseId, ...now }: CourseDifference,
  other: VersionRef,
): Promise<CourseChangeDocument | undefined> {
  const after = await requireVersion(compared, now.versionId);
  const before = await requireVersion(compared, other.versionId);
  const { lessons, isReordered } = await compareLessons(compared, now.versionId, other.versionId);
  const fields: string[] = COMPARED_FIELDS.filter((field) =>
    field === "chapters" ? isReordered : after.document[field] !== before.document[field],
  );
  fields.push(...listMetaChanges(before.meta, after.meta));
  if (now.published !== other.published) fields.push("published");
  // A change to chapters or lesson names also changes the tree, and must not be reported twice.
  if (!isReordered && before.treeDigest !== after.treeDigest) fields.push("tree");
  const formerSlug = other.slug === now.slug ? "" : other.slug;
  if (fields.length === 0 && lessons.length === 0 && formerSlug === "") return undefined;
  return { _id: courseId, change: "changed", slug: now.slug, formerSlug, fields, lessons };
}

/** Excludes `updatedAt`, which follows from the others. */
const COMPARED_FIELDS = ["name", "chapters", "thumbnail", "createdAt"] as const;

/** Returns the changed lessons, and whether the course document's chapters differ in names, order or lessons. */
async function compareLessons(
  { catalog, work }: Compared,
  versionId: number,
  otherId: number,
): Promise<{ lessons: CourseChangeDocument["lessons"]; isReordered: boolean }> {
  const chapters = await listChapters(versionId, { catalog, work });
  const chaptersBefore = await listChapters(otherId, { catalog, work });
  let isReordered =
    chapters.length !== chaptersBefore.length ||
    chapters.some(({ id, name }, at) => id !== chaptersBefore[at]?.id || name !== chaptersBefore[at].name);
  const lessons: CourseChangeDocument["lessons"] = [];
  for await (const chunk of catalog.compareLessons(versionId, otherId)) {
    await work.pause();
    for (const { id, other, ...lesson } of chunk) {
      if (other === undefined) {
        isReordered = true;
        lessons.push({ id, change: "added" });
        continue;
      }
      const isMoved = chapters[lesson.chapter]?.id !== chaptersBefore[other.chapter]?.id;
      const isChanged = toLessonMark(lesson.digest, lesson.meta) !== toLessonMark(other.digest, other.meta);
      isReordered ||= isMoved || lesson.name !== other.name || lesson.position !== other.position;
      if (isChanged || isMoved) {
        lessons.push({ id, change: isChanged ? (isMoved ? "changed and moved" : "changed") : "moved" });
      }
    }
  }
  for await (const chunk of catalog.compareLessons(otherId, versionId)) {
    await work.pause();
    const removed = chunk.filter(({ other }) => other === undefined);
    isReordered ||= removed.length > 0;
    for (const { id } of removed) lessons.push({ id, change: "removed" });
  }
  return { lessons, isReordered };
}

async function requireVersion({ catalog, work }: Compared, versionId: number) {
  const version = await catalog.findVersion(versionId);
  if (version === undefined) throw new ContentMissing(versionId);
  if (version.lessons > LESSONS_PER_PIECE) await work.hold(0);
  return { ...version, document: JSON.parse(version.summary) as CourseSummaryDocument };
}
