// Documents are stored as they go out: what a client gets is the same on every engine and server, and from the texts that
// earlier versions have stored; `lectern convert` turns these into what an import writes.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import answers from "./stored/answers.json" with { type: "json" };
import { openEngine, openStore, type Store } from "../src/store/open-store.ts";
import { sql, type Value } from "../src/store/query.ts";
import { Connection, decodeBody } from "./read-path/connection.ts";
import { importCourses, publish, type AuthoredCourse } from "./support/catalog.ts";
import { runCommand, startCommand } from "./support/command.ts";
import { createKey, startTestServer, waitFor, type TestServer } from "./support/server.ts";
import {
  createTestFolder,
  engines,
  openTestStore,
  untilFree,
  type TestDatabase,
  type TestStore,
} from "./support/store.ts";

const CODINGS = ["identity", "gzip", "br", "zstd"];
/** As the envelope is written in the specification; the text of a document stands between. */
const [START, END] = ['{"data":', ',"success":true,"message":"","code":200}'];

function createText(length: number): string {
  let text = "";
  for (let index = 0; text.length < length; index++)
    text += `<p>${index} ${Bun.hash(String(index)).toString(36)} é漢😀</p>`;
  return text.slice(0, length).toWellFormed();
}

const lesson = (id: string, length: number) => ({ id, name: `Lesson ${id}`, additionalText: createText(length) });
/** Without a text, but with a long name, of which a course of some hundred lessons is large. */
const createNamed = (id: string) => ({ ...lesson(id, 0), name: createText(100) + id });
const CATALOG: AuthoredCourse[] = [
  {
    _id: "a",
    slug: "a",
    name: "A",
    chapters: [{ id: "c", name: "C", lessons: [lesson("small", 100), lesson("big", 9000), lesson("large", 100_000)] }],
  },
  {
    _id: "b",
    slug: "b",
    name: "B",
    chapters: [{ id: "c", name: "C", lessons: Array.from({ length: 600 }, (_, index) => createNamed(`l${index}`)) }],
  },
];
const PATHS = [
  "",
  "?limit=1",
  "/a",
  "/a/lessons",
  "/a/lessons/small",
  "/a/lessons/big",
  "/a/lessons/large",
  "/b",
  "/b/lessons",
  "/b/lessons?limit=30&offset=590",
  "/b/lessons/l7",
];
/** Lists above 64 KiB and documents that are stored as text are compressed in pieces, by another coder. */
const LARGE_DOCUMENTS = ["/a/lessons/large", "/b", "/b/lessons"].map((path) => `${path} gzip`);

interface Seen {
  etag: string;
  body: string;
}

/** Every answer in every coding, its bytes in base64. */
async function readAll(store: Store, key: string, cacheBytes?: number): Promise<Record<string, Seen>> {
  const server = await startTestServer(store, cacheBytes === undefined ? {} : { cacheBytes });
  const connection = await Connection.open(server.url);
  const seen: Record<string, Seen> = {};
  for (const path of PATHS) {
    for (const coding of CODINGS) {
      const answer = await connection.ask(`/api/v1/courses${path}`, { key, headers: { "accept-encoding": coding } });
      expect([path, coding, answer.status]).toEqual([path, coding, 200]);
      seen[`${path} ${coding}`] = { etag: answer.headers["etag"] ?? "", body: answer.body.toString("base64") };
    }
  }
  connection.close();
  await server.stop();
  return seen;
}

interface OldRow {
  key: Value;
  id: string;
  body: Uint8Array;
}

/** Puts the documents of a store into the form of earlier versions. Gives how many course versions and lessons. */
async function storeAsText(url: string): Promise<{ courses: number; lessons: number }> {
  const engine = await openEngine(url, { create: false });
  const cut = (body: Uint8Array): string => gunzipSync(body).toString().slice(START.length, -END.length);
  const counts = await engine.transact(async (transaction) => {
    const lessons = await transaction.run(
      sql<OldRow>`select version_id as key, lesson_id as id, body from lessons where body is not null`,
    );
    for (const { key, id, body } of lessons) {
      await transaction.run(
        sql`update lessons set document = ${cut(body)}, body = null where version_id = ${key} and lesson_id = ${id}`,
      );
    }
    const courses = await transaction.run(
      sql<OldRow>`select id as key, course_id as id, course_body as body from course_versions where course_body is not null`,
    );
    for (const { key, body } of courses) {
      await transaction.run(
        sql`update course_versions set course = ${cut(body)}, course_body = null where id = ${key}`,
      );
    }
    const lists = await transaction.run(sql<OldRow>`
      select id as key, course_id as id, lesson_list_body as body from course_versions
      where lesson_list_body is not null`);
    for (const { key, body } of lists) {
      const { results } = JSON.parse(cut(body)) as { results: unknown };
      const text = JSON.stringify(results);
      await transaction.run(sql`
        update course_versions set lesson_list = ${text}, lesson_list_body = null,
          lesson_list_digest = ${Bun.SHA256.hash(text, "hex").slice(0, 32)}
        where id = ${key}`);
    }
    return { courses: courses.length, lessons: lessons.length };
  });
  await engine.close();
  return counts;
}

const open = async ({ url }: TestDatabase): Promise<Store> => openStore(url, { create: false });
const convert = async (url: string) => runCommand(["convert", "--database", url]);
const COUNTS = `select (select count(*) from lessons where body is not null) as lessons,
  (select count(*) from course_versions where course_body is not null) as courses,
  (select count(*) from course_versions where lesson_list_body is not null) as lists`;

describe("bytes and ETags in every coding", () => {
  let stores: TestStore[];
  let keys: string[];
  let expected: Record<string, Seen>;

  beforeAll(async () => {
    stores = await Promise.all(engines.map((engine) => openTestStore(engine)));
    keys = [];
    for (const { store } of stores) {
      await publish(store, "acme", CATALOG);
      keys.push(await createKey(store, "acme"));
    }
    expected = await readAll(stores[0]!.store, keys[0]!);
  });
  afterAll(async () => {
    for (const database of stores) await database.drop();
  });

  test("are as many as there are answers and codings, and of the same text", () => {
    for (const path of PATHS) {
      const plain = Buffer.from(expected[`${path} identity`]?.body ?? "", "base64");
      const tags = new Set(CODINGS.map((coding) => expected[`${path} ${coding}`]?.etag));
      expect([path, tags.size]).toEqual([path, plain.length < 1024 ? 1 : 4]);
      for (const coding of CODINGS) {
        const body = Buffer.from(expected[`${path} ${coding}`]?.body ?? "", "base64");
        const headers = plain.length < 1024 || coding === "identity" ? {} : { "content-encoding": coding };
        expect(decodeBody({ status: 200, headers, body })).toBe(plain.toString());
      }
    }
  });

  test("are the same from both engines, two servers, after a restart and without a cache", async () => {
    for (const [index, { store }] of stores.entries()) {
      const all = await Promise.all([readAll(store, keys[index]!), readAll(store, keys[index]!, 0)]);
      for (const seen of all) expect(seen).toEqual(expected);
    }
  });

  test("are what is stored, for a client that takes gzip", async () => {
    for (const database of stores) {
      const rows = (await database.execute(
        "select lesson_id as id, body, document from lessons where lesson_id in ('small', 'big', 'large') order by 1",
      )) as { id: string; body: Uint8Array | null; document: string | null }[];
      for (const { id, body, document } of rows) {
        const seen = Buffer.from(expected[`/a/lessons/${id} gzip`]?.body ?? "", "base64");
        if (body === null) expect(seen.toString()).toBe(START + document + END);
        else expect([document, seen.equals(body)]).toEqual([null, true]);
      }
      expect(rows.map(({ id, body }) => [id, body !== null])).toEqual([
        ["big", true],
        ["large", true],
        ["small", false],
      ]);
    }
  });

  test("stay after the store was one of texts, which is served as well, and after it is converted", async () => {
    for (const [index, database] of stores.entries()) {
      const [before] = await database.execute(COUNTS);
      const counts = await storeAsText(database.url);
      expect([counts.lessons, counts.courses]).toEqual([2, 1]);
      const asTexts = await readAll(database.store, keys[index]!);
      for (const [id, { etag, body }] of Object.entries(asTexts)) {
        const isEqual = [etag === expected[id]?.etag, body === expected[id]?.body];
        // Other bytes of the same text have another tag.
        const isLarge = LARGE_DOCUMENTS.includes(id);
        expect([id, ...isEqual]).toEqual([id, !isLarge, !isLarge]);
      }
      // What did not change makes no release, though it would be stored otherwise now.
      expect((await importCourses(database.store, "acme", CATALOG)).outcome.status).toBe("unchanged");

      const done = await convert(database.url);
      expect([done.exitCode, done.stdout, done.stderr]).toEqual([0, "Converted 1 course version and 2 lessons.\n", ""]);
      expect(await readAll(database.store, keys[index]!)).toEqual(expected);
      expect(await database.execute(COUNTS)).toEqual([before]);
      expect((await importCourses(database.store, "acme", CATALOG)).outcome.status).toBe("unchanged");
      expect((await convert(database.url)).stdout).toBe("Nothing to convert.\n");
    }
  });
});

describe.each(engines)("lectern convert on $name", (engine) => {
  let database: TestStore;
  let key: string;
  const LESSONS = 700;
  /** Keeps whoever converts this lesson, until it is killed. */
  const STUCK = "l650";

  beforeAll(async () => {
    database = await openTestStore(engine);
    const lessons = Array.from({ length: LESSONS }, (_, index) => lesson(`l${index}`, 1500));
    await publish(database.store, "acme", [
      { _id: "a", slug: "a", name: "A", chapters: [{ id: "c", name: "C", lessons }] },
    ]);
    key = await createKey(database.store, "acme");
    await storeAsText(database.url);
  });
  afterAll(() => database.drop());

  const countDone = async (): Promise<number> => ((await database.execute(COUNTS))[0] as { lessons: number }).lessons;

  test("killed in the middle, leaves what it has done, and is taken up where it was", async () => {
    const server = await startTestServer(database.store, { cacheBytes: 0 });
    const read = async () => {
      const all: string[] = [];
      for (const id of ["", "/l0", "/l300", "/l650", "/l699"]) {
        const { status, headers, text } = await server.get(`/api/v1/courses/a/lessons${id}`, { key });
        all.push(`${status} ${headers.get("etag")} ${text}`);
      }
      return all;
    };
    const before = await read();
    for (const statement of createTrap(engine.name)) await database.execute(statement);
    const running = startCommand(["convert", "--database", database.url]);
    await waitFor(async () => (await countDone()) > 0);
    await waitFor(async () => isTrapped(engine.name));
    running.kill("SIGKILL");
    await running.exited;
    await freeTrap(engine.name);
    await untilFree(database);
    const done = await countDone();
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(LESSONS);
    expect(await read()).toEqual(before);

    const again = await convert(database.url);
    const rest = `Converted 0 course versions and ${LESSONS - done} lessons.\n`;
    expect([again.exitCode, again.stderr, again.stdout]).toEqual([0, "", rest]);
    expect(await countDone()).toBe(LESSONS);
    expect(await read()).toEqual(before);
    await server.stop();
  });

  /** Statements that make the conversion of one lesson take for ever. */
  function createTrap(name: string): string[] {
    if (name === "sqlite") {
      return [
        `create trigger trap before update on lessons when new.lesson_id = '${STUCK}' begin
          select count(*) from (with recursive n(i) as (select 1 union all select i + 1 from n) select i from n);
        end`,
      ];
    }
    return [
      `create function trap() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(7), pg_sleep(100000); return new; end $$`,
      `create trigger trap before update on lessons for each row when (new.lesson_id = '${STUCK}') execute function trap()`,
    ];
  }

  /** On SQLite any moment will do: it cannot come past the trap. */
  async function isTrapped(name: string): Promise<boolean> {
    if (name === "sqlite") return true;
    return (await database.execute("select 1 from pg_locks where locktype = 'advisory' and objid = 7")).length > 0;
  }

  async function freeTrap(name: string): Promise<void> {
    if (name === "postgres") {
      await database.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()",
      );
      await untilFree(database);
      await database.execute("drop trigger trap on lessons");
    } else {
      await database.execute("drop trigger trap");
    }
  }
});

/** What is told of courses and lessons beyond the first version. */
async function readIncluded(server: TestServer): Promise<string[]> {
  const read: string[] = [];
  for (const project of ["folder", "lines"]) {
    const get = async (path: string): Promise<string> => {
      const { status, headers, text } = await server.get(`/api/v1${path}`, { key: `stored-${project}-key-0123` });
      expect([path, status]).toEqual([path, 200]);
      read.push(`${path} ${headers.get("etag")} ${text}`);
      return text;
    };
    const list = JSON.parse(await get("/courses?include=meta,digest")) as { data: { results: { _id: string }[] } };
    for (const { _id: id } of list.data.results) {
      await get(`/courses/${id}/lessons?include=meta,digest`);
      await get(`/courses/${id}?include=lessons,meta`);
    }
  }
  return read;
}

test("a store of the first version is converted, and answers as it did; so does one that servers read meanwhile", async () => {
  const folder = createTestFolder();
  const path = join(folder.path, "lectern.db");
  copyFileSync(join(import.meta.dir, "stored", "lectern.db"), path);
  const url = `sqlite:${path}`;
  const postgres = await engines[1]!.createDatabase();
  // Rows are copied as they are.
  expect((await runCommand(["copy", "--from", url, "--to", postgres.url])).exitCode).toBe(0);
  for (const each of [url, postgres.url]) {
    const store = await open({ url: each } as TestDatabase);
    const server = await startTestServer(store);
    const expectAnswers = async (): Promise<void> => {
      for (const { project, path: target, etag, body } of answers) {
        const { status, headers, text } = await server.get(`/api/v1${target}`, { key: `stored-${project}-key-0123` });
        expect([target, status, headers.get("etag"), text]).toEqual([target, 200, etag, body]);
      }
    };
    await expectAnswers();
    const included = await readIncluded(server);
    const stdout = "Converted 0 course versions and 11 lessons. Stored the digests of 7 course versions.\n";
    expect(await convert(each)).toMatchObject({ exitCode: 0, stdout });
    expect((await convert(each)).stdout).toBe("Nothing to convert.\n");
    await expectAnswers();
    await server.stop();
    const again = await startTestServer(store);
    for (const { project, path: target, etag, body } of answers) {
      const { headers, text } = await again.get(`/api/v1${target}`, { key: `stored-${project}-key-0123` });
      expect([target, headers.get("etag"), text]).toEqual([target, etag, body]);
    }
    expect(await readIncluded(again)).toEqual(included);
    await again.stop();
    await store.close();
  }
  folder.remove();
});
