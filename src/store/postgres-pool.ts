import type { SQL } from "bun";

/** Connections that can all be given up at once. */
export interface RenewablePool {
  /** The client of the moment. */
  readonly client: SQL;
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
  return {
    get client() {
      return client;
    },
    renew() {
      void client.close({ timeout: 0 }).catch(() => undefined);
      client = open();
    },
    close: async () => client.close({ timeout: 0 }),
  };
}
