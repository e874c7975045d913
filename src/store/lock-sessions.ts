import type { ReservedSQL, SQL } from "bun";
import type { LockHolder } from "../catalog/store.ts";

/** The kind of advisory locks, `Lect` in ASCII, so that they meet nobody else's. */
export const PROJECT_LOCKS = 0x4c656374;
const LOCK_RETRY_MS = 50;
/** How long a connection is kept for the next lock: to connect takes the server longer than most publications. */
const LOCK_IDLE_MS = 1000;
/** A multiple of it. Shorter waits are not worth a word: the server takes a moment to see that a process was killed. */
const WAIT_WORTH_TELLING_MS = 250;

/**
 * The locks of projects that this process holds. Each is an advisory lock of a connection of its own: the server frees
 * it with that connection, in whatever way the process ends. Whoever holds one writes on that connection, so that with the
 * lock the writes end too.
 */
export class LockSessions {
  readonly #connect: () => SQL;
  readonly #held = new Map<ReservedSQL, SQL>();
  /** That of the last lock, for a while. */
  #idle: { client: SQL; timer: ReturnType<typeof setTimeout> } | undefined;

  constructor(open: () => SQL) {
    this.#connect = open;
  }

  /** Takes the lock of a project, and gives the connection that holds it. */
  async take(
    project: string,
    holder: LockHolder,
    onWait: (holder: LockHolder | undefined) => void,
  ): Promise<ReservedSQL> {
    const { client, session } = await this.#reserve();
    try {
      // Asked for again and again: waiting in the server's queue, one would come between another's import and its prune.
      for (let waitedMs = 0; !(await tryLock(session, project)); waitedMs += LOCK_RETRY_MS) {
        if (waitedMs === WAIT_WORTH_TELLING_MS) onWait(await findHolder(session, project));
        await Bun.sleep(LOCK_RETRY_MS);
      }
      await session`insert into project_locks (project, holder) values (${project}, ${JSON.stringify(holder)})
        on conflict (project) do update set holder = excluded.holder`;
      this.#held.set(session, client);
      return session;
    } catch (error) {
      await client.close({ timeout: 0 });
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const session of this.#held.keys()) await this.free(session);
    await this.#takeIdle()?.close({ timeout: 0 });
  }

  async free(session: ReservedSQL): Promise<void> {
    const client = this.#held.get(session);
    this.#held.delete(session);
    // By itself, because the server may be slow to see that the connection is closed; if it is lost, so is the lock.
    const isFree = await session`select pg_advisory_unlock_all()`.then(
      () => true,
      () => false,
    );
    if (client === undefined) return;
    if (isFree) await session.release();
    if (!isFree || this.#idle !== undefined) {
      await client.close({ timeout: 0 });
      return;
    }
    const timer = setTimeout(() => void this.#takeIdle()?.close({ timeout: 0 }), LOCK_IDLE_MS);
    timer.unref();
    this.#idle = { client, timer };
  }

  async #reserve(): Promise<{ client: SQL; session: ReservedSQL }> {
    const idle = this.#takeIdle();
    if (idle !== undefined) {
      try {
        const session = await idle.reserve();
        // Nobody tells before it is used that it is lost.
        await session`select 1`;
        return { client: idle, session };
      } catch {
        await idle.close({ timeout: 0 });
      }
    }
    const client = this.#connect();
    try {
      return { client, session: await client.reserve() };
    } catch (error) {
      await client.close({ timeout: 0 });
      throw error;
    }
  }

  #takeIdle(): SQL | undefined {
    const idle = this.#idle;
    this.#idle = undefined;
    clearTimeout(idle?.timer);
    return idle?.client;
  }
}

async function tryLock(session: SQL, project: string): Promise<boolean> {
  const [row] = await session<{ taken: boolean }[]>`
    select pg_try_advisory_lock(${PROJECT_LOCKS}::integer, hashtext(${project})) as taken`;
  return row?.taken === true;
}

async function findHolder(session: SQL, project: string): Promise<LockHolder | undefined> {
  const [row] = await session<{ holder: string }[]>`select holder from project_locks where project = ${project}`;
  return row && (JSON.parse(row.holder) as LockHolder);
}
