import type { Logger } from "pino";
import type { AssetReader } from "../assets/asset-store.ts";
import type { CatalogReader } from "../catalog/catalog-reader.ts";
import { GuardedCatalog } from "../following/guarded-catalog.ts";
import { ServedState, type StateUpdate } from "../following/served-state.ts";
import { SharedFrames } from "./answers/answer.ts";
import { LargeAnswers } from "./answers/large-answers.ts";
import { ResponseCache } from "./answers/response-cache.ts";
import type { AccessLog } from "./observe/access-log.ts";
import { RequestMetrics } from "./observe/request-metrics.ts";
import { FormerSlugs } from "./operations/former-slugs.ts";
import { LessonLists } from "./operations/lesson-lists.ts";
import { createNameIndexes, type NameIndexes } from "./operations/name-index.ts";
import { createTraitIndexes, type TraitIndexes } from "./operations/trait-index.ts";
import type { BuiltFiles, BuiltSet } from "./pages/built-files.ts";
import { PieceBudget } from "./pages/piece-budget.ts";
import { createCorsPolicy, type CorsPolicy } from "./request/cors.ts";
import { routes } from "./routes.ts";

/** Caches of content, by the ids of releases. */
export interface DerivedContent {
  cache: ResponseCache;
  names: NameIndexes;
  traits: TraitIndexes;
  lessonLists: LessonLists;
  formerSlugs: FormerSlugs;
}

/** Pages for people, and all that they load. What is absent is not shown. */
export interface BuiltPages {
  explorer?: BuiltSet;
  reference?: BuiltSet;
  /** The description of the interface for programs. */
  description?: BuiltFiles;
}

/** All that answering requests needs. */
export interface RequestContext extends DerivedContent {
  /** Reads fail at once while the store is away. */
  catalog: CatalogReader;
  /** The same reads, with the switch that says whether the store is away. */
  store: GuardedCatalog;
  state: ServedState;
  /** They fail as those of the catalog do. */
  assets: AssetReader;
  pieces: PieceBudget;
  /** Ends the connection of a request whose client takes nothing; a server sets it when it begins to listen. */
  endStalled: (request: Request) => void;
  pages: BuiltPages;
  /** Makes empty caches, for another store. */
  createDerived: () => DerivedContent;
  /** The time, in milliseconds since 1970. */
  now: () => number;
  /** A new id for a request that failed. */
  createRequestId: () => string;
  cors: CorsPolicy;
  frames: SharedFrames;
  logger: Logger;
  metrics: RequestMetrics;
  /** Undefined when requests are not logged. */
  accessLog: AccessLog | undefined;
  /** True for an error that says that the store cannot be used just now. */
  isUnavailable: (error: unknown) => boolean;
}

export interface ApiOptions {
  catalog: CatalogReader;
  assets: AssetReader;
  /** True for an error that says that the store cannot be used just now. */
  isUnavailable: (error: unknown) => boolean;
  corsOrigins: "*" | string[];
  cacheBytes: number;
  /** For answers above 64 KiB: those that are made, kept for a while, and read. */
  largeAnswerBytes: number;
  /** How long a request waits for room there; 5 seconds unless a test says otherwise. */
  largeAnswerWaitMs?: number;
  /** For assets while they are sent. */
  assetBytes: number;
  /** None unless given. */
  pages?: BuiltPages;
  logger: Logger;
  /** Tests give their own clock and ids. */
  now?: () => number;
  createRequestId?: () => string;
}

/** Creates the context, with a state that holds no keys and no releases yet. */
export function createRequestContext(options: ApiOptions): RequestContext {
  const store = new GuardedCatalog(options.catalog);
  const cors = createCorsPolicy(options.corsOrigins);
  const large = new LargeAnswers(options.largeAnswerBytes, options.largeAnswerWaitMs);
  const createDerived = (): DerivedContent => ({
    cache: new ResponseCache(options.cacheBytes, large),
    names: createNameIndexes(store.catalog),
    traits: createTraitIndexes(store.catalog),
    lessonLists: new LessonLists(store.catalog),
    formerSlugs: new FormerSlugs(store.catalog),
  });
  return {
    catalog: store.catalog,
    store,
    state: new ServedState(),
    assets: {
      findAsset: async (...asset) => store.guard(() => options.assets.findAsset(...asset)),
      readPiece: async (...piece) => store.guard(() => options.assets.readPiece(...piece)),
    },
    pieces: new PieceBudget(options.assetBytes, options.now ?? (() => performance.now())),
    endStalled: () => {},
    pages: options.pages ?? {},
    ...createDerived(),
    createDerived,
    cors,
    frames: new SharedFrames(cors),
    logger: options.logger,
    metrics: new RequestMetrics(routes.routes.map(({ name }) => name)),
    now: options.now ?? Date.now,
    createRequestId: options.createRequestId ?? (() => crypto.randomUUID()),
    accessLog: undefined,
    isUnavailable: options.isUnavailable,
  };
}

/**
 * Applies an update to the state. When publications are replaced, the caches of content are replaced by new objects: an
 * answer that is still being made of old content ends in an object that is no longer used. Whatever is kept by the id of a
 * release must therefore be made in `createDerived`.
 */
export function applyUpdate(context: RequestContext, update: StateUpdate): void {
  context.state.apply(update);
  if (update.replacesPublications) Object.assign(context, context.createDerived());
  context.cache.noteCurrent(context.state.listCurrent());
}
