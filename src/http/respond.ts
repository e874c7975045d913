// Turns an answer into a response for one client: 200 or 304, in a coding that the client accepts. Also renders errors.
import { ContentMissing } from "../catalog/catalog-reader.ts";
import type { ErrorBody } from "../catalog/documents.ts";
import { StoreAway } from "../following/guarded-catalog.ts";
import type { AnswerWork } from "./operations/answer-work.ts";
import type { Caller } from "./operations/operation.ts";
import { createCorsHeaders, type CorsPolicy } from "./request/cors.ts";
import { HttpError, internalError, unavailable } from "./request/errors.ts";
import { parseAcceptEncoding, type Acceptance, type Encoding } from "./request/negotiation.ts";
import { findTarget, partTarget } from "./request/request-url.ts";
import type { Answer, AnswerBody } from "./answers/answer.ts";
import type { RequestContext } from "./request-context.ts";

/** Returns 200, or 304 if the client has this content. Returns undefined if the body must be prepared first. */
export function respond(
  request: Request,
  caller: Caller,
  answer: Answer,
  { cors, cache }: RequestContext,
): Response | undefined {
  const acceptance = parseAcceptEncoding(request.headers.get("accept-encoding"));
  const encoding = answer.body.encodingFor(acceptance);
  const ifNoneMatch = request.headers.get("if-none-match");
  const held = ifNoneMatch === null ? undefined : findHeld(ifNoneMatch, answer.body, encoding, acceptance);
  if (held !== undefined) {
    return new Response(null, { status: 304, headers: adapt(request, answer.notModifiedHeaders(held), cors) });
  }
  const body = answer.body.obtain(encoding);
  if (body === undefined) return undefined;
  if (answer.body.isLarge) cache.large.addReader(caller.held.key.project, answer.body, request);
  return new Response(body, { headers: adapt(request, answer.headersFor(encoding), cors) });
}

export async function respondPrepared(
  request: Request,
  caller: Caller,
  answer: Answer,
  work: AnswerWork,
  context: RequestContext,
): Promise<Response> {
  const acceptance = parseAcceptEncoding(request.headers.get("accept-encoding"));
  await answer.body.prepare(answer.body.encodingFor(acceptance), work);
  const response = respond(request, caller, answer, context);
  if (response === undefined) throw new Error("a prepared body is missing");
  return response;
}

/** Maps any thrown value to an HTTP error. Logs the details that the message hides from clients. */
export function toHttpError(
  error: unknown,
  request: Request,
  requestId: string,
  { logger, isUnavailable }: RequestContext,
): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof StoreAway) return unavailable();
  if (error instanceof ContentMissing || isUnavailable(error)) {
    logger.error({ err: error }, "the store is unavailable");
    return unavailable();
  }
  const { path } = partTarget(findTarget(request.url));
  logger.error({ err: error, requestId, method: request.method, path }, "request failed");
  return internalError(requestId);
}

export function respondError(request: Request, error: HttpError, cors: CorsPolicy): Response {
  const headers = new Headers({
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    ...createCorsHeaders(request, cors),
    ...error.headers,
  });
  if (error.release !== undefined) headers.set("catalog-release", String(error.release.number));
  const body: ErrorBody = { data: {}, success: false, message: error.message, code: error.status };
  const text = JSON.stringify(body);
  headers.set("content-length", String(Buffer.byteLength(text)));
  return new Response(text, { status: error.status, headers: adapt(request, headers, cors) });
}

/** Adds the header fields that depend on the request. Most requests need none and share `ready`. */
function adapt(request: Request, ready: Headers, cors: CorsPolicy): Headers {
  const isHead = request.method === "HEAD";
  if (!isHead && !cors.variesByOrigin) return ready;
  const headers = new Headers(ready);
  // Bun omits `Date` in answers to HEAD, which should have the fields of answers to GET (RFC 9110 §9.3.2).
  if (isHead) headers.set("date", new Date().toUTCString());
  for (const [name, value] of Object.entries(cors.headersFor(request))) headers.set(name, value);
  return headers;
}

/** Finds the tag of the client's copy of this content, in any coding that the client accepts. */
function findHeld(
  ifNoneMatch: string,
  body: AnswerBody,
  encoding: Encoding,
  { accepts }: Acceptance,
): string | undefined {
  const etag = body.tag(encoding);
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return etag;
  if (ifNoneMatch.includes(etag)) return etag;
  // A search, because the list can name thousands of tags. Coders of any version have made these tags.
  const gzip = new RegExp(`"${body.digest}-gzip(?:-\\d{1,3})?"`).exec(ifNoneMatch)?.[0];
  if (gzip !== undefined && accepts.gzip) return gzip;
  return accepts.identity && ifNoneMatch.includes(body.tag("identity")) ? body.tag("identity") : undefined;
}
