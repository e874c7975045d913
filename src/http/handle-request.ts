// The way of a request: it is admitted, its release is found, its answer comes from the cache or is made, and is sent.
import type { Release } from "../catalog/store.ts";
import {
  findAddress,
  findCaller,
  MAX_ADDRESS_CHARACTERS,
  parseAddress,
  refuseExcess,
  refuseKey,
  takeDownload,
  takeRate,
} from "./admit-request.ts";
import { obtainAnswer } from "./obtain-answer.ts";
import { AnswerWork } from "./operations/answer-work.ts";
import { findPinned, formatCacheKey, type Address, type Caller } from "./operations/operation.ts";
import type { RequestContext } from "./request-context.ts";
import { RequestInProgress } from "./request-in-progress.ts";
import { CONTENT_REQUEST_HEADERS, respondOptions } from "./request/cors.ts";
import { HttpError, methodNotAllowed, unavailable, unknownPath } from "./request/errors.ts";
import { decodeSegment, partTarget } from "./request/request-url.ts";
import { respond, respondError, respondPrepared, toHttpError } from "./respond.ts";
import { findRoute } from "./routes.ts";

/** Answers a request. Never throws and never rejects. */
export function handleRequest(request: Request, context: RequestContext): Response | Promise<Response> {
  const progress = new RequestInProgress(request, context);
  try {
    const response = answer(progress, context);
    if (!(response instanceof Promise)) return progress.finish(response, context);
    return response.then(
      (made) => progress.finish(made, context),
      (error: unknown) => fail(progress, error, context),
    );
  } catch (error) {
    return fail(progress, error, context);
  }
}

/** Checks the key before parameters and content, so that a wrong key reveals nothing about them. Throws HttpError. */
function answer(progress: RequestInProgress, context: RequestContext): Response | Promise<Response> {
  const { request, target } = progress;
  const caller = (progress.caller = findCaller(request, context.state, context.now()));
  refuseExcess(progress);
  const known = findAddress(target);
  const parts = known?.target ?? partTarget(target);
  const matched = known ?? findRoute(parts.path);
  if (matched === undefined) throw unknownPath();
  const { route, segments } = matched;
  progress.route = route;
  if (request.method === "OPTIONS") {
    const requestHeaders = route.kind === "page" ? route.requestHeaders : CONTENT_REQUEST_HEADERS;
    return respondOptions(request, context.cors, requestHeaders);
  }
  if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
  if (route.kind === "page") {
    if (route.isDownload === true) takeDownload(progress, context);
    return route.respond({ request, target: parts, segments: segments.map(decodeSegment) }, context);
  }
  if (caller === undefined) throw refuseKey(progress, context);
  if (context.rates.key !== undefined) takeRate(progress, context.rates.key, caller.held.key.id);
  if (known !== undefined) return answerAddress(progress, caller, known, context);
  const parse = (): Address => parseAddress(target, { route, target: parts, segments });
  if (target.length <= MAX_ADDRESS_CHARACTERS) return answerAddress(progress, caller, parse(), context);
  // Parsing a long query takes up to a millisecond, so it waits for a turn.
  const work = new AnswerWork(context.limits, caller.held.key.project, request);
  return work.pause().then(() => answerAddress(progress, caller, parse(), context));
}

function answerAddress(
  progress: RequestInProgress,
  caller: Caller,
  address: Address,
  context: RequestContext,
): Response | Promise<Response> {
  if (address.parameters.release === undefined && address.parameters.since === undefined) {
    const release = caller.channel.current;
    const asked = { ...address, caller, release, since: undefined, readsDrafts: caller.held.key.drafts };
    const key = formatCacheKey(asked, context.state.epoch);
    const cached = key === undefined ? undefined : context.cache.find(key, asked, context.sharedHeaders);
    if (cached !== undefined && !(cached.body.isLarge && context.limits.hasHadTurn(caller.held.key.project))) {
      progress.answer = cached;
      progress.cacheOutcome = "hit";
      const response = respond(progress.request, caller, cached, context);
      // Undefined if the body is not yet in the client's coding.
      if (response !== undefined) return response;
    }
  }
  return answerInEpoch(progress, caller, address, context);
}

/** Retries once if the store was replaced meanwhile, since the answer could mix two stores. Then rejects with 503. */
async function answerInEpoch(
  progress: RequestInProgress,
  caller: Caller,
  address: Address,
  context: RequestContext,
): Promise<Response> {
  for (let attempt = 0; attempt < 2; attempt++) {
    const { epoch } = context.state;
    try {
      const response = await answerFromStore(progress, caller, address, context);
      if (context.state.epoch === epoch) return response;
    } catch (error) {
      if (context.state.epoch === epoch) throw error;
    }
  }
  throw unavailable();
}

async function answerFromStore(
  progress: RequestInProgress,
  { held }: Caller,
  address: Address,
  context: RequestContext,
): Promise<Response> {
  const { request } = progress;
  const { project, channel: name } = held.key;
  // Look up the channel again: a new epoch replaces the channel objects.
  const caller = { held, channel: context.state.channelOf(project, name) };
  const find = async (number: number): Promise<Release> =>
    findPinned(caller.channel, number, context.store.catalogOf(project));
  const { release: number, since: sinceNumber } = address.parameters;
  const release = number === undefined ? caller.channel.current : await find(number);
  const since = sinceNumber === undefined ? undefined : await find(sinceNumber);
  const work = new AnswerWork(context.limits, project, request);
  try {
    const asked = { ...address, caller, release, since, readsDrafts: held.key.drafts };
    const made = await obtainAnswer(asked, work, context);
    progress.answer = made;
    progress.cacheOutcome ??= work.foundInCache ? "hit" : "miss";
    return respond(request, caller, made, context) ?? (await respondPrepared(request, caller, made, work, context));
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) error.release = release;
    throw error;
  } finally {
    work.end();
  }
}

function fail(progress: RequestInProgress, error: unknown, context: RequestContext): Response {
  const { request } = progress;
  const requestId = progress.obtainId(context);
  const httpError = toHttpError(error, request, requestId, context);
  progress.shedReason = httpError.shedReason;
  const response = respondError(request, httpError, context.cors);
  response.headers.set("x-request-id", requestId);
  return progress.finish(response, context);
}
