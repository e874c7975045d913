// The way of a request: path, method, key, parameters, content; in that order, so that an answer to a wrong key never
// depends on what exists. Most requests end in the first function, with an answer that is ready.
import type { Logger } from "pino";
import type { CatalogReader, Release } from "../catalog/store.ts";
import type { AccessLog } from "./access-log.ts";
import { Answer, type SharedHeaders } from "./answer.ts";
import { authenticate } from "./authenticate.ts";
import { respondOptions, type CorsPolicy } from "./cors.ts";
import type { Effort } from "./encoded-body.ts";
import { chooseEncoding } from "./encoding.ts";
import {
  HttpError,
  internalError,
  methodNotAllowed,
  releaseNotFound,
  releasePruned,
  unavailable,
  unknownPath,
  urlTooLong,
} from "./errors.ts";
import { StoreAway, type GuardedCatalog } from "./guarded-catalog.ts";
import type { NameIndexes } from "./name-index.ts";
import { parseParameters, type Parameters } from "./parameters.ts";
import type { RequestMetrics } from "./request-metrics.ts";
import { decodeSegment, findTarget, partTarget, replaceCourse, type RawTarget } from "./request-url.ts";
import { renderBody } from "./render-body.ts";
import { respond, respondError } from "./respond.ts";
import type { ResponseCache } from "./response-cache.ts";
import { findRoute, formatPath, type Route } from "./routes.ts";
import type { ServedChannel, ServedState } from "./served-state.ts";

const MAX_URL_BYTES = 8192;

export interface RequestContext {
  /** Refuses at once while the store is away. */
  catalog: CatalogReader;
  /** Is told whether it is. */
  store: GuardedCatalog;
  state: ServedState;
  cache: ResponseCache;
  names: NameIndexes;
  cors: CorsPolicy;
  headers: SharedHeaders;
  logger: Logger;
  metrics: RequestMetrics;
  /** Undefined when requests are not logged. */
  accessLog: AccessLog | undefined;
  /** True for an error that says that the store cannot be used just now. */
  isUnavailable: (error: unknown) => boolean;
}

/** Answers a request. Never throws. */
export function handleRequest(request: Request, context: RequestContext): Response | Promise<Response> {
  const startedAtMs = performance.now();
  const ready = findReady(request, context);
  if (ready === undefined) return answerInFull(request, startedAtMs, context);
  const response = respond(request, ready, context.cors);
  // It is not there in this coding yet.
  if (response === undefined) return answerInFull(request, startedAtMs, context);
  finish(request, ready.route, response, startedAtMs, context);
  return response;
}

/** The answer for a resource that was asked for in its plainest form before. Everything else goes the whole way. */
function findReady({ method, url, headers }: Request, { state, cache }: RequestContext): Answer | undefined {
  if (method !== "GET" && method !== "HEAD") return undefined;
  const key = state.keyring.find(headers.get("x-api-key") ?? "", Date.now());
  const release = key && state.channelOf(key.project, key.channel).current;
  // The cache knows paths only, so it knows no target with a query.
  return release && cache.find(release, key.drafts, findTarget(url));
}

async function answerInFull(request: Request, startedAtMs: number, context: RequestContext): Promise<Response> {
  const target = findTarget(request.url);
  let route: Route | undefined;
  let response: Response;
  try {
    if (target.length > MAX_URL_BYTES) throw urlTooLong(MAX_URL_BYTES);
    const parts = partTarget(target);
    const found = findRoute(parts.path);
    if (found === undefined) throw unknownPath();
    route = found.route;
    response = await answerRoute(request, parts, found.route, found.segments, context);
  } catch (error) {
    response = respondError(request, toHttpError(error, request, context), context.cors);
  }
  finish(request, route, response, startedAtMs, context);
  return response;
}

async function answerRoute(
  request: Request,
  { path, query }: RawTarget,
  route: Route,
  segments: string[],
  context: RequestContext,
): Promise<Response> {
  const { catalog, state, cache, names, cors, headers } = context;
  if (request.method === "OPTIONS") return respondOptions(request, cors);
  if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
  const key = authenticate(request, state.keyring, Date.now());
  const decoded = segments.map(decodeSegment);
  const parameters = parseParameters(query, route.parameters);
  const channel = state.channelOf(key.project, key.channel);
  const release =
    parameters.release === undefined ? channel.current : await findPinned(catalog, channel, parameters.release);
  const input = {
    catalog,
    names,
    release,
    channel: key.channel,
    readsDrafts: key.drafts,
    path,
    parameters,
    segments: decoded,
  };
  const build = async (effort: Effort): Promise<Answer> => {
    const run = route.operation(input);
    if (parameters.release !== undefined) {
      // Its content may be pruned while it is read, and be gone in part: then whatever came of it does not count.
      await run.catch(() => undefined);
      await requireKept(catalog, channel, parameters.release);
    }
    const result = await run;
    const contentLocation = result.currentSlug && replaceCourse(path, query, result.currentSlug);
    const body = await renderBody(result, cache, effort);
    return new Answer(route, body, headers.of(release), { link: result.link, contentLocation });
  };
  const obtain = async (): Promise<Answer> => {
    if (release === undefined) return build("once");
    if (!isPartial(parameters)) {
      return cache.obtain(release, key.drafts, formatPath(route, decoded), async () => build("kept"));
    }
    // A draft's lessons are for some readers only, and their links repeat the path as it was asked for.
    const part = JSON.stringify([key.drafts, path, parameters]);
    return cache.obtainPart(release, part, async () => build("once"));
  };
  try {
    const answer = await obtain();
    return await respondPrepared(request, answer, context);
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) error.release = release;
    throw error;
  }
}

/** Parts of lists are made anew for each request: there are more different ones than a cache could hold. */
function isPartial({ foldedName, limit, offset }: Parameters): boolean {
  return foldedName !== "" || limit !== undefined || offset !== undefined;
}

async function respondPrepared(request: Request, answer: Answer, { cache, cors }: RequestContext): Promise<Response> {
  const ready = respond(request, answer, cors);
  if (ready !== undefined) return ready;
  await answer.body.prepare(chooseEncoding(request.headers.get("accept-encoding")));
  cache.recount(answer.body);
  const prepared = respond(request, answer, cors);
  if (prepared === undefined) throw new Error("a body was prepared and is not there");
  return prepared;
}

/** The release of this number if the key's channel has published it. Throws 404, or 410 when it was pruned. */
async function findPinned(catalog: CatalogReader, channel: ServedChannel, number: number): Promise<Release> {
  const known = channel.pinned.get(number);
  if (known !== undefined) return known;
  const release = await requireKept(catalog, channel, number);
  channel.pinned.set(number, release);
  return release;
}

async function requireKept(catalog: CatalogReader, channel: ServedChannel, number: number): Promise<Release> {
  const release = await catalog.findPublishedRelease(channel.project, channel.name, number);
  if (release === undefined) throw releaseNotFound();
  if (release === "pruned") throw releasePruned();
  return release;
}

function finish(
  request: Request,
  route: Route | undefined,
  response: Response,
  startedAtMs: number,
  { metrics, accessLog }: RequestContext,
): void {
  const durationMs = performance.now() - startedAtMs;
  metrics.count(route, response.status, durationMs);
  accessLog?.write(request, response.status, durationMs);
}

function toHttpError(error: unknown, request: Request, { logger, isUnavailable }: RequestContext): HttpError {
  if (error instanceof HttpError) return error;
  // Logged once, by who found out.
  if (error instanceof StoreAway) return unavailable();
  if (isUnavailable(error)) {
    logger.error({ err: error }, "the store is unavailable");
    return unavailable();
  }
  const requestId = crypto.randomUUID();
  const { path } = partTarget(findTarget(request.url));
  logger.error({ err: error, requestId, method: request.method, path }, "request failed");
  return internalError(requestId);
}
