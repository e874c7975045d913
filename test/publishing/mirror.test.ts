// Another service of the interface is mirrored by ordinary requests: whole, or the old release stays.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { acmeCourses } from "../support/acme.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { runCommand, type CommandResult } from "../support/command.ts";
import { createUnboundServer, type UnboundServer } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { anyEngine, engines, type TestStore, useTestStore } from "../support/store.ts";

/** What most tests read; the first reads all. */
const FEW = acmeCourses.slice(0, 5);

/** Passes requests on, but for those of these numbers: their connection is cut in the middle of the answer. */
async function startCutter(origin: string, cuts: ReadonlySet<number>): Promise<{ url: string; stop: () => void }> {
  let count = 0;
  const server = createServer((request, response) => {
    if (cuts.has(count++)) {
      response.writeHead(200, { "content-length": 1000 });
      response.write('{"data":', () => response.destroy());
      return;
    }
    const headers = { "x-api-key": String(request.headers["x-api-key"]) };
    void fetch(origin + request.url, { headers }).then(async (answer) => {
      const body = await answer.text();
      const release = answer.headers.get("catalog-release");
      response.writeHead(answer.status, release === null ? {} : { "catalog-release": release }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe.each(engines)("a mirror on $name", (engine) => {
  const origin = useTestStore(engine);
  const mirror = useTestStore(engine);
  let server: UnboundServer;
  let proxy: ReturnType<typeof Bun.serve>;
  let key: string;
  let seen: { path: string; status: number; key: string | null }[] = [];
  /** Called for each request, by its number from 0; what it returns takes the place of the answer. */
  let isLectern = false;
  let interfere: (number: number) => Response | undefined | Promise<undefined> = () => undefined;

  beforeAll(async () => {
    await publish(origin.store, "acme", acmeCourses);
    key = await createKey(origin.store, "acme");
    server = await createUnboundServer(origin.store);
    proxy = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        const entry = { path: pathname + search, status: 0, key: request.headers.get("x-api-key") };
        const number = seen.push(entry) - 1;
        // A service that knows the specification alone takes no notice of what is asked for beyond it.
        const path = isLectern ? entry.path : entry.path.replace(/include=[^&]*&?/, "");
        const answer = (await interfere(number)) ?? (await askOrigin(path, request.headers));
        entry.status = answer.status;
        return answer;
      },
    });
  });
  afterAll(() => proxy.stop(true));
  beforeEach(() => {
    isLectern = false;
    seen = [];
    interfere = () => undefined;
  });

  const askOrigin = async (path: string, asked: Headers): Promise<Response> => {
    const given = ["x-api-key", "if-none-match"].flatMap((name) => {
      const value = asked.get(name);
      return value === null ? [] : [[name, value]];
    });
    const { status, headers, text } = await server.get(path, { headers: Object.fromEntries(given) });
    return new Response(status === 304 ? null : text, { status, headers });
  };
  /** Publishes in the project that is mirrored; the next request is answered from it. */
  const publishOrigin = async (courses: AuthoredCourse[]): Promise<void> => {
    await publish(origin.store, "acme", courses);
    await server.look();
  };
  const currentOrigin = async () => (await origin.store.publishing.findCurrentRelease("acme", "live"))?.number;
  const run = async (project: string, ...args: string[]): Promise<CommandResult> => {
    const to = ["--api-key-stdin", "--project", project, "--database", mirror.url];
    return runCommand(["import", `http://127.0.0.1:${proxy.port}/`, ...to, ...args], { stdin: `${key}\n` });
  };

  /** All that an ordinary key reads of a project, by path. */
  const readAll = async ({ store }: TestStore, project: string): Promise<Record<string, string>> => {
    const reader = await createKey(store, project);
    const readers = await createUnboundServer(store);
    const texts: Record<string, string> = {};
    const read = async <T>(path: string): Promise<T> => {
      const { text } = await readers.get(`/api/v1${path}`, { key: reader });
      texts[path] = text.replaceAll(`"projectId":"${project}"`, '"projectId":""');
      return (JSON.parse(text) as { data: T }).data;
    };
    const { results } = await read<{ results: { _id: string }[] }>("/courses");
    for (const { _id: id } of results) {
      const path = `/courses/${encodeURIComponent(id)}`;
      await read(path);
      if (isLectern) await read(`${path}?include=lessons,meta`);
      const lessons = await read<{ results: { id: string }[] }>(`${path}/lessons`);
      for (const lesson of lessons.results) await read(`${path}/lessons/${encodeURIComponent(lesson.id)}`);
    }
    return texts;
  };

  test("has the same documents; a second run receives unchanged answers as 304 and publishes nothing", async () => {
    const first = await run("same");
    expect([first.exitCode, first.stderr]).toEqual([0, ""]);
    expect(first.stdout).toStartWith("Published release 1 of same:");
    expect(await readAll(mirror, "same")).toEqual(await readAll(origin, "acme"));
    const requests = seen.length;
    expect(seen.every((each) => each.status === 200)).toBe(true);
    seen = [];
    const second = await run("same");
    expect(second.stdout).toStartWith("Nothing changed");
    expect(seen.map(({ status }) => status)).toEqual(Array.from({ length: requests }, () => 304));
    await publishOrigin(FEW);
  });

  test("receives only changes, even in another release", async () => {
    await run("changes");
    seen = [];
    const [course, ...others] = FEW;
    await publishOrigin([{ ...course, name: "Introduction, edited" }, ...others]);
    expect((await run("changes")).stdout).toContain("courses: 0 added, 1 changed, 0 removed");
    const sent = seen.filter(({ status }) => status === 200).map(({ path }) => path.replace(/\?.*/, ""));
    expect([...new Set(sent)]).toEqual(["/api/v1/courses", "/api/v1/courses/course-1"]);
    expect(await readAll(mirror, "changes")).toEqual(await readAll(origin, "acme"));
    await publishOrigin(FEW);
  });

  // How a service is read does not depend on the database.
  if (engine !== anyEngine) return;

  test("serves a course's updatedAt as the service sends it, even with a newer lesson", async () => {
    const lesson = { id: "l", name: "L", updatedAt: "2026-02-01" };
    const dated = {
      _id: "dated",
      name: "Dated",
      updatedAt: "2025-06-01",
      chapters: [{ name: "C", lessons: [lesson] }],
    };
    await publishOrigin([dated]);
    for (isLectern of [true, false]) {
      const project = isLectern ? "dated-lectern" : "dated";
      await run(project);
      expect((await readAll(mirror, project))["/courses/dated"]).toContain('"updatedAt":"2025-06-01T00:00:00.000Z"');
    }
    await publishOrigin(FEW);
  });

  test("reads a Lectern service with one request per changed course", async () => {
    isLectern = true;
    const meta = {
      description: "All of it",
      language: "pt-BR",
      tags: ["a", "b"],
      durationMinutes: 20,
      slug: "another-slug",
    };
    const [course, ...others] = FEW;
    const withMeta = [{ ...course, ...meta, translationOf: others[0]?.["_id"] }, ...others];
    await publishOrigin(withMeta);
    const first = await run("whole");
    expect([first.exitCode, first.stderr]).toEqual([0, ""]);
    const all = await readAll(mirror, "whole");
    expect(all).toEqual(await readAll(origin, "acme"));
    expect(all["/courses/course-1?include=lessons,meta"]).toContain('"slug":"another-slug"');
    const courses = Object.keys(all).filter((path) => path.includes("?include="));
    const readWhole = (): string[] =>
      seen.filter(({ path }) => path.includes("lessons")).map(({ path }) => path.replace(/\?.*/, ""));
    expect([readWhole().length, seen.length]).toEqual([courses.length, courses.length + 2]);
    seen = [];
    expect((await run("whole")).stdout).toStartWith("Nothing changed");
    // A course and its original are asked for again: no digest covers which lessons each other's are.
    expect(seen.map(({ status }) => status)).toEqual([304, 304, 304, 304]);
    seen = [];
    await publishOrigin([{ ...withMeta[0], description: "Less" }, ...others]);
    expect((await run("whole")).stdout).toContain("courses: 0 added, 1 changed, 0 removed");
    const again = seen.filter(({ path, status }) => path.includes("lessons") && status === 200);
    expect([again.map(({ path }) => path.replace(/\?.*/, "")), seen.length]).toEqual([["/api/v1/courses/course-1"], 4]);
    expect(await readAll(mirror, "whole")).toEqual(await readAll(origin, "acme"));
    await publishOrigin(FEW);
  });

  test("shows the translations of a Lectern service, whichever language is added, removed or lacks the original's lesson", async () => {
    isLectern = true;
    const course = (id: string, keys: string[], more: AuthoredCourse = {}): AuthoredCourse => {
      const lessons = keys.map((name) => ({ id: `${name}-${id}`, name, translationKey: name }));
      return { _id: id, name: id, language: id, createdAt: "2026-01-01", ...more, chapters: [{ name: "C", lessons }] };
    };
    const translated = (id: string, keys: string[]) => course(id, keys, { translationOf: "en" });
    const [en, fr] = [course("en", ["a", "b"]), translated("fr", ["a", "x"])];
    const steps = [[en, fr], [en, fr, translated("de", ["x", "b"])], [en, translated("fr", ["b", "x"])], [en]];
    for (const courses of steps) {
      await publishOrigin(courses);
      expect((await run("translated", "--allow-removals")).exitCode).toBe(0);
      const all = await readAll(mirror, "translated");
      expect(all).toEqual(await readAll(origin, "acme"));
      expect(all["/courses/en?include=lessons,meta"]?.includes('"lessonId"')).toBe(courses.length > 1);
    }
    await publishOrigin(FEW);
  });

  test("can be planned without storing anything", async () => {
    expect((await run("planned", "--dry-run")).stdout).toContain("courses: ");
    seen = [];
    await run("planned");
    expect(seen.every(({ status }) => status === 200)).toBe(true);
  });

  test("is complete despite temporary refusals and a publication during the download", async () => {
    const before = await readAll(origin, "acme");
    interfere = async (number) => {
      if (number === 3 || number === 6) {
        return Response.json(
          { message: "Busy" },
          { status: number === 3 ? 429 : 503, headers: { "retry-after": "0" } },
        ) as never;
      }
      if (number !== 9) return undefined;
      await publishOrigin([{ _id: "only", name: "Only" }, ...FEW.slice(1)]);
      return undefined;
    };
    expect((await run("through")).exitCode).toBe(0);
    expect(await readAll(mirror, "through")).toEqual(before);
    interfere = () => undefined;
    await run("through", "--allow-removals");
    expect(await readAll(mirror, "through")).toEqual(await readAll(origin, "acme"));
    await publishOrigin(FEW);
  });

  test("is complete despite dropped connections", async () => {
    const cutter = await startCutter(`http://127.0.0.1:${proxy.port}`, new Set([0, 3]));
    const args = ["--api-key-stdin", "--project", "cut", "--database", mirror.url];
    const { exitCode, stderr } = await runCommand(["import", cutter.url, ...args], { stdin: key });
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(await readAll(mirror, "cut")).toEqual(await readAll(origin, "acme"));
    cutter.stop();
  });

  test("stays unchanged when the service fails or redirects, and says why", async () => {
    await run("stays");
    const before = await readAll(mirror, "stays");
    const failures: [Response, string][] = [
      [
        Response.json({ data: {}, success: false, message: "Internal error", code: 500 }, { status: 500 }),
        "500, Internal error",
      ],
      [Response.redirect("https://elsewhere.example/", 302), "redirects to https://elsewhere.example/"],
      [new Response("<h1>Hello</h1>"), "without an envelope"],
    ];
    for (const [answer, told] of failures) {
      interfere = (number) => (number === 4 ? answer : undefined);
      seen = [];
      const { exitCode, stdout, stderr } = await run("stays");
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(told);
      expect(stderr).toStartWith(`lectern: 127.0.0.1:${proxy.port} cannot be mirrored: `);
    }
    expect(await readAll(mirror, "stays")).toEqual(before);
  });

  test("accepts no course of a Lectern service with an invalid member, not even partially", async () => {
    isLectern = true;
    await publishOrigin([
      {
        _id: "a",
        name: "A",
        tags: ["x"],
        chapters: [{ name: "C", lessons: ["l", "m"].map((id) => ({ id, name: id })) }],
      },
    ]);
    for (const [from, to, told] of [
      ['"tags":["x"]', '"tags":"x"', 'course "a" is malformed: tags'],
      ['"additionalText":""', '"additionalText":null,"x":[{"additionalText":""}]', 'course "a" is malformed: '],
      ['"_id":"a"', '"_id":7', 'course "a" is malformed: _id'],
    ] as const) {
      interfere = (async (number: number) => {
        const { path, key: given } = seen[number] ?? { path: "", key: null };
        if (!path.includes("include=lessons")) return undefined;
        const text = await (await askOrigin(path, new Headers({ "x-api-key": given ?? "" }))).text();
        expect(text).toContain(from);
        return new Response(text.replace(from, to), { headers: { "catalog-release": `${await currentOrigin()}` } });
      }) as typeof interfere;
      const { exitCode, stderr } = await run("wrong");
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(told)]);
    }
    await publishOrigin(FEW);
  });

  test.each(["", "--keep-going"])("rereads what an import failed on %s", async (option) => {
    isLectern = true;
    const [bad, good] = ["b", "g"].map((id) => ({ _id: id, name: id, createdAt: "2026-01-01", chapters: [] }));
    await publishOrigin([bad ?? {}, good ?? {}]);
    interfere = (async (number: number) => {
      const { path = "", key: given } = seen[number] ?? {};
      if (!path.startsWith("/api/v1/courses/b?")) return undefined;
      const answer = await askOrigin(path, new Headers({ "x-api-key": given ?? "" }));
      return new Response((await answer.text()).replace(/"createdAt":"[^"]*"/, '"createdAt":"yesterday"'), answer);
    }) as typeof interfere;
    const project = `afresh${option}`;
    expect((await run(project, ...[option].filter(Boolean))).exitCode).toBe(option === "" ? 3 : 4);
    interfere = () => undefined;
    expect((await run(project)).exitCode).toBe(0);
    await publishOrigin(FEW);
  });

  test("reports faults of the key or the command", async () => {
    const wrong = await runCommand(
      ["import", `http://127.0.0.1:${proxy.port}`, "--api-key-stdin", "--project", "p", "--database", mirror.url],
      { stdin: "lectern_wrong" },
    );
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      1,
      `lectern: 127.0.0.1:${proxy.port} cannot be mirrored: 401, Invalid API key; pass the service's key with --api-key-stdin\n`,
    ]);
    expect(wrong.stdout + wrong.stderr).not.toContain("lectern_wrong");
    const args = ["--project", "p", "--database", mirror.url];
    const without = await runCommand(["import", "https://catalog.example", ...args]);
    expect([without.exitCode, without.stderr]).toEqual([
      2,
      "lectern: A service requires a key. Add --api-key-stdin, and pass the key on standard input.\n",
    ]);
    expect((await runCommand(["import", "examples/catalog", "--api-key-stdin", ...args])).exitCode).toBe(2);
    const inUrl = await runCommand(["import", "https://user:pass@catalog.example", "--api-key-stdin", ...args], {
      stdin: "k",
    });
    expect(inUrl.stderr).toBe("lectern: Pass the key with --api-key-stdin, not in the URL.\n");
  });
});
