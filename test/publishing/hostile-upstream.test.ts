// A mirror does not trust the service that it reads: whatever that answers, or does not, the old release stays, other commands
// go on, and the command says why.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { decodeData, unseal, type Bytes } from "../../src/catalog/body.ts";
import { openServiceSource } from "../../src/content/readers/service.ts";
import { DEFAULT_LIMITS } from "../../src/content/limits.ts";
import { runCommand, startCommand, type CommandResult } from "../support/command.ts";
import { waitFor } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { makeFolder } from "../support/written-folder.ts";

type Answers = (path: string, query: URLSearchParams) => Response | undefined | Promise<Response | undefined>;

const envelope = (data: unknown, headers: Record<string, string> = {}): Response =>
  Response.json({ data, success: true, message: "", code: 200 }, { headers });
const named = (release: string | undefined): Record<string, string> =>
  release === undefined ? {} : { "catalog-release": release };
const DATES = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-02T00:00:00.000Z" };
const listed = (id: string): object => ({ _id: id, projectId: "p", name: `Course ${id}`, thumbnail: "", ...DATES });
const withLessons = (...ids: string[]) => [{ id: "c", name: "A", lessons: ids.map((id) => ({ id, name: "L" })) }];
const course = (id: string): object => ({ ...listed(id), chapters: withLessons("l") });
const LESSON = { id: "l", name: "L", url: "", quizHtml: "", additionalText: "<p>Text</p>", ...DATES };

/** A service that knows the specification alone, with courses of these ids; `change` replaces what it answers. */
function serve(ids: string[], change: Answers = () => undefined, release?: string): Answers {
  return async (path, query) => {
    const changed = await change(path, query);
    if (changed !== undefined) return changed;
    const [, id = "", lessons, lessonId] = /^\/api\/v1\/courses\/([^/]+)(?:\/(lessons)\/(.+))?$/.exec(path) ?? [];
    if (path === "/api/v1/courses") return envelope({ total: ids.length, results: ids.map(listed) }, named(release));
    return envelope(lessons === undefined ? course(id) : { ...LESSON, id: lessonId }, named(release));
  };
}
const onList =
  (answer: (query: URLSearchParams) => Response): Answers =>
  (path, query) =>
    path === "/api/v1/courses" ? answer(query) : undefined;
/** Replaces answers by the ends of their paths. */
const onEnds =
  (answers: Record<string, () => Response | Promise<Response>>): Answers =>
  (path) =>
    Object.entries(answers).find(([end]) => path.endsWith(end))?.[1]();

const database = useTestStore();
let upstream: ReturnType<typeof Bun.serve>;
let answers: Answers;
let requests = 0;
let project = "";
let count = 0;
beforeAll(() => {
  const fetch = async (request: Request) => {
    requests++;
    const { pathname, searchParams } = new URL(request.url);
    return (await answers(pathname, searchParams)) as Response;
  };
  upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 60, fetch });
});
beforeEach(() => {
  project = `mirror-${++count}`;
  requests = 0;
});
afterAll(() => upstream.stop(true));

const args = (...more: string[]): string[] => {
  const to = ["--project", project, "--database", database.url];
  return ["import", upstream.url.href, "--api-key-stdin", ...to, ...more];
};
const run = (given: Answers, ...more: string[]): Promise<CommandResult> => {
  answers = given;
  return runCommand(args(...more), { stdin: "key" });
};
const current = async () => (await database.store.publishing.findCurrentRelease(project, "live"))?.number;

test("does not block the project by hanging, and its download is in no file that others can open", async () => {
  expect((await run(serve(["a", "b"]))).exitCode).toBe(0);
  expect((await run(serve(["a", "b", "c"]))).exitCode).toBe(0);
  const hanging = Promise.withResolvers<Response>();
  answers = serve(["a"], onEnds({ "/lessons/l": () => hanging.promise }));
  requests = 0;
  const work = makeFolder();
  const importing = startCommand(args("--allow-removals"), { stdin: "key", env: { TMPDIR: work } });
  await waitFor(() => requests === 4);
  expect(readdirSync(work, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())).toEqual([]);
  const rollback = ["rollback", "--project", project, "--database", database.url];
  expect(await runCommand(rollback)).toMatchObject({ exitCode: 0, stderr: "" });
  hanging.resolve(envelope(LESSON));
  expect(await importing.exited).toBe(0);
  expect([await current(), readdirSync(work)]).toEqual([3, []]);
});

/** Expects that nothing is published, and returns the message. */
const refuse = async (given: Answers, ...more: string[]): Promise<string> => {
  const before = await current();
  const { exitCode, stdout, stderr } = await run(given, ...more);
  expect([exitCode, stdout, await current()]).toEqual([1, "", before]);
  const [, said] = /^lectern: \S+ cannot be mirrored: (.*)\n$/.exec(stderr) ?? [];
  if (said === undefined) throw new Error(stderr);
  return said;
};
const listing = (answer: Parameters<typeof onList>[0]): Answers => serve(["a"], onList(answer));
const changing = (ends: Parameters<typeof onEnds>[0], release?: string): Answers => serve(["a"], onEnds(ends), release);
const busy = (seconds: string): Response =>
  Response.json({ message: "Busy" }, { status: 503, headers: { "retry-after": seconds } });
/** A page of a list, with another course each time. */
const linked = (next: string): Response =>
  envelope({ total: 9, results: [listed(`a${requests}`)] }, { link: `<${next}>; rel="next"` });
const offsetOf = (query: URLSearchParams): number => Number(query.get("offset") ?? 0);

const [small, half] = [gzipSync(Buffer.alloc(3_000_000, " ")), "x".repeat(25_000)];
const packed =
  (bytes: Buffer, coding = "gzip") =>
  () =>
    new Response(new Uint8Array(bytes), { headers: { "content-encoding": coding } });
const broken = Buffer.from('{"data":{},"success":true,"message":"\xff","code":200}', "latin1");
const many = Array.from({ length: 40 }, (_, n) => `l${n}`);
const long: Answers = serve(["a"], (path) => {
  if (path.includes("/lessons/")) return envelope({ name: "L", url: half, additionalText: half });
  return path.endsWith("/a") ? envelope({ name: "A", chapters: withLessons(...many) }) : undefined;
});
const wide = `{"message":"","data":[${"[],".repeat(2000)}0]}`;
/** Two pages, each of which names a release or does not. */
const pages = (headers: Record<string, string>, later = {}, total = 4): Answers => {
  const [first, second] = [["a", "b"].map(listed), [listed("d")]];
  const answer = (query: URLSearchParams) =>
    query.has("offset")
      ? envelope({ total: 3, results: second }, later)
      : envelope({ total, results: first }, { ...headers, link: '<?offset=2>; rel="next"' });
  return serve(["a", "b", "d"], onList(answer));
};
const otherRelease = "belongs to release 8, but earlier answers belong to release 7. Run the command again";
const faulty = { name: "A", chapters: [{ name: "B", lessons: Array.from({ length: 900_000 }, () => 0) }] };
const repeated = () => envelope({ name: "A", chapters: withLessons("l", ...many, "l") });
const lateRelease: Answers = (path) => {
  if (path.endsWith("/l")) return envelope(LESSON, named("7"));
  return path.endsWith("/a") ? undefined : envelope({ total: 5, results: [listed("a")] });
};
test.each<[said: string, answers: Answers, ...args: string[]]>([
  ["The list links back to ?offset=1", listing((query) => linked(`//x.example/x?offset=${(offsetOf(query) + 1) % 3}`))],
  ["The service sent an empty page", listing(() => envelope({ results: [] }, { link: '<?offset=1>; rel="next"' }))],
  ["/courses exceeds 1 MiB when unpacked (--max-line-size)", listing(packed(small)), "--max-line-size", "1"],
  ["/l exceeds 2 MiB when unpacked (--max-lesson-size)", changing({ "/l": packed(small) }), "--max-lesson-size", "1"],
  ["/courses has more than 16 KiB of headers", listing(() => linked(`?${half}`))],
  ["The service sent a list without results", listing(() => envelope({ total: 1, results: { a: 1 } }))],
  ["500, Internal error", listing(() => Response.json({ data: {}, message: "Internal error" }, { status: 500 }))],
  ["redirects to https://elsewhere.example/", listing(() => Response.redirect("https://elsewhere.example/", 302))],
  ["without an envelope", listing(() => new Response("<h1>Hello</h1>"))],
  ["its answer is not valid gzip: unexpected end of file", listing(packed(small.subarray(0, 100)))],
  ['the content coding "br", which was not requested', listing(packed(small, "br"))],
  ["the answer for /api/v1/courses is not valid UTF-8", listing(() => new Response(broken))],
  ["/api/v1/courses exceeds 1 MiB", listing(() => new Response(" ".repeat(2_000_000))), "--max-line-size", "1"],
  ['course "a" exceeds 1 MiB (--max-line-size)', long, "--max-line-size", "1"],
  ["its answers together exceed 1 MiB (--max-service-size)", long, "--max-service-size", "1"],
  ["more than 1,000 nodes (--max-nodes)", listing(() => new Response(wide)), "--max-nodes", "1000"],
  ["/courses names no release, but earlier answers belong to release 7. Run the command again", pages(named("7"))],
  ["/courses belongs to release 7, but an earlier page names no release", pages({}, named("7"), 3)],
  [`/courses/a/lessons/l ${otherRelease}`, changing({ "/l": () => envelope(LESSON, named("8")) }, "7")],
  ['The service sent a release that is not a number: "latest"', serve(["a"], undefined, "latest")],
  ['it lists course "a" twice. Run the command again', serve(["a", "b", "a"])],
  ['course "a" contains a lesson twice', changing({ "/a": repeated })],
  ['course "a" is malformed: it has more faults than can be listed', changing({ "/a": () => envelope(faulty) })],
  ['the answer for course "a" contains another item, "b"', changing({ "/a": () => envelope(course("b")) })],
  ['lesson "l" of course "a" contains another item', changing({ "/l": () => envelope({ ...LESSON, id: "m" }) })],
  ["its total of courses is 5, but its list contains 1", serve(["a"], lateRelease)],
])("is refused: %s", async (said, given, ...more) => {
  expect(await refuse(given, ...more)).toContain(said);
  expect(requests).toBeLessThan(50);
});

const [element, chapters] = ["element 0 of the list of courses", [{ name: "B", lessons: [{ id: "a/b" }] }]];
const [ofCourse, ofLesson] = ['course "a"', 'lesson "l" of course "a"'];
test.each<[end: string, data: unknown, what: string, part: string]>([
  ["/courses", { total: 1, results: [{ _id: ".." }] }, element, "_id is not an identifier"],
  ["/courses", { total: 1, results: [{ _id: "a", digest: {} }] }, element, "digest "],
  ["/a", { name: 5 }, ofCourse, "name "],
  ["/a", { name: "A", chapters }, ofCourse, "chapters[0].lessons[0].id "],
  ["/l", null, ofLesson, ""],
])("a malformed answer for %s is refused: %j", async (end, data, what, part) => {
  expect(await refuse(changing({ [end]: () => envelope(data) }))).toStartWith(`${what} is malformed: ${part}`);
});

test("a service that does not answer is asked once more, and one that is busy for long is not; a long message is cut", async () => {
  expect(await refuse(() => new Promise(() => {}), "--service-timeout", "1")).toBe(
    "/api/v1/courses was not answered within 1 s (--service-timeout)",
  );
  // A connection may have been lost.
  expect(requests).toBe(2);
  for (const seconds of ["61", "1e300", "Fri, 31 Dec 9999 23:59:59 GMT"]) {
    requests = 0;
    expect([await refuse(() => busy(seconds)), requests]).toEqual(["503, Busy", 1]);
  }
  const loud = () => Response.json({ data: {}, message: "No ".repeat(100_000) }, { status: 403 });
  expect((await refuse(listing(loud))).length).toBeLessThan(600);
});

test("bytes that drip, an endless list, and a service that is always busy have deadlines", async () => {
  /** What reading a service says within these times. */
  const readWithin = async (given: Answers, timeoutMs: number, deadlineMs: number): Promise<string> => {
    answers = given;
    const limits = { ...DEFAULT_LIMITS, service: { maxBytes: 1e9, timeoutMs, deadlineMs } };
    const access = { apiKey: "key", cache: new Map<string, never>() };
    const source = openServiceSource(upstream.url.href, access, { assetBase: undefined, limits });
    const said = await Promise.resolve(source.prepare?.()).catch(String);
    await source.close?.();
    return String(said);
  };
  const drip = async function* () {
    for (;;) {
      await Bun.sleep(20);
      yield new TextEncoder().encode(" ");
    }
  };
  expect(await readWithin(() => new Response(drip()), 200, 60_000)).toContain("(--service-timeout)");
  const endless = onList((query) => linked(`?offset=${offsetOf(query) + 1}`));
  const empty: Answers = (path, query) => endless(path, query) ?? envelope({ name: "A", chapters: [] });
  for (const given of [empty, () => busy("59")])
    expect(await readWithin(given, 60_000, 300)).toContain("(--service-deadline)");
});

test("a service that asks the client to wait is abandoned as soon as another answer is final", async () => {
  answers = changing({
    "/l": () => busy("59"),
    "/m": () => new Promise(() => {}),
    "/n": () => Response.json({ message: "Gone" }, { status: 410 }),
    "/a": () => envelope({ name: "A", chapters: withLessons("l", "m", "n") }),
  });
  // A process of its own: it ends when nothing is waited for any more.
  const importing = startCommand(args(), { stdin: "key" });
  expect(await importing.exited).toBe(1);
  expect(await importing.stderr.text()).toEndWith("cannot be mirrored: 410, Gone\n");
}, 40_000);

test("a catalog that changes between two pages without a release is told of", async () => {
  const { stderr } = await run(pages({}));
  expect(stderr).toContain("warning: the catalog changed during the download, so courses might be missing;");
});

test("a total that contradicts the list publishes nothing if the service numbers releases", async () => {
  /** Lists its courses page by page. */
  const lectern = (ids: string[], total: (page: number) => unknown): Answers => {
    let page = 0;
    const answer = (query: URLSearchParams) => {
      if (query.get("limit") === "1") return envelope({ total: ids.length, results: [] }, named("7"));
      const results = ids.slice(page, page + 1).map(listed);
      const link = `<?limit=1000&offset=${++page}>; rel="next"`;
      return envelope({ total: total(page), results }, { ...named("7"), ...(page < ids.length ? { link } : {}) });
    };
    return serve(ids, onList(answer), "7");
  };
  expect((await run(lectern(["a", "b"], () => 2))).exitCode).toBe(0);
  for (const [ids, total, shown] of [
    [["a", "b"], () => 500, "500"],
    [["a", "b"], () => 1, "1"],
    [["a", "b"], () => undefined, "nothing"],
    [["a", "b", "c"], (page: number) => (page === 2 ? 4 : 3), "4"],
  ] as const) {
    const said = await refuse(lectern([...ids], total), "--allow-removals");
    expect(said).toStartWith(`its total of courses is ${shown}, but its list contains `);
  }
});

test("a total that contradicts the list is told of if not, and the rule on removals holds", async () => {
  const totalling = (total: unknown) => listing(() => envelope({ total, results: [listed("a")] }));
  for (const value of [0, "500"]) expect(await run(totalling(value))).toMatchObject({ exitCode: 0, stderr: "" });
  const warning = "warning: lists only 1 of its 500 courses; the others are not imported\n";
  expect(await run(totalling(500))).toMatchObject({ exitCode: 0, stderr: `${upstream.url.host}: ${warning}` });
  expect((await run(serve(["a", "b", "c"]))).exitCode).toBe(0);
  const refused = await run(totalling(3));
  expect([refused.exitCode, await current()]).toEqual([1, 2]);
  expect(refused.stderr).toContain(`it would remove 2 of 3 courses of ${project}`);
});

test("a service that fails every run leaves none of its answers in the database", async () => {
  for (let round = 0; round < 2; round++) {
    const ids = Array.from({ length: 250 }, (_, n) => `r${round}-${n}`);
    const results = ids.map((id) => ({ _id: id, digest: `d${id}` }));
    const change: Answers = (path) => {
      const [, id] = /courses\/(.+)$/.exec(path) ?? [];
      if (id === undefined) return envelope({ total: 251, results }, named("7"));
      return envelope({ ...listed(id), chapters: [{ name: "A", lessons: [LESSON] }] });
    };
    await refuse(serve(ids, change, "7"));
  }
  expect(await database.execute("select count(*) as n from kept_answers")).toMatchObject([{ n: 0 }]);
});

test("a course is read lesson by lesson if its digest has another meaning", async () => {
  for (const release of [undefined, "7"]) {
    const given = changing({
      "/l": () => envelope({ ...LESSON, additionalText: `Text of ${release}` }),
      "/courses": () => envelope({ total: 1, results: [{ ...listed("a"), digest: "x" }] }, named(release)),
    });
    expect(await run(given)).toMatchObject({ exitCode: 0, stderr: "" });
    const [lesson] = await database.execute(
      `select body from lesson_versions where project = '${project}' order by id desc limit 1`,
    );
    expect(decodeData(unseal((lesson as { body: Bytes }).body))).toContain(`Text of ${release}`);
  }
});

test("unneeded members are ignored, and absent or null values are empty", async () => {
  const two = [
    { id: null, name: "One", lessons: null, state: 5 },
    { name: "Two", lessons: [{ id: "l" }], more: {} },
  ];
  const change = onEnds({
    "/l": () => envelope({ name: "L", url: null, quizHtml: null, additionalText: "T", createdAt: null, more: [{}] }),
    "/a": () => envelope({ name: "A", thumbnail: null, chapters: two, tags: 5, slug: {}, published: "no" }),
    "/b": () => envelope({ ...listed("b"), chapters: null, createdAt: "" }),
  });
  const { exitCode, stdout, stderr } = await run(serve(["a", "b"], change));
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout).toStartWith(`Published release 1 of ${project}: 2 courses, 1 lesson.`);
});
