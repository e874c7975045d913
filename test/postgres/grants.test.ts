// The roles of docs/postgres.md, made as it says.
import { SQL } from "bun";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { openStore } from "../../src/store/open-store.ts";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { publish } from "../support/catalog.ts";
import { listBlocks } from "../support/markdown.ts";
import { PostgresFolder, PostgresServer } from "../support/postgres.ts";
import { createHook, startReceiver } from "../hooks/receiver.ts";
import { send, waitFor } from "../support/server.ts";

const POSTGRES_DOC = readFileSync(new URL("../../docs/postgres.md", import.meta.url), "utf8");
const COURSES = '{"_id":"a","name":"A"}\n';

let database: PostgresServer;
let key: string;

const urlOf = (role: string, name = "catalog"): string =>
  `${database.url.replace("lectern@", `${role}:hush-hush@`)}/${name}`;
const execute = async (url: string, statements: string): Promise<void> => {
  const sql = new SQL(url, { max: 1 });
  for (const statement of statements.split(";\n")) await sql.unsafe(statement);
  await sql.close();
};

beforeAll(async () => {
  const folder = new PostgresFolder();
  folder.createCluster("grants");
  database = new PostgresServer(folder, "grants");
  await database.start();
  const [roles = "", grants = ""] = listBlocks(POSTGRES_DOC, "sql").map((block) => block.text);
  await execute(urlOf("lectern", "postgres"), roles);
  const env = { LECTERN_DATABASE: urlOf("lectern_owner") };
  const imported = await runCommand(["import", "-", "--project", "acme"], { env, stdin: COURSES });
  expect([imported.exitCode, imported.stderr]).toEqual([0, ""]);
  const created = await runCommand(["keys", "create", "--project", "acme", "--json"], { env });
  key = (JSON.parse(created.stdout) as { key: string }).key;
  await execute(urlOf("lectern_owner"), grants);
});
afterAll(() => database.stop());

const serve = () => startServing(["serve"], { env: { LECTERN_DATABASE: urlOf("lectern_server") } });
const readReady = async ({ adminUrl }: RunningCommand): Promise<[number, string]> => {
  const ready = await fetch(`${adminUrl}/ready`);
  return [ready.status, await ready.text()];
};
const end = async (server: RunningCommand): Promise<void> => {
  server.kill();
  expect(await server.exited).toBe(0);
};
const readLastUse = async (): Promise<string | null> => {
  const { stdout } = await runCommand(["keys", "list", "--project", "acme", "--json"], {
    env: { LECTERN_DATABASE: urlOf("lectern_server") },
  });
  return (JSON.parse(stdout) as { lastUsedAt: string | null }[])[0]?.lastUsedAt ?? null;
};

test("whoever looks needs the rights of a server, and sees no password", async () => {
  for (const role of ["lectern_owner", "lectern_server"]) {
    const { exitCode, stdout, stderr } = await runCommand(["status"], { env: { LECTERN_DATABASE: urlOf(role) } });
    expect([role, exitCode, stderr]).toEqual([role, 0, ""]);
    expect(stdout).toMatch(/^Database {2}PostgreSQL, catalog on [\w.]+:\d+\n/);
    expect(stdout).not.toContain("hush");
  }
});

test("a server serves with the grants of the documents, and says what it cannot see or do without some of them", async () => {
  const functions = "function pg_control_system(), pg_control_checkpoint(), pg_control_recovery()";
  const grant = listBlocks(POSTGRES_DOC, "sql").find(({ text }) => text.includes("pg_control_system"))?.text ?? "";
  await execute(urlOf("lectern"), `revoke execute on ${functions} from public`);
  await execute(urlOf("lectern_owner"), "revoke update (last_used_at) on keys from lectern_server");
  const without = await serve();
  expect((await send(without.url, "/api/v1/courses/a", { key })).status).toBe(200);
  expect(await readReady(without)).toEqual([
    200,
    "ready\nThis role may not ask PostgreSQL for its system identifier and timeline: see the grants in docs/postgres.md.\n",
  ]);
  await end(without);
  expect(without.stderr()).not.toContain("error");
  expect(await readLastUse()).toBeNull();

  await execute(urlOf("lectern"), grant);
  await execute(urlOf("lectern_owner"), "grant update (last_used_at) on keys to lectern_server");
  const server = await serve();
  expect((await send(server.url, "/api/v1/courses/a", { key })).status).toBe(200);
  expect(await readReady(server)).toEqual([200, "ready\n"]);
  await end(server);
  expect(server.stderr()).not.toContain("error");
  expect(await readLastUse()).not.toBeNull();
});

test("a server delivers hooks with the grants of the documents, and says so without them", async () => {
  const receiver = startReceiver();
  const store = await openStore(urlOf("lectern_owner"), { create: false });
  const hook = await createHook(store, receiver.url);
  const written = "update on hooks, hook_lease";
  await execute(urlOf("lectern_owner"), `revoke ${written} from lectern_server`);
  const without = await serve();
  await publish(store, "acme", [{ _id: "a", name: "B" }]);
  await waitFor(() => without.stderr().includes("this server cannot deliver hooks"));
  await end(without);
  await execute(urlOf("lectern_owner"), `grant ${written} to lectern_server`);
  const server = await serve();
  await waitFor(async () => (await store.hooks.listAttempts(hook.id)).length === 1);
  expect(server.stderr()).not.toContain("cannot deliver");
  await end(server);
  await store.hooks.deleteHook(hook.id);
  await store.close();
  await receiver.stop();
});

test("the owner gives a restored database a new identity as the documents say", async () => {
  const store = await openStore(urlOf("lectern_owner"), { create: false });
  const before = (await store.changes.readRevisions()).identity;
  const [step = ""] = listBlocks(POSTGRES_DOC, "sql").flatMap(({ text }) => (text.startsWith("update") ? text : []));
  await execute(urlOf("lectern_owner"), step);
  expect((await store.changes.readRevisions()).identity).not.toBe(before);
  await store.close();
});

test("a server's role can change nothing", async () => {
  const env = { LECTERN_DATABASE: urlOf("lectern_server") };
  for (const args of [
    ["keys", "create", "--project", "acme"],
    ["publish", "--project", "acme", "--release", "1"],
    ["prune", "--project", "acme"],
  ]) {
    const { exitCode, stderr } = await runCommand(args, { env });
    expect([args[0], exitCode]).toEqual([args[0], 1]);
    expect(stderr).toMatch(/^lectern: permission denied for table \w+/);
  }
});

test("a URL that asks for TLS gets no connection in the clear, and no message shows its password", async () => {
  const run = (url: string) => runCommand(["releases", "--project", "acme", "--database", url]);
  const refused = `lectern: The database catalog on 127.0.0.1:${database.port} cannot be used: `;
  for (const mode of ["require", "verify-full"]) {
    const { exitCode, stderr } = await run(`${urlOf("lectern_server")}?sslmode=${mode}`);
    expect([exitCode, stderr]).toEqual([1, `${refused}Server does not support SSL.\n`]);
  }
  const messages = [
    await run(urlOf("lectern_server", "nothing")),
    await run(urlOf("nobody")),
    await run("postgres://lectern:hush-hush@127.0.0.1:1/catalog"),
    await run("postgres://lectern:hush-hush@127.0.0.1:1"),
    await run("postgresql://lectern:hush-hush@[::/catalog"),
    await run("mysql://lectern:hush-hush@127.0.0.1/catalog"),
  ].map(({ stdout, stderr }) => stdout + stderr);
  for (const message of messages) {
    expect(message).toStartWith("lectern: ");
    expect(message).not.toContain("hush-hush");
    expect(message.split("\n")).toHaveLength(2);
  }
});
