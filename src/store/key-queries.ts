import { KeyExists, type Key, type KeyStore } from "../keys/key.ts";
import type { Engine } from "./engine.ts";
import { sql } from "./query.ts";
import { nextNumber } from "./schema.ts";

/** Many servers may write the same key: one of them in so much time suffices. */
const LAST_USE_PRECISION_MS = 30_000;

interface KeyRow {
  id: string;
  revision: number;
  project: string;
  channel: string;
  name: string;
  digest: string;
  last_four: string;
  drafts: number;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

/** Keys in the database, the same on every engine. */
export function createKeyQueries({ read, readChanges, transact, transactSoon }: Engine): KeyStore {
  return {
    async insertKey(key) {
      await transact(async (transaction) => {
        // First: it waits until whoever registers the same secret at this moment is done.
        const revision = await nextNumber(transaction, "keys");
        const taken = await transaction.run(sql<{ id: string }>`select id from keys where digest = ${key.digest}`);
        if (taken[0] !== undefined) throw new KeyExists(`This key is registered already, as ${taken[0].id}.`);
        await transaction.insert("keys", [toRow(key, revision)]);
      });
    },

    async findKey(id) {
      const [row] = await read.run(sql<KeyRow>`select * from keys where id = ${id}`);
      return row && toKey(row);
    },

    async listKeys(project) {
      const rows = await read.run(sql<KeyRow>`
        select * from keys where project = ${project} order by created_at desc, revision desc`);
      return rows.map(toKey);
    },

    async revokeKey(id, at) {
      await transact(async (transaction) => {
        const revision = await nextNumber(transaction, "keys");
        await transaction.run(
          sql`update keys set revoked_at = ${at}, revision = ${revision} where id = ${id} and revoked_at is null`,
        );
      });
    },

    async expireKey(id, at) {
      await transact(async (transaction) => {
        const revision = await nextNumber(transaction, "keys");
        await transaction.run(
          sql`update keys set expires_at = ${at}, revision = ${revision} where id = ${id} and revoked_at is null`,
        );
      });
    },

    async touchKeys(lastUses) {
      await transactSoon(async (transaction) => {
        for (const [id, at] of lastUses) {
          const before = new Date(Date.parse(at) - LAST_USE_PRECISION_MS).toISOString();
          await transaction.run(sql`update keys set last_used_at = ${at}
            where id = ${id} and (last_used_at is null or last_used_at < ${before})`);
        }
      });
    },

    async keysSince(revision) {
      const rows = await readChanges.run(
        sql<KeyRow>`select * from keys where revision > ${revision} order by revision`,
      );
      return rows.map(toKey);
    },
  };
}

function toRow(key: Key, revision: number): KeyRow {
  return {
    id: key.id,
    revision,
    project: key.project,
    channel: key.channel,
    name: key.name,
    digest: key.digest,
    last_four: key.lastFour,
    drafts: key.drafts ? 1 : 0,
    created_at: key.createdAt,
    expires_at: key.expiresAt ?? null,
    revoked_at: key.revokedAt ?? null,
    last_used_at: key.lastUsedAt ?? null,
  };
}

function toKey(row: KeyRow): Key {
  return {
    id: row.id,
    project: row.project,
    channel: row.channel,
    name: row.name,
    digest: row.digest,
    lastFour: row.last_four,
    drafts: row.drafts === 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
