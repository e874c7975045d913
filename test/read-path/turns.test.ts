// Many connections of one key: each of their requests takes milliseconds, and those of other projects are answered between them.
import { connect } from "node:net";
import { expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { startServing, type RunningCommand } from "../support/command.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { Connection } from "./connection.ts";

const LESSONS = 2000;
const CONNECTIONS = 64;
const ROUNDS = 2;
const CHAPTERS = [1, LESSONS / 2, 20];
const LIST = "/api/v1/courses";

const createCourse = (_id: string, lessons: number, chapters: number) => {
  const createChapter = (_: unknown, chapter: number) => ({
    name: `C ${chapter}`,
    lessons: Array.from({ length: lessons / chapters }, (_unused, n) => ({ id: `l${chapter}-${n}`, name: "L" })),
  });
  return { _id, name: _id, chapters: Array.from({ length: chapters }, createChapter) };
};

let server: RunningCommand;
let key: string;
let otherKey: string;
const database = useTestStore(undefined, async () => {
  const named = Array.from({ length: 5 * ROUNDS * CONNECTIONS + 55 }, (_, n) => createCourse(`c${n}`, 1, 1));
  const long = CHAPTERS.map((chapters) => createCourse(`long${chapters}`, LESSONS, chapters));
  await publish(database.store, "busy", [...long, ...named]);
  await publish(database.store, "other", [createCourse("o", 20, 1)]);
  key = await createKey(database.store, "busy");
  otherKey = await createKey(database.store, "other");
  server = await startServing(["serve"], { env: { LECTERN_DATABASE: database.url } });
  return async () => {
    server.kill();
    await server.exited;
  };
});

const list = (length: number, name: (index: number) => string, by: string): string =>
  Array.from({ length }, (_, index) => name(index)).join(by);

test.each<[what: string, pathOf: (course: string, n: number) => string, status: number]>([
  ["many names", (_, n) => `${LIST}?include=meta&ids=${list(50, (i) => `c${5 * n + i}`, ",")}`, 200],
  ["pages of lessons", (course, n) => `${LIST}/${course}/lessons?include=digest,meta&limit=300&offset=${n}`, 200],
  ["long queries", (_, n) => `${LIST}?${list(600, (tag) => `tag=${n}-${tag}`, "&")}`, 200],
  ["refused queries", (_, n) => `${LIST}?limit=0&${"ids=a,b,c&".repeat(700)}${n}`, 400],
])("requests of others are answered between %s over 64 connections", async (_, pathOf, expected) => {
  const busy = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(server.url)));
  const other = await Connection.open(server.url);
  const before: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // All requests wait when the server goes on, so that it alone decides the order of the answers.
    server.kill("SIGSTOP");
    let answered = 0;
    const all = busy.map(async (connection, index) => {
      const n = round * CONNECTIONS + index;
      const { status } = await connection.ask(pathOf(`long${CHAPTERS[n % CHAPTERS.length]}`, 1 + n), { key });
      answered++;
      expect(status).toBe(expected);
    });
    const last = other.ask(`${LIST}/o/lessons/l0-${round}?include=meta,nav`, { key: otherKey });
    server.kill("SIGCONT");
    expect((await last).status).toBe(200);
    before.push(answered);
    await Promise.all(all);
  }
  for (const connection of [...busy, other]) connection.close();
  expect(Math.max(...before)).toBeLessThan(CONNECTIONS / 2);
});

test.each([
  [10, 10, 10],
  [20_000, 0, 2000],
])("%i pipelined requests get %i to %i answers before others have a turn", async (sent, least, most) => {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  let received = "";
  const count = (): number => received.split("HTTP/1.1 200").length - 1;
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (count() === sent) resolve();
    });
    // The server closes a connection with more requests than a turn answers: writing to it can fail.
    socket.on("error", () => undefined).on("close", () => resolve());
    socket.write("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n".repeat(sent));
  });
  socket.destroy();
  expect(count()).toBeGreaterThanOrEqual(least);
  expect(count()).toBeLessThanOrEqual(most);
});
