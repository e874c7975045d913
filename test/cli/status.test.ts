// `lectern status`: a read-only report on a database, on one screen.
import { beforeEach, describe, expect, test } from "bun:test";
import type { Key } from "../../src/keys/key.ts";
import { rollBack } from "../../src/publishing/publish.ts";
import { importNdjson, publish, type AuthoredCourse } from "../support/catalog.ts";
import { startFedCommand } from "../support/command.ts";
import { publishingAt } from "../support/in-process.ts";
import { waitFor } from "../support/server.ts";
import { renewStore } from "../support/shared-store.ts";
import { setClock, showCommand } from "../support/shown-command.ts";
import { anyEngine, engines } from "../support/store.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Status extends Record<"database" | "channels", unknown> {
  findings: { kind: string; project?: string; message: string }[];
}

const course = (id: string, more: AuthoredCourse = {}): AuthoredCourse => ({ _id: id, name: `Course ${id}`, ...more });

describe.each(engines)("status on $name", (engine) => {
  const database = renewStore(engine);
  let now: Date;
  beforeEach(() => (now = setClock()));

  const show = (columns: number | undefined) => showCommand(["status", "--database", database.url], { columns }, 0);
  const read = async (): Promise<Status> => {
    const { stdout } = await showCommand(["status", "--json", "--database", database.url], {}, 0);
    return JSON.parse(stdout) as Status;
  };
  const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString();
  const addKey = (id: string, more: Partial<Key>): Promise<void> =>
    database.store.keys.insertKey({
      id,
      project: "acme",
      channel: "live",
      name: "",
      digest: id,
      lastFour: "abcd",
      drafts: false,
      createdAt: ago(DAY_MS),
      expiresAt: undefined,
      revokedAt: undefined,
      lastUsedAt: undefined,
      ...more,
    });

  test("describes a healthy catalog", async () => {
    const lessons = Array.from({ length: 600 }, (_, n) => ({ id: `l${n}`, name: `L${n}` }));
    const chapters = [{ name: "A", lessons }];
    const courses = [course("a", { chapters }), course("b", { chapters }), course("c", { published: false })];
    await publish(database.store, "acme", courses, ago(2 * 60 * MINUTE_MS));
    await addKey("key_web", { lastUsedAt: ago(3 * MINUTE_MS) });
    await addKey("key_old", { revokedAt: ago(DAY_MS) });
    const { exitCode, stdout, stderr } = await show(undefined);
    expect([exitCode, stderr]).toEqual([0, ""]);
    const publishedAt = ago(2 * 60 * MINUTE_MS);
    for (const text of [
      engine.name === "sqlite" ? `Database  SQLite, ${database.url.slice(7)}\n` : "Database  PostgreSQL, ",
      "Keys      1 live, 1 revoked, last used 3 minutes ago, 2026-11-21 22:11 UTC\n\n",
      `acme     live     1        2        1       1,200    ${publishedAt}  1     ${ago(3 * MINUTE_MS)}\n\n`,
    ])
      expect(stdout).toContain(text);
    expect(stdout).toEndWith("\nNo problems found.\n");
    const status = await read();
    expect(status.database).toMatchObject({ engine: engine.name, isWritable: true });
    const counts = { project: "acme", channel: "live", release: 1, courses: 2, drafts: 1, lessons: 1200 };
    expect(status.channels).toMatchObject([{ ...counts, source: "file courses.ndjson", publishedAt }]);
    expect(JSON.stringify(status.database)).not.toContain("@");
  });

  test("does not wait for imports, and reports running and interrupted ones", async () => {
    const fed = startFedCommand(["import", "-", "--project", "acme", "--database", database.url]);
    const lines = Array.from({ length: 250 }, (_, n) => `${JSON.stringify({ _id: `c${n}`, name: `C${n}` })}\n`);
    await fed.feed(lines.join(""));
    await waitFor(async () => (await database.execute("select 1 from unfinished_imports")).length > 0);
    const running = await show(120);
    expect(running.stdout).toContain("Now       import of standard input in acme, ");
    expect(running.stdout).toContain("No problems found.");
    await fed.kill();
    await waitFor(async () => (await read()).findings.length > 0);
    const message = expect.stringMatching(
      /^The import of standard input that process \d+ on \S+ began .*, \d.* UTC was interrupted in project acme\. Readers saw nothing of it. The next import cleans up\.$/,
    );
    expect((await read()).findings).toEqual([{ kind: "import-cut-off", project: "acme", message }]);
  });

  // What is a problem does not depend on the database.
  if (engine !== anyEngine) return;

  test("reports problems, with a remedy", async () => {
    const { store } = database;
    await publish(store, "acme", [course("a")], ago(9 * DAY_MS));
    await publish(store, "acme", [course("b")], ago(8 * DAY_MS));
    await rollBack(publishingAt(store, "acme", ago(2 * DAY_MS)), "live", undefined);
    await importNdjson(store, "acme", JSON.stringify(course("c")), ago(40 * DAY_MS), { channel: "pr-42" });
    await publish(store, "demo", [course("a")], ago(DAY_MS));
    await addKey("key_web", {});
    await addKey("key_soon", { name: "Phone app", expiresAt: ago(-3 * DAY_MS) });
    await addKey("key_ended", { expiresAt: ago(DAY_MS) });
    await addKey("key_lost", { channel: "pr-41" });
    await addKey("key_gone", { project: "demo", revokedAt: ago(DAY_MS) });
    const { findings } = await read();
    const kinds = findings.map(({ kind, project = "" }) => `${kind} ${project}`).join(", ");
    expect(kinds).toBe("no-key demo, old-preview acme, key-without-release acme, key-expires acme");
  });
});
