// Who makes long answers, and in which order, when permits or memory are short.
import { expect, test } from "bun:test";
import { AnswerWork, LargeAnswerLimiter } from "../../src/http/operations/answer-work.ts";
import { HttpError } from "../../src/http/request/errors.ts";

/** As many as may wait, of one project and of all. */
const MAX_WAITING_OF_PROJECT = 64;
const MAX_WAITING = 256;

/** Makes answers by name, of the project that the name begins with, and notes in which order they begin. */
function createMaker(maxBytes: number, maxWaitMs?: number) {
  const limits = new LargeAnswerLimiter(maxBytes, maxWaitMs);
  const begun: string[] = [];
  const works = new Map<string, AnswerWork>();
  const hold = async (name: string, bytes: number, needsPermit = true, readBytes = 0): Promise<string> => {
    try {
      await works.get(name)?.hold(bytes, { needsPermit, readBytes });
      return "done";
    } catch (error) {
      return error instanceof HttpError ? String(error.status) : String(error);
    }
  };
  return {
    limits,
    begun,
    hold,
    begin: async (name: string, bytes: number, client = new AbortController(), needsPermit = true, readBytes = 0) => {
      works.set(name, new AnswerWork(limits, name.charAt(0), client));
      const result = await hold(name, bytes, needsPermit, readBytes);
      if (result === "done") begun.push(name);
      return result;
    },
    end: async (name: string): Promise<void> => {
      works.get(name)?.end();
      await settle();
    },
  };
}

/** Lets everything that is decided become known. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("permits for long answers are limited to four, two per project, and go to the project that got none for the longest time; a stored body needs none until it is unpacked", async () => {
  const { begun, begin, end, hold, limits } = createMaker(1000);
  for (const name of ["a1", "a2", "a3", "b1", "b2", "b3", "a4", "b4", "c1"]) void begin(name, 1);
  expect(await begin("d1", 1, undefined, false)).toBe("done");
  expect(begun).toEqual(["a1", "a2", "b1", "b2", "d1"]);
  const unpacked = hold("d1", 2);
  for (const name of ["a1", "b1", "a2", "b2"]) await end(name);
  expect(begun.slice(5)).toEqual(["c1", "a3", "b3"]);
  expect(await unpacked).toBe("done");
  for (const name of ["d1", "c1", "a3", "b3", "a4", "b4"]) await end(name);
  expect([begun.length, limits.bytes, limits.waiting]).toEqual([10, 0, 0]);
});

test("their queue is bounded per project, and to one request once others fill it: 503 when full, 499 for clients that disconnect", async () => {
  const { begin, end, limits } = createMaker(1000);
  for (const name of ["x1", "x2", "y1", "y2"]) await begin(name, 1);
  const clients = new AbortController();
  const waiting: Promise<string>[] = [];
  for (const project of ["a", "b", "c", "d"]) {
    for (let count = 0; count < MAX_WAITING_OF_PROJECT; count++) waiting.push(begin(`${project}${count}`, 1, clients));
    if (project === "a") expect(await begin("a-late", 1)).toBe("503");
  }
  expect(limits.waiting).toBe(MAX_WAITING);
  waiting.push(begin("e1", 1, clients));
  expect(await begin("e2", 1)).toBe("503");
  clients.abort();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(["499"]));
  // Two that have read 16 MiB each count as all of their project.
  for (const name of ["f1", "f2"]) void begin(name, 1, undefined, true, 16 * 1024 * 1024);
  expect(await begin("f3", 1)).toBe("503");
  for (const name of ["x1", "x2"]) await end(name);
  expect(limits.waiting).toBe(0);
});

test("a quarter of the memory for large answers stays for other projects when one fills the rest", async () => {
  const { begin, limits } = createMaker(100, 20);
  const projects = new Set<string | undefined>();
  limits.makeRoom = (_hasRoom, project) => projects.add(project);
  // What is kept and read counts like what is made.
  limits.count("a", 40);
  const results = [await begin("a1", 35), await begin("a2", 1), await begin("b1", 25), await begin("b2", 1)];
  expect(results).toEqual(["done", "503", "done", "503"]);
  // Dropping others' answers would not help a project above its share.
  expect([...projects]).toEqual(["a", undefined]);
  // Nor does an answer that outgrew everything, which slow clients still read, take it.
  limits.count("a", 500);
  limits.count("b", -25);
  expect(await begin("c1", 25)).toBe("done");
});

test("what is kept gives way to what is made", async () => {
  const { begin, limits } = createMaker(100, 20);
  limits.count("a", 90);
  limits.makeRoom = () => limits.count("a", -90);
  expect([await begin("b1", 50), limits.bytes]).toEqual(["done", 50]);
});

test("their memory goes to the oldest answer if several outgrow it; others wait for its end, or their client's", async () => {
  const { begin, hold, end, limits } = createMaker(100);
  const client = new AbortController();
  for (const name of ["a1", "b1"]) expect(await begin(name, 10)).toBe("done");
  expect(await begin("c1", 10, client)).toBe("done");
  const [second, third] = ["b1", "c1"].map(async (name) => hold(name, 95));
  expect(await hold("a1", 500)).toBe("done");
  expect(await Promise.race([second, third, settle().then(() => "waiting")])).toBe("waiting");
  await end("a1");
  expect(await second).toBe("done");
  client.abort();
  expect(await third).toBe("499");
  for (const name of ["b1", "c1"]) await end(name);
  expect(limits.bytes).toBe(0);
});

test("those that wait for one answer send it in several turns of the event loop", async () => {
  const limits = new LargeAnswerLimiter(100);
  const pending = new Map<string, Promise<string>>();
  let sent = 0;
  let sentInFirstTurn: number | undefined;
  const send = async (): Promise<void> => {
    const work = new AnswerWork(limits, "a", new AbortController());
    await work.share(pending, "list", async () => Bun.sleep(1).then(() => "list"));
    setImmediate(() => (sentInFirstTurn ??= sent));
    Bun.sleepSync(2);
    sent++;
  };
  await Promise.all(Array.from({ length: 10 }, send));
  expect(sentInFirstTurn).toBeLessThan(5);
});
