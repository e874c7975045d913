// How a stopping server drains.
import { expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { createKey, startTestServer, waitFor } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { Connection, type SentAnswer } from "./connection.ts";

const COURSES = ["a", "b", "c"].map((id) => ({ _id: id, name: `Course ${id}`, createdAt: "2026-01-01" }));

let key: string;
const database = useTestStore(undefined, async () => {
  await publish(database.store, "acme", COURSES);
  key = await createKey(database.store, "acme");
});

test("a server that stops answers one more request per connection with Connection: close, and closes idle ones while an answer is in progress", async () => {
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
