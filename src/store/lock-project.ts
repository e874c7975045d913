import type { LockedProject, LockHolder } from "../catalog/store.ts";
import type { Engine, Transact } from "./engine.ts";
import { sql } from "./query.ts";
import { createReleaseWrites } from "./release-writes.ts";
import { createVersionWrites } from "./version-writes.ts";

/** See PublishingStore: gives the only object that writes releases and versions, through the lock that it holds. */
export async function lockProject(
  engine: Engine,
  project: string,
  holder: LockHolder,
  onWait: (holder: LockHolder | undefined) => void,
): Promise<LockedProject> {
  const lock = await engine.takeLock(project, holder, onWait);
  let isHeld = true;
  const transact: Transact = async (use) => {
    if (!isHeld) throw new Error(`Project ${project} is not locked any more: nothing was written.`);
    return lock.transact(use);
  };
  const free = async (): Promise<void> => {
    isHeld = false;
    await lock.free();
  };
  const { giveBackRoom, ...versions } = createVersionWrites(engine, transact, project);
  try {
    const cutOff = await engine.read.run(sql`select 1 from unfinished_imports where project = ${project}`);
    if (cutOff.length > 0) await versions.removeUnreferencedVersions();
  } catch (error) {
    await free();
    throw error;
  }
  return {
    ...versions,
    ...createReleaseWrites(engine, transact, project),
    async unlock() {
      try {
        await giveBackRoom();
      } finally {
        await free();
      }
    },
  };
}
