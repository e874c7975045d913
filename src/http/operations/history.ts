// What was published before, and what has changed since.
import type { ChangesDocument, ReleaseDocument } from "../../catalog/documents.ts";
import type { KeptRelease } from "../../catalog/catalog-reader.ts";
import type { Release } from "../../catalog/store.ts";
import { startList } from "../../catalog/stored-document.ts";
import { releaseNotFound, sinceMissing } from "../request/errors.ts";
import { CourseChanges } from "./course-changes.ts";
import { requireUnpruned } from "./incomplete-release.ts";
import type { Operation, OperationInput } from "./operation.ts";

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
export const listChanges: Operation = async (input) => {
  const { release, since, work } = input;
  if (since === undefined) throw sinceMissing();
  if (release === undefined) throw releaseNotFound();
  if (Math.max(release.courses, since.courses) > MAX_COURSES_AT_ONCE) await work.begin(0);
  return { data: renderChanges(input, since, release), digest: undefined };
};

async function* renderChanges(input: OperationInput, since: Release, release: Release): AsyncGenerator<string> {
  const { catalog, channel, work } = input;
  const head: Omit<ChangesDocument, "results"> = { since: since.number, release: release.number };
  yield `${JSON.stringify(head).slice(0, -1)},"results":[`;
  let different = 0;
  let isFirst = true;
  for await (const pieces of listDifferent(input, since, release)) {
    if (++different > MAX_DIFFERENT_AT_ONCE) await work.begin(0);
    // A database in this process answers at once.
    await work.pause();
    let isBegun = false;
    for await (const piece of pieces) {
      yield isBegun || isFirst ? piece : `,${piece}`;
      isBegun = true;
    }
    isFirst &&= !isBegun;
  }
  // Where rows of a release are missing, the other one has courses more.
  for (const each of [release, since]) await requireUnpruned(catalog, channel, each);
  yield "]}";
}

/** The JSON text of each course that differs, in pieces; of some there are none, since readers get the same. */
async function* listDifferent(
  { catalog, lessonLists, readsDrafts, work }: OperationInput,
  since: Release,
  release: Release,
): AsyncGenerator<AsyncIterable<string>> {
  const changes = new CourseChanges(lessonLists, release.project, work);
  for await (const differences of catalog.readDifference(release, since, readsDrafts)) {
    for (const { courseId, other, ...now } of differences) {
      yield other === undefined
        ? changes.renderWhole(courseId, now, "added")
        : changes.renderChanged(courseId, now, other);
    }
  }
  for await (const differences of catalog.readDifference(since, release, readsDrafts)) {
    for (const { courseId, other, ...before } of differences) {
      if (other === undefined) yield changes.renderWhole(courseId, before, "removed");
    }
  }
}
