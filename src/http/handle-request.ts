// Handles an API request: admits it, finds its release, obtains the answer from the cache or makes it, and responds.
import type { Release } from "../catalog/store.ts";
import type { ServedState } from "../following/served-state.ts";
import { obtainAnswer } from "./answers/obtain-answer.ts";
import { respond, respondError, respondPrepared, toHttpError } from "./answers/respond.ts";
import { AnswerWork } from "./operations/answer-work.ts";
import { findPinned, formatCacheKey, type Address, type Caller, type ContentRequest } from "./operations/operation.ts";
import type { RequestContext } from "./request-context.ts";
import { CONTENT_REQUEST_HEADERS, respondOptions } from "./request/cors.ts";
import {
  headersTooLong,
  HttpError,
  invalidKey,
  methodNotAllowed,
  missingKey,
  unavailable,
  unknownPath,
  urlTooLong,
} from "./request/errors.ts";
import { parseParameters } from "./request/parameters.ts";
import { rateExceeded, toLimitedClient, type RateLimit } from "./request/rate-limit.ts";
import { decodeSegment, partTarget } from "./request/request-url.ts";
import { RequestInProgress } from "./request-in-progress.ts";
import { findRoute } from "./routes.ts";

const MAX_URL_BYTES = 8192;
const MAX_HEADER_BYTES = 16_384;
/** The bytes of a header field's colon, space and line break. */
const FIELD_BYTES = 4;

/** An address before its segments are decoded and its parameters are parsed. */
type WrittenAddress = Omit<Address, "parameters">;

/** Caches parsed addresses: sites repeat requests, and parsing a URL takes as long as sending a cached answer. */
const addresses = new Map<string, Address>();
const MAX_ADDRESSES = 2000;
const MAX_ADDRESS_CHARACTERS = 300;

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

/**
 * Checks length, path, method, key and parameters, in this order, before reading content, so that a wrong key reveals
 * nothing about content. Throws HttpError.
 */
function answer(progress: RequestInProgress, context: RequestContext): Response | Promise<Response> {
  const { request, target } = progress;
  const caller = (progress.caller = findCaller(request, context.state, context.now()));
  refuseExcess(progress);
  const known = addresses.get(target);
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
  const written = { route, target: parts, segments };
  if (target.length > MAX_ADDRESS_CHARACTERS) return answerLongAddress(progress, caller, written, context);
  return answerAddress(progress, caller, parse(target, written), context);
}

/** Waits for a turn, because parsing a long query takes up to a millisecond. Rejects with the errors of `answer`. */
async function answerLongAddress(
  progress: RequestInProgress,
  caller: Caller,
  written: WrittenAddress,
  context: RequestContext,
): Promise<Response> {
  const { request, target } = progress;
  const work = new AnswerWork(context.limits, caller.held.key.project, request);
  await work.pause();
  return answerAddress(progress, caller, parse(target, written), context);
}

function answerAddress(
  progress: RequestInProgress,
  caller: Caller,
  address: Address,
  context: RequestContext,
): Response | Promise<Response> {
  if (address.parameters.release === undefined && address.parameters.since === undefined) {
    const response = answerFromCache(progress, toContentRequest(caller, address, caller.channel.current), context);
    if (response !== undefined) return response;
  }
  return answerInEpoch(progress, caller, address, context);
}

/** Finds the caller by the request's key, without side effects. Ignores the URL: a key there would end up in logs. */
export function findCaller(request: Request, state: ServedState, nowMs: number): Caller | undefined {
  const secret = request.headers.get("x-api-key");
  const held = secret === null ? undefined : state.keyring.find(secret, nowMs);
  return held && { held, channel: state.channelOf(held.key.project, held.key.channel) };
}

/** Counts a request against a limit. Throws 429 above the limit. */
function takeRate(progress: RequestInProgress, limit: RateLimit, client: string): void {
  progress.rate = limit.take(client);
  if (progress.rate.quota.isExceeded) throw rateExceeded(progress.rate);
}

function takeDownload(progress: RequestInProgress, { rates, findClient }: RequestContext): void {
  if (rates.asset === undefined || findClient === undefined) return;
  takeRate(progress, rates.asset, toLimitedClient(findClient(progress.request)));
}

/** Returns 401, or 429 if the client has sent too many wrong keys. Call this only if no valid key was sent. */
function refuseKey(progress: RequestInProgress, { state, rates, findClient }: RequestContext): HttpError {
  const secret = progress.request.headers.get("x-api-key") ?? "";
  progress.keyFault = secret === "" ? "missing" : state.keyring.findFault(secret);
  if (secret === "") return missingKey();
  if (rates["wrong-key"] === undefined || findClient === undefined) return invalidKey();
  const use = rates["wrong-key"].take(toLimitedClient(findClient(progress.request)));
  if (!use.quota.isExceeded) return invalidKey();
  progress.rate = use;
  return rateExceeded(use);
}

function refuseExcess(progress: RequestInProgress): void {
  let bytes = 0;
  const fields = progress.request.headers.toJSON();
  progress.takeId(fields["x-request-id"]);
  if (progress.target.length > MAX_URL_BYTES) throw urlTooLong(MAX_URL_BYTES);
  for (const name in fields) bytes += name.length + (fields[name]?.length ?? 0) + FIELD_BYTES;
  if (bytes > MAX_HEADER_BYTES) throw headersTooLong(MAX_HEADER_BYTES);
}

function parse(text: string, { route, target, segments: encoded }: WrittenAddress): Address {
  const segments = encoded.map(decodeSegment);
  const parameters = parseParameters(target.query, route);
  const address = { route, target, segments, parameters };
  if (text.length > MAX_ADDRESS_CHARACTERS) return address;
  if (addresses.size >= MAX_ADDRESSES) addresses.clear();
  addresses.set(text, address);
  return address;
}

/** Returns undefined if the answer is not cached, is not yet in the client's coding, or is large and must wait. */
function answerFromCache(
  progress: RequestInProgress,
  asked: ContentRequest,
  context: RequestContext,
): Response | undefined {
  const key = formatCacheKey(asked, context.state.epoch);
  const cached = key === undefined ? undefined : context.cache.find(key, asked, context.sharedHeaders);
  if (cached === undefined) return undefined;
  if (cached.body.isLarge && context.limits.hasHadTurn(asked.caller.held.key.project)) return undefined;
  progress.answer = cached;
  progress.cacheOutcome = "hit";
  return respond(progress.request, asked.caller, cached, context);
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
  const catalog = context.store.catalogOf(project);
  // Look up the channel again: a new epoch replaces the channel objects.
  const caller = { held, channel: context.state.channelOf(project, name) };
  const { release: number, since: sinceNumber } = address.parameters;
  const release = number === undefined ? caller.channel.current : await findPinned(caller.channel, number, catalog);
  const since = sinceNumber === undefined ? undefined : await findPinned(caller.channel, sinceNumber, catalog);
  const work = new AnswerWork(context.limits, project, request);
  try {
    const made = await obtainAnswer(toContentRequest(caller, address, release, since), work, context);
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

function toContentRequest(
  caller: Caller,
  address: Address,
  release: Release | undefined,
  since?: Release,
): ContentRequest {
  return { ...address, caller, release, since, readsDrafts: caller.held.key.drafts };
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
