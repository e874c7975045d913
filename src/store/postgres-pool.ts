import type { SQL } from "bun";

/** Connections that can all be given up at once. */
export interface RenewablePool {
  /** Runs each query on the connections of the moment. */
  sql: SQL;
  /** Ends every connection, with the queries that wait on it; the next query opens new ones. */
  renew(): void;
  close(): Promise<void>;
}

/**
 * Wraps clients of Bun, which make new connections by themselves only for those that were closed: one that leads to a
 * machine which is gone without a word stays open for minutes.
 */
export function createRenewablePool(open: () => SQL): RenewablePool {
  let client = open();
  const sql = new Proxy(client, {
    apply: (_first, _this, values: Parameters<SQL>) => client(...values),
    get(_first, name: keyof SQL) {
      const member: unknown = client[name];
      return typeof member === "function" ? member.bind(client) : member;
    },
  });
  return {
    sql,
    renew() {
      void client.close({ timeout: 0 }).catch(() => undefined);
      client = open();
    },
    close: async () => client.close({ timeout: 0 }),
  };
}
