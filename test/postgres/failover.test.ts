// A primary that is lost before its last transactions have reached its standby, which then takes its place and its address.
import { expect, test } from "bun:test";
import { openStore } from "../../src/store/open-store.ts";
import { publish } from "../support/catalog.ts";
import { startServing } from "../support/command.ts";
import { PostgresServer, standbySettings, startPostgres } from "../support/postgres.ts";
import { createKey, send, waitFor } from "../support/server.ts";
import { executePostgres } from "../support/store.ts";

test("a server evicts what a failover lost, even if the new primary is ahead of the old one", async () => {
  const { folder, server: old } = await startPostgres(["wal_keep_size=64MB"]);
  const url = `${old.url}/postgres`;
  const publishAt = async (at: string, name: string): Promise<string> => {
    const store = await openStore(at, { create: true });
    await publish(store, "acme", [{ _id: "a", slug: "a", name }]);
    const secret = await createKey(store, "acme");
    await store.close();
    return secret;
  };
  const key = await publishAt(url, "first");
  await folder.createStandby(old, "new");
  const standby = new PostgresServer(folder, "new", standbySettings(old));
  await standby.start();
  const keys = "select id from keys";
  await waitFor(async () => (await executePostgres(`${standby.url}/postgres`, keys)).length === 1);
  await standby.stop();

  const lostKey = await publishAt(url, "lost");
  const server = await startServing(["serve", "--database", url]);
  const read = (secret: string) => send(server.url, "/api/v1/courses/a", { key: secret });
  expect((await read(lostKey)).text).toContain("lost");
  await old.stop();
  await waitFor(async () => (await fetch(`${server.adminUrl}/ready`)).status === 503);

  await standby.start();
  await standby.execute("select pg_promote()");
  for (const name of ["second", "third"]) await publishAt(`${standby.url}/postgres`, name);
  await standby.stop();
  const successor = new PostgresServer(folder, "new", [], old.port);
  await successor.start();
  await waitFor(async () => (await read(key)).text.includes("third"));
  expect((await read(lostKey)).status).toBe(401);
  expect(server.stderr()).toContain("the store was restored or replaced");
  expect((await fetch(`${server.adminUrl}/ready`)).status).toBe(200);
  server.kill();
  expect(await server.exited).toBe(0);
  await successor.stop();
});
