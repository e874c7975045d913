// Handles a request: who asks, whether it may be answered, content. Most requests end in the first function, with a cached answer.
import type { ServedState } from "../following/served-state.ts";
import { StoreAway } from "../following/guarded-catalog.ts";
import type { Answer } from "./answers/answer.ts";
import type { EncodedBody } from "./answers/encoded-body.ts";
import { respond, respondError } from "./answers/respond.ts";
import { findAnswer, findPinned } from "./find-answer.ts";
import { ReleaseIncomplete } from "./operations/incomplete-release.ts";
import { LargeWork, type Client } from "./operations/large-work.ts";
import type { OperationRoute } from "./operations/operation.ts";
import type { RequestContext } from "./request-context.ts";
import { admit, findExcess, findVisitor, isReading, type Admitted, type Visitor } from "./request/admit.ts";
import { CONTENT_REQUEST_HEADERS, respondOptions } from "./request/cors.ts";
import { parseAcceptEncoding, type Acceptance, type Coding, type Encoding } from "./request/encoding.ts";
import { HttpError, internalError, unavailable } from "./request/errors.ts";
import { findTarget, partTarget } from "./request/request-url.ts";
import type { Route } from "./request/route.ts";
import { routes } from "./routes.ts";

/** For work that goes on without a client. */
const NOBODY: Client = { signal: new AbortController().signal };

/** A request that is being answered. */
interface Passage {
  request: Request;
  /** Path and query, undecoded. */
  target: string;
  visitor: Visitor | undefined;
  /** Undefined until it is found, and for an unknown path. */
  route: Route | undefined;
  startedAtMs: number;
}

/** Answers a request. Never throws: a fault at any point becomes an error answer, counted and logged as others are. */
export function handleRequest(request: Request, context: RequestContext): Response | Promise<Response> {
  const startedAtMs = performance.now();
  const target = findTarget(request.url);
  const passage: Passage = { request, target, visitor: undefined, route: undefined, startedAtMs };
  let response: Response | undefined;
  try {
    passage.visitor = findVisitor(request, context.state, context.now());
    response = answerFromCache(passage, context);
  } catch (error) {
    response = respondFault(request, error, context);
  }
  if (response === undefined) return answerInFull(passage, context);
  finish(passage, response, context);
  return response;
}

/** Undefined when the answer, or its body in this client's coding, is still to be made. */
function answerFromCache(passage: Passage, context: RequestContext): Response | undefined {
  const { request, target, visitor } = passage;
  if (visitor === undefined || !isReading(request.method) || findExcess(request, target) !== undefined)
    return undefined;
  const { held, channel } = visitor;
  // The cache holds only answers to requests that were admitted before, with the same path and query and for a key with the
  // same rights.
  const ready = channel.current && context.cache.find(channel.current, held.key.drafts, target);
  if (ready === undefined) return undefined;
  passage.route = ready.frame.route;
  const acceptance = parseAcceptEncoding(request.headers.get("accept-encoding"));
  return respondWith(request, held.key.project, ready, acceptance, context);
}

async function answerInFull(passage: Passage, context: RequestContext): Promise<Response> {
  const { request, target, visitor } = passage;
  let response: Response;
  try {
    const judgement = admit(request, target, visitor, routes);
    passage.route = judgement.route;
    response = await answerJudged(request, judgement, context);
  } catch (error) {
    response = respondFault(request, error, context);
  }
  finish(passage, response, context);
  return response;
}

function respondFault(request: Request, error: unknown, context: RequestContext): Response {
  return respondError(request, toHttpError(error, request, context), context.cors);
}

/** Throws, or rejects with, what is not answered with content. */
function answerJudged(
  request: Request,
  { route, verdict }: ReturnType<typeof admit<(typeof routes.routes)[number]>>,
  context: RequestContext,
): Response | Promise<Response> {
  if (verdict instanceof HttpError) throw verdict;
  if (verdict === "preflight") {
    const requestHeaders = route?.kind === "page" ? route.requestHeaders : CONTENT_REQUEST_HEADERS;
    return respondOptions(request, context.cors, requestHeaders);
  }
  if ("visitor" in verdict) return withinEpoch(context.state, () => answerAdmitted(request, verdict, context));
  return verdict.route.respond(verdict, context);
}

async function answerAdmitted(
  request: Request,
  admitted: Admitted<OperationRoute>,
  context: RequestContext,
): Promise<Response> {
  const { visitor, parameters } = admitted;
  const { held, channel } = visitor;
  const { key } = held;
  const release =
    parameters.release === undefined ? channel.current : await findPinned(channel, parameters.release, context.catalog);
  const since =
    parameters.since === undefined ? undefined : await findPinned(channel, parameters.since, context.catalog);
  const work = new LargeWork(context.cache.large.budget, key.project, request);
  try {
    const answer = await findAnswer({ ...admitted, readsDrafts: key.drafts, release, since }, work, context);
    const acceptance = parseAcceptEncoding(request.headers.get("accept-encoding"));
    const response = respondWith(request, key.project, answer, acceptance, context);
    return response ?? (await respondPrepared(request, key.project, answer, acceptance, work, context));
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) error.release = release;
    throw error;
  } finally {
    work.end();
  }
}

/** Repeats work when the store was replaced meanwhile: its result may mix the content of both stores. */
async function withinEpoch<T>(state: ServedState, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const { epoch } = state;
    try {
      const result = await work();
      if (state.epoch === epoch) return result;
    } catch (error) {
      if (state.epoch === epoch) throw error;
    }
  }
}

/** Makes the body in the client's coding before it responds. */
async function respondPrepared(
  request: Request,
  project: string,
  answer: Answer,
  acceptance: Acceptance,
  work: LargeWork,
  context: RequestContext,
): Promise<Response> {
  const { body } = answer;
  const isMade = await body.prepare(body.encodingFor(acceptance), work);
  context.cache.recount(body);
  const atOnce = acceptance.acceptable.includes("gzip") ? "gzip" : "identity";
  const response = respondWith(request, project, answer, acceptance, context, isMade ? undefined : atOnce);
  if (response === undefined) throw new Error("a body was prepared and is not there");
  return response;
}

/**
 * Responds with an answer whose body exists in the coding, or can be made in it at once; undefined when it does not. A large
 * body is counted until the client has read it.
 */
function respondWith(
  request: Request,
  project: string,
  answer: Answer,
  acceptance: Acceptance,
  context: RequestContext,
  encoding: Encoding = answer.body.encodingFor(acceptance),
): Response | undefined {
  const { body } = answer;
  const bytesBefore = body.bytes;
  const response = respond(request, answer, encoding, acceptance, context.cors);
  if (body.bytes !== bytesBefore) context.cache.recount(body);
  if (response?.status !== 200) return response;
  if (body.isLarge) context.cache.large.addReader(project, body, request);
  const wanted = body.noteUse(encoding, acceptance);
  if (wanted !== undefined) void prepareInBackground(body, wanted, project, context);
  return response;
}

/** Makes a coding in the background. When there is no room for it now, a later answer tries again. Never throws. */
async function prepareInBackground(
  body: EncodedBody,
  coding: Coding,
  project: string,
  { cache, logger }: RequestContext,
): Promise<void> {
  const work = new LargeWork(cache.large.budget, project, NOBODY);
  try {
    await body.prepare(coding, work);
    cache.recount(body);
  } catch (error) {
    if (!(error instanceof HttpError)) logger.error({ err: error, coding }, "compressing failed");
  } finally {
    work.end();
  }
}

/** Counts and logs a request. Every request ends here. */
function finish(
  { request, target, visitor, route, startedAtMs }: Passage,
  response: Response,
  { state, metrics, accessLog, now }: RequestContext,
): void {
  const durationMs = performance.now() - startedAtMs;
  const nowMs = now();
  const { status } = response;
  if (visitor !== undefined) state.keyring.noteUse(visitor.held, nowMs);
  metrics.count(route?.name, status, durationMs);
  accessLog?.write({ method: request.method, target, status, durationMs, nowMs });
}

function toHttpError(
  error: unknown,
  request: Request,
  { logger, isUnavailable, createRequestId }: RequestContext,
): HttpError {
  if (error instanceof HttpError) return error;
  // The follower has logged it when the store went away.
  if (error instanceof StoreAway) return unavailable();
  if (error instanceof ReleaseIncomplete || isUnavailable(error)) {
    logger.error({ err: error }, "the store is unavailable");
    return unavailable();
  }
  const requestId = createRequestId();
  const { path } = partTarget(findTarget(request.url));
  logger.error({ err: error, requestId, method: request.method, path }, "request failed");
  return internalError(requestId);
}
