// Another service of the interface is mirrored by ordinary requests: whole, or the old release stays.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { connect, createServer, type AddressInfo } from "node:net";
import { acmeCourses } from "../support/acme.ts";
import { publish, type AuthoredCourse } from "../support/catalog.ts";
import { runCommand, type CommandResult } from "../support/command.ts";
import { createUnboundServer, type UnboundServer } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { anyEngine, engines, type TestStore, useTestStore } from "../support/store.ts";

/** What most tests read; the first reads all. */
const FEW = acmeCourses.slice(0, 5);

describe.each(engines)("a mirror on $name", (engine) => {
  const origin = useTestStore(engine);
  const mirror = useTestStore(engine);
  let server: UnboundServer;
  let proxy: ReturnType<typeof Bun.serve>;
  let url: string;
  let key: string;
  let seen: { path: string; status: number }[] = [];
  let isLectern = false;
  /** Called for each request, by its number from 0; what it returns takes the place of the answer. */
  type Interfere = (number: number, path: string, answer: () => Promise<Response>) => unknown;
  let interfere: Interfere | undefined;

  beforeAll(async () => {
    await publish(origin.store, "acme", acmeCourses);
    key = await createKey(origin.store, "acme");
    server = await createUnboundServer(origin.store);
    proxy = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        const entry = { path: pathname + search, status: 0 };
        const number = seen.push(entry) - 1;
        // A service that knows the specification alone takes no notice of what is asked for beyond it.
        const path = isLectern
          ? entry.path.replace("limit=1000", "limit=3")
          : entry.path.replace(/include=[^&]*&?/, "");
        const ask = () => askOrigin(path, request.headers);
        const answer = ((await interfere?.(number, path, ask)) ?? (await ask())) as Response;
        entry.status = answer.status;
        return answer;
      },
    });
    url = `http://127.0.0.1:${proxy.port}`;
  });
  afterAll(() => proxy.stop(true));
  beforeEach(() => {
    isLectern = false;
    seen = [];
    interfere = undefined;
  });

  const askOrigin = async (path: string, asked: Headers): Promise<Response> => {
    const { "accept-encoding": _none, ...given } = asked.toJSON();
    const { status, headers, text } = await server.get(path, { headers: given });
    if (status !== 304) return new Response(text, { status, headers });
    // Before some services, such as Lectern here, a proxy sends a 304 with few headers.
    return new Response(null, { status, headers: isLectern ? { etag: headers.get("etag") ?? "" } : headers });
  };
  /** Publishes in the project that is mirrored; the next request is answered from it. */
  const publishOrigin = async (courses: AuthoredCourse[]): Promise<void> => {
    await publish(origin.store, "acme", courses);
    await server.look();
  };
  const importFrom = (from: string, project: string, stdin: string, ...args: string[]): Promise<CommandResult> => {
    const to = ["--api-key-stdin", "--project", project, "--database", mirror.url];
    return runCommand(["import", from, ...to, ...args], { stdin });
  };
  const run = (project: string, ...args: string[]): Promise<CommandResult> => {
    seen = [];
    return importFrom(url, project, `${key}\n`, ...args);
  };
  const statuses = (): number[] => seen.map(({ status }) => status);
  /** The paths of the answers that were sent in full. */
  const sent = (): string[] =>
    seen.filter(({ status }) => status === 200).map(({ path }) => path.replace(/^\/api\/v1|\?.*/g, ""));

  /** All that an ordinary key reads of a project, by path. */
  const readAll = async ({ store }: TestStore, project: string): Promise<Record<string, string>> => {
    const reader = await createKey(store, project);
    const readers = await createUnboundServer(store);
    const texts: Record<string, string> = {};
    const read = async (path: string): Promise<Record<string, string>[]> => {
      const { text } = await readers.get(`/api/v1${path}`, { key: reader });
      texts[path] = text.replaceAll(`"projectId":"${project}"`, '"projectId":""');
      return (JSON.parse(text) as { data: { results: Record<string, string>[] } }).data.results;
    };
    for (const { _id = "" } of await read("/courses")) {
      const path = `/courses/${encodeURIComponent(_id)}`;
      await read(path);
      if (isLectern) await read(`${path}?include=lessons,meta`);
      for (const { id = "" } of await read(`${path}/lessons`)) await read(`${path}/lessons/${encodeURIComponent(id)}`);
    }
    return texts;
  };
  const expectSame = async (project: string): Promise<Record<string, string>> => {
    const all = await readAll(mirror, project);
    expect(all).toEqual(await readAll(origin, "acme"));
    return all;
  };

  test("has the same documents; a second run receives unchanged answers as 304, and the next only changes", async () => {
    const { stdout, stderr } = await run("same");
    expect([stderr, stdout]).toEqual(["", expect.stringMatching(/^Published release 1 of same:/)]);
    await expectSame("same");
    expect(new Set(statuses())).toEqual(new Set([200]));
    const unchanged = statuses().map(() => 304);
    expect((await run("same")).stdout).toStartWith("Nothing changed");
    expect(statuses()).toEqual(unchanged);
    const [course, ...others] = FEW;
    await publishOrigin(FEW);
    await run("same", "--allow-removals");
    await publishOrigin([{ ...course, name: "Introduction, edited" }, ...others]);
    expect((await run("same")).stdout).toContain("courses: 0 added, 1 changed, 0 removed");
    expect([...new Set(sent())]).toEqual(["/courses", "/courses/course-1"]);
    await expectSame("same");
  });

  test("is complete if another import keeps the same answers at the same time", async () => {
    isLectern = true;
    await publishOrigin(Array.from({ length: 200 }, (_, n) => ({ _id: `c${n}`, name: `Course ${n}` })));
    const answer = `'twice', '${url}/ whole course c0', 'run', 'etag', null, ''`;
    const insert = `begin insert into kept_answers values (${answer}); perform pg_sleep(1); end`;
    interfere = (number) => void (number === 1 && engine !== anyEngine && mirror.execute(`do $$ ${insert} $$`));
    expect(await run("twice")).toMatchObject({ exitCode: 0, stderr: "" });
  });

  // How a service is read does not depend on the database.
  if (engine !== anyEngine) return;

  test("stores nothing in a plan, and a course's updatedAt as the service sends it, though a lesson is newer", async () => {
    const chapters = [{ name: "C", lessons: [{ id: "l", name: "L", updatedAt: "2026-02-01" }] }];
    await publishOrigin([{ _id: "dated", name: "Dated", updatedAt: "2025-06-01", chapters }]);
    for (const project of ["dated", "dated-lectern"]) {
      isLectern = project === "dated-lectern";
      expect((await run(project, "--dry-run")).stdout).toContain("courses: 1 added");
      await run(project);
      expect(new Set(statuses())).toEqual(new Set([200]));
      expect((await readAll(mirror, project))["/courses/dated"]).toContain('"updatedAt":"2025-06-01T00:00:00.000Z"');
    }
  });

  test("reads a Lectern service with one request per changed course", async () => {
    isLectern = true;
    const [course, ...others] = FEW;
    const more = { description: "All of it", language: "pt-BR", tags: ["a", "b"], durationMinutes: 20 };
    const changed = { ...course, ...more, slug: "another-slug", translationOf: others[0]?.["_id"] };
    await publishOrigin([changed, ...others]);
    expect(await run("whole")).toMatchObject({ exitCode: 0, stderr: "" });
    const withLessons = seen.filter(({ path }) => path.includes("lessons"));
    const all = await expectSame("whole");
    expect(all["/courses/course-1?include=lessons,meta"]).toContain('"slug":"another-slug"');
    const courses = Object.keys(all).filter((path) => path.includes("?include="));
    expect([withLessons.length, seen.length]).toEqual([courses.length, courses.length + 3]);
    expect((await run("whole")).stdout).toStartWith("Nothing changed");
    // A course and its original are asked for again: no digest covers which lessons each other's are.
    expect(statuses()).toEqual([304, 200, 304, 304, 304, 304]);
    await publishOrigin([{ ...changed, description: "Less" }, ...others]);
    expect((await run("whole")).stdout).toContain("courses: 0 added, 1 changed, 0 removed");
    expect([sent().filter((path) => path !== "/courses"), seen.length]).toEqual([["/courses/course-1"], 6]);
    await expectSame("whole");
  });

  test("shows the translations of a Lectern service, whichever language is added, removed or lacks a lesson", async () => {
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
      const all = await expectSame("translated");
      expect(all["/courses/en?include=lessons,meta"]?.includes('"lessonId"')).toBe(courses.length > 1);
    }
  });

  test("is complete despite refusals, dropped connections and a publication during the download", async () => {
    await publishOrigin(FEW);
    const before = await readAll(origin, "acme");
    const busy = (status: number) => Response.json({ message: "Busy" }, { status, headers: { "retry-after": "0" } });
    interfere = async (number) => {
      if (number === 3 || number === 6) return busy(number === 3 ? 429 : 503);
      if (number === 9) await publishOrigin([{ _id: "only", name: "Only" }, ...FEW.slice(1)]);
    };
    expect((await run("through")).exitCode).toBe(0);
    expect(await readAll(mirror, "through")).toEqual(before);
    interfere = undefined;
    await run("through", "--allow-removals");
    await expectSame("through");
    let connections = 0;
    const cutter = createServer((socket) => {
      if (connections++ === 0) socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n{"));
      else socket.pipe(connect(proxy.port ?? 0, "127.0.0.1")).pipe(socket);
    });
    await new Promise<void>((resolve) => cutter.listen(0, "127.0.0.1", resolve));
    const { port } = cutter.address() as AddressInfo;
    expect(await importFrom(`http://127.0.0.1:${port}`, "cut", key)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(connections).toBeGreaterThan(1);
    await expectSame("cut");
    cutter.close();
  });

  /** Changes the text of the answers whose paths contain a part. */
  const rewriting =
    (part: string, from: string | RegExp, to: string): Interfere =>
    async (_number, path, ask) => {
      if (!path.includes(part)) return undefined;
      const answer = await ask();
      return new Response((await answer.text()).replace(from, to), answer);
    };

  test("accepts no course of a Lectern service with an invalid member, not even partially", async () => {
    isLectern = true;
    await publishOrigin([{ _id: "a", name: "A", tags: ["x"] }]);
    interfere = rewriting("/a?", '"tags":["x"]', '"tags":"x"');
    expect((await run("wrong")).stderr).toContain('course "a" is malformed: tags');
  });

  test("rereads what an import failed on", async () => {
    isLectern = true;
    await publishOrigin(["b", "g"].map((id) => ({ _id: id, name: id, createdAt: "2026-01-01" })));
    interfere = rewriting("/b?", /"createdAt":"[^"]*"/, '"createdAt":"yesterday"');
    expect((await run("afresh", "--keep-going")).exitCode).toBe(4);
    interfere = undefined;
    expect((await run("afresh")).exitCode).toBe(0);
  });

  test("reports faults of the key or the command", async () => {
    const { port } = proxy;
    const { stderr } = await importFrom(url, "p", "lectern_wrong");
    expect(stderr).toStartWith(`lectern: 127.0.0.1:${port} cannot be mirrored: 401, Invalid API key; pass the `);
    const inUrl = await importFrom("https://user:pass@catalog.example", "p", key);
    expect(inUrl.stderr).toBe("lectern: Pass the key with --api-key-stdin, not in the URL.\n");
  });
});
