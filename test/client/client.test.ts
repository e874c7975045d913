import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { CatalogError, createCatalogClient, type CachedAnswer } from "../../packages/client/src/catalog-client.ts";
import { dataOf } from "../support/answers.ts";
import { intro } from "../support/acme.ts";
import { publish } from "../support/catalog.ts";
import { shareAcme } from "../support/shared-store.ts";

/** A proxy before the service, under a path, which sends prepared answers until it has none left. */
function startProxy(target: string) {
  /** Each takes the place of one request; "cut" sends the beginning of what the service answers. */
  const answers: (Response | "cut")[] = [];
  const seen: { path: string; status: number }[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    error: () => new Response(null, { status: 500 }),
    async fetch({ url, headers }) {
      const { pathname, search } = new URL(url);
      const entry = { path: pathname.slice("/below".length) + search, status: 0 };
      seen.push(entry);
      const answer = answers.shift();
      const pass = () => fetch(target + entry.path, { headers, decompress: false });
      const given = answer instanceof Response ? answer : await pass();
      entry.status = given.status;
      if (answer !== "cut") return given;
      const start = (await given.bytes()).subarray(0, 10);
      const pull = (controller: ReadableStreamDefaultController): void => controller.error();
      return new Response(new ReadableStream({ start: (controller) => controller.enqueue(start), pull }), given);
    },
  });
  return { url: `${server.url.href}below/`, answers, seen, stop: () => server.stop(true) };
}

const busy = (status: number, headers: Record<string, string> = { "retry-after": "0" }): Response =>
  Response.json({ data: {}, success: false, message: "Not now", code: status }, { status, headers });
const succeed = (data: object | null, headers: Record<string, string> = {}): Response =>
  Response.json({ data, success: true, message: "", code: 200 }, { headers });
const SUCCESS = '{"data":{},"success":true,"message":"","code":200}';
/** A page of a list of two, with a Link. */
const pageOf = (id: string, link: string): Response =>
  succeed({ total: 2, results: [{ _id: id }] }, { etag: `"${id}"`, ...(link === "" ? {} : { link }) });

describe("the client", () => {
  const acme = shareAcme();
  let proxy: ReturnType<typeof startProxy>;
  beforeAll(() => void (proxy = startProxy(acme.server.url)));
  afterAll(() => proxy.stop());
  beforeEach(() => {
    proxy.answers.length = proxy.seen.length = 0;
  });

  const open = (options: Partial<Parameters<typeof createCatalogClient>[0]> = {}) =>
    createCatalogClient({ baseUrl: proxy.url, apiKey: acme.key, ...options });
  const readDirectly = async (path: string) => dataOf(await acme.server.get(`/api/v1${path}`, { key: acme.key }));
  const failureOf = async (promise: Promise<unknown>): Promise<CatalogError> => {
    const error = await promise.catch((caught: unknown) => caught);
    if (!(error instanceof CatalogError)) throw new Error(`not refused: ${String(error)}`);
    return error;
  };

  describe("reads", () => {
    test("the resources as the service sends them, with what is included", async () => {
      const client = open();
      const options = { include: ["lessons", "meta"] } as const;
      const read = {
        "/courses/intro": await client.getCourse("intro", { include: [] }),
        "/courses/intro?include=lessons,meta": await client.getCourse("intro", options),
        "/courses/course-1/lessons/l-1": await client.getLesson("intro", "l-1"),
        "/courses/intro/lessons/l-1?include=nav": await client.getLesson("intro", "l-1", { include: ["nav"] }),
      };
      for (const [path, data] of Object.entries(read)) expect(data).toEqual((await readDirectly(path)) as never);
    });

    test("lists lazily, from Link, in pages of one release", async () => {
      const client = open();
      const sorted = { include: ["digest", "meta"], sort: "name" } as const;
      const { results: byName } = await readDirectly("/courses?include=meta,digest&sort=name");
      expect(await Array.fromAsync(client.listCourses(sorted))).toEqual(byName as never);
      const { results: all } = await readDirectly("/courses");
      proxy.seen.length = 0;
      expect(await client.listCourses({ pageSize: 2 }).toArray()).toEqual(all as never);
      expect(proxy.seen).toHaveLength(Math.ceil(all.length / 2));
      expect(proxy.seen.slice(1).every(({ path }) => /[?&]release=1\b/.test(path))).toBe(true);
      const { results: lessons } = await readDirectly("/courses/intro/lessons?include=digest");
      const listed = client.listLessons("intro", { include: ["digest"], pageSize: 1 });
      expect(await listed.toArray()).toEqual(lessons as never);
      proxy.seen.length = 0;
      for await (const course of client.listCourses({ pageSize: 2 })) {
        expect(course).toEqual(all[0] as never);
        break;
      }
      expect(proxy.seen).toHaveLength(1);
    });

    test("filtered lists", async () => {
      const list = async (options: Parameters<ReturnType<typeof open>["listCourses"]>[0]) =>
        (await open().listCourses(options).toArray()).map(({ _id }) => _id);
      expect((await list({ ids: ["course-1", "bare"] })).sort()).toEqual(["bare", "course-1"]);
      expect(await list({ name: "BARE", pageSize: 1 })).toEqual(["bare"]);
      for (const none of [{ ids: [] }, { tag: ["no", "such"], language: "xx" }, { updatedSince: "2999-01-01" }]) {
        expect(await list(none)).toEqual([]);
      }
    });

    test("one page of a list and the total with one request", async () => {
      const client = open();
      const { total, results } = await readDirectly("/courses");
      const courses = client.listCourses({ include: ["meta"], pageSize: 7 });
      const page = await courses.page({ limit: 1, offset: 1 });
      expect(page).toEqual({ total, results: [expect.objectContaining(results[1] ?? {})] } as never);
      expect(await courses.page({ offset: 1000 })).toEqual({ total, results: [] });
      expect(proxy.seen.at(-1)?.path).toBe("/api/v1/courses?limit=7&offset=1000&include=meta");
      expect(await client.listCourses({ ids: [] }).page()).toEqual({ total: 0, results: [] });
      const lessons = client.listLessons(intro._id, { include: ["meta"] });
      expect((await lessons.page({ limit: 1 })).results).toEqual((await lessons.toArray()).slice(0, 1));
      proxy.answers.push(succeed({}));
      expect((await failureOf(courses.page())).message).toContain("without results");
    });

    test("one page of a search", async () => {
      const page = { total: 1, results: [{ courseId: "a", lessonId: "b", excerpt: "<mark>tea</mark>" }] };
      proxy.answers.push(succeed(page));
      const options = { course: "a", tag: ["x", "y"], limit: 5, signal: AbortSignal.timeout(60_000) };
      expect(await open().search("green tea", options)).toEqual(page as never);
      expect(proxy.seen.at(-1)?.path).toBe("/api/v1/search?q=green+tea&course=a&tag=x&tag=y&limit=5");
    });

    test("ids and slugs with any characters reach the service unchanged", async () => {
      for await (const { _id } of open().listCourses()) {
        expect((await open().getCourse(_id))._id).toBe(_id);
        for await (const { id } of open().listLessons(_id)) expect((await open().getLesson(_id, id)).id).toBe(id);
      }
    });

    test("changes and releases; a pinned client reads one release while others are published", async () => {
      const client = open({ apiKey: acme.emptyKey });
      const first = await publish(acme.store, "empty", [{ _id: "a", name: "A" }]);
      await acme.server.pollsTwice();
      const pinned = await client.pinned();
      expect(pinned.release).toBe(first);
      const second = await publish(acme.store, "empty", [{ _id: "a", name: "B" }]);
      await acme.server.pollsTwice();
      expect((await client.releases()).map(({ number }) => number)).toEqual([second, first]);
      expect(await client.changes(first)).toMatchObject({ since: first, release: second, results: [{ _id: "a" }] });
      expect((await pinned.changes(second)).release).toBe(first);
      expect((await pinned.getCourse("a")).name).toBe("A");
      expect((await pinned.listCourses().toArray()).map(({ name }) => name)).toEqual(["A"]);
      expect((await client.getCourse("a")).name).toBe("B");
      expect((await (await client.pinned(first)).getCourse("a")).name).toBe("A");
      expect((await failureOf(pinned.getCourse("pinned-course"))).status).toBe(404);
    });
  });

  describe("follows Link", () => {
    test.each([[["?limit=1000"]], [["?offset=1 ", "?offset=2", "?offset=1"]], [["/x?limit=1000&x", "?limit=1000"]]])(
      "but stops if it leads back to a page that was read: %j",
      async (nexts) => {
        proxy.answers.push(...nexts.map((next) => pageOf("a", `<${next}>; rel="next"`)));
        const read: string[] = [];
        const all = (async () => {
          for await (const { _id: id } of open().listCourses()) read.push(id);
        })();
        expect(await all.catch(String)).toContain(`links back to ${nexts.at(-1)}, which was already read`);
        expect([read.length, proxy.answers]).toEqual([nexts.length, []]);
      },
    );

    test.each([
      "<?offset=1>; rel=next",
      "<?offset=1>; rel='next'",
      '<?offset=1>; REL="last NEXT"',
      '<?offset=9>; title="; rel=next", </api/v1/courses?offset=1#x>; rel="next"',
    ])("in any form: %s", async (link) => {
      proxy.answers.push(pageOf("a", link), pageOf("b", ""));
      expect(await open().listCourses().toArray()).toHaveLength(2);
      expect(proxy.seen.at(-1)).toMatchObject({ path: "/api/v1/courses?offset=1" });
    });

    test("and never treats an incomplete list as complete", async () => {
      proxy.answers.push(pageOf("a", "</api/v1/courses/page/2>; rel=next"));
      const error = await failureOf(open().listCourses().toArray());
      expect(error.message).toContain("the next page, /api/v1/courses/page/2, has no query");
      proxy.answers.push(pageOf("a", '<?offset=9>; title="rel=next"; rel=prev'));
      expect(await open().listCourses().toArray()).toHaveLength(1);
      proxy.answers.push(succeed(null));
      await failureOf(open().listLessons("a").toArray());
    });
  });

  describe("fails", () => {
    const elsewhere = new Response(null, { status: 301, headers: { location: "https://elsewhere.example/" } });
    test.each<[status: number, message: string, answer: Response | undefined]>([
      [404, "Course not found", undefined],
      [200, "The service answered 200 without an envelope: is baseUrl correct?", new Response("<h1>Hello</h1>")],
      [301, "The service redirects to https://elsewhere.example/: set baseUrl to a URL that", elsewhere],
      [304, "The service answered 304 to a request without If-None-Match", new Response(null, { status: 304 })],
      [206, "The service answered 206 without", new Response(SUCCESS, { status: 206 })],
      [200, "Out of order", Response.json({ data: {}, success: false, message: "Out of order", code: 500 })],
    ])("with a CatalogError that has the status and message: %d %s", async (status, message, answer) => {
      if (answer !== undefined) proxy.answers.push(answer);
      const error = await failureOf(open().getCourse("no such"));
      expect(error).toMatchObject({ status, url: `${proxy.url}api/v1/courses/no%20such` });
      expect(error.message).toStartWith(message);
    });

    test("not with transient failures, which are retried: 429, 503, a closed connection", async () => {
      for (const answer of [busy(429), busy(503), "cut"] as const) {
        proxy.answers.push(answer);
        expect((await open().getCourse("intro"))._id).toBe("course-1");
      }
      expect(proxy.seen.length).toBe(6);
    });

    test("after a limited number of retries, and at once if the failure is permanent", async () => {
      proxy.answers.push(busy(429), busy(429), busy(429), busy(503));
      const error = await failureOf(open({ retries: 3 }).getCourse("intro"));
      expect(error).toMatchObject({ status: 503, message: "Not now" });
      expect(proxy.seen).toHaveLength(4);
      const waits = ["86400", "1e300", "Fri, 31 Dec 9999 23:59:59 GMT"];
      for (const answer of [busy(500), ...waits.map((time) => busy(503, { "retry-after": time }))]) {
        proxy.answers.push(answer);
        expect((await failureOf(open().getCourse("intro"))).message).toContain("Not now");
      }
      expect(proxy.seen).toHaveLength(8);
    });

    test("with status 0 if the service cannot be reached, which it names", async () => {
      const gone = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
      const host = `127.0.0.1:${gone.port}`;
      await gone.stop(true);
      const error = await failureOf(open({ baseUrl: `http://${host}`, retries: 0 }).getCourse("intro"));
      expect([error.status, error.message]).toEqual([0, expect.stringContaining(`${host} cannot be`)]);
    });
  });

  test("aborts an attempt that takes too long, and retries", async () => {
    let attempts = 0;
    const hanging = async (url: string, init: RequestInit): Promise<Response> => {
      if (++attempts > 1) return fetch(url, init);
      const aborted = new Promise((resolve) => init.signal?.addEventListener("abort", resolve));
      return aborted.then(() => Promise.reject(init.signal?.reason as Error));
    };
    const course = await open({ fetch: hanging, timeoutMs: 200, retries: 1 }).getCourse("intro");
    expect([course._id, attempts]).toEqual(["course-1", 2]);
  });

  test("a signal aborts a request and the delay before a retry", async () => {
    proxy.answers.push(busy(503, { "retry-after": "50" }));
    const controller = new AbortController();
    const reading = open().getCourse("intro", { signal: controller.signal });
    while (proxy.seen[0]?.status !== 503) await Bun.sleep(1);
    controller.abort(new Error("enough"));
    expect(await reading.catch(String)).toBe("Error: enough");
    expect(await open().getCourse("intro", { signal: controller.signal }).catch(String)).toBe("Error: enough");
    expect(proxy.seen.length).toBe(1);
  });

  test("with a cache, unchanged answers are not sent again; lists continue from cached pages", async () => {
    const client = open({ cache: new Map<string, CachedAnswer>() });
    const read = async () => [await client.getCourse("intro"), await client.listCourses({ pageSize: 2 }).toArray()];
    const first = await read();
    const requests = proxy.seen.length;
    proxy.seen.length = 0;
    expect(await read()).toEqual(first);
    expect(proxy.seen.map(({ status }) => status)).toEqual(Array.from({ length: requests }, () => 304));
  });

  test("with a cache, a 304 without a Link uses the Link of the cached answer", async () => {
    const client = open({ cache: new Map<string, CachedAnswer>() });
    proxy.answers.push(pageOf("a", '<?offset=1>; rel="next"'), pageOf("b", ""));
    const first = await client.listCourses().toArray();
    expect(first).toHaveLength(2);
    proxy.answers.push(new Response(null, { status: 304 }), new Response(null, { status: 304 }));
    expect(await client.listCourses().toArray()).toEqual(first);
  });
});
