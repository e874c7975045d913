// What was published before, and what has changed since: /releases and /changes.
import { describe, expect, test } from "bun:test";
import type { ChangesDocument, ReleaseDocument } from "../../src/catalog/documents.ts";
import { deleteChannel, pruneReleases, publishExisting, rollBack } from "../../src/publishing/publish.ts";
import type { AuthoredCourse } from "../support/catalog.ts";
import { createUnboundServer } from "../support/in-process.ts";
import { dataOf } from "../support/answers.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { useProject } from "../support/test-project.ts";

const LATER = "2026-06-01T00:00:00.000Z";
/** Long enough for a release that was served until LATER to be given up. */
const DAY_AFTER = "2026-06-02T00:00:00.000Z";

const lesson = (id: string, text = ""): AuthoredCourse => ({ id, name: `Lesson ${id}`, additionalText: text });
type Parts = Record<string, AuthoredCourse[]>;
const course = (id: string, parts: Parts = {}, rest: AuthoredCourse = {}): AuthoredCourse => ({
  _id: id,
  slug: `slug-${id}`,
  name: `Course ${id}`,
  createdAt: "2026-01-01",
  chapters: Object.entries(parts).map(([name, lessons]) => ({ id: name, name, lessons })),
  ...rest,
});

describe("history", () => {
  const database = useTestStore();
  const project = useProject(database);
  const { read, publish } = project;

  const changes = async (query: string, by?: string): Promise<ChangesDocument["results"]> =>
    (await read(`/changes?since=${query}`, by)).data.results;
  const publishPreview = (courses: AuthoredCourse[]) => project.import(courses, { channel: "preview" });

  test("changes list exactly the added, changed, moved and removed items", async () => {
    const kept = course("kept", { a: [lesson("1")] });
    const edited = {
      a: [lesson("1"), lesson("2", "New"), lesson("6")],
      b: [{ ...lesson("5"), durationMinutes: 5 }, lesson("4"), lesson("3", "New")],
    };
    const more = { name: "Another name", slug: "new-slug", description: "Now with one", durationMinutes: 20 };
    const before = { a: ["1", "2", "3", "4"].map((id) => lesson(id)), b: [lesson("5")] };
    await publish(
      [kept, course("edited", before), course("gone", { a: [lesson("1")] })],
      [kept, course("edited", edited, more), course("new", { a: [lesson("1"), lesson("2")] })],
    );
    expect(await read("/changes?since=1")).toMatchObject({ release: "2", data: { since: 1, release: 2 } });
    const told = (await changes("1")).map(({ _id, change, formerSlug, slug, fields, lessons }) =>
      [_id, change, formerSlug, slug, ...fields, ...lessons.map((each) => `${each.id}: ${each.change}`)].join(),
    );
    expect(told).toEqual([
      "edited,changed,slug-edited,new-slug,name,chapters,description,durationMinutes," +
        "2: changed,6: added,5: changed,4: moved,3: changed and moved",
      "new,added,,slug-new,1: added,2: added",
      "gone,removed,,slug-gone,1: removed",
    ]);
    expect((await read("/changes?since=2")).data).toEqual({ since: 2, release: 2, results: [] });
  });

  test("a draft is absent for a key that cannot read drafts", async () => {
    const draft = { published: false };
    await publish(
      [course("hides"), course("shows", {}, draft), course("stays", {}, draft)],
      [course("hides", {}, draft), course("shows"), course("stays", {}, { ...draft, name: "Edited" })],
    );
    const seen = async (by?: string) =>
      (await changes("1", by)).map(({ _id, change, fields }) => [_id, change, ...fields].join(" "));
    expect(await seen()).toEqual(["shows added", "hides removed"]);
    const drafts = await project.createKey({ drafts: true });
    expect(await seen(drafts)).toEqual(["shows changed published", "hides changed published", "stays changed name"]);
  });

  test("since follows the rules of release, even if it is the newer one after a rollback", async () => {
    await publish([course("a")], [course("a"), course("b")], [course("a")]);
    await rollBack(project.at(LATER), "live", 2);
    expect(await changes("3")).toMatchObject([{ _id: "b", change: "added" }]);
    expect(await changes("3&release=1")).toEqual([]);
    expect(await changes("2&release=1")).toMatchObject([{ _id: "b", change: "removed" }]);
    await pruneReleases(project.at(LATER), 2);
    for (const [query, status, message] of [
      ["since=1", 410, "This release is no longer kept"],
      ["since=9", 404, "Release not found"],
      ["since=", 400, "since is missing: give the number of the release to compare with"],
      ["since=x", 400, "since must be a whole number of 1 to 9 digits"],
      ["since=1&since=2", 400, "since must not be repeated"],
      ["since=2&release=1", 410, "This release is no longer kept"],
    ]) {
      expect(await read(`/changes?${query}`)).toMatchObject({ status, message });
    }
  });

  test("since depends on the key's channel, even if another channel's answer for the release is cached", async () => {
    for (const id of ["unseen", "a"]) await publishPreview([course(id)]);
    await publishExisting(project.at(LATER), 2, "live");
    const preview = await project.createKey({ channel: "preview" });
    for (const key of [preview, project.key, preview]) {
      expect((await read("/changes?since=1", key)).status).toBe(key === preview ? 200 : 404);
    }
  });

  test("other requests run between the comparisons of two courses", async () => {
    const catalog = (text: string) => Array.from({ length: 10 }, (_, n) => course(`${n}`, { a: [lesson("1", text)] }));
    await publish(catalog("Old"), catalog("New"));
    const { catalog: reader } = database.store;
    // So long that nobody should have to wait for the next one.
    const findVersion = async (id: number) => {
      for (const endMs = performance.now() + 5; performance.now() < endMs;);
      return reader.findVersion(id);
    };
    const server = await createUnboundServer({ ...database.store, catalog: { ...reader, findVersion } });
    let turns = 0;
    let next = setImmediate(function takeTurn() {
      turns++;
      next = setImmediate(takeTurn);
    });
    const answer = await server.get("/api/v1/changes?since=1", { key: project.key });
    clearImmediate(next);
    expect(dataOf(answer).results).toHaveLength(10);
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  test("releases lists the channel's unpruned releases; drafts count for keys that read them", async () => {
    const a = course("a", { a: [lesson("1")] });
    await publish([a], [a, course("draft", { a: [lesson("1"), lesson("2")] }, { published: false })]);
    await publishPreview([course("p")]);
    await publishExisting(project.at(LATER), 1, "live");
    const drafts = await project.createKey({ drafts: true });
    const preview = await project.createKey({ channel: "preview" });
    const list = async (by = project.key): Promise<ReleaseDocument[]> => (await read("/releases", by)).data.results;
    const counts = async (by = project.key) =>
      (await list(by)).map((each) => [each.number, each.courses, each.drafts, each.lessons].join());
    expect((await list())[0]?.publishedAt).toBe(LATER);
    expect(await counts()).toEqual(["1,1,0,1", "2,1,0,1"]);
    expect(await counts(drafts)).toEqual(["1,1,0,1", "2,1,1,3"]);
    expect(await counts(preview)).toEqual(["3,1,0,0"]);
    // Pruning publishes nothing, and yet is seen at once.
    await pruneReleases(project.at(DAY_AFTER), 1);
    expect(await counts()).toEqual(["1,1,0,1"]);
    await deleteChannel(project.at(LATER), "preview");
    const empty = await createKey(database.store, `${project.name}-empty`);
    for (const key of [preview, empty]) {
      expect(await read("/releases", key)).toMatchObject({ status: 200, data: { total: 0, results: [] } });
      expect((await read("/changes?since=1", key)).status).toBe(404);
    }
  });

  test("thousands of releases are read in parts, until the client disconnects", async () => {
    await publish([course("a")]);
    // Each was published before the one whose number precedes its own; another channel has the odd ones.
    const numbers = "(with recursive n (i) as (select 2 union all select i + 1 from n where i < 1201) select i from n)";
    await database.execute(`insert into releases (id, project, number, created_at, source, courses, drafts, lessons, changes)
      select 1000000 + i, '${project.name}', i, '${LATER}', '', 0, 0, 0, '{}' from ${numbers}`);
    await database.execute(`insert into publications (id, project, channel, release_id, action, published_at)
      select 2000000 - i, '${project.name}', case when i % 2 = 0 then 'live' else 'other' end, 1000000 + i, 'import',
      '${LATER}' from ${numbers}`);
    const { catalog } = database.store;
    const gone = new AbortController();
    let parts = 0;
    async function* readKeptReleases(...asked: Parameters<typeof catalog.readKeptReleases>) {
      for await (const part of catalog.readKeptReleases(...asked)) {
        if (++parts === 2) gone.abort();
        // A part that comes at once is not looked at by itself.
        await Bun.sleep(5);
        yield part;
      }
    }
    const server = await createUnboundServer({ ...database.store, catalog: { ...catalog, readKeptReleases } });
    const { key } = project;
    expect((await server.get("/api/v1/releases", { key, signal: gone.signal })).status).toBe(499);
    expect(parts).toBe(2);
    const { total, results } = (await read("/releases")).data as { total: number; results: ReleaseDocument[] };
    const even = Array.from({ length: 600 }, (_, index) => 2 * index + 2);
    expect([total, ...results.map(({ number }) => number)]).toEqual([601, ...even, 1]);
  });
});
