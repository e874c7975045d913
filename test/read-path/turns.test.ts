// Many connections of one key: each of their requests takes milliseconds, and those of other projects are answered between them.
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { startServing, type RunningCommand } from "../support/command.ts";
import { createKey } from "../support/server.ts";
import { anyEngine, engines, useTestStore } from "../support/store.ts";
import { Connection } from "./connection.ts";

const LESSONS = 2000;
const CONNECTIONS = 64;
const ROUNDS = 3;
const CHAPTERS = [1, LESSONS / 2, 20];
const NAMED = 1500;
const LIST = "/api/v1/courses";

const createCourse = (_id: string, lessons: number, chapters: number) => {
  const createChapter = (_: unknown, chapter: number) => ({
    name: `C ${chapter}`,
    lessons: Array.from({ length: lessons / chapters }, (_unused, n) => ({
      id: `l${chapter}-${n}`,
      name: `Lesson ${n}`,
    })),
  });
  return { _id, name: _id, chapters: Array.from({ length: chapters }, createChapter) };
};

describe.each(engines)("many connections to $name", (engine) => {
  const database = useTestStore(engine);
  let server: RunningCommand;
  let key: string;
  let otherKey: string;

  beforeAll(async () => {
    await publish(database.store, "busy", [
      ...CHAPTERS.map((chapters) => createCourse(`long${chapters}`, LESSONS, chapters)),
      ...Array.from({ length: NAMED }, (_, course) => createCourse(`c${course}`, 1, 1)),
    ]);
    await publish(database.store, "other", [createCourse("o", 20, 1)]);
    key = await createKey(database.store, "busy");
    otherKey = await createKey(database.store, "other");
    // However slow the machine: the order of the answers counts, not their time.
    const args = ["serve", "--statement-timeout", "0"];
    server = await startServing(args, { env: { LECTERN_DATABASE: database.url } });
  });
  afterAll(async () => {
    server.kill();
    await server.exited;
  });

  const list = (length: number, name: (index: number) => string, by: string): string =>
    Array.from({ length }, (_, index) => name(index)).join(by);
  const kinds: [what: string, pathOf: (course: string, n: number) => string, status?: number][] = [
    ["many names", (_, n) => `${LIST}?include=meta&ids=${list(50, (i) => `c${5 * n + i}`, ",")}`],
    ["pages of lessons", (course, n) => `${LIST}/${course}/lessons?include=digest,meta&limit=300&offset=${n}`],
    ["long queries", (_, n) => `${LIST}?${list(600, (tag) => `tag=${n}-${tag}`, "&")}`],
    ["refused queries", (_, n) => `${LIST}?limit=0&${"ids=a,b,c&".repeat(700)}${n}`, 400],
  ];
  // Only the first waits for the database most of the time.
  const asked = engine === anyEngine ? kinds : kinds.slice(0, 1);
  test.each(asked)("%s over 64 connections", async (_, pathOf, expected = 200) => {
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

  // What is pipelined reads nothing.
  if (engine !== anyEngine) return;

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
});
