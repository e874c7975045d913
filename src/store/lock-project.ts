import type { LockedProject, LockHolder } from "../catalog/store.ts";
import type { Engine, Transact } from "./engine.ts";
import { sql } from "./query.ts";
import { createReleaseWrites } from "./release-writes.ts";
import { createVersionWrites } from "./version-writes.ts";

/** Takes the lock of a project, and gives the only object that writes its releases and versions. See PublishingStore. */
export async function lockProject(
  engine: Engine,
  project: string,
  holder: LockHolder,
  onWait: (holder: LockHolder | undefined) => void,
): Promise<LockedProject> {
  const { free, ...lock } = await engine.takeLock(project, holder, onWait);
  let isHeld = true;
  const whileHeld =
    (transact: Transact): Transact =>
    async (use) => {
      if (!isHeld) throw new Error(`Project ${project} is not locked any more: nothing was written.`);
      return transact(use);
    };
  const unlock = async (): Promise<void> => {
    isHeld = false;
    await free();
  };
  const held = { project, transact: whileHeld(lock.transact), transactContent: whileHeld(lock.transactContent) };
  const versions = createVersionWrites(engine, held);
  try {
    const unfinished = await engine.read.run(sql`select 1 from unfinished_imports where project = ${project}`);
    if (unfinished.length > 0) await versions.removeUnreferencedVersions();
  } catch (error) {
    await unlock();
    throw error;
  }
  return { ...versions, ...createReleaseWrites(engine, held), unlock };
}
