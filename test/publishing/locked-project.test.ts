// Only the holder of a project's lock writes its catalog.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { LockedProject, Release } from "../../src/catalog/store.ts";
import { publish } from "../support/catalog.ts";
import { engines, openTestStore, type TestStore } from "../support/store.ts";

const AT = "2026-02-01T00:00:00.000Z";

describe.each(engines)("a locked project on $name", (engine) => {
  let database: TestStore;
  let release: Release;
  beforeEach(async () => {
    database = await openTestStore(engine);
    await publish(database.store, "acme", [{ _id: "a", name: "A" }]);
    await publish(database.store, "beta", [{ _id: "b", name: "B" }]);
    release = await findCurrent("acme");
  });
  afterEach(() => database.drop());

  const lock = async (project: string): Promise<LockedProject> =>
    database.store.publishing.lockProject(project, { pid: process.pid, host: "test", since: AT, task: project }, () => {
      throw new Error(`project ${project} is locked`);
    });
  const findCurrent = async (project: string, channel = "live"): Promise<Release> => {
    const current = await database.store.publishing.findCurrentRelease(project, channel);
    if (current === undefined) throw new Error("there is no release");
    return current;
  };
  const countPublications = async (project: string): Promise<number> =>
    (await database.store.publishing.listPublications(project)).length;

  test("has its own lock beside another one of this process, even if one is lost", async () => {
    const [acme, beta] = [await lock("acme"), await lock("beta")];
    if (engine.name === "postgres") {
      // The connection of one, as a failover or an administrator would end it.
      const ended = await database.execute(
        `select pg_terminate_backend(pid, 10000) as done from pg_locks
         where locktype = 'advisory' and objid::bigint = (hashtext('acme')::bigint & 4294967295)
           and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(ended).toEqual([{ done: true }]);
      const write = acme.publishRelease(release, { channel: "x", action: "publish", at: AT });
      expect(await write.then(() => "written").catch(() => "refused")).toBe("refused");
      expect(await countPublications("acme")).toBe(1);
    } else {
      await acme.publishRelease(release, { channel: "x", action: "publish", at: AT });
    }
    await acme.unlock();
    await beta.publishRelease(await findCurrent("beta"), { channel: "x", action: "publish", at: AT });
    expect(await countPublications("beta")).toBe(2);
    await beta.unlock();
    await (await lock("acme")).unlock();
  });
});
