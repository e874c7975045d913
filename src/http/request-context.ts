import type { AssetReader } from "../assets/asset-store.ts";
import { GuardedCatalog, type GuardOptions } from "../following/guarded-catalog.ts";
import { ServedState, type StateUpdate } from "../following/served-state.ts";
import { createSharedHeaders, type Answer } from "./answers/answer.ts";
import { LargeAnswers } from "./answers/large-answers.ts";
import { ResponseCache } from "./answers/response-cache.ts";
import type { AccessLog } from "./observe/access-log.ts";
import { RequestMetrics } from "./observe/metrics.ts";
import { CatalogTables } from "./operations/catalog-table.ts";
import { LargeAnswerLimiter } from "./operations/answer-work.ts";
import { PieceBudget } from "./pages/serve-asset.ts";
import type { BuiltPages } from "./pages/serve-pages.ts";
import type { Search } from "../search/searcher.ts";
import { createCorsPolicy } from "./request/cors.ts";
import { RateLimit, type Rate } from "./request/rate-limit.ts";
import { routes } from "./routes.ts";

export type RequestContext = ReturnType<typeof createRequestContext>;

/** The rate limits: on requests per key, and on wrong keys and asset downloads per client address. */
export type RateName = "key" | "wrong-key" | "asset";

export interface ApiOptions extends GuardOptions {
  assets: AssetReader;
  isUnavailable: (error: unknown) => boolean;
  pages?: BuiltPages;
  now?: () => number;
  createRequestId?: () => string;
  corsOrigins: "*" | string[];
  cacheBytes: number;
  largeAnswerBytes: number;
  /** The longest wait for a large answer's permit and memory. The default is 5 seconds; tests change it. */
  largeAnswerWaitMs?: number;
  assetBytes: number;
  /** Undefined if search is off. */
  searchTexts?: Search | undefined;
  /** The limits of this process; a missing limit is off. */
  rates?: Partial<Record<RateName, Rate>>;
}

export function createRequestContext(options: ApiOptions) {
  const store = new GuardedCatalog(options);
  const cors = createCorsPolicy(options.corsOrigins);
  const limits = new LargeAnswerLimiter(options.largeAnswerBytes, options.largeAnswerWaitMs);
  const assets: AssetReader = {
    findAsset: async (...asset) => store.guard("", () => options.assets.findAsset(...asset)),
    readPiece: async (...piece) => store.guard("", () => options.assets.readPiece(...piece)),
  };
  return {
    /** The catalog, whose reads fail at once while the store is down. */
    store,
    state: new ServedState(),
    cache: new ResponseCache(options.cacheBytes, new LargeAnswers(limits)),
    limits,
    tables: new CatalogTables(),
    searchTexts: options.searchTexts,
    pending: new Map<string, Promise<Answer | undefined>>(),
    assets,
    pieces: new PieceBudget(options.assetBytes, options.now ?? (() => performance.now())),
    /** Closes a stalled client's connection. The listener replaces this function. */
    endStalled: (() => {}) as (request: Request) => void,
    pages: options.pages ?? {},
    now: options.now ?? Date.now,
    createRequestId: options.createRequestId ?? ((): string => crypto.randomUUID()),
    cors,
    sharedHeaders: createSharedHeaders(cors),
    logger: options.logger,
    metrics: new RequestMetrics(routes.map(({ name }) => name)),
    accessLog: undefined as AccessLog | undefined,
    /** Finds the client address of a new request. The listener sets this function. */
    findClient: undefined as ((request: Request) => string) | undefined,
    rates: createRates(options.rates ?? {}, options.now ?? (() => performance.now())),
    isUnavailable: options.isUnavailable,
  };
}

function createRates(rates: Partial<Record<RateName, Rate>>, now: () => number): Partial<Record<RateName, RateLimit>> {
  const named = Object.entries(rates) as [RateName, Rate][];
  return Object.fromEntries(named.map(([name, rate]) => [name, new RateLimit(name, rate, now)]));
}

/** Applies an update. If the store was replaced, drops answers and tables, since release ids can mean other content. */
export function applyUpdate(context: RequestContext, update: StateUpdate): void {
  context.state.apply(update);
  if (!update.replacesPublications) return;
  context.cache.clear();
  context.tables = new CatalogTables();
}
