// What was published before, and what has changed since.
import type {
  ChangesDocument,
  CourseChangeDocument,
  CourseDocument,
  ReleaseDocument,
} from "../../catalog/documents.ts";
import type { CatalogReader, CourseDifference, KeptRelease, VersionRef } from "../../catalog/catalog-reader.ts";
import { listMetaChanges } from "../../catalog/meta-document.ts";
import type { Release } from "../../catalog/store.ts";
import type { ServedChannel } from "../../following/served-state.ts";
import { startList } from "../../catalog/stored-document.ts";
import { releaseNotFound, sinceMissing } from "../request/errors.ts";
import { requireUnpruned } from "./incomplete-release.ts";
import type { LargeWork } from "./large-work.ts";
import type { Operation } from "./operation.ts";

/** Releases with more courses than this are compared in turns, and those of which more than so many differ. */
const MAX_COURSES_AT_ONCE = 1000;
const MAX_DIFFERENT_AT_ONCE = 20;
/** An answer is made of pieces, between which other requests have their turn. */
const RELEASES_PER_PIECE = 500;

/** GET /releases: those of the key's channel that can be read, the last one published first. */
export const listReleases: Operation = async ({ catalog, channel, readsDrafts, work }) => {
  const kept: KeptRelease[] = [];
  let chunks = 0;
  for await (const some of catalog.readKeptReleases(channel.project, channel.name)) {
    // Most projects keep so few that they come at once.
    if (chunks++ > 0) await work.begin(0);
    work.stopIfGone();
    for (const release of some) kept.push(release);
  }
  kept.sort((a, b) => b.publicationId - a.publicationId);
  return { data: joinReleases(kept, readsDrafts), digest: undefined };
};

async function* joinReleases(kept: KeptRelease[], readsDrafts: boolean): AsyncGenerator<string> {
  yield startList(kept.length);
  for (let from = 0; from < kept.length; from += RELEASES_PER_PIECE) {
    const some = kept.slice(from, from + RELEASES_PER_PIECE).map((release) => renderRelease(release, readsDrafts));
    yield (from === 0 ? "" : ",") + some.join(",");
  }
  yield "]}";
}

function renderRelease(release: KeptRelease, readsDrafts: boolean): string {
  const { number, publishedAt, courses, drafts, lessons, draftLessons } = release;
  const counts = readsDrafts ? { courses, drafts, lessons } : { courses, drafts: 0, lessons: lessons - draftLessons };
  const document: ReleaseDocument = { number, publishedAt, ...counts };
  return JSON.stringify(document);
}

/** GET /changes: what differs between the release of `since` and the one that is read. */
export const listChanges: Operation = async ({ catalog, channel, release, since, readsDrafts, work }) => {
  if (since === undefined) throw sinceMissing();
  if (release === undefined) throw releaseNotFound();
  if (Math.max(release.courses, since.courses) > MAX_COURSES_AT_ONCE) await work.begin(0);
  const head: Omit<ChangesDocument, "results"> = { since: since.number, release: release.number };
  const changes = readChanges(catalog, { channel, since, release, readsDrafts }, work);
  return { data: joinChanges(JSON.stringify(head).slice(0, -1), changes), digest: undefined };
};

interface Compared {
  channel: ServedChannel;
  since: Release;
  release: Release;
  readsDrafts: boolean;
}

async function* joinChanges(head: string, changes: AsyncIterable<CourseChangeDocument>): AsyncGenerator<string> {
  yield `${head},"results":[`;
  let separator = "";
  for await (const change of changes) {
    yield separator + JSON.stringify(change);
    separator = ",";
  }
  yield "]}";
}

async function* readChanges(
  catalog: CatalogReader,
  { channel, since, release, readsDrafts }: Compared,
  work: LargeWork,
): AsyncGenerator<CourseChangeDocument> {
  let different = 0;
  const beginNext = async (): Promise<void> => {
    if (++different > MAX_DIFFERENT_AT_ONCE) await work.begin(0);
    // A database in this process answers at once, and a course may have thousands of lessons.
    await work.pause();
  };
  for await (const differences of catalog.readDifference(release, since, readsDrafts)) {
    for (const difference of differences) {
      await beginNext();
      const change = await describeChange(catalog, difference);
      if (change !== undefined) yield change;
    }
  }
  for await (const differences of catalog.readDifference(since, release, readsDrafts)) {
    for (const { courseId, other, ...before } of differences) {
      if (other !== undefined) continue;
      await beginNext();
      yield await describeWhole(catalog, courseId, before, "removed");
    }
  }
  // Where rows of a release are missing, the other one has courses more.
  for (const each of [release, since]) await requireUnpruned(catalog, channel, each);
}

async function describeWhole(
  catalog: CatalogReader,
  courseId: string,
  { versionId, slug }: VersionRef,
  change: "added" | "removed",
): Promise<CourseChangeDocument> {
  const course = parseCourse((await catalog.readParts(versionId)).course);
  const lessons = course.chapters.flatMap((chapter) => chapter.lessons).map(({ id }) => ({ id, change }));
  return { _id: courseId, change, slug, formerSlug: "", fields: [], lessons };
}

/** Undefined where nothing differs that readers get. */
async function describeChange(
  catalog: CatalogReader,
  { courseId, other, ...now }: CourseDifference,
): Promise<CourseChangeDocument | undefined> {
  if (other === undefined) return describeWhole(catalog, courseId, now, "added");
  const [after, before] = [await catalog.readParts(now.versionId), await catalog.readParts(other.versionId)];
  const [course, courseBefore] = [parseCourse(after.course), parseCourse(before.course)];
  const fields: string[] = COMPARED_FIELDS.filter(
    (field) => JSON.stringify(course[field]) !== JSON.stringify(courseBefore[field]),
  );
  fields.push(...listMetaChanges(before.meta, after.meta));
  if (now.published !== other.published) fields.push("published");
  const [chapters, chaptersBefore] = [locateLessons(course), locateLessons(courseBefore)];
  const lessons: CourseChangeDocument["lessons"] = [];
  for (const [id, chapter] of chapters) {
    const isChanged = before.lessons.get(id) !== after.lessons.get(id);
    const isMoved = chaptersBefore.get(id) !== chapter;
    if (!chaptersBefore.has(id)) lessons.push({ id, change: "added" });
    else if (isChanged || isMoved)
      lessons.push({ id, change: isChanged ? (isMoved ? "changed and moved" : "changed") : "moved" });
  }
  for (const id of chaptersBefore.keys()) if (!chapters.has(id)) lessons.push({ id, change: "removed" });
  const formerSlug = other.slug === now.slug ? "" : other.slug;
  if (fields.length === 0 && lessons.length === 0 && formerSlug === "") return undefined;
  return { _id: courseId, change: "changed", slug: now.slug, formerSlug, fields, lessons };
}

/** `updatedAt` follows from the others. */
const COMPARED_FIELDS = ["name", "chapters", "thumbnail", "createdAt"] as const satisfies (keyof CourseDocument)[];

/** The chapter of each lesson, in order. */
function locateLessons({ chapters }: CourseDocument): Map<string, string> {
  return new Map(chapters.flatMap(({ id, lessons }) => lessons.map((lesson): [string, string] => [lesson.id, id])));
}

function parseCourse(text: string): CourseDocument {
  return JSON.parse(text) as CourseDocument;
}
