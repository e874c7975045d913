// How a stopping server drains.
import { beforeAll, describe, expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { startServing, type RunningCommand } from "../support/command.ts";
import { createKey, startTestServer, waitFor } from "../support/server.ts";
import { anyEngine, engines, useTestStore } from "../support/store.ts";
import { Connection, type SentAnswer } from "./connection.ts";

const COURSES = ["a", "b", "c"].map((id) => ({ _id: id, name: `Course ${id}`, createdAt: "2026-01-01" }));

describe.each(engines)("a server on $name that stops", (engine) => {
  const database = useTestStore(engine);
  let key: string;
  beforeAll(async () => {
    await publish(database.store, "acme", COURSES);
    key = await createKey(database.store, "acme");
  });

  test("answers one more request per connection with Connection: close, and closes idle ones while an answer is in progress", async () => {
    const { store } = database;
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let isHeld = false;
    const findCourse: typeof store.catalog.findCourse = async (...course) => {
      isHeld = course[1] === "b";
      if (isHeld) await held;
      return store.catalog.findCourse(...course);
    };
    const server = await startTestServer({ ...store, catalog: { ...store.catalog, findCourse } });
    const open = () => Connection.open(server.url);
    const [busy, asking, idle] = [await open(), await open(), await open()];
    const isClosed = ({ socket }: Connection): boolean => socket.readableEnded;
    for (const each of [asking, idle]) {
      const { status, headers } = await each.ask("/api/v1/courses", { key });
      expect([status, headers["connection"]]).toEqual([200, undefined]);
    }
    let answer: SentAnswer | undefined;
    const answered = busy.ask("/api/v1/courses/b", { key }).then((sent) => (answer = sent));
    await waitFor(() => isHeld);
    const stopped = server.stop();
    const last = await asking.ask("/api/v1/courses/none", { key });
    expect([last.status, last.headers["connection"]]).toEqual([404, "close"]);
    await waitFor(() => isClosed(asking) && isClosed(idle));
    expect([isClosed(busy), answer]).toEqual([false, undefined]);
    release();
    const { status, headers, body } = await answered;
    expect([status, headers["connection"]]).toEqual([200, "close"]);
    expect(JSON.parse(body.toString())).toMatchObject({ data: { _id: "b" } });
    await stopped;
    await waitFor(() => isClosed(busy));
  });

  // How processes end is no matter of the engine.
  if (engine !== anyEngine) return;

  test("and its twin are replaced in turn, and no client loses an answer", async () => {
    const args = ["serve", "--database", database.url, "--workers", "2"];
    const twins = [await startServing(args), await startServing(args)];
    const balancer = new Balancer(twins.map(({ url }) => url));
    const clients = Array.from({ length: 4 }, () => startClient(balancer, key));
    const answeredBy = async (index: number): Promise<void> => {
      const before = balancer.answers[index] ?? 0;
      await waitFor(() => (balancer.answers[index] ?? 0) > before + 20);
    };
    for (const [index, twin] of twins.entries()) {
      await answeredBy(index);
      twin.kill("SIGTERM");
      expect(await twin.exited).toBe(0);
      const next: RunningCommand = await startServing(args, { port: Number(new URL(twin.url).port) });
      twins[index] = next;
      await answeredBy(index);
    }
    const problems = await Promise.all(clients.map(async (stop) => stop()));
    balancer.close();
    for (const twin of twins) twin.kill();
    for (const twin of twins) await twin.exited;
    expect(problems.flat()).toEqual([]);
  });
});

/** Does what nginx does for idempotent requests: connections are kept, and what got no answer is sent to the other server. */
class Balancer {
  /** By server. */
  readonly answers: number[];
  readonly #urls: string[];
  readonly #idle: Connection[][];
  #turn = 0;

  constructor(urls: string[]) {
    this.#urls = urls;
    this.#idle = urls.map(() => []);
    this.answers = urls.map(() => 0);
  }

  /** Throws when no server answers. */
  async ask(path: string, key: string): Promise<SentAnswer> {
    const first = this.#turn++;
    let failure: unknown;
    for (let tried = 0; tried < this.#urls.length; tried++) {
      const index = (first + tried) % this.#urls.length;
      try {
        return await this.#askOne(index, path, key);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async #askOne(index: number, path: string, key: string): Promise<SentAnswer> {
    const idle = this.#idle[index] ?? [];
    let connection = idle.pop();
    while (connection?.socket.readableEnded === true) connection = idle.pop();
    connection ??= await Connection.open(this.#urls[index] ?? "");
    const answer = await connection.ask(path, { key });
    this.answers[index] = (this.answers[index] ?? 0) + 1;
    if (answer.headers["connection"] === "close") connection.close();
    else idle.push(connection);
    return answer;
  }

  close(): void {
    for (const connection of this.#idle.flat()) connection.close();
  }
}

/** Sends requests continuously. The returned function ends that, and returns the faults. */
function startClient(balancer: Balancer, key: string): () => Promise<string[]> {
  const problems: string[] = [];
  const state = { isStopped: false };
  const ended = (async () => {
    while (!state.isStopped) {
      try {
        const { status, body } = await balancer.ask("/api/v1/courses", key);
        const { data } = JSON.parse(body.toString()) as { data: { total: number } };
        if (status !== 200 || data.total !== COURSES.length) problems.push(`${status} ${body.toString()}`);
        await Bun.sleep(1);
      } catch (error) {
        problems.push(String(error));
        await Bun.sleep(20);
      }
    }
  })();
  return async () => {
    state.isStopped = true;
    await ended;
    return problems;
  };
}
