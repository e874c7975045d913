// What was published before, and what has changed since: /releases and /changes.
import { beforeEach, describe, expect, test } from "bun:test";
import type { ChangesDocument, ReleaseDocument } from "../../src/catalog/documents.ts";
import { deleteChannel, pruneReleases, publishExisting, rollBack } from "../../src/publishing/publish.ts";
import { importNdjson, publish, type AuthoredCourse } from "../support/catalog.ts";
import { createAsk, createUnboundServer, publishingAt } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

const LATER = "2026-06-01T00:00:00.000Z";
/** Long enough for a release that was served until LATER to be given up. */
const DAY_AFTER = "2026-06-02T00:00:00.000Z";

interface Answered<T> {
  status: number;
  data: T;
  message: string;
  release: string | null;
}

describe("history", () => {
  const database = useTestStore();
  const ask = createAsk(database);
  let project = "";
  let count = 0;
  beforeEach(() => {
    project = `history-${++count}`;
  });

  const read = async <T>(path: string, key: string): Promise<Answered<T>> => {
    const { status, text, headers } = await ask(path, key);
    const { data, message } = JSON.parse(text) as { data: T; message: string };
    return { status, data, message, release: headers.get("catalog-release") };
  };
  const publishAll = async (...catalogs: AuthoredCourse[][]): Promise<void> => {
    for (const courses of catalogs) await publish(database.store, project, courses);
  };
  const changes = async (since: number, key: string, rest = ""): Promise<ChangesDocument> =>
    (await read<ChangesDocument>(`/changes?since=${since}${rest}`, key)).data;

  const lesson = (id: string, text = ""): AuthoredCourse => ({ id, name: `Lesson ${id}`, additionalText: text });
  const course = (id: string, parts: Record<string, AuthoredCourse[]>, rest: AuthoredCourse = {}): AuthoredCourse => ({
    _id: id,
    slug: `slug-${id}`,
    name: `Course ${id}`,
    createdAt: "2026-01-01",
    chapters: Object.entries(parts).map(([name, lessons]) => ({ id: name, name, lessons })),
    ...rest,
  });

  test("changes list exactly the added, changed, moved and removed items", async () => {
    const kept = course("kept", { a: [lesson("1")] });
    await publishAll(
      [
        kept,
        course("edited", { a: [lesson("1"), lesson("2"), lesson("3"), lesson("4")], b: [lesson("5")] }),
        course("gone", { a: [lesson("1")] }),
      ],
      [
        kept,
        course(
          "edited",
          {
            a: [lesson("1"), lesson("2", "New"), lesson("6")],
            b: [{ ...lesson("5"), durationMinutes: 5 }, lesson("4"), lesson("3", "New")],
          },
          { name: "Another name", slug: "new-slug", description: "Now with one", durationMinutes: 20 },
        ),
        course("new", { a: [lesson("1"), lesson("2")] }),
      ],
    );
    const key = await createKey(database.store, project);
    const answer = await read<ChangesDocument>("/changes?since=1", key);
    expect(answer).toMatchObject({ status: 200, release: "2" });
    expect(answer.data).toEqual({
      since: 1,
      release: 2,
      results: [
        {
          _id: "edited",
          change: "changed",
          slug: "new-slug",
          formerSlug: "slug-edited",
          fields: ["name", "chapters", "description", "durationMinutes"],
          lessons: [
            { id: "2", change: "changed" },
            { id: "6", change: "added" },
            { id: "5", change: "changed" },
            { id: "4", change: "moved" },
            { id: "3", change: "changed and moved" },
          ],
        },
        {
          _id: "new",
          change: "added",
          slug: "slug-new",
          formerSlug: "",
          fields: [],
          lessons: [
            { id: "1", change: "added" },
            { id: "2", change: "added" },
          ],
        },
        {
          _id: "gone",
          change: "removed",
          slug: "slug-gone",
          formerSlug: "",
          fields: [],
          lessons: [{ id: "1", change: "removed" }],
        },
      ],
    });
    expect(await changes(2, key)).toEqual({ since: 2, release: 2, results: [] });
  });

  test("a draft is absent for a key that cannot read drafts", async () => {
    const draft = { published: false };
    await publishAll(
      [course("hides", {}), course("shows", {}, draft), course("stays", {}, draft)],
      [course("hides", {}, draft), course("shows", {}), course("stays", {}, { ...draft, name: "Edited" })],
    );
    const [key, drafts] = [
      await createKey(database.store, project),
      await createKey(database.store, project, { drafts: true }),
    ];
    const seen = async (by: string) =>
      (await changes(1, by)).results.map(({ _id, change, fields }) => [_id, change, fields]);
    expect(await seen(key)).toEqual([
      ["shows", "added", []],
      ["hides", "removed", []],
    ]);
    expect(await seen(drafts)).toEqual([
      ["shows", "changed", ["published"]],
      ["hides", "changed", ["published"]],
      ["stays", "changed", ["name"]],
    ]);
  });

  test("since follows the rules of release, even if it is the newer one after a rollback", async () => {
    await publishAll([course("a", {})], [course("a", {}), course("b", {})], [course("a", {})]);
    const key = await createKey(database.store, project);
    await rollBack(publishingAt(database.store, project, LATER), "live", 2);
    expect((await changes(3, key)).results).toMatchObject([{ _id: "b", change: "added" }]);
    expect((await changes(3, key, "&release=1")).results).toEqual([]);
    expect((await changes(2, key, "&release=1")).results).toMatchObject([{ _id: "b", change: "removed" }]);
    await pruneReleases(publishingAt(database.store, project, LATER), 2);
    const statuses = await Promise.all(
      ["since=1", "since=9", "", "since=x", "since=1&since=2", "since=2&release=1"].map(async (query) => {
        const { status, message } = await read(`/changes?${query}`, key);
        return [status, message];
      }),
    );
    expect(statuses).toEqual([
      [410, "This release is no longer kept"],
      [404, "Release not found"],
      [400, "since is missing: give the number of the release to compare with"],
      [400, "since must be a whole number of 1 to 9 digits"],
      [400, "since must not be repeated"],
      [410, "This release is no longer kept"],
    ]);
    const other = await createKey(database.store, project, { channel: "preview" });
    expect((await read("/changes?since=2", other)).status).toBe(404);
  });

  test("since depends on the key's channel, even if another channel's answer for the release is cached", async () => {
    for (const id of ["unseen", "a"]) {
      const line = `${JSON.stringify(course(id, {}))}\n`;
      await importNdjson(database.store, project, line, undefined, { channel: "preview" });
    }
    await publishExisting(publishingAt(database.store, project, LATER), 2, "live");
    const [preview, live] = [
      await createKey(database.store, project, { channel: "preview" }),
      await createKey(database.store, project),
    ];
    const asked = [preview, live, preview, live];
    const statuses: number[] = [];
    for (const key of asked) statuses.push((await read("/changes?since=1", key)).status);
    expect(statuses).toEqual([200, 404, 200, 404]);
  });

  test("other requests run between the comparisons of two courses", async () => {
    const catalog = (text: string) => Array.from({ length: 40 }, (_, n) => course(`${n}`, { a: [lesson("1", text)] }));
    await publishAll([...catalog("Old"), course("gone", {})], catalog("New"));
    const key = await createKey(database.store, project);
    const { catalog: reader } = database.store;
    const server = await createUnboundServer({
      ...database.store,
      catalog: {
        ...reader,
        async findVersion(id) {
          // So long that nobody should have to wait for the next one.
          const endMs = performance.now() + 5;
          while (performance.now() < endMs);
          return reader.findVersion(id);
        },
      },
    });
    let turns = 0;
    let isAnswered = false;
    const takeTurn = (): void => {
      turns++;
      if (!isAnswered) setImmediate(takeTurn);
    };
    setImmediate(takeTurn);
    const { text } = await server.get("/api/v1/changes?since=1", { key });
    isAnswered = true;
    const { results } = (JSON.parse(text) as { data: ChangesDocument }).data;
    expect(results).toHaveLength(41);
    expect(turns).toBeGreaterThanOrEqual(results.length);
  });

  test("releases lists the channel's unpruned releases; drafts count for keys that read them", async () => {
    const draft = course("draft", { a: [lesson("1"), lesson("2")] }, { published: false });
    await publishAll([course("a", { a: [lesson("1")] })], [course("a", { a: [lesson("1")] }), draft]);
    const line = `${JSON.stringify(course("p", {}))}\n`;
    await importNdjson(database.store, project, line, undefined, { channel: "preview" });
    const context = publishingAt(database.store, project, LATER);
    await publishExisting(context, 1, "live");
    const [key, drafts, preview] = [
      await createKey(database.store, project),
      await createKey(database.store, project, { drafts: true }),
      await createKey(database.store, project, { channel: "preview" }),
    ];
    const list = async (by: string): Promise<ReleaseDocument[]> =>
      (await read<{ results: ReleaseDocument[] }>("/releases", by)).data.results;
    const counts = (releases: ReleaseDocument[]) =>
      releases.map((release) => [release.number, release.courses, release.drafts, release.lessons]);
    expect((await list(key))[0]?.publishedAt).toBe(LATER);
    expect(counts(await list(key))).toEqual([
      [1, 1, 0, 1],
      [2, 1, 0, 1],
    ]);
    expect(counts(await list(drafts))).toEqual([
      [1, 1, 0, 1],
      [2, 1, 1, 3],
    ]);
    expect(counts(await list(preview))).toEqual([[3, 1, 0, 0]]);
    // Pruning publishes nothing, and yet is seen at once.
    await pruneReleases(publishingAt(database.store, project, DAY_AFTER), 1);
    expect((await list(key)).map(({ number }) => number)).toEqual([1]);
    await deleteChannel(context, "preview");
    expect(await read("/releases", preview)).toMatchObject({ status: 200, data: { total: 0, results: [] } });
    const empty = await createKey(database.store, `${project}-empty`);
    expect(await read("/releases", empty)).toMatchObject({ status: 200, data: { total: 0, results: [] } });
    expect(await read("/changes?since=1", empty)).toMatchObject({ status: 404 });
  });

  test("thousands of releases are read in parts, until the client disconnects", async () => {
    await publishAll([course("a", {})]);
    const key = await createKey(database.store, project);
    // Each was published before the one whose number precedes its own; another channel has the odd ones.
    const rows = (columns: string): string =>
      `with recursive n (i) as (select 2 union all select i + 1 from n where i < 1201) select ${columns} from n`;
    await database.execute(`insert into releases (id, project, number, created_at, source, courses, drafts, lessons, changes)
      ${rows(`1000000 + i, '${project}', i, '${LATER}', '', 0, 0, 0, '{}'`)}`);
    await database.execute(`insert into publications (id, project, channel, release_id, action, published_at)
      ${rows(`2000000 - i, '${project}', case when i % 2 = 0 then 'live' else 'other' end, 1000000 + i, 'import', '${LATER}'`)}`);
    const { catalog } = database.store;
    const gone = new AbortController();
    let parts = 0;
    const server = await createUnboundServer({
      ...database.store,
      catalog: {
        ...catalog,
        async *readKeptReleases(...channel) {
          for await (const part of catalog.readKeptReleases(...channel)) {
            if (++parts === 2) gone.abort();
            // A part that comes at once is not looked at by itself.
            await Bun.sleep(5);
            yield part;
          }
        },
      },
    });
    expect((await server.get("/api/v1/releases", { key, signal: gone.signal })).status).toBe(499);
    expect(parts).toBe(2);
    const { data } = JSON.parse((await server.get("/api/v1/releases", { key })).text) as {
      data: { total: number; results: ReleaseDocument[] };
    };
    expect([data.total, data.results.length]).toEqual([601, 601]);
    const even = Array.from({ length: 600 }, (_, index) => 2 * index + 2);
    expect(data.results.map(({ number }) => number)).toEqual([...even, 1]);
  });
});
