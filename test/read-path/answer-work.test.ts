// Who makes long answers, and in which order, when permits or memory are short.
import { describe, expect, test } from "bun:test";
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
  const wait = async (waiting: Promise<void>): Promise<string> => {
    try {
      await waiting;
      return "done";
    } catch (error) {
      return error instanceof HttpError ? String(error.status) : String(error);
    }
  };
  return {
    limits,
    begun,
    begin: async (name: string, bytes: number, { signal } = new AbortController()): Promise<string> => {
      const work = new AnswerWork(limits, name.charAt(0), { signal });
      works.set(name, work);
      const result = await wait(work.hold(bytes));
      if (result === "done") begun.push(name);
      return result;
    },
    hold: async (name: string, bytes: number): Promise<string> => wait((works.get(name) as AnswerWork).hold(bytes)),
    end: async (name: string): Promise<void> => {
      works.get(name)?.end();
      await settle();
    },
  };
}

/** Lets everything that is decided become known. */
const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("permits for long answers", () => {
  test("are limited to four, two per project; projects take turns", async () => {
    const { begun, begin, end, limits } = createMaker(1000);
    for (const name of ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "c1"]) void begin(name, 1);
    await settle();
    expect(begun).toEqual(["a1", "a2", "b1", "b2"]);
    await end("b1");
    await end("a1");
    await end("a2");
    await end("b2");
    expect(begun.slice(4)).toEqual(["c1", "a3", "b3", "a4"]);
    for (const name of begun.slice(4)) await end(name);
    expect([begun.length, limits.bytes, limits.waiting]).toEqual([8, 0, 0]);
  });

  test("time out with a 503", async () => {
    const { begin } = createMaker(1000, 20);
    expect([await begin("a1", 1), await begin("a2", 1), await begin("a3", 1)]).toEqual(["done", "done", "503"]);
    expect(await begin("b1", 1)).toBe("done");
  });

  test("have a bounded queue, in total and per project: 503 when full, 499 for clients that disconnect", async () => {
    const { begin, limits } = createMaker(1000);
    for (const name of ["x1", "x2", "y1", "y2"]) await begin(name, 1);
    const clients = new AbortController();
    const waiting: Promise<string>[] = [];
    for (const project of ["a", "b", "c", "d"]) {
      for (let count = 0; count < MAX_WAITING_OF_PROJECT; count++)
        waiting.push(begin(`${project}${count}`, 1, clients));
      if (project === "a") expect(await begin("a-late", 1)).toBe("503");
    }
    expect(limits.waiting).toBe(MAX_WAITING);
    expect(await begin("e1", 1)).toBe("503");
    clients.abort();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["499"]));
    expect(limits.waiting).toBe(0);
    expect(await begin("x3", 1, clients)).toBe("499");
  });
});

describe("the memory for large answers", () => {
  test("reserves a quarter for other projects when one fills the rest", async () => {
    const { begin, limits } = createMaker(100, 20);
    // What is kept and read counts like what is made.
    limits.count("a", 40);
    expect(await begin("a1", 35)).toBe("done");
    expect(await begin("a2", 1)).toBe("503");
    expect(await begin("b1", 25)).toBe("done");
    expect(await begin("b2", 1)).toBe("503");
  });

  test("goes to the oldest answer if several outgrow it; the others wait for its end", async () => {
    const { begin, hold, end, limits } = createMaker(100);
    for (const name of ["a1", "b1", "c1"]) expect(await begin(name, 10)).toBe("done");
    const younger = ["b1", "c1"].map(async (name) => hold(name, 95));
    expect(await hold("a1", 500)).toBe("done");
    expect(await Promise.race([...younger, settle().then(() => "waiting")])).toBe("waiting");
    await end("a1");
    expect(await younger[0]).toBe("done");
    await end("b1");
    expect(await younger[1]).toBe("done");
    await end("c1");
    expect(limits.bytes).toBe(0);
  });

  test("is no longer awaited for a disconnected client: 499", async () => {
    const { begin, hold } = createMaker(100);
    const client = new AbortController();
    await begin("a1", 10);
    await begin("b1", 10, client);
    const waiting = hold("b1", 200);
    client.abort();
    expect(await waiting).toBe("499");
  });
});

describe("equal requests", () => {
  const create = (limits: LargeAnswerLimiter): AnswerWork => new AnswerWork(limits, "a", new AbortController());

  test("wait once: they share one answer, and one failure", async () => {
    const { limits, begin } = createMaker(100, 20);
    await begin("a1", 1);
    await begin("a2", 1);
    const pending = new Map<string, Promise<string>>();
    let works = 0;
    const results = Array.from({ length: 6 }, async () => {
      const work = create(limits);
      return work.share(pending, "list", async () => {
        works++;
        await work.hold(1);
        return "made";
      });
    });
    const statuses = (await Promise.allSettled(results)).map((each) => each.status);
    expect([works, new Set(statuses)]).toEqual([1, new Set(["rejected"])]);
  });
});
