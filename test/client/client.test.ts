import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { CatalogError, createCatalogClient, type CachedAnswer } from "../../packages/client/src/catalog-client.ts";
import { intro, openAcme, type Acme } from "../support/acme.ts";
import { publish } from "../support/catalog.ts";
import { anyEngine } from "../support/store.ts";

/** A proxy before the service, which sends prepared answers until it has none left. */
interface Proxy {
  url: string;
  /** Each takes the place of one request; "pass" passes it on. */
  answers: (Response | "pass" | "cut")[];
  /** Of the requests that came: path, query, and the conditional header. */
  seen: { path: string; ifNoneMatch: string | undefined; status: number }[];
  stop(): Promise<void>;
}

async function startProxy(target: string): Promise<Proxy> {
  const answers: Proxy["answers"] = [];
  const seen: Proxy["seen"] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = answers.shift() ?? "pass";
    const ifNoneMatch = request.headers["if-none-match"];
    const entry = { path: (request.url ?? "").slice("/below".length), ifNoneMatch, status: 0 };
    seen.push(entry);
    const headers = {
      "x-api-key": String(request.headers["x-api-key"]),
      ...(ifNoneMatch && { "if-none-match": ifNoneMatch }),
    };
    const given =
      answer instanceof Response ? answer : await fetch(target + entry.path, { headers, redirect: "manual" });
    const body = Buffer.from(await given.arrayBuffer());
    const { "content-encoding": _, "content-length": __, ...fields } = Object.fromEntries(given.headers);
    entry.status = given.status;
    if (answer !== "cut") {
      response.writeHead(given.status, fields).end(body);
      return;
    }
    response.writeHead(200, { ...fields, "content-length": body.length });
    response.write(body.subarray(0, 10), () => response.destroy());
  };
  const server = createServer((request, response) => void handle(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${port}/below/`, answers, seen, stop };
}

const busy = (status: number, headers: Record<string, string> = { "retry-after": "0" }): Response =>
  Response.json({ data: {}, success: false, message: "Not now", code: status }, { status, headers });

describe("the client", () => {
  let acme: Acme;
  let proxy: Proxy;
  beforeAll(async () => {
    acme = await openAcme(anyEngine);
    proxy = await startProxy(acme.server.url);
  });
  afterAll(async () => {
    await proxy.stop();
    await acme.drop();
  });
  beforeEach(() => {
    proxy.answers.length = proxy.seen.length = 0;
  });

  const open = (options: Partial<Parameters<typeof createCatalogClient>[0]> = {}) =>
    createCatalogClient({ baseUrl: proxy.url, apiKey: acme.key, ...options });

  const readDirectly = async (path: string): Promise<unknown> => {
    const { text } = await acme.server.get(`/api/v1${path}`, { key: acme.key });
    return (JSON.parse(text) as { data: unknown }).data;
  };

  test("stops a list whose next link leads back to a page it has read", async () => {
    const page = (next: string): Response =>
      Response.json(
        { data: { total: 9, results: [{ _id: "a" }] }, success: true, message: "", code: 200 },
        { headers: { link: `<${next}>; rel="next"` } },
      );
    for (const nexts of [
      ["?limit=1000"],
      ["?offset=1", "?offset=2", "?offset=1"],
      ["/x?limit=1000&x", "?limit=1000"],
    ]) {
      proxy.answers.push(...nexts.map(page));
      const read: string[] = [];
      const all = (async () => {
        for await (const { _id: id } of open().listCourses()) read.push(id);
      })();
      expect(await all.catch(String)).toContain(`links back to ${nexts.at(-1)}, which was already read`);
      expect([read.length, proxy.answers]).toEqual([nexts.length, []]);
    }
    proxy.answers.push(Response.json({ data: null, success: true, message: "", code: 200 }));
    const none = open().listLessons("a")[Symbol.asyncIterator]().next();
    expect(await none.catch((error: unknown) => error)).toBeInstanceOf(CatalogError);
  });

  test("reads the next page from any form of Link, and never treats an incomplete list as complete", async () => {
    const answer = (link: string): Response =>
      Response.json(
        { data: { total: 2, results: [{ _id: "a" }] }, success: true, message: "", code: 200 },
        { headers: { link } },
      );
    const read = async (): Promise<number | string> =>
      (await Array.fromAsync(open().listCourses()).catch(String)).length;
    for (const link of [
      '<?offset=1>; rel="next"',
      "<?offset=1>; rel=next",
      "<?offset=1>; rel='next'",
      '<?offset=1>; title="x; y"; rel="next"',
      '<?offset=1>; REL="last NEXT"',
      '<?offset=9>; title="; rel=next", </api/v1/courses?offset=1#x>; rel="next"',
    ]) {
      proxy.answers.push(answer(link), answer(""));
      expect([link, await read(), proxy.answers.length]).toEqual([link, 2, 0]);
      expect(proxy.seen.at(-1)).toMatchObject({ path: "/api/v1/courses?offset=1" });
    }
    proxy.answers.push(answer("</api/v1/courses/page/2>; rel=next"));
    const error = await Array.fromAsync(open().listCourses()).catch(String);
    expect(error).toContain("the next page, /api/v1/courses/page/2, has no query");
    proxy.answers.push(answer('<?offset=9>; title="rel=next"; rel=prev'));
    expect(await read()).toBe(1);
  });

  test("returns a whole list, and one page of a search", async () => {
    const client = open();
    const { results } = (await readDirectly("/courses")) as { results: object[] };
    expect(await client.listCourses({ pageSize: 1 }).toArray()).toEqual(results as never);
    const page = { total: 1, results: [{ courseId: "a", lessonId: "b", excerpt: "<mark>tea</mark>" }] };
    proxy.answers.push(Response.json({ data: page, success: true, message: "", code: 200 }));
    const found = await client.search("green tea", {
      course: "a",
      tag: ["x", "y"],
      limit: 5,
      signal: AbortSignal.timeout(60_000),
    });
    expect(found).toEqual(page as never);
    expect(proxy.seen.at(-1)?.path).toBe("/api/v1/search?q=green+tea&course=a&tag=x&tag=y&limit=5");
  });

  test("returns one page of a list and the total with one request", async () => {
    const client = open();
    const { total, results } = (await readDirectly("/courses")) as { total: number; results: object[] };
    const courses = client.listCourses({ include: ["meta"], pageSize: 7 });
    proxy.seen.splice(0);
    const page = await courses.page({ limit: 1, offset: 1 });
    expect(page).toEqual({ total, results: [expect.objectContaining(results[1] ?? {})] } as never);
    expect(await courses.page({ offset: 1000 })).toEqual({ total, results: [] });
    expect(await client.listCourses({ ids: [] }).page()).toEqual({ total: 0, results: [] });
    const [first] = await client.listLessons(intro._id, { include: ["meta"] }).toArray();
    expect((await client.listLessons(intro._id, { include: ["meta"] }).page({ limit: 1 })).results).toEqual([
      first as never,
    ]);
    expect(proxy.seen.slice(0, 2).map(({ path }) => path)).toEqual([
      "/api/v1/courses?limit=1&offset=1&include=meta",
      "/api/v1/courses?limit=7&offset=1000&include=meta",
    ]);
    proxy.answers.push(Response.json({ data: {}, success: true, message: "", code: 200 }));
    const refused = await courses.page().catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 0, message: expect.stringContaining("without results") });
  });

  test("aborts an attempt that takes too long, and retries", async () => {
    let attempts = 0;
    const hanging = async (url: string, init: RequestInit): Promise<Response> => {
      if (++attempts > 1) return fetch(url, init);
      return new Promise((_, reject) =>
        init.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error)),
      );
    };
    const course = await open({ fetch: hanging, timeoutMs: 200, retries: 1 }).getCourse("intro");
    expect([course._id, attempts]).toEqual(["course-1", 2]);
  });

  test("an error names the URL of its request", async () => {
    const error = await open()
      .getCourse("no such")
      .catch((each: unknown) => each);
    expect(error).toMatchObject({ status: 404, url: `${proxy.url}api/v1/courses/no%20such` });
  });

  test("fetches the next page from Link, on each page", async () => {
    const client = open();
    const all = (await readDirectly("/courses?include=meta,digest&sort=name")) as { results: { _id: string }[] };
    const listed = client.listCourses({ include: ["digest", "meta"], sort: "name", pageSize: 1 });
    expect(await Array.fromAsync(listed)).toEqual(all.results as never);
    expect(proxy.seen.length).toBe(all.results.length);
    const [one, , two] = all.results.map(({ _id }) => _id);
    const ids = async (values: string[]) =>
      (await Array.fromAsync(client.listCourses({ ids: values }))).map(({ _id }) => _id);
    expect((await ids([one ?? "", two ?? ""])).sort()).toEqual([one ?? "", two ?? ""].sort());
    expect(await ids([])).toEqual([]);
    const named = await Array.fromAsync(client.listCourses({ name: "BARE", pageSize: 1 }));
    expect(named.map(({ name }) => name)).toEqual(["Bare"]);
    expect(await Array.fromAsync(client.listCourses({ tag: ["no", "such"], language: "xx" }))).toEqual([]);
    expect(await Array.fromAsync(client.listCourses({ updatedSince: "2999-01-01" }))).toEqual([]);
    expect(await client.getCourse("intro", { include: ["lessons", "meta"] })).toEqual(
      (await readDirectly("/courses/intro?include=lessons,meta")) as never,
    );
    expect(await client.getLesson("intro", "l-1", { include: ["nav"] })).toEqual(
      (await readDirectly("/courses/intro/lessons/l-1?include=nav")) as never,
    );
    const lessons = (await readDirectly("/courses/intro/lessons?include=digest")) as { results: unknown[] };
    expect(await Array.fromAsync(client.listLessons("intro", { include: ["digest"], pageSize: 1 }))).toEqual(
      lessons.results as never,
    );
    expect(await client.getCourse("intro", { include: [] })).toEqual((await readDirectly("/courses/intro")) as never);
  });

  test("returns the four resources as the service sends them", async () => {
    const client = open();
    expect(await client.getCourse("intro")).toEqual((await readDirectly("/courses/course-1")) as never);
    const [lesson] = intro.chapters.flatMap((chapter) => chapter.lessons);
    const path = `/courses/course-1/lessons/${encodeURIComponent(lesson?.id ?? "")}`;
    expect(await client.getLesson("intro", lesson?.id ?? "")).toEqual((await readDirectly(path)) as never);
    const { results: courses } = (await readDirectly("/courses")) as { results: unknown[] };
    expect(await Array.fromAsync(client.listCourses())).toEqual(courses as never);
    const { results: lessons } = (await readDirectly("/courses/intro/lessons")) as { results: unknown[] };
    expect(await Array.fromAsync(client.listLessons("intro"))).toEqual(lessons as never);
  });

  test("ids and slugs with any characters reach the service unchanged", async () => {
    for await (const { _id } of open().listCourses()) {
      const course = await open().getCourse(_id);
      expect(course._id).toBe(_id);
      for await (const { id } of open().listLessons(_id)) expect((await open().getLesson(_id, id)).id).toBe(id);
    }
  });

  test("a list loads lazily, in pages of one release", async () => {
    const all = await Array.fromAsync(open().listCourses());
    proxy.seen.length = 0;
    expect(await Array.fromAsync(open().listCourses({ pageSize: 2 }))).toEqual(all);
    expect(proxy.seen.length).toBe(Math.ceil(all.length / 2));
    expect(proxy.seen.slice(1).every(({ path }) => /[?&]release=1\b/.test(path))).toBe(true);
    proxy.seen.length = 0;
    for await (const course of open().listCourses({ pageSize: 2 })) {
      expect(course).toEqual(all[0] as never);
      break;
    }
    expect(proxy.seen.length).toBe(1);
  });

  test("an error answer becomes a CatalogError with its status and message", async () => {
    const fail = async (promise: Promise<unknown>): Promise<[number, string]> => {
      const error = await promise.then(() => undefined).catch((caught: unknown) => caught);
      if (!(error instanceof CatalogError)) throw new Error(`not refused: ${String(error)}`);
      return [error.status, error.message];
    };
    expect(await fail(open().getCourse("no such"))).toEqual([404, "Course not found"]);
    expect(await fail(open({ apiKey: "wrong" }).getCourse("intro"))).toEqual([401, "Invalid API key"]);
    proxy.answers.push(new Response("<h1>Hello</h1>"));
    expect(await fail(open().getCourse("intro"))).toEqual([
      200,
      "The service answered 200 without an envelope: is baseUrl correct?",
    ]);
    proxy.answers.push(new Response(null, { status: 301, headers: { location: "https://elsewhere.example/" } }));
    const [status, message] = await fail(open().getCourse("intro"));
    expect(status).toBe(301);
    expect(message).toBe(
      "The service redirects to https://elsewhere.example/: set baseUrl to a URL that does not redirect",
    );
    proxy.answers.push(new Response(null, { status: 304 }));
    expect(await fail(open().getCourse("intro"))).toEqual([
      304,
      "The service answered 304 to a request without If-None-Match; is a cache in front of it broken?",
    ]);
    for (const success of [false, "false", null, 0]) {
      proxy.answers.push(Response.json({ data: {}, success, message: "Out of order", code: 500 }));
      expect(await fail(open().getCourse("intro"))).toEqual([200, "Out of order"]);
    }
    proxy.answers.push(Response.json({ data: {}, success: true, message: "", code: 200 }, { status: 206 }));
    expect((await fail(open().getCourse("intro")))[1]).toStartWith("The service answered 206 without");
    expect(() => open({ apiKey: "line\nbreak" })).toThrow(TypeError);
    expect(() => open({ baseUrl: "catalog.example" })).toThrow(TypeError);
  });

  test("transient failures are retried: 429, 503, a closed connection", async () => {
    for (const answer of [busy(429), busy(503), "cut"] as const) {
      proxy.answers.push(answer);
      expect((await open().getCourse("intro"))._id).toBe("course-1");
    }
    expect(proxy.seen.length).toBe(6);
  });

  test("retries are limited, and permanent failures are not retried", async () => {
    proxy.answers.push(busy(429), busy(429), busy(429), busy(503));
    const error = await open({ retries: 3 })
      .getCourse("intro")
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ status: 503, message: "Not now" });
    expect(proxy.seen.length).toBe(4);
    proxy.seen.length = 0;
    const waits = ["86400", "1e300", "Fri, 31 Dec 9999 23:59:59 GMT"].map((time) => busy(503, { "retry-after": time }));
    proxy.answers.push(busy(500), ...waits);
    for (let asked = 0; asked < 4; asked++) expect(await open().getCourse("intro").catch(String)).toContain("Not now");
    expect(proxy.seen.length).toBe(4);
  });

  test("an unreachable service is an error with status 0 that names it", async () => {
    const gone = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const baseUrl = `http://127.0.0.1:${gone.port}`;
    await gone.stop(true);
    const error = await open({ baseUrl, retries: 0 })
      .getCourse("intro")
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CatalogError);
    expect(error).toMatchObject({ status: 0, message: expect.stringContaining(`${new URL(baseUrl).host} cannot be`) });
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
    const cache = new Map<string, CachedAnswer>();
    const client = open({ cache });
    const read = async () => [
      await client.getCourse("intro"),
      await Array.fromAsync(client.listCourses({ pageSize: 2 })),
    ];
    const first = await read();
    const requests = proxy.seen.length;
    proxy.seen.length = 0;
    expect(await read()).toEqual(first);
    expect(proxy.seen.map(({ status }) => status)).toEqual(Array.from({ length: requests }, () => 304));
  });

  test("with a cache, a 304 without a Link uses the Link of the cached answer", async () => {
    const page = (id: string, link?: string): Response =>
      Response.json(
        { data: { total: 2, results: [{ _id: id }] }, success: true, message: "", code: 200 },
        { headers: { etag: `"${id}"`, ...(link === undefined ? {} : { link }) } },
      );
    const client = open({ cache: new Map<string, CachedAnswer>() });
    proxy.answers.push(page("a", '<?offset=1>; rel="next"'), page("b"));
    const first = await client.listCourses().toArray();
    expect(first).toHaveLength(2);
    proxy.answers.push(new Response(null, { status: 304 }), new Response(null, { status: 304 }));
    expect(await client.listCourses().toArray()).toEqual(first);
  });

  test("changes and releases match the interface", async () => {
    const client = open({ apiKey: acme.emptyKey });
    const numbers = [
      await publish(acme.store, "empty", [{ _id: "a", name: "A" }]),
      await publish(acme.store, "empty", [{ _id: "a", name: "C" }]),
    ];
    await acme.server.pollsTwice();
    const [first = 0, second = 0] = numbers;
    expect((await client.releases()).slice(0, 2).map(({ number }) => number)).toEqual([second, first]);
    expect(await client.changes(first)).toMatchObject({ since: first, release: second, results: [{ _id: "a" }] });
    expect((await (await client.pinned(first)).changes(second)).release).toBe(first);
  });

  test("a pinned client reads one release while others are published", async () => {
    const pinned = await open().pinned();
    const before = await pinned.getCourse("pinned-course").catch((error: unknown) => (error as CatalogError).status);
    expect(before).toBe(404);
    const number = await publish(acme.store, "empty", [{ _id: "a", name: "A" }]);
    const other = createCatalogClient({ baseUrl: proxy.url, apiKey: acme.emptyKey });
    await acme.server.pollsTwice();
    const first = await other.pinned();
    expect(first.release).toBe(number);
    await publish(acme.store, "empty", [{ _id: "a", name: "B" }]);
    await acme.server.pollsTwice();
    expect((await first.getCourse("a")).name).toBe("A");
    expect((await Array.fromAsync(first.listCourses())).map(({ name }) => name)).toEqual(["A"]);
    expect((await other.getCourse("a")).name).toBe("B");
    expect((await (await other.pinned(number)).getCourse("a")).name).toBe("A");
  });
});
