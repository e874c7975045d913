// All statements of a server.
import type { CatalogReader } from "../../src/catalog/catalog-reader.ts";
import type { ChangeFeed, Release } from "../../src/catalog/store.ts";
import type { Outbox } from "../../src/hooks/hook.ts";
import type { KeyStore } from "../../src/keys/key.ts";

/** Runs every statement of requests, polls, and recorded key uses. */
export async function runEverything(
  catalog: CatalogReader & ChangeFeed,
  keys: KeyStore,
  release: Release,
): Promise<void> {
  for (const course of ["c1", "slug-1", "nothing"]) {
    await catalog.findCourse(release, course, false);
    await catalog.findLessonList(release, course, true);
    await catalog.findLesson(release, course, "l", false);
    await catalog.findCourseParts(release, course, false);
    await catalog.findLessonParts(release, course, "l", false);
    await catalog.findFormerSlug(release, "live", course, false);
  }
  await catalog.findPublishedRelease("acme", "live", 1);
  await Array.fromAsync(catalog.readCourses(release, { from: 0, end: release.courses }));
  await Array.fromAsync(catalog.pickCourses(release, [0]));
  await Array.fromAsync(catalog.readTraits(release));
  await catalog.findPositions(release, ["c1", "slug-2", "nothing"]);
  const { versionId = 0 } = (await catalog.findCourseParts(release, "c1", false)) ?? {};
  await catalog.findVersion(versionId);
  await catalog.findTree(versionId);
  await catalog.listTranslations(release, ["c1", "c2"]);
  await catalog.listTranslatedLessons([versionId, 2, 3], ["a", "b"]);
  await Array.fromAsync(catalog.readLessons(versionId, { from: 0, end: 1 }));
  await Array.fromAsync(catalog.readLessonBodies(versionId, { from: 0, end: 1 }));
  await Array.fromAsync(catalog.readChapters(versionId));
  await catalog.findChapter(versionId, 0);
  await Array.fromAsync(catalog.readKeptReleases("acme", "live"));
  const [differences = []] = await Array.fromAsync(catalog.readDifference(release, { ...release, id: 1 }, true));
  const otherId = differences[0]?.other?.versionId ?? 0;
  await Array.fromAsync(catalog.compareLessons(versionId, otherId));
  await catalog.readRevisions();
  await catalog.publicationsSince(1);
  await keys.keysSince(1);
  await keys.touchKeys(new Map([["key_1", "2026-01-01T00:00:00.000Z"]]));
}

/** Runs a deliverer's statements for each event. */
export async function runOutbox(outbox: Outbox, id: string): Promise<void> {
  await outbox.listWaiting(10, "");
  const claimed = await outbox.claimEvent("me", id);
  if (claimed === undefined) throw new Error("there is nothing to deliver");
  const { hook, event } = claimed;
  const progress = { ...hook, lastPublication: event.publicationId };
  if (!(await outbox.recordAttempt("me", hook, progress))) throw new Error("nothing was recorded");
}
