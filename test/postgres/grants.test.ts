// The roles of docs/postgres.md, made as it says.
import { SQL } from "bun";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { issueKey } from "../../src/keys/issue-key.ts";
import { openStore, type Store } from "../../src/store/open-store.ts";
import { describePostgresFault } from "../../src/store/postgres/postgres-errors.ts";
import { runCommand, startServing, type RunningCommand } from "../support/command.ts";
import { publish } from "../support/catalog.ts";
import { listBlocks } from "../support/markdown.ts";
import { startPostgres } from "../support/postgres.ts";
import { runEverything, runOutbox } from "../support/server-statements.ts";
import { createHook, startReceiver } from "../hooks/receiver.ts";
import { send, waitFor } from "../support/server.ts";
import { executePostgres } from "../support/store.ts";

const POSTGRES_DOC = readFileSync(new URL("../../docs/postgres.md", import.meta.url), "utf8");
const COURSES = '{"_id":"a","name":"A"}\n';

const [ROLES = "", GRANTS = ""] = listBlocks(POSTGRES_DOC, "sql").map((block) => block.text);
/** All that a server changes in the database. */
const CHANGES = `hooks claimed_by, hooks claimed_until, hooks failing_since, hooks failures, hooks last_fault,
  hooks last_publication, hooks next_attempt_at, hooks pause_reason, hooks paused_at, keys last_used_at`
  .split(/,\s+/)
  .map((column) => `update ${column}`);

const { server: database } = await startPostgres();
let key: string;

const urlOf = (role: string, name = "catalog"): string =>
  `${database.url.replace("lectern@", `${role}:hush-hush@`)}/${name}`;
const execute = async (url: string, statements: string): Promise<void> => {
  for (const statement of statements.split(";\n")) await executePostgres(url, statement);
};

beforeAll(async () => {
  await execute(urlOf("lectern", "postgres"), ROLES);
  const env = { LECTERN_DATABASE: urlOf("lectern_owner") };
  const imported = await runCommand(["import", "-", "--project", "acme"], { env, stdin: COURSES });
  expect([imported.exitCode, imported.stderr]).toEqual([0, ""]);
  const created = await runCommand(["keys", "create", "--project", "acme", "--json"], { env });
  key = (JSON.parse(created.stdout) as { key: string }).key;
  await execute(urlOf("lectern_owner"), GRANTS);
});
afterAll(() => database.stop());

const serve = () => startServing(["serve"], { env: { LECTERN_DATABASE: urlOf("lectern_server") } });
const end = async (server: RunningCommand): Promise<void> => {
  server.kill();
  expect(await server.exited).toBe(0);
};
const open = (role: string, options: object = {}): Promise<Store> =>
  openStore(urlOf(role), { create: false, ...options });
/** Runs a server, and returns what /ready says, its log, and the key's last use. */
async function tryServer(): Promise<{ ready: string; stderr: string; lastUse: string | null }> {
  const server = await serve();
  expect((await send(server.url, "/api/v1/courses/a", { key })).status).toBe(200);
  const response = await fetch(`${server.adminUrl}/ready`);
  expect(response.status).toBe(200);
  const ready = await response.text();
  await end(server);
  const env = { LECTERN_DATABASE: urlOf("lectern_server") };
  const { stdout } = await runCommand(["keys", "list", "--project", "acme", "--json"], { env });
  expect((await runCommand(["status"], { env })).stdout).not.toContain("hush");
  const [held] = JSON.parse(stdout) as { lastUsedAt: string | null }[];
  return { ready, stderr: server.stderr(), lastUse: held?.lastUsedAt ?? null };
}

test("a server runs with the documented grants, and reports what it cannot do without some of them", async () => {
  const functions = "function pg_control_system(), pg_control_checkpoint(), pg_control_recovery()";
  const grant = listBlocks(POSTGRES_DOC, "sql").find(({ text }) => text.includes("pg_control_system"))?.text ?? "";
  await execute(urlOf("lectern"), `revoke execute on ${functions} from public`);
  await execute(urlOf("lectern_owner"), "revoke update (last_used_at) on keys from lectern_server");
  const stderr = expect.not.stringContaining("error");
  const remark =
    "This role cannot read PostgreSQL's system identifier and timeline: add the grants in docs/postgres.md.";
  expect(await tryServer()).toEqual({ ready: `ready\n${remark}\n`, stderr, lastUse: null });
  await execute(urlOf("lectern"), grant);
  await execute(urlOf("lectern_owner"), "grant update (last_used_at) on keys to lectern_server");
  expect(await tryServer()).toEqual({ ready: "ready\n", stderr, lastUse: expect.any(String) });
});

test("a server delivers webhooks with the documented grants, and reports missing ones", async () => {
  const receiver = startReceiver();
  const store = await open("lectern_owner");
  const hook = await createHook(store, receiver.url);
  await execute(urlOf("lectern_owner"), "revoke update on hooks from lectern_server");
  const without = await serve();
  await publish(store, "acme", [{ _id: "a", name: "B" }]);
  await waitFor(() => without.stderr().includes("cannot deliver webhooks"));
  await end(without);
  await execute(urlOf("lectern_owner"), GRANTS);
  const server = await serve();
  await waitFor(async () => receiver.received.length === 1);
  expect(server.stderr()).not.toContain("cannot deliver");
  await end(server);
  await store.hooks.deleteHook(hook.id);
  await store.close();
  await receiver.stop();
});

test("the owner gives a restored database a new identity as documented", async () => {
  const store = await open("lectern_owner");
  const before = (await store.changes.readRevisions()).identity;
  const [step = ""] = listBlocks(POSTGRES_DOC, "sql").flatMap(({ text }) => (text.startsWith("update") ? text : []));
  await execute(urlOf("lectern_owner"), step);
  expect((await store.changes.readRevisions()).identity).not.toBe(before);
  await store.close();
});

test("a server's role can run every statement of a server, and make no other change to any table", async () => {
  const owner = await open("lectern_owner");
  const server = await open("lectern_server");
  const hook = await createHook(owner, "https://site.example/");
  for (const name of ["One", "Two"]) {
    const chapters = [{ name: "A", lessons: [{ id: "l", name: "L" }] }];
    await publish(owner, "own", [{ _id: "c1", slug: "slug-1", name, chapters }]);
  }
  await createHook(owner, "https://site.example/", { project: "own" });
  const release = await owner.publishing.findCurrentRelease("own", "live");
  await publish(owner, "acme", [{ _id: "a", name: "C" }]);
  await runEverything(server.catalog as Store["catalog"] & Store["changes"], server.keys, release!);
  await runOutbox(server.hooks, hook.id);
  await server.hooks.countTroubled();
  await server.measure();
  expect(await server.assets.findAsset("0".repeat(32), "a.png")).toBeUndefined();
  await Promise.all([owner.close(), server.close()]);
  expect(await listChanges()).toEqual(CHANGES);
  const creating = execute(urlOf("lectern_server"), "create table mine (id integer)");
  expect(await creating.catch((error: unknown) => error)).toHaveProperty("errno", "42501");
});

/** What the server's role may change, by table and column; a right to a whole table stands without one. */
async function listChanges(): Promise<string[]> {
  const rows = await executePostgres(
    urlOf("lectern_server"),
    `with tables as (select oid, relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v'))
    select lower(privilege) || ' ' || relname as change from tables,
      unnest(array['INSERT', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'UPDATE']) privilege
      where has_table_privilege(oid, privilege)
    union all
    select 'update ' || relname || ' ' || attname from tables join pg_attribute on attrelid = oid
      where attnum > 0 and not attisdropped and has_column_privilege(oid, attnum, 'UPDATE')`,
  );
  return rows.map((row) => (row as { change: string }).change).sort();
}

test("a URL that requires TLS never gets a plain connection, and no message shows its password", async () => {
  const run = (url: string) => runCommand(["releases", "--project", "acme", "--database", url]);
  const refused = `lectern: The database catalog on 127.0.0.1:${database.port} cannot be used: `;
  for (const mode of ["require", "verify-full"]) {
    const { exitCode, stderr } = await run(`${urlOf("lectern_server")}?sslmode=${mode}`);
    expect([exitCode, stderr]).toEqual([1, `${refused}Server does not support SSL.\n`]);
  }
  for (const url of [urlOf("lectern_server", "nothing"), urlOf("nobody"), "postgresql://l:hush-hush@[::/catalog"]) {
    const { stdout, stderr } = await run(url);
    expect(stdout + stderr).toMatch(/^lectern: .*\n$/);
    expect(stdout + stderr).not.toContain("hush-hush");
  }
});

test("a command does not wait forever for a row locked by a server's role, nor to read a locked table", async () => {
  const postgres = { poolSize: 1, connectTimeoutMs: 10_000, statementTimeoutMs: 0, lockTimeoutMs: 100 };
  const owner = await open("lectern_owner", { postgres });
  const { id } = await issueKey(owner.keys, { project: "locked", channel: "live", name: "", drafts: false });
  const revoke = () => owner.keys.revokeKey(id, "2026-01-01T00:00:00.000Z");
  for (const [role, lock, act] of [
    ["lectern_server", "select id from keys for update", revoke],
    ["lectern_owner", "lock table keys in access exclusive mode", () => owner.keys.findKey(id)],
  ] as const) {
    const holder = new SQL(urlOf(role), { max: 1 });
    await holder.begin(async (transaction) => {
      await transaction.unsafe(lock);
      const error = await act().catch((failure: Error) => failure);
      expect(describePostgresFault(error as Error)).toStartWith("Another PostgreSQL session holds a lock");
    });
    await holder.close();
  }
  await owner.close();
});
