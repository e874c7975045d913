// One catalog, whichever engine holds it: the same bytes and the same ETags, also after a copy from one to the other.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { pruneReleases } from "../../src/publishing/publish.ts";
import { openStore, type Store } from "../../src/store/open-store.ts";
import { acmeCourses, IMPORTED_AT, intro, otherCourses, WEIRD_IDS } from "../support/acme.ts";
import { importCourses, publish, type AuthoredCourse } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { createUnboundServer, publishingAt } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { openTestStore, postgres, sqlite, type Engine, type TestDatabase, type TestStore } from "../support/store.ts";

interface Filled extends TestStore {
  keys: Record<string, string>;
}

/** A course with all that `include` asks for, and its translation. */
function createTeaCourses(edition: string): AuthoredCourse[] {
  const createLesson = (id: string) => ({ id, name: `${id} ${edition}`, translationKey: id, durationMinutes: 5 });
  const chapters = [{ id: "one", name: "One", lessons: ["a", "b", "c"].map(createLesson) }];
  const tree = ["a", { name: edition, parts: ["b", { name: "Deep", parts: ["c"] }] }];
  const more = { language: "en", tags: ["hot", edition], description: edition, chapters, tree };
  const other = { _id: "thé", name: "Thé", language: "fr", translationOf: "intro", chapters };
  return [{ _id: "intro", name: "Tea", ...more }, other, { _id: edition, name: `Course ${edition}` }];
}

/** Releases, a preview, former slugs, a pruned release, two projects and a channel that is gone. */
async function fill(engine: Engine): Promise<Filled> {
  const database = await openTestStore(engine);
  const { store } = database;
  await publish(store, "acme", acmeCourses, IMPORTED_AT);
  const renamed = acmeCourses.map((course) => (course === intro ? { ...intro, slug: "introduction" } : course));
  await publish(store, "acme", renamed, "2026-03-02T12:00:00.000Z");
  await publish(store, "acme", renamed.slice(0, -1), "2026-03-03T12:00:00.000Z");
  await importCourses(store, "other", otherCourses, IMPORTED_AT);
  for (const edition of ["first", "second"]) await publish(store, "tea", createTeaCourses(edition), IMPORTED_AT);
  await pruneReleases(publishingAt(store, "acme", "2026-03-04T12:00:00.000Z"), 2);
  const keys: Record<string, string> = {};
  for (const project of ["acme", "other", "tea", "empty"]) keys[project] = await createKey(store, project);
  keys["drafts"] = await createKey(store, "acme", { drafts: true });
  keys["preview"] = await createKey(store, "acme", { channel: "pr-1" });
  return { ...database, keys };
}

const courses = ["course-1", "intro", "introduction", "bare", "draft-1", "not-yet", "nothing", ...WEIRD_IDS];
const encoded = courses.map(encodeURIComponent);
const PATHS = [
  ...`/courses /changes?since=1 /changes?since=2 /releases /courses?include=meta,digest&limit=2 /courses?limit=3&offset=2
    /courses?name=intro /courses?name=weird%201 /courses?release=1 /courses?release=2 /courses?release=9
    /courses?sort=-name /courses?language=fr /courses?tag=hot /courses?ids=intro,bare
    /courses?updatedSince=2026-03-02`.split(/\s+/),
  ...encoded.flatMap((course) =>
    `? ?release=2 ?include=lessons,meta,tree /lessons?include=meta,digest /lessons/b?include=meta,nav /lessons
      /lessons?limit=1&offset=1 /lessons/l-1 /lessons/${course}`
      .split(/\s+/)
      .map((rest) => `/courses/${course}${rest}`),
  ),
];

/** Every answer of a store, with all that it says. */
async function readAnswers(
  store: Store,
  keys: Record<string, string>,
  paths = PATHS,
): Promise<Record<string, unknown>> {
  const server = await createUnboundServer(store);
  const answers: Record<string, unknown> = {};
  for (const [name, key] of Object.entries(keys)) {
    for (const path of paths) {
      const { status, headers, text } = await server.get(`/api/v1${path}`, { key });
      answers[`${name} ${path}`] = { status, headers: Object.fromEntries(headers), text };
    }
  }
  return answers;
}

describe("answers", () => {
  let [sqliteFilled, filled] = [] as unknown as [Filled, Filled];
  let empty: TestDatabase;
  let expected: Record<string, unknown>;

  beforeAll(async () => {
    [sqliteFilled, filled] = [await fill(sqlite), await fill(postgres)];
    empty = await postgres.createDatabase();
    expected = await readAnswers(sqliteFilled.store, sqliteFilled.keys);
  });
  afterAll(async () => {
    for (const database of [sqliteFilled, filled, empty]) await database.drop();
  });

  test("are the same bytes under the same ETags on both engines", async () => {
    const statuses = Object.values(expected).map((answer) => (answer as { status: number }).status);
    expect(new Set(statuses)).toEqual(new Set([200, 404, 410]));
    expect(await readAnswers(filled.store, filled.keys)).toEqual(expected);
  });

  test("are the same for the same keys after `lectern copy`, and both databases are equal row by row", async () => {
    const there = await runCommand(["copy", "--from", sqliteFilled.url, "--to", empty.url]);
    expect([there.exitCode, there.stderr]).toEqual([0, ""]);
    expect(there.stdout).toEndWith("\nThe copy is identical.\n");
    // Autovacuum, if it is on, would come to it within minutes.
    const statistics = "select relname from pg_class where relname = 'lesson_versions' and reltuples > 0";
    expect(await empty.execute(statistics)).toHaveLength(1);
    const copied = await openStore(empty.url, { create: false });
    expect(await readAnswers(copied, sqliteFilled.keys)).toEqual(expected);

    const back = await sqlite.createDatabase();
    const again = await runCommand(["copy", "--from", empty.url, "--to", back.url]);
    expect(again).toMatchObject({ exitCode: 0, stdout: there.stdout });

    // It is a store like any other: what comes next finds its numbers.
    expect(await publish(copied, "acme", [intro], "2026-04-01T12:00:00.000Z")).toBe(4);
    await createKey(copied, "acme");
    await copied.close();
    await back.drop();
  });

  test.each([
    [sqlite, "create trigger fail before insert on releases begin select raise(abort, 'interrupted'); end"],
    [postgres, "alter table releases add constraint fail check (id < 0)"],
  ])("stay unused in an interrupted copy to $name", async (engine, fault) => {
    const target = await engine.createStoreDatabase();
    await target.execute(fault);
    expect((await runCommand(["copy", "--from", sqliteFilled.url, "--to", target.url])).exitCode).toBe(1);
    for (const args of [["status"], ["keys", "create", "--project", "acme"]]) {
      const { exitCode, stderr } = await runCommand([...args, "--database", target.url]);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining("is an unfinished copy")]);
    }
    await target.drop();
  });

  test("are never copied into a database with content, which stays unchanged", async () => {
    expect(await runCommand(["copy", "--from", sqliteFilled.url, "--to", filled.url])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "lectern: The target is not empty. Nothing was copied; use a new database.\n",
    });
    expect(expected).toMatchObject(await readAnswers(filled.store, filled.keys, ["/courses", "/releases"]));
  });
});
