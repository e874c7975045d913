// The way of a request on one page: admit, find the release, ask the cache, else make the answer, respond, count.
import type { Release } from "../catalog/store.ts";
import { admit, RequestInProgress } from "./admit.ts";
import { obtainAnswer, toCacheKey } from "./answers/obtain-answer.ts";
import { respond, respondError, respondPrepared, toHttpError } from "./answers/respond.ts";
import { Making } from "./operations/making.ts";
import { findPinned, type Address, type Caller, type ContentRequest } from "./operations/operation.ts";
import type { RequestContext } from "./request-context.ts";
import { CONTENT_REQUEST_HEADERS, respondOptions } from "./request/cors.ts";
import { HttpError, unavailable } from "./request/errors.ts";

/** Answers a request. Never throws, and never rejects. */
export function handleRequest(request: Request, context: RequestContext): Response | Promise<Response> {
  const progress = new RequestInProgress(request);
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

function answer(progress: RequestInProgress, context: RequestContext): Response | Promise<Response> {
  const { request } = progress;
  const admitted = admit(progress, context.state, context.now());
  if (admitted.kind === "preflight") {
    const { route } = admitted;
    const requestHeaders = route.kind === "page" ? route.requestHeaders : CONTENT_REQUEST_HEADERS;
    return respondOptions(request, context.cors, requestHeaders);
  }
  if (admitted.kind === "page") return admitted.route.respond({ ...admitted, request }, context);
  const { caller, address } = admitted;
  if (address.parameters.release === undefined && address.parameters.since === undefined) {
    const response = answerFromCache(request, toContentRequest(caller, address, caller.channel.current), context);
    if (response !== undefined) return response;
  }
  return answerInEpoch(request, caller, address, context);
}

/** Undefined where the cache has no answer, or has it in another coding than the client's. */
function answerFromCache(request: Request, asked: ContentRequest, context: RequestContext): Response | undefined {
  const key = toCacheKey(asked, context.state.epoch);
  const cached = key === undefined ? undefined : context.cache.find(key, asked, context.sharedHeaders);
  return cached && respond(request, asked.caller, cached, context);
}

/** Makes an answer once more when the store was replaced meanwhile, since it may mix two. Rejects with 503. */
async function answerInEpoch(
  request: Request,
  caller: Caller,
  address: Address,
  context: RequestContext,
): Promise<Response> {
  for (let attempt = 0; attempt < 2; attempt++) {
    const { epoch } = context.state;
    try {
      const response = await answerFromStore(request, caller, address, context);
      if (context.state.epoch === epoch) return response;
    } catch (error) {
      if (context.state.epoch === epoch) throw error;
    }
  }
  throw unavailable();
}

async function answerFromStore(
  request: Request,
  { held }: Caller,
  address: Address,
  context: RequestContext,
): Promise<Response> {
  const { project, channel: name } = held.key;
  // In another epoch the channel is another object.
  const channel = context.state.channelOf(project, name);
  const { release: number, since: sinceNumber } = address.parameters;
  const release = number === undefined ? channel.current : await findPinned(channel, number, context.catalog);
  const since = sinceNumber === undefined ? undefined : await findPinned(channel, sinceNumber, context.catalog);
  const asked = toContentRequest({ held, channel }, address, release, since);
  const making = new Making(context.limits, project, request);
  try {
    const made = await obtainAnswer(asked, making, context);
    const { caller } = asked;
    return respond(request, caller, made, context) ?? (await respondPrepared(request, caller, made, making, context));
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) error.release = release;
    throw error;
  } finally {
    making.end();
  }
}

function toContentRequest(
  caller: Caller,
  { route, target, segments, parameters, cacheKey }: Address,
  release: Release | undefined,
  since?: Release,
): ContentRequest {
  const readsDrafts = caller.held.key.drafts;
  return { caller, route, target, segments, parameters, cacheKey, release, since, readsDrafts };
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
