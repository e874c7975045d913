// A server that may not open as many files as it gets connections.
import { describe, expect, test } from "bun:test";
import { publish } from "../support/catalog.ts";
import { startServing } from "../support/command.ts";
import { createKey, send } from "../support/server.ts";
import { anyEngine, openTestStore } from "../support/store.ts";
import { Connection } from "./connection.ts";

describe("a server at its limit of open files", () => {
  test("closes idle connections to answer all clients, and logs it", async () => {
    const database = await openTestStore(anyEngine);
    await publish(database.store, "acme", [{ _id: "a", slug: "a", name: "A", chapters: [] }]);
    const key = await createKey(database.store, "acme");
    const env = { LECTERN_DATABASE: database.url };
    const server = await startServing(["serve"], { env, openFiles: 64 });
    // The system accepts them all; the server can open about 50.
    const connections = await Promise.all(Array.from({ length: 80 }, async () => Connection.open(server.url)));
    const asked = connections.map(async (connection) => connection.ask("/api/v1/courses/a", { key }));
    const answers = await Promise.allSettled(asked);
    const statuses = answers.map((answer) => (answer.status === "fulfilled" ? answer.value.status : answer.reason));
    expect(new Set(statuses)).toEqual(new Set([200]));
    // The admin port has its turn, too.
    expect((await send(server.adminUrl, "/ready")).status).toBe(200);
    expect(server.stderr()).toContain("open file limit reached");
    for (const connection of connections) connection.close();
    server.kill();
    expect(await server.exited).toBe(0);
    await database.drop();
  });
});
