// The way of a request: path, method, key, parameters, content; in that order, so that an answer to a wrong key never
// depends on what exists.
import type { Logger } from "pino";
import type { CatalogReader } from "../catalog/store.ts";
import { authenticate } from "./authenticate.ts";
import { respondOptions, type CorsPolicy } from "./cors.ts";
import { HttpError, internalError, methodNotAllowed, unavailable, unknownPath, urlTooLong } from "./errors.ts";
import type { StoreFollower } from "./follow-store.ts";
import { decodeSegment, parseTarget } from "./request-url.ts";
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
  { path, query }: { path: string; query: string },
  route: Route,
  segments: string[],
  { catalog, follower, cors }: RequestContext,
): Promise<Response> {
  if (request.method === "OPTIONS") return respondOptions(request, cors);
  if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
  const key = authenticate(request, follower.keyring, Date.now());
  const decoded = segments.map(decodeSegment);
  const release = follower.findRelease(key.project, key.channel);
  try {
    const input = { catalog, release, readsDrafts: key.drafts, path, query, segments: decoded };
    return respond(request, await route.operation(input), release, cors);
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) error.release = release;
    throw error;
  }
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
