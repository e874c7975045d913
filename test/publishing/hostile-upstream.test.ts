// A mirror does not trust the service that it reads: whatever that answers, or does not, the old release stays, other commands
// go on, and the command says why.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { decodeData, unseal, type Bytes } from "../../src/catalog/body.ts";
import { DEFAULT_LIMITS } from "../../src/content/limits.ts";
import { openStore } from "../../src/store/open-store.ts";
import { openServiceSource } from "../../src/content/readers/service.ts";
import { runCommand, startCommand, type CommandResult } from "../support/command.ts";
import { waitFor } from "../support/server.ts";
import { engines, useTestStore } from "../support/store.ts";

type Answers = (path: string, query: URLSearchParams) => Response | Promise<Response>;

const envelope = (data: unknown, headers: Record<string, string> = {}): Response =>
  Response.json({ data, success: true, message: "", code: 200 }, { headers });
const DATES = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-02T00:00:00.000Z" };
const listed = (id: string): object => ({ _id: id, projectId: "p", name: `Course ${id}`, thumbnail: "", ...DATES });
const course = (id: string): object => ({
  ...listed(id),
  chapters: [{ id: "c", name: "A", lessons: [{ id: "l", name: "L" }] }],
});
const LESSON = { id: "l", name: "L", url: "", quizHtml: "", additionalText: "<p>Text</p>", ...DATES };

/** A service that knows the specification alone, with courses of these ids; `change` replaces what it answers. */
function serve(ids: string[], change: Answers = () => new Response(null, { status: 599 }), release?: string): Answers {
  return async (path, query) => {
    const changed = await change(path, query);
    if (changed.status !== 599) return changed;
    const headers: Record<string, string> = release === undefined ? {} : { "catalog-release": release };
    const [, id, lessons, lessonId] = /^\/api\/v1\/courses\/([^/]+)(?:\/(lessons)\/(.+))?$/.exec(path) ?? [];
    if (path === "/api/v1/courses") return envelope({ total: ids.length, results: ids.map(listed) }, headers);
    if (lessons !== undefined) return envelope({ ...LESSON, id: lessonId }, headers);
    return envelope(course(id ?? ""), headers);
  };
}
const NONE = new URLSearchParams();
const unchanged = (): Response => new Response(null, { status: 599 });
const onList =
  (answer: (query: URLSearchParams) => Response): Answers =>
  (path, query) =>
    path === "/api/v1/courses" ? answer(query) : unchanged();
const onCourse =
  (data: unknown): Answers =>
  (path) =>
    path.endsWith("/courses/a") ? envelope(data) : unchanged();

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
      fetch(request) {
        requests++;
        const { pathname, searchParams } = new URL(request.url);
        return answers(pathname, searchParams);
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
  const run = (...more: string[]): Promise<CommandResult> => runCommand(args(...more), { stdin: "key" });
  const current = async () => (await database.store.publishing.findCurrentRelease(project, "live"))?.number;

  test("does not block the project by hanging", async () => {
    answers = serve(["a", "b"]);
    expect((await run()).exitCode).toBe(0);
    answers = serve(["a", "b", "c"]);
    expect((await run()).exitCode).toBe(0);
    const hanging = Promise.withResolvers<Response>();
    answers = serve(["a"], (path) => (path.endsWith("/lessons/l") ? hanging.promise : unchanged()));
    requests = 0;
    const importing = startCommand(args("--allow-removals"), { stdin: "key" });
    await waitFor(() => requests === 4);
    const rollback = ["rollback", "--project", project, "--database", database.url];
    expect(await runCommand(rollback)).toMatchObject({ exitCode: 0, stderr: "" });
    hanging.resolve(envelope(LESSON));
    expect(await importing.exited).toBe(0);
    expect(await current()).toBe(3);
  });

  // How a service is read does not depend on the database.
  if (engine !== engines[0]) return;

  /** Expects that nothing is published, and returns the message. */
  const refuse = async (given: Answers, ...more: string[]): Promise<string> => {
    answers = given;
    const before = await current();
    const { exitCode, stdout, stderr } = await run(...more);
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toStartWith(`lectern: ${upstream.url.host} cannot be mirrored: `);
    expect(stderr.split("\n")).toHaveLength(2);
    expect(await current()).toBe(before);
    return stderr.slice(`lectern: ${upstream.url.host} cannot be mirrored: `.length, -1);
  };
  const refuseList = (answer: Parameters<typeof onList>[0], ...more: string[]): Promise<string> =>
    refuse(serve(["a"], onList(answer)), ...more);
  const linked = (results: unknown[], next: string, total = 9): Response =>
    envelope({ total, results }, { link: `<${next}>; rel="next"` });

  describe("that never ends is abandoned:", () => {
    test("a page that links to itself, and pages that link back", async () => {
      const toItself = (query: URLSearchParams) => linked([listed(`a${requests}`)], `?${query.toString()}`);
      expect(await refuseList(toItself)).toBe(
        "The list links back to ?limit=1000&include=meta%2Cdigest, which was already read: the list would never end",
      );
      const round = (query: URLSearchParams) => {
        const offset = Number(query.get("offset") ?? 0);
        return linked([listed(`a${requests}`)], `https://elsewhere.example/x?offset=${(offset + 1) % 3}`);
      };
      expect(await refuseList(round)).toContain("links back to ?offset=1, which was already read");
    });

    test("empty pages that link to others, and a course that repeats a lesson", async () => {
      expect(await refuseList(() => linked([], `?offset=${requests}`))).toStartWith("The service sent an empty page");
      const lessons = Array.from({ length: 5000 }, () => ({ id: "l", name: "L" }));
      const again: Answers = (path) =>
        path.endsWith("/a") ? envelope({ name: "A", chapters: [{ name: "C", lessons }] }) : unchanged();
      expect(await refuse(serve(["a"], again))).toBe('course "a" contains a lesson twice');
      expect(requests).toBeLessThan(10);
    });

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

    test("missing answers", async () => {
      const never: Answers = () => new Promise(() => {});
      expect(await refuse(serve([], never), "--service-timeout", "1")).toBe(
        "/api/v1/courses was not answered within 1 s (--service-timeout)",
      );
      // A connection may have been lost: once more.
      expect(requests).toBe(2);
    });

    test("answers sent a byte at a time", async () => {
      const drip = async function* () {
        for (;;) {
          await Bun.sleep(20);
          yield new TextEncoder().encode(" ");
        }
      };
      const dripping = serve(
        ["a"],
        onList(() => new Response(drip())),
      );
      expect(await readWithin(dripping, 200, 60_000)).toContain("(--service-timeout)");
    });

    test("an endless list, at the deadline for the whole download", async () => {
      const endless: Answers = (path, query) => {
        const offset = Number(query.get("offset") ?? 0);
        if (path === "/api/v1/courses") return linked([listed(`a${offset}`)], `?offset=${offset + 1}`);
        return envelope({ name: "A", chapters: [] });
      };
      expect(await readWithin(serve([], endless), 60_000, 300)).toContain("(--service-deadline)");
    });
  });

  describe("that asks the client to wait", () => {
    const busy = (seconds: string): Response =>
      Response.json({ message: "Busy" }, { status: 503, headers: { "retry-after": seconds } });

    test("is abandoned as soon as another answer is final", async () => {
      const lessons = ["l", "m", "n"].map((id) => ({ id, name: "L" }));
      const change: Answers = (path) => {
        if (path.endsWith("/l")) return busy("59");
        if (path.endsWith("/m")) return new Promise(() => {});
        if (path.endsWith("/n")) return Response.json({ message: "Gone" }, { status: 410 });
        return onCourse({ name: "A", chapters: [{ name: "A", lessons }] })(path, NONE);
      };
      answers = serve(["a"], change);
      // A process of its own: it ends when nothing is waited for any more.
      const importing = startCommand(args(), { stdin: "key" });
      expect(await importing.exited).toBe(1);
      expect(await new Response(importing.stderr).text()).toBe(
        `lectern: ${upstream.url.host} cannot be mirrored: 410, Gone\n`,
      );
    }, 40_000);

    test("is abandoned at the deadline for the whole download", async () => {
      answers = () => busy("59");
      const limits = { ...DEFAULT_LIMITS, service: { maxBytes: 1e9, timeoutMs: 60_000, deadlineMs: 300 } };
      const access = { apiKey: "key", cache: new Map<string, never>() };
      const source = openServiceSource(upstream.url.href, access, { assetBase: undefined, limits });
      expect(await Promise.resolve(source.prepare?.()).catch(String)).toContain("(--service-deadline)");
      await source.close?.();
    }, 40_000);

    test.each(["61", "1e300", "Fri, 31 Dec 9999 23:59:59 GMT"])("until %s is abandoned at once", async (time) => {
      expect(await refuse(serve([], () => busy(time)))).toBe("503, Busy");
      expect(requests).toBe(1);
    });
  });

  describe("that exceeds the limits is abandoned:", () => {
    const sendPacked = (packed: Buffer, coding = "gzip"): Response =>
      new Response(new Uint8Array(packed), { headers: { "content-encoding": coding } });

    test("answers that unpack beyond the limit of one answer", async () => {
      const bomb = gzipSync(Buffer.alloc(70 * 1024 * 1024, " "));
      const small = gzipSync(Buffer.alloc(3_000_000, " "));
      expect(await refuseList(() => sendPacked(bomb))).toBe(
        "/api/v1/courses exceeds 64 MiB when unpacked (--max-line-size)",
      );
      const ofLesson: Answers = (path) => (path.endsWith("/l") ? sendPacked(small) : unchanged());
      expect(await refuse(serve(["a"], ofLesson), "--max-lesson-size", "1")).toBe(
        "/api/v1/courses/a/lessons/l exceeds 2 MiB when unpacked (--max-lesson-size)",
      );
      expect(await refuseList(() => sendPacked(small.subarray(0, 100)))).toBe(
        "its answer is not valid gzip: unexpected end of file",
      );
      const broken = () =>
        new Response(Buffer.from('{"data":{},"success":true,"message":"\xff","code":200}', "latin1"));
      expect(await refuseList(broken)).toBe("the answer for /api/v1/courses is not valid UTF-8");
      const plain = () => new Response(new Blob(["[", " ".repeat(2_000_000)]));
      expect(await refuseList(plain, "--max-line-size", "1")).toContain("exceeds 1 MiB");
      expect(await refuseList(() => sendPacked(small, "br"))).toContain(
        'the content coding "br", which was not requested',
      );
    });

    test("courses that together exceed the limit, with many lessons or many courses", async () => {
      const lessons = Array.from({ length: 40 }, (_, n) => ({ id: `l${n}`, name: "L" }));
      const text = "x".repeat(50_000);
      const change: Answers = (path) => {
        if (path.includes("/lessons/")) return envelope({ name: "L", additionalText: text });
        return path.endsWith("/a") ? envelope({ name: "A", chapters: [{ name: "A", lessons }] }) : unchanged();
      };
      expect(await refuse(serve(["a"], change), "--max-line-size", "1")).toBe(
        'course "a" exceeds 1 MiB (--max-line-size)',
      );
      expect(await refuse(serve(["a"], change), "--max-service-size", "1")).toBe(
        "its answers together exceed 1 MiB (--max-service-size)",
      );
    });

    test("JSON that would exhaust memory or the stack", async () => {
      const wide = () => new Response(`{"message":"","data":[${"[],".repeat(2000)}0]}`);
      expect(await refuseList(wide, "--max-nodes", "1000")).toContain("more than 1,000 nodes (--max-nodes)");
      const deep = () => new Response(`{"message":"","data":${"[".repeat(100_000)}`);
      expect(await refuseList(deep)).toContain("nested too deeply");
    });

    test("has its messages cut", async () => {
      const loud = () => Response.json({ data: {}, message: "No ".repeat(100_000) }, { status: 403 });
      expect((await refuseList(loud)).length).toBeLessThan(600);
    });
  });

  describe("whose catalog changes between two pages of its list", () => {
    const pages = (headers: Record<string, string>): Answers =>
      onList((query) => {
        const isFirst = !query.has("offset");
        const release = { ...(isFirst ? headers : {}), ...(isFirst ? { link: '<?offset=2>; rel="next"' } : {}) };
        return envelope({ total: isFirst ? 4 : 3, results: (isFirst ? ["a", "b"] : ["d"]).map(listed) }, release);
      });

    test("is imported with a warning if no answer names a release", async () => {
      answers = serve(["a", "b", "d"], pages({}));
      const { exitCode, stderr } = await run("--allow-removals");
      expect([exitCode, stderr]).toEqual([
        0,
        expect.stringContaining(
          "warning: the catalog changed during the download, so courses might be missing; import it again",
        ),
      ]);
    });

    test("is refused if one page names a release and another does not", async () => {
      expect(await refuse(serve(["a", "b", "d"], pages({ "catalog-release": "7" })))).toBe(
        "/api/v1/courses names no release, but earlier answers belong to release 7. Run the command again",
      );
    });
  });

  describe("whose `total` contradicts its list", () => {
    const lectern = (ids: string[], total: (page: number) => unknown): Answers => {
      let page = 0;
      const change = onList((query) => {
        if (query.get("limit") === "1") return envelope({ total: ids.length, results: [] }, { "catalog-release": "7" });
        const results = ids.slice(page, page + 1).map(listed);
        const link = `<?limit=1000&offset=${++page}>; rel="next"`;
        const headers = { "catalog-release": "7", ...(page < ids.length ? { link } : {}) };
        return envelope({ total: total(page), results }, headers);
      });
      return serve(ids, change, "7");
    };

    test("publishes nothing if it numbers releases", async () => {
      answers = lectern(["a", "b"], () => 2);
      expect((await run()).exitCode).toBe(0);
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

    test("is reported without an error if it does not number them and lists fewer courses", async () => {
      const total = (value: unknown): Answers => onList(() => envelope({ total: value, results: [listed("a")] }));
      for (const value of [1, 0, undefined, null, "500", -1, { a: 1 }]) {
        answers = serve(["a"], total(value));
        expect(await run()).toMatchObject({ exitCode: 0, stderr: "" });
      }
      answers = serve(["a"], total(500));
      const { exitCode, stderr } = await run();
      expect([exitCode, stderr]).toEqual([
        0,
        `${upstream.url.host}: warning: lists only 1 of its 500 courses; the others are not imported\n`,
      ]);
    });

    test("is stopped by the rule on removals if most courses are missing", async () => {
      answers = serve(["a", "b", "c"]);
      expect((await run()).exitCode).toBe(0);
      answers = serve(
        ["a"],
        onList(() => envelope({ total: 3, results: [listed("a")] })),
      );
      const { exitCode, stderr } = await run();
      expect([exitCode, await current()]).toEqual([1, 1]);
      expect(stderr).toContain(`it would remove 2 of 3 courses of ${project}`);
    });
  });

  describe("that contradicts itself is abandoned:", () => {
    test("another release midway, whether or not the first answer names one", async () => {
      const onLesson =
        (release: string): Answers =>
        (path) =>
          path.endsWith("/l") ? envelope(LESSON, { "catalog-release": release }) : unchanged();
      const said =
        "/api/v1/courses/a/lessons/l belongs to release 8, but earlier answers belong to release 7. Run the command again";
      expect(await refuse(serve(["a"], onLesson("8"), "7"))).toBe(said);
      let release = 6;
      const onLessons: Answers = (path) =>
        path.endsWith("/l") ? onLesson(String(++release))(path, NONE) : unchanged();
      expect(await refuse(serve(["a", "b"], onLessons))).toBe(said.replace("courses/a", "courses/b"));
      expect(await refuse(serve(["a"], undefined, "latest"))).toBe(
        'The service sent a release that is not a number: "latest"',
      );
    });

    test("a wrong `total` is an error if any answer names a release, and an answer without one is not a different release", async () => {
      const total = (number: number, release?: string): Answers =>
        onList(() =>
          envelope(
            { total: number, results: [listed("a")] },
            release === undefined ? {} : { "catalog-release": release },
          ),
        );
      answers = serve(["a"], total(1, "7"));
      expect(await run()).toMatchObject({ exitCode: 0, stderr: "" });
      const late: Answers = (path, query) =>
        path.endsWith("/l") ? envelope(LESSON, { "catalog-release": "7" }) : total(5)(path, query);
      expect(await refuse(serve(["a"], late))).toBe("its total of courses is 5, but its list contains 1");
    });

    test("a repeated course, or another item than requested", async () => {
      expect(await refuse(serve(["a", "b", "a"]))).toBe('it lists course "a" twice. Run the command again');
      expect(await refuse(serve(["a"], onCourse(course("b"))))).toBe(
        'the answer for course "a" contains another item, "b"',
      );
      const other: Answers = (path) => (path.endsWith("/l") ? envelope({ ...LESSON, id: "m" }) : unchanged());
      expect(await refuse(serve(["a"], other))).toBe(
        'the answer for lesson "l" of course "a" contains another item, "m"',
      );
    });
  });

  test("with large answers: they are written to the database before many of them fill the memory", async () => {
    const store = await openStore(database.url, { create: false });
    const mirrored = store.openMirroredAnswers("large", "1");
    for (let page = 0; page < 3; page++) {
      const body = Buffer.from(crypto.getRandomValues(new Uint8Array(3_000_000))).toString("base64");
      await mirrored.set(`https://upstream.example/${page}`, { etag: '"1"', body: body.repeat(2) });
    }
    expect(await database.execute("select url from kept_answers where project = 'large'")).not.toEqual([]);
    await mirrored.forget();
    await store.close();
  });

  test("that fails every run leaves none of its answers in the database", async () => {
    for (let round = 0; round < 2; round++) {
      const ids = Array.from({ length: 250 }, (_, n) => `r${round}-${n}`);
      const change: Answers = (path) => {
        const [, id] = /courses\/(.+)$/.exec(path) ?? [];
        if (id !== undefined) return envelope({ ...listed(id), chapters: [{ name: "A", lessons: [LESSON] }] });
        return envelope(
          { total: 251, results: ids.map((each) => ({ _id: each, digest: `d${each}` })) },
          { "catalog-release": "7" },
        );
      };
      await refuse(serve(ids, change, "7"));
    }
    expect(await database.execute("select count(*) as n from kept_answers")).toMatchObject([{ n: 0 }]);
  });

  describe("with malformed answers", () => {
    const lists: [data: unknown, said: string][] = [
      [null, "The service sent a list without results"],
      [[], "The service sent a list without results"],
      [{ total: 1 }, "The service sent a list without results"],
      [{ total: 1, results: { a: 1 } }, "The service sent a list without results"],
      [{ total: 1, results: [null] }, "element 0 of the list of courses is malformed: "],
      [{ total: 1, results: [{ _id: 5 }] }, "element 0 of the list of courses is malformed: _id "],
      [{ total: 1, results: [{ name: "A" }] }, "element 0 of the list of courses is malformed: _id "],
      [
        { total: 1, results: [{ _id: ".." }] },
        "element 0 of the list of courses is malformed: _id is not an identifier",
      ],
      [
        { total: 1, results: [{ _id: "\ud800" }] },
        "element 0 of the list of courses is malformed: _id is not an identifier",
      ],
      [{ total: 1, results: [{ _id: "a", digest: {} }] }, "element 0 of the list of courses is malformed: digest "],
    ];
    test.each(lists)("is reported with the list's fault %j", async (data, said) => {
      expect(await refuseList(() => envelope(data))).toStartWith(said);
    });

    const courses: [data: unknown, path: string][] = [
      [null, ""],
      ["text", ""],
      [[], ""],
      [{}, "name "],
      [{ name: 5 }, "name "],
      [{ name: "A", thumbnail: {} }, "thumbnail "],
      [{ name: "A", chapters: {} }, "chapters "],
      [{ name: "A", chapters: [5] }, "chapters[0] "],
      [{ name: "A", chapters: [{ name: "B", lessons: "all" }] }, "chapters[0].lessons "],
      [{ name: "A", chapters: [{ name: "B", lessons: [{ name: "L" }] }] }, "chapters[0].lessons[0].id "],
      [{ name: "A", chapters: [{ name: "B", lessons: [{ id: "a/b" }] }] }, "chapters[0].lessons[0].id "],
    ];
    test.each(courses)("is reported with the course's fault %j", async (data, path) => {
      expect(await refuse(serve(["a"], onCourse(data)))).toStartWith(`course "a" is malformed: ${path}`);
    });

    const lessons: [data: unknown, path: string][] = [
      [null, ""],
      [{ id: "l" }, "name "],
      [{ ...LESSON, additionalText: ["a"] }, "additionalText "],
      [{ ...LESSON, url: 5 }, "url "],
    ];
    test.each(lessons)("is reported with the lesson's fault %j", async (data, path) => {
      const change: Answers = (where) => (where.endsWith("/l") ? envelope(data) : unchanged());
      expect(await refuse(serve(["a"], change))).toStartWith(`lesson "l" of course "a" is malformed: ${path}`);
    });

    test("is read lesson by lesson if its digests have another meaning", async () => {
      for (const release of [undefined, "7"]) {
        const change: Answers = (path) => {
          if (path.endsWith("/l")) return envelope({ ...LESSON, additionalText: `Text of ${release}` });
          if (path !== "/api/v1/courses") return unchanged();
          const headers: Record<string, string> = release === undefined ? {} : { "catalog-release": release };
          return envelope({ total: 1, results: [{ ...listed("a"), digest: "x" }] }, headers);
        };
        answers = serve(["a"], change);
        expect(await run()).toMatchObject({ exitCode: 0, stderr: "" });
        const [lesson] = await database.execute(
          `select body from lesson_versions where project = '${project}' order by id desc limit 1`,
        );
        expect(decodeData(unseal((lesson as { body: Bytes }).body))).toContain(`Text of ${release}`);
      }
    });

    test("is read without unneeded members, and absent or null values are empty", async () => {
      const change: Answers = (path) => {
        if (path.endsWith("/lessons/l")) {
          return envelope({ name: "L", url: null, quizHtml: null, additionalText: "T", createdAt: null, more: [{}] });
        }
        if (path.endsWith("/courses/a")) {
          const chapters = [
            { id: null, name: "One", lessons: null, state: 5 },
            { name: "Two", lessons: [{ id: "l" }], more: {} },
          ];
          return envelope({ name: "A", thumbnail: null, chapters, tags: 5, slug: {}, published: "no", description: 1 });
        }
        if (path.endsWith("/courses/b")) return envelope({ ...listed("b"), chapters: null, createdAt: "" });
        return unchanged();
      };
      answers = serve(["a", "b"], change);
      const { exitCode, stdout, stderr } = await run();
      expect([exitCode, stderr]).toEqual([0, ""]);
      expect(stdout).toStartWith(`Published release 1 of ${project}: 2 courses, 1 lesson.`);
    });
  });
});

describe("a download in progress", () => {
  const database = useTestStore();

  test("is never in a file that others can open, neither during the read nor afterwards", async () => {
    const folder = Bun.env["TMPDIR"] ?? "/tmp";
    const hanging = Promise.withResolvers<Response>();
    let isLate = false;
    const answers = serve(["a", "b"], (path) => {
      if (!path.endsWith("/b")) return unchanged();
      isLate = true;
      return hanging.promise;
    });
    const upstream = Bun.serve({
      port: 0,
      fetch: (request) => answers(new URL(request.url).pathname, new URLSearchParams()),
    });
    const work = `${folder}/lectern-spool-${process.pid}`;
    await Bun.$`mkdir ${work}`;
    const args = ["import", upstream.url.href, "--api-key-stdin", "--project", "spool", "--database", database.url];
    const importing = startCommand(args, { stdin: "key", env: { TMPDIR: work } });
    await waitFor(() => isLate);
    expect((await Bun.$`find ${work} -type f`.text()).split("\n").filter((line) => line !== "")).toEqual([]);
    hanging.resolve(envelope(course("b")));
    expect(await importing.exited).toBe(0);
    expect((await Bun.$`ls -A ${work}`.text()).trim()).toBe("");
    await Bun.$`rmdir ${work}`;
    await upstream.stop(true);
  });
});
