// Who gets room for large answers, and in which order, when there is not enough for all.
import { describe, expect, test } from "bun:test";
import { HttpError } from "../../src/http/request/errors.ts";
import { MemoryBudget, type Reservation } from "../../src/http/operations/memory-budget.ts";

/** Asks for room for a project, and notes under `name` in which order it is given. */
function createAsker(budget: MemoryBudget) {
  const given: string[] = [];
  const reservations = new Map<string, Reservation>();
  const ask = async (
    name: string,
    bytes: number,
    { signal = new AbortController().signal, turn = false, heldBytes = 0 } = {},
  ): Promise<string> => {
    const demand = { project: name.charAt(0), bytes, heldBytes, signal };
    try {
      reservations.set(name, await (turn ? budget.takeTurn(demand) : budget.reserve(demand)));
      given.push(name);
      return "given";
    } catch (error) {
      return error instanceof HttpError ? String(error.status) : String(error);
    }
  };
  const release = async (name: string): Promise<void> => {
    reservations.get(name)?.release();
    await settle();
  };
  return { given, ask, release };
}

/** Lets everything that is decided become known. */
const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the room for large answers", () => {
  test("is given project by project in turn, so that one that asks much does not shut out another", async () => {
    const budget = new MemoryBudget({ maxBytes: 100 });
    const { given, ask, release } = createAsker(budget);
    for (const name of ["a1", "a2", "a3", "a4", "b1", "c1"]) void ask(name, 70);
    await settle();
    for (let count = 1; count <= 6; count++) {
      expect(given).toHaveLength(count);
      await release(given.at(-1) ?? "");
    }
    expect(given).toEqual(["a1", "b1", "a2", "c1", "a3", "a4"]);
    expect([budget.usedBytes, budget.waiting]).toEqual([0, 0]);
  });

  test("leaves a quarter to others when one project fills the rest", async () => {
    const budget = new MemoryBudget({ maxBytes: 100, maxWaitMs: 20 });
    const { ask } = createAsker(budget);
    expect(await ask("a1", 40)).toBe("given");
    expect(await ask("a2", 35)).toBe("given");
    expect(await ask("a3", 1)).toBe("503");
    expect(await ask("b1", 25)).toBe("given");
    expect(await ask("b2", 1)).toBe("503");
  });

  test("is given whole to one that is larger than all of it, once nothing else is there, and lets that one grow", async () => {
    const budget = new MemoryBudget({ maxBytes: 100 });
    const { given, ask, release } = createAsker(budget);
    void ask("a1", 10);
    void ask("a2", 1000);
    await settle();
    expect(given).toEqual(["a1"]);
    await release("a1");
    expect(given).toEqual(["a1", "a2"]);
    expect(await ask("a3", 500, { heldBytes: 1000 })).toBe("given");
  });

  test("has a queue that is bounded, for all and for each project, and refuses at once beyond that", async () => {
    const budget = new MemoryBudget({ maxBytes: 100, maxWaiting: 3, maxWaitingOfProject: 2 });
    const { ask } = createAsker(budget);
    await ask("x", 100);
    const aborted = new AbortController();
    const waiting = ["a1", "a2", "b1"].map(async (name) => ask(name, 10, { signal: aborted.signal }));
    expect(await ask("a3", 10)).toBe("503");
    expect(await ask("c1", 10)).toBe("503");
    aborted.abort();
    expect(await Promise.all(waiting)).toEqual(["499", "499", "499"]);
    expect(budget.waiting).toBe(0);
  });

  test("is asked for by one at a time of those that need a turn; those that need none pass them", async () => {
    const budget = new MemoryBudget({ maxBytes: 100 });
    const { given, ask, release } = createAsker(budget);
    for (const name of ["a1", "b1"]) void ask(name, 10, { turn: true });
    void ask("a2", 10);
    await settle();
    expect(given).toEqual(["a1", "a2"]);
    budget.endTurn();
    await settle();
    expect(given).toEqual(["a1", "a2", "b1"]);
    for (const name of given) await release(name);
  });

  test("gives up what is only kept before anybody waits, and no more of it than is needed", async () => {
    const kept: Reservation[] = [];
    const budget = new MemoryBudget({
      maxBytes: 100,
      makeRoom(isEnough) {
        while (!isEnough() && kept.length > 0) kept.shift()?.release();
      },
    });
    for (let count = 0; count < 5; count++) kept.push(budget.count("k", 20));
    const { ask } = createAsker(budget);
    expect(await ask("a1", 30)).toBe("given");
    expect(kept).toHaveLength(3);
    expect(budget.usedBytes).toBe(90);
  });
});
