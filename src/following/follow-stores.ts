// A server follows one store, or two: a primary for keys and a replica for content.
import type { Logger } from "pino";
import type { ChangeFeed } from "../catalog/store.ts";
import type { KeyStore } from "../keys/key.ts";
import { StoreFollower, type Followed } from "./follow-store.ts";
import type { StateUpdate } from "./served-state.ts";
import { TookTooLong } from "./follow-store.ts";

/** Limits log entries per outage, because messages that contain times or numbers always differ. */
const MAX_LOGGED_CAUSES = 10;

export interface FollowOptions {
  changes: ChangeFeed;
  content: ChangeFeed;
  keys: KeyStore;
  isUnavailable: (error: unknown) => boolean;
  logger: Logger;
}

export interface FollowingEvents {
  onUpdate: (update: StateUpdate) => void;
  onContentAway: (isAway: boolean) => void;
}

/** Reports the whole state, then every change. Throws if a store cannot be read at the start. */
export async function followStores(
  { changes, content, keys, isUnavailable, logger }: FollowOptions,
  { onUpdate, onContentAway }: FollowingEvents,
) {
  const followers: { title: string; follower: StoreFollower; describeCause: () => string }[] = [];
  const follow = async (name: string, title: string, followed: Followed, onAway: (isAway: boolean) => void) => {
    const causes = new Set<string>();
    let cause = "";
    const follower = new StoreFollower(followed, {
      onUpdate,
      onReset(before, now) {
        logger.warn(
          { before, now },
          `the ${name} was restored or replaced; dropping all cached state and reading everything again`,
        );
      },
      onFailure(error) {
        // If PostgreSQL refuses only the poll, requests continue: their statements might still be permitted.
        if (error instanceof TookTooLong || isUnavailable(error)) {
          followed.changes.reconnect();
          onAway(true);
        }
        cause = error instanceof Error ? error.message.replace(/\s+/g, " ").replace(/\.$/, "") : String(error);
        if (causes.has(cause) || causes.size === MAX_LOGGED_CAUSES) return;
        causes.add(cause);
        logger.error({ err: error }, `cannot read the ${name}; serving the last known state`);
      },
      onRecovery() {
        causes.clear();
        onAway(false);
        logger.info(`the ${name} is back`);
      },
    });
    await follower.start();
    followers.push({ title, follower, describeCause: () => cause });
    return follower;
  };
  const stop = (): void => followers.forEach(({ follower }) => follower.stop());
  let countBehind = (): number => 0;
  if (content === changes) {
    await follow("store", "database", { changes, keys, followsPublications: true }, onContentAway);
  } else {
    const keysOnly: Followed = { changes, keys, followsPublications: false };
    const primary = await follow("primary", "primary database", keysOnly, () => undefined);
    // Publications come from the replica, so that their content is already there.
    const replicated: Followed = { changes: content, keys: undefined, followsPublications: true };
    const replica = await follow("replica", "replica", replicated, onContentAway).catch((error) => {
      stop();
      throw error;
    });
    countBehind = () => Math.max(0, primary.publications - replica.publications);
  }
  const isCurrent = (): boolean => followers.every(({ follower }) => follower.isCurrent);
  return {
    isCurrent,
    /** Returns warnings for operators, one per line. */
    describe(): string[] {
      const away = followers.filter(({ follower }) => !follower.isCurrent);
      const lines = away.map(({ title, describeCause }) => `Cannot read the ${title}: ${describeCause()}.`);
      if (countBehind() > 0) lines.push(`The replica lacks ${countBehind()} of the primary's publications.`);
      // Without these grants, a failover that loses changes could go undetected.
      if (!followers.every(({ follower }) => follower.seesWholeIdentity)) {
        lines.push(
          "This role cannot read PostgreSQL's system identifier and timeline: add the grants in docs/postgres.md.",
        );
      }
      return lines;
    },
    readGauges: (): Record<string, number> => ({
      lectern_store_reachable: isCurrent() ? 1 : 0,
      lectern_replica_publications_behind: countBehind(),
    }),
    stop,
  };
}
