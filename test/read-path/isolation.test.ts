// No answer that is kept reaches a reader who may not have it. Whatever a warm server answers is compared with what one
// answers that has just started and keeps nothing, and the catalogs differ in every reader's answer, so that a mix-up would show.
import { beforeAll, describe, expect, test } from "bun:test";
import { issueKey } from "../../src/keys/issue-key.ts";
import { deleteChannel, publishExisting, rollBack } from "../../src/publishing/publish.ts";
import { type AuthoredCourse, importNdjson, toNdjson } from "../support/catalog.ts";
import { createUnboundServer, publishingAt, type UnboundServer } from "../support/in-process.ts";
import { createRandom, readRandomSettings } from "../support/random.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

const AT = "2026-01-01T00:00:00.000Z";

/** The same ids and slugs everywhere; every text names the edition. */
function createEdition(edition: string, slugs: Record<string, string> = {}): AuthoredCourse[] {
  const create = (id: string, published: boolean): AuthoredCourse => {
    const lessons = ["l", "m"].map((lesson) => ({ id: lesson, name: `${lesson} ${edition}`, additionalText: edition }));
    const slug = slugs[id] ?? `slug-${id}`;
    return { _id: id, slug, name: `${id} ${edition}`, published, chapters: [{ id: "c", name: edition, lessons }] };
  };
  return [create("a", true), create("b", true), create("draft", false)];
}

const PATHS = [
  ...`/courses /courses?limit=1 /courses?name=A /courses/a /courses/%61/ /courses/slug-a /courses/new-slug-a
    /courses/a/lessons?limit=1&offset=1 /courses/slug-a/lessons/l /courses/draft /courses/draft/lessons/l
    /courses/missing`.split(/\s+/),
  ...[1, 2, 3].flatMap((release) => ["", "/a", "/draft/lessons/l"].map((rest) => `/courses${rest}?release=${release}`)),
];

describe("cached answers", () => {
  const database = useTestStore();
  let server: UnboundServer;
  const clock = { now: Date.now() };
  const readers = new Map<string, string>();
  const pairs = () => [...readers.keys()].flatMap((reader) => PATHS.map((path) => [reader, path] as const));
  const context = () => publishingAt(database.store, "acme", AT);

  beforeAll(async () => {
    const { store } = database;
    for (const [project, channel, courses] of [
      ["acme", "live", createEdition("first")],
      ["acme", "live", createEdition("second", { a: "new-slug-a" })],
      ["acme", "preview", createEdition("preview")],
      ["acme", "gone", createEdition("gone")],
      ["other", "live", createEdition("other")],
    ] as const) {
      const { outcome } = await importNdjson(store, project, toNdjson([...courses]), AT, { channel });
      expect(outcome.status).toBe("published");
    }
    await deleteChannel(context(), "gone");
    for (const [reader, project, options] of [
      ["live", "acme", {}],
      ["live again", "acme", {}],
      ["live with drafts", "acme", { drafts: true }],
      ["preview", "acme", { channel: "preview" }],
      ["deleted channel", "acme", { channel: "gone", drafts: true }],
      ["other project with drafts", "other", { drafts: true }],
      ["empty project", "empty", { drafts: true }],
    ] as const) {
      readers.set(reader, await createKey(store, project, options));
    }
    server = await createUnboundServer(store, { now: () => clock.now });
  });

  const ask = async (reader: string, path: string, running = server) => {
    const { status, headers, text } = await running.get(`/api/v1${path}`, { key: readers.get(reader) });
    const names = ["catalog-release", "etag", "link", "content-location", "cache-control", "vary"];
    return { status, text, headers: Object.fromEntries(names.map((name) => [name, headers.get(name)])) };
  };

  /** Compares with a server that keeps no answer. */
  async function expectAsCold(running = server): Promise<void> {
    const { seed } = readRandomSettings(0);
    const random = createRandom(seed);
    const cold = await createUnboundServer(database.store, { cacheBytes: 0 });
    const expected = await Array.fromAsync(pairs(), async ([reader, path]) => {
      return { seed, reader, path, ...(await ask(reader, path, cold)) };
    });
    const compare = async ({ reader, path, ...answer }: (typeof expected)[number]): Promise<void> =>
      expect({ seed, reader, path, ...(await ask(reader, path, running)) }).toEqual({ reader, path, ...answer });
    // All at once, then one after the other: the second answer is a kept one.
    await Promise.all(random.shuffle(expected).map(compare));
    for (const each of random.shuffle(expected)) await compare(each);
  }

  test("reach only readers of their project, channel and rights, even if first requests are concurrent", async () => {
    // They differ, so that a leak would show.
    const answers = await Promise.all(
      ["live", "preview", "other project with drafts"].map((reader) => ask(reader, "/courses/a")),
    );
    expect(answers.map(({ text }) => /second|preview|other/.exec(text)?.[0])).toEqual(["second", "preview", "other"]);
    await expectAsCold();
    await expectAsCold(await createUnboundServer(database.store));
  });

  test("follow the channel's release: promoted, rolled back, pinned, deleted, published again", async () => {
    const steps: [change: () => Promise<unknown>, reader: string, release: string][] = [
      [() => publishExisting(context(), 3, "live"), "live", "3"],
      [() => rollBack(context(), "live", 1), "live", "1"],
      [() => publishExisting(context(), 1, "preview"), "preview", "1"],
      [() => deleteChannel(context(), "preview"), "preview", ""],
      [() => publishExisting(context(), 2, "preview"), "preview", "2"],
    ];
    for (const [change, reader, release] of steps) {
      await change();
      await server.look();
      expect((await ask(reader, "/courses")).headers["catalog-release"] ?? "").toBe(release);
      await expectAsCold();
    }
  });

  test("are refused to a revoked or expired key, and still served to another with the same rights", async () => {
    const issue = (expiresMs?: number) =>
      issueKey(database.store.keys, { project: "acme", channel: "live", name: "", drafts: false, expiresMs });
    const statusOf = async (key: string, path = "/courses/a") => (await server.get(`/api/v1${path}`, { key })).status;
    const revoked = await issue();
    const expiring = await issue(3_600_000);
    await server.look();
    expect([await statusOf(revoked.secret), await statusOf(expiring.secret)]).toEqual([200, 200]);
    await database.store.keys.revokeKey(revoked.id, new Date().toISOString());
    await server.look();
    expect(await statusOf(revoked.secret)).toBe(401);
    for (const path of PATHS) await statusOf(expiring.secret, path);
    clock.now = Date.parse(expiring.expiresAt ?? "") - 1;
    expect(await statusOf(expiring.secret)).toBe(200);
    clock.now++;
    for (const path of PATHS) {
      expect([await statusOf(revoked.secret, path), await statusOf(expiring.secret, path)]).toEqual([401, 401]);
    }
    expect(await statusOf(readers.get("live again") ?? "")).toBe(200);
    // A clock that is put back makes it valid again.
    clock.now--;
    expect(await statusOf(expiring.secret)).toBe(200);
  });
});
