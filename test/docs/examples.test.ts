// The examples that read a catalog: each is run against a real server, and its requests are counted.
import { describe, expect, test } from "bun:test";
import { cp, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";
import { releaseOf } from "../support/answers.ts";
import { crawlSite } from "../support/crawl.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { runTool } from "../support/command.ts";
import { writeFiles } from "../support/written-folder.ts";
import { createKey, startTestServer, waitFor, type TestServer } from "../support/server.ts";
import { anyEngine, useTestStore } from "../support/store.ts";
import { createWrittenSource } from "../support/written-source.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const EXAMPLES = join(PROJECT, "examples");
const HOOK_SECRET = `whsec_${Buffer.from("a secret of 24 bytes, ok").toString("base64")}`;

let server: TestServer;
/** Passes requests on to the server. */
let proxy: Bun.Server<undefined>;
/** The paths of requests that came since it was read last. */
const paths: string[] = [];
/** How many requests the proxy still answers. */
let answersLeft = Infinity;
let folder: string;
let env: Record<string, string>;
const database = useTestStore(anyEngine, async () => {
  server = await startTestServer(database.store);
  folder = await mkdtemp(join(tmpdir(), "lectern-examples-"));
  proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ url, method, headers }) {
      const { pathname, search } = new URL(url);
      paths.push(pathname + search);
      if (answersLeft-- <= 0) return new Response("gone", { status: 502 });
      return fetch(server.url + pathname + search, { method, headers, decompress: false });
    },
  });
  return async () => {
    await proxy.stop(true);
    await server.stop();
    await rm(folder, { recursive: true });
  };
});
const takePaths = (): string[] => paths.splice(0);

const untilServed = (key: string, release: number): Promise<void> =>
  waitFor(async () => releaseOf(await server.get("/api/v1/courses?limit=1", { key })) === release);

/** Publishes courses in a project, and waits until they are served. */
async function serveCourses(project: string, courses: AuthoredCourse[]): Promise<void> {
  const release = await publish(database.store, project, courses);
  const key = await createKey(database.store, project);
  env = { PATH: process.env["PATH"] ?? "", LECTERN_URL: proxy.url.origin, LECTERN_KEY: key };
  await untilServed(key, release);
}

const run = (...command: string[]): Promise<string> => runTool(command, folder, env);

function createCourse(number: number, lessons: number, own: AuthoredCourse = {}): AuthoredCourse {
  const list = Array.from({ length: lessons }, (_, index) => ({
    id: `l${index}`,
    name: `Lesson <${index}>`,
    additionalText: `<p>Text ${index}</p>`,
  }));
  const chapters = [{ name: "One", lessons: list }];
  return { _id: `c${number}`, slug: `course-${number}`, name: `Course ${number}`, chapters, ...own };
}

describe("the static site", () => {
  const build = (output: string): Promise<string> => run("node", join(EXAMPLES, "static-site/build-site.mjs"), output);
  const read = (path: string): Promise<string> => readFile(join(folder, path), "utf8");
  /** Every page with its content, but what only later builds leave; no link in it may be dead. */
  const readAll = async (output: string): Promise<Record<string, string>> => {
    expect((await crawlSite(join(folder, output), "http://localhost:8080/")).dead).toEqual([]);
    const names = await readdir(join(folder, output), { recursive: true });
    const pages = names.filter((name) => name.endsWith(".html")).toSorted();
    const texts = await Promise.all(pages.map(async (name) => [name, await read(join(output, name))] as const));
    return Object.fromEntries(texts.filter(([, text]) => !text.includes('http-equiv="refresh"')));
  };
  const courses = [
    createCourse(0, 2, { language: "en", description: "All about <tea>" }),
    createCourse(1, 2, { language: "fr", translationOf: "c0", slug: "thé" }),
    ...[2, 3, 4].map((number) => createCourse(number, 2)),
  ];

  test("needs one request per course, and two for the list; has metadata for search engines and feed readers", async () => {
    await serveCourses("site", courses);
    writeFiles(folder, { "site/CNAME": "site.example" });
    await build("site");
    expect(await read("site/CNAME")).toBe("site.example");
    expect(takePaths()).toHaveLength(courses.length + 2);
    const pages = await readAll("site");
    expect(Object.keys(pages)).toHaveLength(1 + 5 + 10);
    for (const part of [
      "<title>Course 0</title>",
      '<meta name="description" content="All about &#60;tea&#62;">',
      'hreflang="fr" href="http://localhost:8080/th%C3%A9/">',
    ]) {
      expect(pages["course-0/index.html"]).toContain(part);
    }
    const lesson = pages["course-0/lesson-1/index.html"];
    expect(lesson).toMatch(/<h1>Lesson &#60;1&#62;<\/h1>.*\n<article class="lesson"><p>Text 1<\/p>/);
    expect(lesson).toContain('<meta name="description" content="Text 1">');
    expect(lesson).toContain('rel="prev">← Lesson &#60;0&#62;</a>');
    const sitemap = await read("site/sitemap.xml");
    expect(sitemap.match(/<loc>/g)).toHaveLength(15);
    expect(sitemap).toContain("<loc>http://localhost:8080/th%C3%A9/lesson-0/</loc>");
    expect((await read("site/feed.xml")).match(/<entry><title>Lesson/g)?.length).toBeGreaterThan(2);
  });

  test("a rebuild needs one request, or at most three after a lesson was edited", async () => {
    await build("site");
    expect(takePaths()).toHaveLength(1);
    await serveCourses("site", courses.toSpliced(3, 1, createCourse(3, 3)));
    await build("site");
    expect(takePaths().length).toBeLessThanOrEqual(3);
    expect(await read("site/course-3/lesson-2/index.html")).toContain("<p>Text 2</p>");
  });

  test("equals a full build after courses were added, removed, translated, or swapped slugs", async () => {
    const course = (id: string, keys: string[], own: object) => {
      const lessons = keys.map((name) => ({ id: `${name}-${id}`, name, translationKey: name }));
      return { _id: id, name: id, createdAt: "2026-01-01", language: id, ...own, chapters: [{ name: "One", lessons }] };
    };
    const en = course("en", ["a", "b"], {});
    const [fr, frLater] = [["a"], ["b"]].map((keys) => course("fr", keys, { translationOf: "en" }));
    const few = [0, 1, 2, 3].map((number) => createCourse(number, 2));
    const swapped = [createCourse(0, 3, { slug: "course-1" }), createCourse(1, 2, { slug: "course-0" })];
    const later = [...swapped, createCourse(3, 2, { slug: "new-name" }), createCourse(4, 2), en];
    let pages: Record<string, string> = {};
    const switches: string[] = [];
    for (const published of [
      [...few, en],
      [...later, fr],
      [...later, frLater],
    ]) {
      await serveCourses("few", published as AuthoredCourse[]);
      await build("few");
      pages = await readAll("few");
      const findSwitch = (page: string): string =>
        /href="([^"]*)" hreflang="fr" rel="alternate">français</.exec(pages[`${page}/index.html`] ?? "")?.[1] ?? "-";
      switches.push(["en", "en/a", "en/b"].map(findSwitch).join(" "));
    }
    // As if the release of the build before were no longer kept.
    writeFiles(folder, { "anew/.catalog.json": '{"release":99,"courses":[],"paths":{},"written":[]}' });
    await build("anew");
    expect(await readAll("anew")).toEqual(pages);
    expect(switches).toEqual(["- - -", "/fr/ /fr/a/ -", "/fr/ - /fr/b/"]);
    expect(await read("few/course-3/index.html")).toContain('url=/new-name/"');
    expect(await readdir(join(folder, "few"))).not.toContain("course-2");
  });

  test("has no dead links between lessons, whatever the import's URL template", async () => {
    const source = createWrittenSource("linked");
    const key = await createKey(database.store, "linked");
    env = { ...env, LECTERN_URL: proxy.url.origin, LECTERN_KEY: key };
    const importAll = async (release: number, lessonUrl?: string): Promise<void> => {
      await source.import(database.store, lessonUrl === undefined ? {} : { lessonUrl });
      await untilServed(key, release);
    };
    const html = `<p>é <A title='a > b' HREF=../01-a/01-phin.md#x >x</A><a class="d" href='/soon/01-a/01-b.md'>soon</a> "`;
    writeFiles(source.path, {
      "tea/course.yaml": "_id: t&1\nslug: thé vert\nname: Tea\n",
      "tea/01-start/01-a.md": "[up](#top) [w](../02-pots/02-hard%20water.md#limit) [c](/coffee/01-a/01-phin.md)",
      "tea/02-pots/02-hard water.md": `---\nid: "water & 'lime'"\n---\n<i id="limit"></i>`,
      "coffee/course.yaml": "_id: coffee\nname: Coffee\n",
      "coffee/01-a/01-phin.md": '<i id="x"></i> [w](/tea/02-pots/02-hard%20water.md) [o](https://o.example/)',
      "coffee/02-b/01-html.html": html,
      "soon/course.yaml": "_id: soon\nname: Soon\npublished: false\n",
      "soon/01-a/01-b.md": "Later.",
    });
    await importAll(1);
    await build("linked");
    const pages = Object.values(await readAll("linked"));
    expect(pages.find((page) => page.includes(">up</a>"))).toContain('href="/th%C3%A9%20vert/hard-water/#limit"');
    const written = pages.find((page) => page.includes("title='a > b'")) ?? "";
    expect(written).toMatch(
      /<A data-course-id="coffee" data-lesson-id="\w+" title='a > b' href="\/coffee\/[\w-]+\/#x" >x<\/A>/,
    );
    // A draft has no page, so a link to it has no URL.
    expect(written).toMatch(/<a data-course-id="soon" data-lesson-id="\w+" class="d" >soon<\/a>/);

    // Other addresses of courses that pages of unchanged courses link to.
    source.write("tea/course.yaml", "_id: t&1\nslug: tea\nname: Tea\n");
    source.write("soon/course.yaml", "_id: soon\nname: Soon\n");
    await importAll(2);
    await build("linked");
    const again = await readAll("linked");
    expect(Object.values(again).join("")).toContain('href="/soon/');

    await importAll(3, "https://other.example/{courseSlug}/{lessonId}{fragment}");
    await build("templated");
    expect(await readAll("templated")).toEqual(again);
    source.drop();
  });
});

test("the Astro loader fills a collection, and rereads only changed courses", async () => {
  await serveCourses("astro", [createCourse(0, 2), createCourse(1, 1)]);
  const { loadLessons } = (await import(join(EXAMPLES, "astro/src/lectern-loader.mjs"))) as {
    loadLessons: (options: object) => { load(context: object): Promise<void> };
  };
  const entries = new Map<string, { id: string }>();
  const set = (entry: { id: string }) => entries.set(entry.id, entry);
  const remove = (id: string) => entries.delete(id);
  const store = { set, entries: () => [...entries], delete: remove, clear: () => entries.clear() };
  const listIds = (): string[] => [...entries.keys()].toSorted();
  const parseData = async ({ data }: { data: object }) => data;
  const context = { store, meta: new Map(), parseData, generateDigest: String, logger: { info: () => {} } };
  const loader = loadLessons({ baseUrl: proxy.url.origin, apiKey: env["LECTERN_KEY"] });
  await loader.load(context);
  expect(listIds()).toEqual(["course-0/lesson-0", "course-0/lesson-1", "course-1/lesson-0"]);
  expect(entries.get("course-0/lesson-1")).toMatchObject({
    data: { courseName: "Course 0", name: "Lesson <1>", previous: "course-0/lesson-0", next: null },
    rendered: { html: "<p>Text 1</p>" },
  });
  takePaths();
  await serveCourses("astro", [createCourse(0, 1)]);
  await loader.load(context);
  expect(listIds()).toEqual(["course-0/lesson-0"]);
  expect(takePaths()).toHaveLength(2);
});

/** Does for `fetch` and tags what Next.js does, and goes through a site's pages and a webhook. */
const NEXT_PROGRAM = `
  const kept = new Map();
  const original = fetch;
  globalThis.fetch = async (url, init) => {
    if (init.cache !== "force-cache") return original(url, init);
    if (!kept.has(url)) kept.set(url, { tags: init.next.tags, text: await (await original(url, init)).text() });
    return new Response(kept.get(url).text, { headers: { etag: "kept" } });
  };
  globalThis.dropTag = (tag) => { for (const [url, { tags }] of kept) if (tags.includes(tag)) kept.delete(url); };
  const { getCourse, getLesson, listCourses } = await import("./app/catalog.mjs");
  const { POST } = await import("./app/webhook/route.js");
  const look = async () => [(await listCourses()).length, (await getCourse("course-0")).name, (await getLesson("c1", "lesson-0")).name];
  process.stdin.setEncoding("utf8");
  const seen = [];
  for await (const line of process.stdin) {
    const request = JSON.parse(line);
    if (request) seen.push((await POST(new Request("http://site.example/webhook", request))).status);
    seen.push(await look());
    console.log(JSON.stringify(seen.splice(0)));
  }`;

/** What a hook sends. */
function signHook(data: object) {
  const at = new Date();
  const body = JSON.stringify({ type: "catalog.published", timestamp: at.toISOString(), data });
  const signature = new Webhook(HOOK_SECRET).sign("evt_1", at, body);
  const time = String(Math.floor(at.getTime() / 1000));
  const headers = { "webhook-id": "evt_1", "webhook-timestamp": time, "webhook-signature": signature };
  return { method: "POST", body, headers };
}

test("the Next.js site caches answers until the webhook evicts changed ones", async () => {
  const site = join(folder, "next");
  await cp(join(EXAMPLES, "next"), site, { recursive: true });
  writeFiles(site, {
    "node_modules/next/package.json": '{"type":"module","exports":{"./cache":"./cache.js"}}',
    "node_modules/next/cache.js": "export const revalidateTag = (tag) => globalThis.dropTag(tag);",
    "program.mjs": NEXT_PROGRAM,
  });
  await symlink(join(PROJECT, "node_modules/@lectern"), join(site, "node_modules/@lectern"));
  await serveCourses("next", [createCourse(0, 1), createCourse(1, 1)]);
  const child = Bun.spawn(["node", "program.mjs"], {
    cwd: site,
    env: { ...env, LECTERN_HOOK_SECRET: HOOK_SECRET },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const tell = async (request: object | null): Promise<unknown> => {
    await child.stdin.write(JSON.stringify(request));
    await child.stdin.flush();
    return JSON.parse((await lines.read()).value ?? "null");
  };
  const before = [2, "Course 0", "Lesson <0>"];
  expect(await tell(null)).toEqual([before]);
  await serveCourses("next", [createCourse(0, 1, { name: "Renamed" }), createCourse(1, 1), createCourse(2, 1)]);
  takePaths();
  expect(await tell(null)).toEqual([before]);
  expect(takePaths()).toEqual([]);
  const data = { project: "next", channel: "live", action: "import", release: { number: 2 }, before: 1, changes: null };
  const request = signHook(data);
  expect(await tell({ ...request, body: `${request.body} ` })).toEqual([401, before]);
  expect(await tell(request)).toEqual([204, [3, "Renamed", "Lesson <0>"]]);
  // The lesson of the course that did not change is still kept.
  expect(takePaths().filter((path) => path.includes("/c1/"))).toEqual([]);
  // A release that the key's channel has never shown, as after a database was restored.
  expect(await tell(signHook({ ...data, before: 9 }))).toEqual([204, [3, "Renamed", "Lesson <0>"]]);
  await child.stdin.end();
  await child.exited;
});

// A machine without these programs cannot run it, and need not.
const hasTools = Bun.which("jq") !== null && Bun.which("curl") !== null;
describe.skipIf(!hasTools)("the script for a shell (needs curl and jq)", () => {
  const list = (): Promise<string> => run("sh", join(EXAMPLES, "shell/list-lessons.sh"));

  test("lists every lesson of every course, and nothing before the first release", async () => {
    await serveCourses("shell", [createCourse(0, 2), createCourse(1, 1, { _id: "weird id+é" })]);
    expect((await list()).trimEnd().split("\n").toSorted()).toEqual([
      "Course 0\tOne\tLesson <0>",
      "Course 0\tOne\tLesson <1>",
      "Course 1\tOne\tLesson <0>",
    ]);
    env = { ...env, LECTERN_KEY: await createKey(database.store, "not-yet") };
    await server.pollsTwice();
    expect(await list()).toBe("");
  });

  test("fails if the key is wrong, or if the server is down or stops midway", async () => {
    env = { ...env, LECTERN_KEY: "not-a-key-of-this-server" };
    expect(await list().catch(String)).toContain("401");
    await serveCourses("shell", [createCourse(0, 2)]);
    // The release and the list, but no course.
    answersLeft = 2;
    expect(await list().catch(String)).toContain("502");
    await proxy.stop(true);
    expect(await list().catch(String)).toContain("curl: (7)");
  });
});
