import { describe, expect, test } from "bun:test";
import { pruneReleases, rollBack } from "../../src/publishing/publish.ts";
import { dataOf, releaseOf } from "../support/answers.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { publishingAt } from "../support/in-process.ts";
import { startSearchServer, type Found, type SearchServer } from "../support/search.ts";
import { createKey, waitFor } from "../support/server.ts";
import { anyEngine, engines, useTestStore } from "../support/store.ts";

const LATER = "2027-01-01T00:00:00.000Z";

/** A course whose lessons hold `words`, and one of which has a number of its own. */
const course = (id: string, words: string, more: AuthoredCourse = {}): AuthoredCourse => {
  const lessons = [1, 2, 3].map((number) => {
    return { id: `${id}${number}`, name: `Lesson ${number}`, additionalText: `<p>${words} number${number}</p>` };
  });
  const chapters = [{ name: "One", lessons }];
  return { _id: id, slug: `slug-${id}`, name: `Course ${id}`, createdAt: "2026-01-01", chapters, ...more };
};

const draft = (id: string, words: string) => course(id, words, { published: false, description: words });

const PUBLISHED = [
  course("a", "alpha beta", { language: "en", tags: ["x"] }),
  course("b", "alpha gamma", { language: "pt-BR", tags: ["x", "y"], description: "An alpha course" }),
  course("c", "delta", { language: "en" }),
];
const QUERIES = "q=alpha q=alpha+beta q=number1 q=les q=course q=alpha&limit=2&offset=1 q=alpha+-gamma".split(" ");
const PATHS = [
  ...QUERIES,
  "q=alpha&course=b",
  "q=les&language=pt&tag=&course=&limit=&offset=",
  "q=les&tag=x&tag=y",
  "q=les&course=c&tag=x",
];

/** The answers of the first engine, which those of both must equal. */
let bodies: string[] | undefined;

describe.each(engines)("search and releases on $name", (engine) => {
  let server: SearchServer;
  let key: string;
  const database = useTestStore(engine, async () => {
    await publish(database.store, "acme", PUBLISHED, "2026-01-01T00:00:00.000Z");
    key = await createKey(database.store, "acme");
    server = await startSearchServer(database);
    return () => server.stop();
  });

  /** Waits until the server has this release for a key. */
  const shows = (release: number, withKey: string): Promise<void> =>
    waitFor(async () => releaseOf(await server.get("/api/v1/courses?limit=1", { key: withKey })) === release);
  const readAll = async (from: SearchServer, withKey: string, release = ""): Promise<string[]> => {
    const answers = [];
    for (const path of PATHS) {
      const { status, text, headers } = await from.ask(path + release, { key: withKey });
      answers.push(`${path} ${status} ${headers.get("link")?.replaceAll(/release=\d+/g, "") ?? ""} ${text}`);
    }
    return answers;
  };

  test("agree with the other engine, and exclude other projects, drafts, releases and indexes", async () => {
    const { store } = database;
    const first = await readAll(server, key);
    const found = await Promise.all(PATHS.map(async (path) => (await server.read(path, key)).total));
    expect(found).toEqual([7, 3, 3, 9, 3, 7, 4, 4, 3, 3, 0]);
    bodies ??= first;
    expect(first).toEqual(bodies);

    const [otherKey, readsDrafts] = [await createKey(store, "other"), await createKey(store, "acme", { drafts: true })];
    await publish(store, "other", [course("a", "alpha alpha alpha"), course("z", "alpha beta gamma delta")]);
    const changed = [course("a", "changed"), course("d", "alpha number9")];
    await publish(store, "acme", changed, "2026-02-01T00:00:00.000Z");
    await shows(2, key);
    expect(await server.find("alpha", otherKey)).toHaveLength(6);
    expect(await readAll(server, key, "&release=1")).toEqual(first);
    expect(await server.find("alpha", key)).toEqual(["d/d1", "d/d2", "d/d3"]);
    expect(await server.find("changed", key)).toEqual(["a/a1", "a/a2", "a/a3"]);

    const drafts = [draft("e", "alpha beta gamma delta number1"), draft("0", "alpha secretword")];
    await publish(store, "acme", [...PUBLISHED, ...drafts], "2026-03-01T00:00:00.000Z");
    await shows(3, key);
    for (const each of [key, readsDrafts]) {
      expect(await readAll(server, each)).toEqual(first);
      expect(await server.find("secretword", each)).toEqual([]);
      expect((await server.ask("q=alpha&course=e", { key: each })).status).toBe(404);
    }
    await rollBack(publishingAt(store, "acme", LATER), "live", 1);
    await shows(1, key);
    expect(await readAll(server, key)).toEqual(first);

    await pruneReleases(publishingAt(store, "acme", "2027-02-01T00:00:00.000Z"), 1);
    expect(await readAll(server, key)).toEqual(first);
    expect((await server.ask("q=alpha&release=2", { key })).status).toBe(410);

    const anew = await startSearchServer(database);
    expect(await readAll(anew, key)).toEqual(first);
    await anew.stop();
  });

  // What follows does not depend on the database.
  if (engine !== anyEngine) return;

  test("find nothing on a channel without a release", async () => {
    const emptyKey = await createKey(database.store, "empty");
    await waitFor(async () => (await server.get("/api/v1/courses", { key: emptyKey })).status === 200);
    expect(await server.read("q=alpha", emptyKey)).toEqual({ total: 0, results: [] });
    expect((await server.ask("q=alpha&course=a", { key: emptyKey })).status).toBe(404);
  });

  /** Publishes a project's first release, and returns a key that shows it. */
  const publishFirst = async (project: string, courses: AuthoredCourse[]): Promise<string> => {
    await publish(database.store, project, courses, "2026-01-01T00:00:00.000Z");
    const newKey = await createKey(database.store, project);
    await shows(1, newKey);
    return newKey;
  };

  test("answer from the named release, whatever is published meanwhile", async () => {
    const createMoving = (count: number) => Array.from({ length: count }, (_, index) => course(`m${index}`, "moving"));
    const movingKey = await publishFirst("moving", createMoving(1));
    const seen = new Set<number>();
    for (const count of [2, 3, 4]) {
      const published = publish(database.store, "moving", createMoving(count), `2026-01-0${count}T00:00:00.000Z`);
      for (let asked = 0; !seen.has(count); asked++) {
        // Other texts each time: answers are cached.
        const query = `q=moving+-x${count}y${asked}`;
        const answer = await server.ask(query, { key: movingKey });
        const release = releaseOf(answer);
        expect(dataOf(answer).total).toBe(3 * release);
        seen.add(release);
        await Bun.sleep(5);
      }
      await published;
    }
  });

  test("return at most 20 results per page, with links to the other pages", async () => {
    const ids = Array.from({ length: 15 }, (_, index) => `p${10 + index}`);
    const courses = ids.map((id) => course(id, "paged", { createdAt: `2026-01-${id.slice(1)}` }));
    const pagesKey = await publishFirst("pages", courses);
    const pages: string[][] = [];
    for (let path: string | undefined = "q=paged&limit=100"; path !== undefined;) {
      const { headers, text } = await server.ask(path, { key: pagesKey });
      const { data } = JSON.parse(text) as { data: Found };
      expect(data.total).toBe(45);
      pages.push(data.results.map(({ courseId, lessonId }) => `${courseId}/${lessonId}`));
      path = /<\?([^>]*)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
    }
    expect(pages.map(({ length }) => length)).toEqual([20, 20, 5]);
    expect(pages.flat()).toEqual(ids.toReversed().flatMap((id) => [1, 2, 3].map((n) => `${id}/${id}${n}`)));
    const { headers } = await server.ask("q=paged&offset=40", { key: pagesKey });
    expect(headers.get("link")).toBe('<?q=paged&limit=20&offset=20&release=1>; rel="prev"');
    expect((await server.read("q=paged&offset=99", pagesKey)).results).toEqual([]);
  });

  test("have the header fields of other answers", async () => {
    const { headers, status } = await server.ask("q=delta", { key });
    const told = [status, headers.get("catalog-release"), headers.get("cache-control")];
    expect(told).toEqual([200, "1", "private, no-cache"]);
    const held = { "if-none-match": headers.get("etag") ?? "" };
    expect((await server.ask("q=delta", { key, headers: held })).status).toBe(304);
    expect((await server.ask("q=delta", {})).status).toBe(401);
    for (const unknown of ["release=99", "course=nobody", "course=%00", "course=slug-e"]) {
      expect((await server.ask(`q=delta&${unknown}`, { key })).status).toBe(404);
    }
    expect(await server.find("delta", key, "&course=slug-c")).toEqual(["c/c1", "c/c2", "c/c3"]);
  });

  test("answer 503 on this path only for an incompletely indexed release, and do not delay the current one", async () => {
    const partlyKey = await createKey(database.store, "partly");
    await publish(database.store, "partly", [course("a", "alpha")], "2026-01-01T00:00:00.000Z");
    const last = await database.execute("select max(id) as id from lesson_versions where project = 'partly'");
    await publish(database.store, "partly", [course("a", "beta")], "2026-01-02T00:00:00.000Z");
    // What the index of the first release cannot be finished without.
    await database.execute(`delete from lesson_versions where id = ${(last[0] as { id: number }).id}`);
    await shows(2, partlyKey);
    expect(await server.find("beta", partlyKey)).toEqual(["a/a1", "a/a2", "a/a3"]);
    const answer = await server.get("/api/v1/search?q=alpha&release=1", { key: partlyKey });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(answer.text).toContain("is being built");
    for (const path of ["/courses?release=1", "/courses/a?release=1"]) {
      expect((await server.get(`/api/v1${path}`, { key: partlyKey })).status).toBe(200);
    }
  });
});
