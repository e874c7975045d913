// How a stopping server drains.
import { describe, expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { startServing } from "../support/command.ts";
import { createKey, startTestServer, waitFor } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { Connection, type SentAnswer } from "./connection.ts";

const COURSES = ["a", "b", "c"].map((id) => ({ _id: id, name: `Course ${id}`, createdAt: "2026-01-01" }));

describe("a server that stops", () => {
  let key: string;
  const database = useTestStore(undefined, async () => {
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
    const server = await startTestServer(store, { catalog: { ...store.catalog, findCourse } });
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

  test("and its twin are replaced in turn, and no client loses an answer", async () => {
    const args = ["serve", "--database", database.url];
    const twins = [await startServing([...args, "--workers", "2"]), await startServing(args)];
    const urls = twins.map(({ url }) => url);
    const state = { isStopped: false, answers: [0, 0] };
    /** Does what nginx does: keeps a connection to each server, and sends what got no answer to the other one. */
    const runClient = async (): Promise<void> => {
      const connections: (Connection | undefined)[] = [];
      const askOne = async (index: number): Promise<SentAnswer> => {
        if (connections[index]?.socket.readableEnded === true) connections[index] = undefined;
        const connection = (connections[index] ??= await Connection.open(urls[index] ?? ""));
        const answer = await connection.ask("/api/v1/courses", { key });
        state.answers[index] = (state.answers[index] ?? 0) + 1;
        if (answer.headers["connection"] === "close") connections[index] = undefined;
        return answer;
      };
      for (let turn = 0; !state.isStopped; turn++) {
        const { status, body } = await askOne(turn % 2).catch(() => {
          connections[turn % 2] = undefined;
          return askOne((turn + 1) % 2);
        });
        expect([status, JSON.parse(body.toString())]).toMatchObject([200, { data: { total: COURSES.length } }]);
        await Bun.sleep(1);
      }
      for (const connection of connections) connection?.close();
    };
    const clients = Promise.all(Array.from({ length: 4 }, runClient));
    const answeredBy = async (index: number): Promise<void> => {
      const before = state.answers[index] ?? 0;
      await Promise.race([clients, waitFor(() => (state.answers[index] ?? 0) > before + 10)]);
    };
    for (const [index, twin] of twins.entries()) {
      await answeredBy(index);
      twin.kill("SIGTERM");
      expect(await twin.exited).toBe(0);
      twins[index] = await startServing(args, { port: Number(new URL(twin.url).port) });
      await answeredBy(index);
    }
    state.isStopped = true;
    await clients;
    for (const twin of twins) twin.kill();
    for (const twin of twins) expect(await twin.exited).toBe(0);
  });
});
