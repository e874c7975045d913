// One catalog, whichever engine holds it: the same bytes and the same ETags, also after a copy from one to the other.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { pruneReleases } from "../../src/publishing/publish.ts";
import { openStore, type Store } from "../../src/store/open-store.ts";
import { acmeCourses, IMPORTED_AT, intro, otherCourses, WEIRD_IDS } from "../support/acme.ts";
import { importCourses, publish, type AuthoredCourse } from "../support/catalog.ts";
import { runCommand } from "../support/command.ts";
import { createUnboundServer, publishingAt } from "../support/in-process.ts";
import { executeAll } from "../support/saved-state.ts";
import { createKey } from "../support/server.ts";
import { engines, openTestStore, type TestDatabase, type TestStore } from "../support/store.ts";

interface Filled extends TestStore {
  keys: Record<"live" | "drafts" | "preview" | "other" | "tea" | "empty", string>;
}

const engineOf = (name: string) => {
  const engine = engines.find((candidate) => candidate.name === name);
  if (engine === undefined) throw new Error(`no ${name}`);
  return engine;
};

/** A course with all that `include` asks for, and its translation. */
function createTeaCourses(edition: string): AuthoredCourse[] {
  const lessons = ["a", "b", "c"].map((id) => ({
    id,
    name: `${id} ${edition}`,
    translationKey: id,
    durationMinutes: 5,
  }));
  const chapters = [{ id: "one", name: "One", lessons }];
  const tree = ["a", { name: edition, parts: ["b", { name: "Deep", parts: ["c"] }] }];
  const tea = {
    _id: "intro",
    name: "Tea",
    language: "en",
    tags: ["hot", edition],
    description: edition,
    chapters,
    tree,
  };
  const other = { _id: "thé", name: "Thé", language: "fr", translationOf: "intro", chapters };
  return [tea, other, { _id: edition, name: `Course ${edition}` }];
}

/** Releases, a preview, former slugs, a pruned release, two projects and a channel that is gone. */
async function fill(name: string): Promise<Filled> {
  const database = await openTestStore(engineOf(name));
  const { store } = database;
  await publish(store, "acme", acmeCourses, IMPORTED_AT);
  const renamed = acmeCourses.map((course) => (course === intro ? { ...intro, slug: "introduction" } : course));
  await publish(store, "acme", renamed, "2026-03-02T12:00:00.000Z");
  await publish(store, "acme", renamed.slice(0, -1), "2026-03-03T12:00:00.000Z");
  await importCourses(store, "other", otherCourses, IMPORTED_AT);
  for (const edition of ["first", "second"]) await publish(store, "tea", createTeaCourses(edition), IMPORTED_AT);
  await pruneReleases(publishingAt(store, "acme", "2026-03-04T12:00:00.000Z"), 2);
  const keys = {
    live: await createKey(store, "acme"),
    drafts: await createKey(store, "acme", { drafts: true }),
    preview: await createKey(store, "acme", { channel: "pr-1" }),
    other: await createKey(store, "other"),
    tea: await createKey(store, "tea"),
    empty: await createKey(store, "empty"),
  };
  return { ...database, keys };
}

const courses = ["course-1", "intro", "introduction", "bare", "draft-1", "not-yet", "nothing", ...WEIRD_IDS];
const encoded = courses.map(encodeURIComponent);
const PATHS = [
  "/courses",
  "/changes?since=1",
  "/changes?since=2",
  "/releases",
  "/courses?include=meta,digest&limit=2",
  ...`?limit=3 ?limit=3&offset=2 ?name=intro ?name=weird%201 ?release=1 ?release=2 ?release=9 ?sort=-name
    ?language=fr ?tag=hot ?ids=intro,bare ?updatedSince=2026-03-02`
    .split(/\s+/)
    .map((query) => `/courses${query}`),
  ...encoded.flatMap((course) => [
    `/courses/${course}`,
    `/courses/${course}?release=2`,
    `/courses/${course}?include=lessons,meta,tree`,
    `/courses/${course}/lessons?include=meta,digest`,
    `/courses/${course}/lessons/b?include=meta,nav`,
    `/courses/${course}/lessons`,
    `/courses/${course}/lessons?limit=1&offset=1`,
    `/courses/${course}/lessons/l-1`,
    `/courses/${course}/lessons/${course}`,
  ]),
];

/** Every answer of a store, with all that it says. */
async function readAnswers(store: Store, keys: Record<string, string>): Promise<Record<string, unknown>> {
  const server = await createUnboundServer(store);
  const answers: Record<string, unknown> = {};
  for (const [name, key] of Object.entries(keys)) {
    for (const path of PATHS) {
      const { status, headers, text } = await server.get(`/api/v1${path}`, { key });
      answers[`${name} ${path}`] = { status, headers: Object.fromEntries(headers), text };
    }
  }
  return answers;
}

describe("answers", () => {
  let sqlite: Filled;
  let postgres: Filled;
  let empty: TestDatabase;
  let expected: Record<string, unknown>;

  beforeAll(async () => {
    [sqlite, postgres] = [await fill("sqlite"), await fill("postgres")];
    empty = await engineOf("postgres").createDatabase();
    expected = await readAnswers(sqlite.store, sqlite.keys);
  });
  afterAll(async () => {
    for (const database of [sqlite, postgres, empty]) await database.drop();
  });

  test("are the same bytes under the same ETags on both engines", async () => {
    const statuses = Object.values(expected).map((answer) => (answer as { status: number }).status);
    expect(new Set(statuses)).toEqual(new Set([200, 404, 410]));
    expect(await readAnswers(postgres.store, postgres.keys)).toEqual(expected);
  });

  test("are the same for the same keys after `lectern copy`, and both databases are equal row by row", async () => {
    const there = await runCommand(["copy", "--from", sqlite.url, "--to", empty.url]);
    expect([there.exitCode, there.stderr]).toEqual([0, ""]);
    expect(there.stdout).toEndWith("\nThe copy is identical.\n");
    // Autovacuum, if it is on, would come to it within minutes.
    expect(
      await empty.execute("select relname from pg_class where relname = 'lesson_versions' and reltuples > 0"),
    ).toHaveLength(1);
    const copied = await openStore(empty.url, { create: false });
    expect(await readAnswers(copied, sqlite.keys)).toEqual(expected);

    const back = await engineOf("sqlite").createDatabase();
    const again = await runCommand(["copy", "--from", empty.url, "--to", back.url]);
    expect(again).toMatchObject({ exitCode: 0, stdout: there.stdout });

    // It is a store like any other: what comes next finds its numbers.
    const number = await publish(copied, "acme", [intro], "2026-04-01T12:00:00.000Z");
    expect(number).toBe(4);
    expect(await copied.publishing.findCurrentRelease("acme", "live")).toMatchObject({ number: 4, courses: 1 });
    await createKey(copied, "acme");
    await copied.close();
    await back.drop();
  });

  test.each(["sqlite", "postgres"] as const)("stay unused in an interrupted copy to %s", async (name) => {
    const target = await engineOf(name).createDatabase();
    await openStore(target.url, { create: true }).then(async (store) => store.close());
    await executeAll(
      target,
      name === "sqlite"
        ? ["create trigger fail before insert on releases begin select raise(abort, 'interrupted'); end"]
        : ["alter table releases add constraint fail check (id < 0)"],
    );
    expect((await runCommand(["copy", "--from", sqlite.url, "--to", target.url])).exitCode).toBe(1);
    for (const args of [["status"], ["keys", "create", "--project", "acme"]]) {
      const { exitCode, stderr } = await runCommand([...args, "--database", target.url]);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining("is an unfinished copy")]);
    }
    await target.drop();
  });

  test("are never copied into a database with content, which stays unchanged", async () => {
    const { exitCode, stdout, stderr } = await runCommand(["copy", "--from", sqlite.url, "--to", postgres.url]);
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toBe("lectern: The target is not empty. Nothing was copied; use a new database.\n");
    expect(await readAnswers(postgres.store, postgres.keys)).toEqual(expected);
  });
});
