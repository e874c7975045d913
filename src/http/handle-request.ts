// The way of a request on one page: admit, find the release, ask the cache, else make the answer, respond, count.
import type { Release } from "../catalog/store.ts";
import { obtainAnswer, toCacheKey, type ContentRequest } from "./answers/obtain-answer.ts";
import { respond, respondError, respondPrepared } from "./answers/respond.ts";
import { findPinned } from "./operations/find-release.ts";
import { Making } from "./operations/making.ts";
import type { OperationRoute } from "./operations/operation.ts";
import type { RequestContext } from "./request-context.ts";
import { admit, findCaller, type Admitted, type Caller } from "./request/admit.ts";
import { CONTENT_REQUEST_HEADERS, respondOptions } from "./request/cors.ts";
import { HttpError, unavailable } from "./request/errors.ts";
import { findTarget } from "./request/request-url.ts";
import type { Route } from "./request/route.ts";
import { routes } from "./routes.ts";
import { toHttpError } from "./to-http-error.ts";

/** A request that is being answered, as far as it is known. */
interface RequestInProgress {
  request: Request;
  startedAtMs: number;
  /** Path and query, undecoded. */
  target: string;
  caller?: Caller | undefined;
  route?: Route | undefined;
}

/** Answers a request. Never throws, and never rejects. */
export function handleRequest(request: Request, context: RequestContext): Response | Promise<Response> {
  const progress: RequestInProgress = { request, startedAtMs: performance.now(), target: findTarget(request.url) };
  try {
    const response = answer(progress, context);
    if (!(response instanceof Promise)) return finish(progress, response, context);
    return response.then(
      (made) => finish(progress, made, context),
      (error: unknown) => fail(progress, error, context),
    );
  } catch (error) {
    return fail(progress, error, context);
  }
}

/** Throws, or rejects with, what is answered with an error. */
function answer(progress: RequestInProgress, context: RequestContext): Response | Promise<Response> {
  const { request, target } = progress;
  const caller = findCaller(request, context.state, context.now());
  progress.caller = caller;
  const { route, verdict } = admit(request, target, caller, routes);
  progress.route = route;
  if (verdict instanceof HttpError) throw verdict;
  if (verdict === "preflight") {
    const requestHeaders = route?.kind === "page" ? route.requestHeaders : CONTENT_REQUEST_HEADERS;
    return respondOptions(request, context.cors, requestHeaders);
  }
  if (!("caller" in verdict)) return verdict.route.respond(verdict, context);
  const { release, since } = verdict.parameters;
  const ready =
    release === undefined && since === undefined ? answerFromCache(request, toAsked(verdict), context) : undefined;
  return ready ?? answerInEpoch(request, verdict, context);
}

/** Undefined where the cache has no answer, or not in a coding that the client takes. */
function answerFromCache(request: Request, asked: ContentRequest, context: RequestContext): Response | undefined {
  const key = toCacheKey(asked, context.state.epoch);
  const cached = key === undefined ? undefined : context.cache.find(key, asked, context.sharedHeaders);
  return cached && respond(request, asked, cached, context);
}

/** Answers from one store: where it was replaced meanwhile, what was made may mix two, and is made once more. Rejects with 503. */
async function answerInEpoch(
  request: Request,
  admitted: Admitted<OperationRoute>,
  context: RequestContext,
): Promise<Response> {
  for (let attempt = 0; attempt < 2; attempt++) {
    const { epoch } = context.state;
    try {
      const response = await answerFromStore(request, admitted, context);
      if (context.state.epoch === epoch) return response;
    } catch (error) {
      if (context.state.epoch === epoch) throw error;
    }
  }
  throw unavailable();
}

async function answerFromStore(
  request: Request,
  admitted: Admitted<OperationRoute>,
  context: RequestContext,
): Promise<Response> {
  const { project, channel: name } = admitted.caller.held.key;
  // In another epoch the channel is another object.
  const channel = context.state.channelOf(project, name);
  const { release: number, since: sinceNumber } = admitted.parameters;
  const release = number === undefined ? channel.current : await findPinned(channel, number, context.catalog);
  const since = sinceNumber === undefined ? undefined : await findPinned(channel, sinceNumber, context.catalog);
  const asked = toAsked({ ...admitted, caller: { ...admitted.caller, channel } }, release, since);
  const ready = answerFromCache(request, asked, context);
  if (ready !== undefined) return ready;
  const making = new Making(context.limits, project, request);
  try {
    const made = await obtainAnswer(asked, making, context);
    return respond(request, asked, made, context) ?? (await respondPrepared(request, asked, made, making, context));
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) error.release = release;
    throw error;
  } finally {
    making.end();
  }
}

function toAsked(
  admitted: Admitted<OperationRoute>,
  release: Release | undefined = admitted.caller.channel.current,
  since?: Release,
): ContentRequest {
  return { ...admitted, release, since, readsDrafts: admitted.caller.held.key.drafts };
}

function fail(progress: RequestInProgress, error: unknown, context: RequestContext): Response {
  const { request } = progress;
  return finish(progress, respondError(request, toHttpError(error, request, context), context.cors), context);
}

/** Counts and logs a request. Every request ends here, once. */
function finish(
  { request, target, caller, route, startedAtMs }: RequestInProgress,
  response: Response,
  { state, metrics, accessLog, now }: RequestContext,
): Response {
  const durationMs = performance.now() - startedAtMs;
  const nowMs = now();
  const { status } = response;
  if (caller !== undefined) state.keyring.noteUse(caller.held, nowMs);
  metrics.count(route?.name, status, durationMs);
  accessLog?.write({ method: request.method, target, status, durationMs, nowMs });
  return response;
}
