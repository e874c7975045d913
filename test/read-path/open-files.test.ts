// A server that may not open as many files as it gets connections.
import { expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { startServing } from "../support/command.ts";
import { createKey, send } from "../support/server.ts";
import { anyEngine, useTestStore } from "../support/store.ts";
import { Connection } from "./connection.ts";

const database = useTestStore(anyEngine);

test("a server at its limit of open files closes idle connections to answer all clients, and logs it", async () => {
  await publish(database.store, "acme", [{ _id: "a", name: "A" }]);
  const key = await createKey(database.store, "acme");
  const server = await startServing(["serve"], { env: { LECTERN_DATABASE: database.url }, openFiles: 64 });
  // The system accepts them all; the server can open about 50.
  const connections = await Promise.all(Array.from({ length: 80 }, async () => Connection.open(server.url)));
  const answers = await Promise.all(connections.map((connection) => connection.ask("/api/v1/courses/a", { key })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  // The admin port has its turn, too.
  expect((await send(server.adminUrl, "/ready")).status).toBe(200);
  expect(server.stderr()).toContain("open file limit reached");
  for (const connection of connections) connection.close();
  server.kill();
  expect(await server.exited).toBe(0);
});
