import { ExpectedError } from "../../catalog/expected-error.ts";
import type { Key, KeyStore } from "../../keys/key.ts";
import type { Engine } from "../engine.ts";
import { sql, toRecord, type Query, type Row } from "./query.ts";
import { nextNumber } from "../schema.ts";

/** Many servers write the last use of the same key, but one write per interval is enough. */
const LAST_USE_PRECISION_MS = 30_000;

const KEY = sql`id, project, channel, name, digest, last_four, drafts, created_at, expires_at, revoked_at, last_used_at`;
const toKey = (row: Row): Key => toRecord<Key>(row, "drafts");

export function createKeyQueries({ read, readChanges, transact, transactSoon }: Engine): KeyStore {
  return {
    async insertKey(key) {
      await transact(async (transaction) => {
        // Take the number first, because this waits for a concurrent registration of the same secret.
        const revision = await nextNumber(transaction, "keys");
        const taken = await transaction.run(sql<{ id: string }>`select id from keys where digest = ${key.digest}`);
        if (taken[0] !== undefined) throw new ExpectedError(`This key is already registered as ${taken[0].id}.`);
        await transaction.insert("keys", [{ ...key, revision }]);
      });
    },

    async findKey(idOrDigest) {
      const [row] = await read.run(sql<Row>`
        select ${KEY} from keys where id = ${idOrDigest} or digest = ${idOrDigest}`);
      return row && toKey(row);
    },

    async listKeys(project) {
      const rows = await read.run(sql<Row>`
        select ${KEY} from keys where project = ${project} order by created_at desc, revision desc`);
      return rows.map(toKey);
    },

    revokeKey: async (id, at) => change(id, sql`revoked_at = ${at}`),

    expireKey: async (id, at) => change(id, sql`expires_at = ${at}`),

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
        sql<Row>`select ${KEY} from keys where revision > ${revision} order by revision`,
      );
      return rows.map(toKey);
    },
  };

  async function change(id: string, columns: Query): Promise<void> {
    await transact(async (transaction) => {
      const revision = await nextNumber(transaction, "keys");
      await transaction.run(
        sql`update keys set ${columns}, revision = ${revision} where id = ${id} and revoked_at is null`,
      );
    });
  }
}
