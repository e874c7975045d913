// What a server follows: one store, or a primary for keys and a replica for content.
import type { Logger } from "pino";
import type { ChangeFeed } from "../catalog/store.ts";
import type { KeyStore } from "../keys/key.ts";
import { StoreFollower, type Followed } from "./follow-store.ts";
import type { StateUpdate } from "./served-state.ts";
import { TookTooLong } from "./within-time.ts";

export interface FollowOptions {
  changes: ChangeFeed;
  content: ChangeFeed;
  keys: KeyStore;
  /** True for an error that says that the store cannot be used just now. */
  isUnavailable: (error: unknown) => boolean;
  logger: Logger;
}

export interface FollowingEvents {
  onUpdate: (update: StateUpdate) => void;
  /** Called when the store of the catalog stops answering, and when it answers again. */
  onContentAway: (isAway: boolean) => void;
}

export interface Following {
  /** True while everything that is followed answers. */
  readonly isCurrent: boolean;
  /** What an operator should know of it, a line per entry. */
  describe(): string[];
  readGauges(): Record<string, number>;
  stop(): void;
}

/** Passes on the whole state, then every change. Throws when a store cannot be read at first. */
export async function followStores(options: FollowOptions, events: FollowingEvents): Promise<Following> {
  const { changes, content, keys } = options;
  const hasReplica = content !== changes;
  const follow = async (name: string, followed: Followed, onAway: (isAway: boolean) => void) =>
    startFollower(name, followed, options, events.onUpdate, onAway);
  if (!hasReplica) {
    const follower = await follow("store", { changes, keys, followsPublications: true }, events.onContentAway);
    return {
      get isCurrent() {
        return follower.isCurrent;
      },
      describe: () => [...(follower.isCurrent ? [] : ["The database does not answer."]), ...describeSight([follower])],
      readGauges: () => ({
        lectern_store_reachable: follower.isCurrent ? 1 : 0,
        lectern_replica_publications_behind: 0,
      }),
      stop: () => follower.stop(),
    };
  }
  const primary = await follow("primary", { changes, keys, followsPublications: false }, () => {});
  // Publications come from the replica itself: when it has one, it has the content that it publishes.
  const replicated: Followed = { changes: content, keys: undefined, followsPublications: true };
  const replica = await follow("replica", replicated, events.onContentAway).catch((error) => {
    primary.stop();
    throw error;
  });
  const countBehind = (): number => Math.max(0, primary.publications - replica.publications);
  return {
    get isCurrent() {
      return primary.isCurrent && replica.isCurrent;
    },
    describe: () => [
      ...(primary.isCurrent ? [] : ["The primary database does not answer."]),
      ...(replica.isCurrent ? [] : ["The replica does not answer."]),
      ...(countBehind() === 0 ? [] : [`The replica lacks ${countBehind()} of the primary's publications.`]),
      ...describeSight([primary, replica]),
    ],
    readGauges: () => ({
      lectern_store_reachable: primary.isCurrent && replica.isCurrent ? 1 : 0,
      lectern_replica_publications_behind: countBehind(),
    }),
    stop() {
      primary.stop();
      replica.stop();
    },
  };
}

/** A line for the operator when a failover that loses changes could go unnoticed; none otherwise. */
function describeSight(followers: StoreFollower[]): string[] {
  if (followers.every((follower) => follower.seesWholeIdentity)) return [];
  return [
    "This role may not ask PostgreSQL for its system identifier and timeline: see the grants in docs/postgres.md.",
  ];
}

async function startFollower(
  name: string,
  followed: Followed,
  { logger, isUnavailable }: FollowOptions,
  onUpdate: (update: StateUpdate) => void,
  onAway: (isAway: boolean) => void,
): Promise<StoreFollower> {
  const follower = new StoreFollower(followed, {
    onUpdate,
    onReset(before, now) {
      logger.warn(
        { before, now },
        `the ${name} was restored or replaced; what was held of it is dropped and read anew`,
      );
    },
    onFailure(error, isFirst) {
      // Not when PostgreSQL refuses the look: requests use other statements, which it may allow.
      if (error instanceof TookTooLong || isUnavailable(error)) {
        followed.changes.reconnect();
        onAway(true);
      }
      if (isFirst) logger.error({ err: error }, `cannot read the ${name}; serving what is known`);
    },
    onRecovery() {
      onAway(false);
      logger.info(`the ${name} is back`);
    },
  });
  await follower.start();
  return follower;
}
