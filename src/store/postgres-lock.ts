import type { SQL } from "bun";
import type { LockHolder } from "../catalog/store.ts";

/** The kind of advisory locks, `Lect` in ASCII, so that they meet nobody else's. */
export const PROJECT_LOCKS = 0x4c656374;
const LOCK_RETRY_MS = 50;
/** A multiple of it. The server needs a moment to notice that a process was killed. */
const WAIT_WORTH_TELLING_MS = 250;

/** An advisory lock on a connection that the holder writes on, so that its writes end with the lock. */
export async function takeProjectLock(
  connect: () => SQL,
  project: string,
  holder: LockHolder,
  onWait: (holder: LockHolder | undefined) => void,
): Promise<{ client: SQL; free: () => Promise<void> }> {
  const pool = connect();
  try {
    const client = await pool.reserve();
    // Polled: waiting in the server's queue, a command could come between another's import and its prune.
    for (let waitedMs = 0; !(await tryLock(client, project)); waitedMs += LOCK_RETRY_MS) {
      if (waitedMs === WAIT_WORTH_TELLING_MS) onWait(await findHolder(client, project));
      await Bun.sleep(LOCK_RETRY_MS);
    }
    await client`insert into project_locks (project, holder) values (${project}, ${JSON.stringify(holder)})
      on conflict (project) do update set holder = excluded.holder`;
    const free = async (): Promise<void> => {
      // First, because the server may be slow to notice that the connection is closed; if that is lost, so is the lock.
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
