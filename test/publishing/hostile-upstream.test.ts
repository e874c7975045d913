// A mirror does not trust the service that it reads: whatever that answers, or does not, the old release stays, other commands
// go on, and the command says why.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { decodeData, unseal, type Bytes } from "../../src/catalog/body.ts";
import { openServiceSource } from "../../src/content/readers/service.ts";
import { DEFAULT_LIMITS } from "../../src/content/limits.ts";
import { runCommand, startCommand, type CommandResult } from "../support/command.ts";
import { makeFolder } from "../support/follow.ts";
import { waitFor } from "../support/server.ts";
import { engines, useTestStore } from "../support/store.ts";

type Answers = (path: string, query: URLSearchParams) => Response | undefined | Promise<Response | undefined>;

const envelope = (data: unknown, headers: Record<string, string> = {}): Response =>
  Response.json({ data, success: true, message: "", code: 200 }, { headers });
const named = (release: string | undefined): Record<string, string> =>
  release === undefined ? {} : { "catalog-release": release };
const DATES = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-02T00:00:00.000Z" };
const listed = (id: string): object => ({ _id: id, projectId: "p", name: `Course ${id}`, thumbnail: "", ...DATES });
const withLessons = (...ids: string[]): object[] => [
  { id: "c", name: "A", lessons: ids.map((id) => ({ id, name: "L" })) },
];
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

describe.each(engines)("an untrusted upstream on $name", (engine) => {
  const database = useTestStore(engine);
  let upstream: ReturnType<typeof Bun.serve>;
  let answers: Answers;
  let requests = 0;
  let project = "";
  let count = 0;
  beforeAll(async () => {
    upstream = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 60,
      async fetch(request) {
        requests++;
        const { pathname, searchParams } = new URL(request.url);
        return (await answers(pathname, searchParams)) as Response;
      },
    });
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

  // How a service is read does not depend on the database.
  if (engine !== engines[0]) return;

  /** Expects that nothing is published, and returns the message. */
  const refuse = async (given: Answers, ...more: string[]): Promise<string> => {
    const before = await current();
    const { exitCode, stdout, stderr } = await run(given, ...more);
    expect([exitCode, stdout, await current()]).toEqual([1, "", before]);
    const [, said] = /^lectern: (?:\S+) cannot be mirrored: (.*)\n$/.exec(stderr) ?? [];
    if (said === undefined) throw new Error(stderr);
    return said;
  };
  const refuseList = (answer: Parameters<typeof onList>[0], ...more: string[]): Promise<string> =>
    refuse(serve(["a"], onList(answer)), ...more);
  const linked = (results: unknown[], next: string): Response =>
    envelope({ total: 9, results }, { link: `<${next}>; rel="next"` });
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

  describe("that never ends is abandoned:", () => {
    test("pages that link to themselves or back, and empty ones", async () => {
      const toItself = (query: URLSearchParams) => linked([listed(`a${requests}`)], `?${query.toString()}`);
      expect(await refuseList(toItself)).toBe(
        "The list links back to ?limit=1000&include=meta%2Cdigest, which was already read: the list would never end",
      );
      const round = (query: URLSearchParams) => {
        const offset = Number(query.get("offset") ?? 0);
        return linked([listed(`a${requests}`)], `https://elsewhere.example/x?offset=${(offset + 1) % 3}`);
      };
      expect(await refuseList(round)).toContain("links back to ?offset=1, which was already read");
      expect(await refuseList(() => linked([], `?offset=${requests}`))).toStartWith("The service sent an empty page");
    });

    test("missing answers", async () => {
      const never: Answers = () => new Promise(() => {});
      expect(await refuse(never, "--service-timeout", "1")).toBe(
        "/api/v1/courses was not answered within 1 s (--service-timeout)",
      );
      // A connection may have been lost: once more.
      expect(requests).toBe(2);
    });

    test("bytes that drip, an endless list, and a service that is always busy, at their deadlines", async () => {
      const drip = async function* () {
        for (;;) {
          await Bun.sleep(20);
          yield new TextEncoder().encode(" ");
        }
      };
      expect(await readWithin(() => new Response(drip()), 200, 60_000)).toContain("(--service-timeout)");
      const endless: Answers = (path, query) => {
        const offset = Number(query.get("offset") ?? 0);
        if (path === "/api/v1/courses") return linked([listed(`a${offset}`)], `?offset=${offset + 1}`);
        return envelope({ name: "A", chapters: [] });
      };
      expect(await readWithin(endless, 60_000, 300)).toContain("(--service-deadline)");
      expect(await readWithin(() => busy("59"), 60_000, 300)).toContain("(--service-deadline)");
    });
  });

  const busy = (seconds: string): Response =>
    Response.json({ message: "Busy" }, { status: 503, headers: { "retry-after": seconds } });

  test("that asks the client to wait is abandoned as soon as another answer is final", async () => {
    const change = onEnds({
      "/l": () => busy("59"),
      "/m": () => new Promise(() => {}),
      "/n": () => Response.json({ message: "Gone" }, { status: 410 }),
      "/a": () => envelope({ name: "A", chapters: withLessons("l", "m", "n") }),
    });
    answers = serve(["a"], change);
    // A process of its own: it ends when nothing is waited for any more.
    const importing = startCommand(args(), { stdin: "key" });
    expect(await importing.exited).toBe(1);
    expect(await new Response(importing.stderr).text()).toBe(
      `lectern: ${upstream.url.host} cannot be mirrored: 410, Gone\n`,
    );
  }, 40_000);

  test.each(["61", "1e300", "Fri, 31 Dec 9999 23:59:59 GMT"])("busy until %s is abandoned at once", async (time) => {
    expect(await refuse(() => busy(time))).toBe("503, Busy");
    expect(requests).toBe(1);
  });

  describe("that exceeds the limits is abandoned:", () => {
    const sendPacked = (packed: Buffer, coding = "gzip"): Response =>
      new Response(new Uint8Array(packed), { headers: { "content-encoding": coding } });

    test("answers that unpack beyond the limit of one answer, or to something else than text", async () => {
      const bomb = gzipSync(Buffer.alloc(70 * 1024 * 1024, " "));
      const small = gzipSync(Buffer.alloc(3_000_000, " "));
      expect(await refuseList(() => sendPacked(bomb))).toBe(
        "/api/v1/courses exceeds 64 MiB when unpacked (--max-line-size)",
      );
      const ofLesson = onEnds({ "/l": () => sendPacked(small) });
      expect(await refuse(serve(["a"], ofLesson), "--max-lesson-size", "1")).toBe(
        "/api/v1/courses/a/lessons/l exceeds 2 MiB when unpacked (--max-lesson-size)",
      );
      const broken = () =>
        new Response(Buffer.from('{"data":{},"success":true,"message":"\xff","code":200}', "latin1"));
      for (const [answer, said] of [
        [() => sendPacked(small.subarray(0, 100)), "its answer is not valid gzip: unexpected end of file"],
        [broken, "the answer for /api/v1/courses is not valid UTF-8"],
        [() => new Response(new Blob(["[", " ".repeat(2_000_000)])), "exceeds 1 MiB"],
        [() => sendPacked(small, "br"), 'the content coding "br", which was not requested'],
      ] as const) {
        expect(await refuseList(answer, "--max-line-size", "1")).toContain(said);
      }
    });

    test("courses that together exceed the limit, with many lessons or many courses", async () => {
      const lessons = Array.from({ length: 40 }, (_, n) => `l${n}`);
      const change: Answers = (path) => {
        if (path.includes("/lessons/")) return envelope({ name: "L", additionalText: "x".repeat(50_000) });
        return path.endsWith("/a") ? envelope({ name: "A", chapters: withLessons(...lessons) }) : undefined;
      };
      expect(await refuse(serve(["a"], change), "--max-line-size", "1")).toBe(
        'course "a" exceeds 1 MiB (--max-line-size)',
      );
      expect(await refuse(serve(["a"], change), "--max-service-size", "1")).toBe(
        "its answers together exceed 1 MiB (--max-service-size)",
      );
    });

    test("JSON that would exhaust memory or the stack; and messages are cut", async () => {
      const wide = () => new Response(`{"message":"","data":[${"[],".repeat(2000)}0]}`);
      expect(await refuseList(wide, "--max-nodes", "1000")).toContain("more than 1,000 nodes (--max-nodes)");
      const deep = () => new Response(`{"message":"","data":${"[".repeat(100_000)}`);
      expect(await refuseList(deep)).toContain("nested too deeply");
      const loud = () => Response.json({ data: {}, message: "No ".repeat(100_000) }, { status: 403 });
      expect((await refuseList(loud)).length).toBeLessThan(600);
    });
  });

  test("whose catalog changes between two pages is told of, and refused if only one page names a release", async () => {
    const pages = (headers: Record<string, string>): Answers =>
      onList((query) => {
        if (query.has("offset")) return envelope({ total: 3, results: [listed("d")] });
        const results = ["a", "b"].map(listed);
        return envelope({ total: 4, results }, { ...headers, link: '<?offset=2>; rel="next"' });
      });
    expect(await run(serve(["a", "b", "d"], pages({})))).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(
        "warning: the catalog changed during the download, so courses might be missing; import it again",
      ),
    });
    expect(await refuse(serve(["a", "b", "d"], pages({ "catalog-release": "7" })))).toBe(
      "/api/v1/courses names no release, but earlier answers belong to release 7. Run the command again",
    );
  });

  describe("whose `total` contradicts its list", () => {
    /** Lists its courses page by page, and numbers its releases. */
    const lectern = (ids: string[], total: (page: number) => unknown): Answers => {
      let page = 0;
      const change = onList((query) => {
        if (query.get("limit") === "1") return envelope({ total: ids.length, results: [] }, named("7"));
        const results = ids.slice(page, page + 1).map(listed);
        const link = `<?limit=1000&offset=${++page}>; rel="next"`;
        return envelope({ total: total(page), results }, { ...named("7"), ...(page < ids.length ? { link } : {}) });
      });
      return serve(ids, change, "7");
    };

    test("publishes nothing if it numbers releases", async () => {
      expect((await run(lectern(["a", "b"], () => 2))).exitCode).toBe(0);
      for (const [ids, total, shown] of [
        [["a", "b"], () => 500, "500"],
        [["a", "b"], () => 1, "1"],
        [["a", "b"], () => undefined, "nothing"],
        [["a", "b"], () => "2", '"2"'],
        [["a", "b", "c"], (page: number) => (page === 2 ? 4 : 3), "4"],
      ] as const) {
        const said = await refuse(lectern([...ids], total), "--allow-removals");
        expect(said).toStartWith(`its total of courses is ${shown}, but its list contains `);
      }
    });

    test("is reported if it does not number them, and stopped by the rule on removals if most courses are missing", async () => {
      const listing = (total: unknown) =>
        serve(
          ["a"],
          onList(() => envelope({ total, results: [listed("a")] })),
        );
      for (const value of [1, 0, undefined, "500", { a: 1 }]) {
        expect(await run(listing(value))).toMatchObject({ exitCode: 0, stderr: "" });
      }
      const warning = "warning: lists only 1 of its 500 courses; the others are not imported\n";
      const stderr = `${upstream.url.host}: ${warning}`;
      expect(await run(listing(500))).toMatchObject({ exitCode: 0, stderr });
      expect((await run(serve(["a", "b", "c"]))).exitCode).toBe(0);
      const refused = await run(listing(3));
      expect([refused.exitCode, await current()]).toEqual([1, 2]);
      expect(refused.stderr).toContain(`it would remove 2 of 3 courses of ${project}`);
    });

    test("is an error if any answer names a release", async () => {
      const late = onEnds({
        "/l": () => envelope(LESSON, named("7")),
        "/courses": () => envelope({ total: 5, results: [listed("a")] }),
      });
      expect(await refuse(serve(["a"], late))).toBe("its total of courses is 5, but its list contains 1");
    });
  });

  describe("that contradicts itself is abandoned:", () => {
    test("another release midway, whether or not the first answer names one", async () => {
      const said =
        "/api/v1/courses/a/lessons/l belongs to release 8, but earlier answers belong to release 7. Run the command again";
      expect(await refuse(serve(["a"], onEnds({ "/l": () => envelope(LESSON, named("8")) }), "7"))).toBe(said);
      let release = 6;
      const counting = onEnds({ "/l": () => envelope(LESSON, named(`${++release}`)) });
      expect(await refuse(serve(["a", "b"], counting))).toBe(said.replace("courses/a", "courses/b"));
      expect(await refuse(serve(["a"], undefined, "latest"))).toBe(
        'The service sent a release that is not a number: "latest"',
      );
    });

    test("a repeated course or lesson, or another item than requested", async () => {
      expect(await refuse(serve(["a", "b", "a"]))).toBe('it lists course "a" twice. Run the command again');
      const lessons = Array<string>(5000).fill("l");
      const twice = onEnds({ "/a": () => envelope({ name: "A", chapters: withLessons(...lessons) }) });
      requests = 0;
      expect(await refuse(serve(["a"], twice))).toBe('course "a" contains a lesson twice');
      expect(requests).toBeLessThan(10);
      expect(await refuse(serve(["a"], onEnds({ "/a": () => envelope(course("b")) })))).toBe(
        'the answer for course "a" contains another item, "b"',
      );
      expect(await refuse(serve(["a"], onEnds({ "/l": () => envelope({ ...LESSON, id: "m" }) })))).toBe(
        'the answer for lesson "l" of course "a" contains another item, "m"',
      );
    });
  });

  test("that fails every run leaves none of its answers in the database", async () => {
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

  describe("with malformed answers", () => {
    const noResults = "The service sent a list without results";
    const element = "element 0 of the list of courses is malformed: ";
    const [ofCourse, ofLesson] = ['course "a" is malformed: ', 'lesson "l" of course "a" is malformed: '];
    const chapter = (lessons: unknown) => ({ name: "A", chapters: [{ name: "B", lessons }] });
    test.each<[end: string, data: unknown, said: string]>([
      ["/courses", null, noResults],
      ["/courses", { total: 1, results: { a: 1 } }, noResults],
      ["/courses", { total: 1, results: [{ _id: "\ud800" }] }, `${element}_id is not an identifier`],
      ["/courses", { total: 1, results: [{ _id: "a", digest: {} }] }, `${element}digest `],
      ["/a", [], ofCourse],
      ["/a", { name: 5 }, `${ofCourse}name `],
      ["/a", { name: "A", chapters: [5] }, `${ofCourse}chapters[0] `],
      ["/a", chapter("all"), `${ofCourse}chapters[0].lessons `],
      ["/a", chapter([{ id: "a/b" }]), `${ofCourse}chapters[0].lessons[0].id `],
      ["/l", null, ofLesson],
      ["/l", { ...LESSON, additionalText: ["a"] }, `${ofLesson}additionalText `],
    ])("tells what is wrong with the answer for %s: %j", async (end, data, said) => {
      expect(await refuse(serve(["a"], onEnds({ [end]: () => envelope(data) })))).toStartWith(said);
    });

    test("is read lesson by lesson if its digests have another meaning", async () => {
      for (const release of [undefined, "7"]) {
        const change = onEnds({
          "/l": () => envelope({ ...LESSON, additionalText: `Text of ${release}` }),
          "/courses": () => envelope({ total: 1, results: [{ ...listed("a"), digest: "x" }] }, named(release)),
        });
        expect(await run(serve(["a"], change))).toMatchObject({ exitCode: 0, stderr: "" });
        const [lesson] = await database.execute(
          `select body from lesson_versions where project = '${project}' order by id desc limit 1`,
        );
        expect(decodeData(unseal((lesson as { body: Bytes }).body))).toContain(`Text of ${release}`);
      }
    });

    test("is read without unneeded members, and absent or null values are empty", async () => {
      const chapters = [
        { id: null, name: "One", lessons: null, state: 5 },
        { name: "Two", lessons: [{ id: "l" }], more: {} },
      ];
      const change = onEnds({
        "/l": () =>
          envelope({ name: "L", url: null, quizHtml: null, additionalText: "T", createdAt: null, more: [{}] }),
        "/a": () =>
          envelope({ name: "A", thumbnail: null, chapters, tags: 5, slug: {}, published: "no", description: 1 }),
        "/b": () => envelope({ ...listed("b"), chapters: null, createdAt: "" }),
      });
      expect(await run(serve(["a", "b"], change))).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(/^Published release 1 of \S+: 2 courses, 1 lesson\./),
        stderr: "",
      });
    });
  });
});
