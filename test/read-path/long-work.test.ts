// Long work gives way to other requests: it is done in steps, each of which is a small piece of a text, whatever makes a course long.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { CatalogReader, VersionRef } from "../../src/catalog/catalog-reader.ts";
import type { Release } from "../../src/catalog/store.ts";
import { LargeAnswers } from "../../src/http/answers/large-answers.ts";
import { renderBody } from "../../src/http/answers/render-body.ts";
import { ResponseCache } from "../../src/http/answers/response-cache.ts";
import { CourseChanges } from "../../src/http/operations/course-changes.ts";
import { LargeWork } from "../../src/http/operations/large-work.ts";
import { LessonLists } from "../../src/http/operations/lesson-lists.ts";
import { MemoryBudget } from "../../src/http/operations/memory-budget.ts";
import { publish } from "../support/catalog.ts";
import { engines, openTestStore, type Engine, type TestStore } from "../support/store.ts";

/** No step has more text than this: on a slow machine, some 2 ms. */
const MAX_STEP_BYTES = 256 * 1024;
const LESSONS = 30_000;

/** Work that counts its steps. */
class CountingWork extends LargeWork {
  steps = 0;

  constructor() {
    super(new MemoryBudget({ maxBytes: 512 * 1024 * 1024 }), "acme", { signal: new AbortController().signal });
  }

  override async pause(): Promise<void> {
    this.steps++;
    return super.pause();
  }
}

const nameLesson = (n: number, edition: number) => ({ id: `l${n}`, name: `Lesson ${n}${n === 6 ? edition : ""}` });
const KINDS: Record<string, (edition: number) => object[]> = {
  "many lessons in one chapter": (edition) => [
    { name: "All", lessons: Array.from({ length: LESSONS }, (_, n) => nameLesson(n, edition)) },
  ],
  "many chapters": (edition) =>
    Array.from({ length: LESSONS }, (_, n) => {
      return { id: `c${n}`, name: `Chapter ${n}`, lessons: n % 2 === 0 ? [nameLesson(n, edition)] : [] };
    }),
  "long names": (edition) => [
    {
      name: "All",
      lessons: Array.from({ length: 200 }, (_, n) => ({ id: `l${n}`, name: `${n} ${"漢é ".repeat(5000)} ${edition}` })),
    },
  ],
};

describe("a course of", () => {
  let database: TestStore;
  let catalog: CatalogReader;
  const releases: Release[] = [];

  beforeAll(async () => {
    database = await openTestStore(engines[0] as Engine);
    ({ catalog } = database.store);
    for (const edition of [1, 2]) {
      const courses = Object.entries(KINDS).map(([id, create]) => ({ _id: id, name: id, chapters: create(edition) }));
      await publish(database.store, "acme", courses);
      const release = await database.store.publishing.findCurrentRelease("acme", "live");
      if (release !== undefined) releases.push(release);
    }
  });
  afterAll(() => database.drop());

  const findVersion = async (id: string, edition: number): Promise<VersionRef> => {
    const version = await catalog.findVersion(releases[edition - 1] as Release, id, false);
    if (version === undefined) throw new Error(`there is no course ${id}`);
    return version;
  };

  test.each(Object.keys(KINDS))("%s is read in steps", async (id) => {
    const version = await findVersion(id, 1);
    const [lists, work] = [new LessonLists(catalog), new CountingWork()];
    const list = await lists.read("acme", version, work);
    expect(work.steps).toBeGreaterThan(list.bytes / MAX_STEP_BYTES);
    work.steps = 0;
    const contents = await lists.readContents("acme", version, work);
    expect(work.steps).toBeGreaterThanOrEqual(Math.floor(contents.bytes / MAX_STEP_BYTES));
  });

  test.each(Object.keys(KINDS))("%s is written in pieces, and digested in steps", async (id) => {
    const version = await findVersion(id, 1);
    const [lists, work] = [new LessonLists(catalog), new CountingWork()];
    const list = await lists.read("acme", version, work);
    const contents = await lists.readContents("acme", version, work);
    for (const more of [undefined, (index: number) => contents.members(index, ["meta", "digest"])]) {
      const pieces = [...list.render(0, list.lessons, more)];
      expect(Math.max(...pieces.map((piece) => Buffer.byteLength(piece)))).toBeLessThan(MAX_STEP_BYTES);
      work.steps = 0;
      const cache = new ResponseCache(0, new LargeAnswers(512 * 1024 * 1024, undefined));
      const body = await renderBody({ data: list.render(0, list.lessons, more), digest: undefined }, cache, work);
      if ("neededBytes" in body) throw new Error("there is room");
      expect(work.steps).toBeGreaterThan(body.bytes / MAX_STEP_BYTES);
    }
  });

  test.each(Object.keys(KINDS))("%s is compared in steps", async (id) => {
    const [before, after] = [await findVersion(id, 1), await findVersion(id, 2)];
    const [lists, work] = [new LessonLists(catalog), new CountingWork()];
    for (const version of [before, after]) await lists.readContents("acme", version, work);
    const changes = new CourseChanges(lists, "acme", work);
    for (const render of [
      () => changes.renderChanged(id, after, before),
      () => changes.renderWhole(id, after, "added"),
    ]) {
      work.steps = 0;
      const pieces = await Array.fromAsync(render());
      expect(work.steps).toBeGreaterThanOrEqual(after.lessons / 500 - 1);
      expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(MAX_STEP_BYTES);
      const change = JSON.parse(pieces.join("")) as { lessons: unknown[] };
      expect(change.lessons.length).toBeGreaterThan(0);
    }
  });
});
