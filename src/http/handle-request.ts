// The way of a request: path, method, key, parameters, content; in that order, so that an answer to a wrong key never
// depends on what exists.
import type { Logger } from "pino";
import type { CatalogReader, Release } from "../catalog/store.ts";
import type { Key } from "../keys/key.ts";
import { authenticate } from "./authenticate.ts";
import { respondOptions, type CorsPolicy } from "./cors.ts";
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
import type { StoreFollower } from "./follow-store.ts";
import { parseParameters } from "./parameters.ts";
import { decodeSegment, parseTarget, replaceCourse, type RawTarget } from "./request-url.ts";
import type { RequestMetrics } from "./request-metrics.ts";
import { respond, respondError } from "./respond.ts";
import { findRoute, type Route } from "./routes.ts";

const MAX_URL_BYTES = 8192;

export interface RequestContext {
  catalog: CatalogReader;
  follower: StoreFollower;
  cors: CorsPolicy;
  logger: Logger;
  metrics: RequestMetrics;
  /** True for an error that says that the store cannot be used just now. */
  isUnavailable: (error: unknown) => boolean;
}

/** Answers a request. Never throws. */
export async function handleRequest(request: Request, context: RequestContext): Promise<Response> {
  const startedAt = performance.now();
  let route: Route | undefined;
  let response: Response;
  try {
    const target = parseTarget(request.url);
    const mark = target.query === "" ? 0 : 1;
    if (target.path.length + mark + target.query.length > MAX_URL_BYTES) throw urlTooLong(MAX_URL_BYTES);
    const found = findRoute(target.path);
    if (found === undefined) throw unknownPath();
    route = found.route;
    response = await answer(request, target, found.route, found.segments, context);
  } catch (error) {
    response = respondError(request, toHttpError(error, request, context), context.cors);
  }
  context.metrics.count(route?.name ?? "unknown", response.status, performance.now() - startedAt);
  return response;
}

async function answer(
  request: Request,
  { path, query }: RawTarget,
  route: Route,
  segments: string[],
  { catalog, follower, cors }: RequestContext,
): Promise<Response> {
  if (request.method === "OPTIONS") return respondOptions(request, cors);
  if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
  const key = authenticate(request, follower.keyring, Date.now());
  const decoded = segments.map(decodeSegment);
  const parameters = parseParameters(query, route.parameters);
  const pinned = parameters.release === undefined ? undefined : await findPinned(catalog, key, parameters.release);
  const release = pinned ?? follower.findRelease(key.project, key.channel);
  const input = {
    catalog,
    release,
    channel: key.channel,
    readsDrafts: key.drafts,
    path,
    parameters,
    segments: decoded,
  };
  try {
    const result = await route.operation(input);
    // It may have been pruned meanwhile, and its content be gone in part.
    if (pinned !== undefined) await findPinned(catalog, key, pinned.number);
    const contentLocation = result.currentSlug && replaceCourse(path, query, result.currentSlug);
    return respond(request, { ...result, contentLocation }, release, cors);
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 404) throw error;
    if (pinned !== undefined) await findPinned(catalog, key, pinned.number);
    error.release = release;
    throw error;
  }
}

/** The release of this number if the key's channel has published it. Throws 404, or 410 when it was pruned. */
async function findPinned(catalog: CatalogReader, key: Key, number: number): Promise<Release> {
  const release = await catalog.findPublishedRelease(key.project, key.channel, number);
  if (release === undefined) throw releaseNotFound();
  if (release === "pruned") throw releasePruned();
  return release;
}

function toHttpError(error: unknown, request: Request, { logger, isUnavailable }: RequestContext): HttpError {
  if (error instanceof HttpError) return error;
  if (isUnavailable(error)) {
    logger.error({ err: error }, "the store is unavailable");
    return unavailable();
  }
  const requestId = crypto.randomUUID();
  logger.error(
    { err: error, requestId, method: request.method, path: parseTarget(request.url).path },
    "request failed",
  );
  return internalError(requestId);
}
