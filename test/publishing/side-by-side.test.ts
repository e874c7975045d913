// What happens to one project while another is written, in the middle of both, and who may write.
import { describe, expect, test } from "bun:test";
import type { Release } from "../../src/catalog/store.ts";
import { type AuthoredCourse, publish, toNdjson } from "../support/catalog.ts";
import { runCommand, startFedCommand } from "../support/command.ts";
import { createAsk } from "../support/in-process.ts";
import { listRemains } from "../support/remains.ts";
import { createKey, waitFor } from "../support/server.ts";
import { engines, openTestStore, useTestStore } from "../support/store.ts";

const COURSES = 300;

/** The same courses for every project. */
const createCatalog = (edition: string): AuthoredCourse[] =>
  Array.from({ length: COURSES }, (_, index) => {
    const [name, createdAt] = [`${edition} ${index}`, "2025-01-01"];
    const chapters = [{ id: "a", name: "A", lessons: [{ id: "l", name: edition, additionalText: name }] }];
    return { _id: `c${index}`, slug: `s${index}`, name, createdAt, updatedAt: createdAt, chapters };
  });

describe.each(engines)("a project on $name beside another", (engine) => {
  const keys = new Map<string, string>();
  const database = useTestStore(engine, async () => {
    for (const project of ["acme", "other"]) {
      // What one has pruned, the other is about to import.
      for (const edition of ["first", "second"]) await publish(database.store, project, createCatalog(edition));
      keys.set(project, await createKey(database.store, project));
    }
  });

  /** Prunes what was published up to now, as if it was long ago. */
  const prune = async (project: string): Promise<void> => {
    await database.execute("update publications set published_at = '2025-01-01T00:00:00.000Z'");
    const to = ["--project", project, "--database", database.url];
    const { exitCode, stderr } = await runCommand(["prune", "--keep", "1", ...to]);
    expect([exitCode, stderr]).toEqual([0, ""]);
  };
  const countWritten = async (project: string): Promise<number> => {
    const left = `project = '${project}' and id not in (select version_id from release_courses)`;
    return (await database.execute(`select id from course_versions where ${left}`)).length;
  };
  /** Begins an import, and stops in the middle of it. */
  const startHalf = async (project: string, courses: AuthoredCourse[]) => {
    const importing = startFedCommand(["import", "-", "--project", project, "--database", database.url]);
    await importing.feed(toNdjson(courses.slice(0, COURSES - 50)));
    await waitFor(async () => (await countWritten(project)) >= 100);
    return {
      ...importing,
      async finish(): Promise<void> {
        await importing.feed(toNdjson(courses.slice(COURSES - 50)));
        const { exitCode, stderr } = await importing.end();
        expect([exitCode, stderr]).toEqual([0, ""]);
      },
    };
  };
  const expectWhole = async (project: string, edition: string): Promise<void> => {
    const ask = createAsk(database);
    for (let index = 0; index < COURSES; index += 7) {
      const { status, text } = await ask(`/courses/s${index}?include=lessons`, keys.get(project) ?? "");
      const editions = new Set([...text.matchAll(/(first|second|third) \d+/g)].map((match) => match[0]));
      expect([status, ...editions]).toEqual([200, `${edition} ${index}`]);
    }
  };

  test("is pruned and imported during the other's import, even a killed one, and each keeps its own content", async () => {
    const importing = await startHalf("other", createCatalog("first"));
    await prune("acme");
    await importing.finish();
    await expectWhole("acme", "second");
    await prune("other");
    await expectWhole("other", "first");

    const long = await startHalf("acme", createCatalog("third"));
    const killed = await startHalf("other", createCatalog("second"));
    await killed.kill();
    // PostgreSQL may notice late that it is gone: the command waits.
    const args = ["import", "-", "--project", "other", "--database", database.url];
    expect((await runCommand(args, { stdin: toNdjson(createCatalog("third")) })).exitCode).toBe(0);
    await prune("other");
    expect(await countWritten("acme")).toBeGreaterThanOrEqual(100);
    await long.finish();
    await prune("acme");
    for (const project of ["acme", "other"]) await expectWhole(project, "third");
    expect(await listRemains(database)).toEqual([]);
  });
});

test.each(engines)(
  "a project has its own lock beside another one of this process, even if one is lost, on $name",
  async (engine) => {
    const database = await openTestStore(engine);
    const { publishing } = database.store;
    const publication = { channel: "x", action: "publish", at: "2026-02-01T00:00:00.000Z" } as const;
    const lock = async (project: string) => {
      await publish(database.store, project, [{ _id: "a", name: "A" }]);
      const holder = { pid: process.pid, host: "test", since: publication.at, task: project };
      const locked = await publishing.lockProject(project, holder, () => expect.unreachable());
      const release = (await publishing.findCurrentRelease(project, "live")) as Release;
      const write = () =>
        locked
          .publishRelease(release, publication)
          .then(() => "written")
          .catch(() => "refused");
      return { write, unlock: () => locked.unlock() };
    };
    const [acme, beta] = [await lock("acme"), await lock("beta")];
    if (engine.name === "postgres") {
      // The connection of one, as a failover or an administrator would end it.
      const ended = await database.execute(
        `select pg_terminate_backend(pid, 10000) as done from pg_locks
       where locktype = 'advisory' and objid::bigint = (hashtext('acme')::bigint & 4294967295)
         and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(ended).toEqual([{ done: true }]);
      expect(await acme.write()).toBe("refused");
      expect(await publishing.listPublications("acme")).toHaveLength(1);
    } else expect(await acme.write()).toBe("written");
    await acme.unlock();
    expect(await beta.write()).toBe("written");
    expect(await publishing.listPublications("beta")).toHaveLength(2);
    await beta.unlock();
    const again = { pid: 1, host: "test", since: publication.at, task: "acme" };
    await (await publishing.lockProject("acme", again, () => expect.unreachable())).unlock();
    await database.drop();
  },
);
