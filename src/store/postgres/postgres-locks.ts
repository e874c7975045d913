// The locks of projects on PostgreSQL.
import type { SQL } from "bun";
import type { LockHolder } from "../../catalog/store.ts";

/** The class of these advisory locks, `Lect` in ASCII, so that they do not collide with those of other programs. */
export const PROJECT_LOCKS = 0x4c656374;
const LOCK_RETRY_MS = 50;
/** Shorter waits, as for the lock of a killed process, are not reported. Must be a multiple of LOCK_RETRY_MS. */
const WAIT_WORTH_TELLING_MS = 250;

/** Acquires an advisory lock on the holder's own write connection, so that its writes fail once the lock is lost. */
export async function acquireProjectLock(
  pool: SQL,
  project: string,
  onWait: (holder: LockHolder | undefined) => void,
): Promise<{ client: SQL; free: () => Promise<void> }> {
  try {
    const client = await pool.reserve();
    // Polls, because a command in the server's queue could run between another command's import and its prune.
    for (let waitedMs = 0; !(await tryLock(client, project)); waitedMs += LOCK_RETRY_MS) {
      if (waitedMs === WAIT_WORTH_TELLING_MS) onWait(await findHolder(client, project));
      await Bun.sleep(LOCK_RETRY_MS);
    }
    const free = async (): Promise<void> => {
      // Unlocks first, because the server might notice the closed connection late.
      await client`select pg_advisory_unlock_all()`.catch(() => undefined);
      await pool.close({ timeout: 0 });
    };
    return { client, free };
  } catch (error) {
    await pool.close({ timeout: 0 });
    throw error;
  }
}

async function tryLock(client: SQL, project: string): Promise<boolean> {
  const [row] = await client<{ taken: boolean }[]>`
    select pg_try_advisory_lock(${PROJECT_LOCKS}::integer, hashtext(${project})) as taken`;
  return row?.taken === true;
}

async function findHolder(client: SQL, project: string): Promise<LockHolder | undefined> {
  const [row] = await client<{ holder: string }[]>`select holder from project_locks where project = ${project}`;
  return row && (JSON.parse(row.holder) as LockHolder);
}
