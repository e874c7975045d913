import type { FollowFailures } from "../../catalog/store.ts";
import type { Engine } from "../engine.ts";
import { sql } from "./query.ts";

export function createFollowQueries({ read, transact }: Engine): FollowFailures {
  return {
    async recordFailure({ sourceName = "", ...failure }) {
      const { project, channel } = failure;
      await transact(async (transaction) => {
        await transaction.run(sql`
          delete from follow_failures
          where project = ${project} and channel = ${channel} and source_name = ${sourceName}`);
        await transaction.insert("follow_failures", [{ ...failure, sourceName }]);
      });
    },

    async clearFailure(project, channel, sourceName = "") {
      const isOfSource = sql`project = ${project} and channel = ${channel} and source_name = ${sourceName}`;
      // Most imports have nothing to clear and should not wait for other writers.
      const found = await read.run(sql`select 1 from follow_failures where ${isOfSource}`);
      if (found.length === 0) return;
      await transact(async (transaction) => transaction.run(sql`delete from follow_failures where ${isOfSource}`));
    },
  };
}
