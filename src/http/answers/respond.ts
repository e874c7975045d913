// From a request that was admitted, with its release, to its answer, made once for all that ask for it meanwhile; and to 200, 304 or
// an error.
import type { Logger } from "pino";
import { ENVELOPE_END, ENVELOPE_START, type Bytes } from "../../catalog/body.ts";
import { ContentMissing, type CatalogReader } from "../../catalog/catalog-reader.ts";
import type { ErrorBody } from "../../catalog/documents.ts";
import { StoreAway } from "../../following/guarded-catalog.ts";
import type { ServedState } from "../../following/served-state.ts";
import type { CatalogTables } from "../operations/catalog-table.ts";
import { MIN_LARGE_BYTES } from "../operations/large-bodies.ts";
import type { Making } from "../operations/making.ts";
import {
  CacheKey,
  requireKept,
  type Caller,
  type ContentRequest,
  type OperationResult,
  type Pieces,
} from "../operations/operation.ts";
import { createCorsHeaders, type CorsPolicy } from "../request/cors.ts";
import { courseNotFound, HttpError, internalError, unavailable } from "../request/errors.ts";
import { listHeldTags, parseAcceptEncoding, type Acceptance, type Encoding } from "../request/negotiation.ts";
import { findTarget, partTarget, replaceCourse } from "../request/request-url.ts";
import { Answer, AnswerBody, type SharedHeaders } from "./answer.ts";
import type { ResponseCache } from "./response-cache.ts";

const MAX_BYTES_AT_ONCE = 1024 * 1024;

const encoder = new TextEncoder();

interface AnswerContext {
  cors: CorsPolicy;
  logger: Logger;
  isUnavailable: (error: unknown) => boolean;
  createRequestId: () => string;
  store: { catalog: CatalogReader };
  tables: CatalogTables;
  cache: ResponseCache;
  state: ServedState;
  sharedHeaders: SharedHeaders;
  pending: Map<string, Promise<Answer | undefined>>;
}

/** The answer for the course by its id or slug, else by a slug that it had before. Throws HttpError. */
export async function obtainAnswer(asked: ContentRequest, making: Making, context: AnswerContext): Promise<Answer> {
  try {
    return await findAnswer(asked, making, context);
  } catch (error) {
    // Any part of a release that is pruned meanwhile may seem missing.
    if (!(error instanceof HttpError) || error.status === 404) await requireReleases(asked, context.store.catalog);
    throw error;
  }
}

async function findAnswer(asked: ContentRequest, making: Making, context: AnswerContext): Promise<Answer> {
  const { release, readsDrafts, target, segments, caller } = asked;
  const answer = await obtainByName(asked, making, context);
  if (answer !== undefined) return answer;
  const [slug = "", ...rest] = segments;
  const course =
    release && (await context.store.catalog.findFormerSlug(release, caller.channel.name, slug, readsDrafts));
  if (course === undefined) throw courseNotFound();
  const byId = [course.courseId, ...rest];
  const cacheKey = new CacheKey(asked.route, byId, asked.parameters);
  const moved = await obtainByName({ ...asked, segments: byId, cacheKey }, making, context);
  if (moved === undefined) throw courseNotFound();
  return moved.movedTo(replaceCourse(target.path, target.query, course.slug));
}

/** Throws 404, 410 for a release that the request names, and ContentMissing for another one that was pruned. */
async function requireReleases(
  { caller: { channel }, parameters, release }: ContentRequest,
  catalog: CatalogReader,
): Promise<void> {
  for (const number of [parameters.release, parameters.since]) {
    if (number !== undefined) await requireKept(channel, number, catalog);
  }
  if (parameters.release !== undefined || release === undefined) return;
  const found = await catalog.findPublishedRelease(channel.project, channel.name, release.number);
  if (found === "pruned") throw new ContentMissing(release.id);
}

async function obtainByName(
  asked: ContentRequest,
  making: Making,
  context: AnswerContext,
): Promise<Answer | undefined> {
  const { epoch } = context.state;
  const key = asked.cacheKey.of(asked.release, asked.readsDrafts, epoch);
  if (key === undefined) return make(asked, making, context);
  const cached = context.cache.find(key, asked, context.sharedHeaders);
  if (cached !== undefined) return cached;
  return making.share(context.pending, key, async () => {
    const answer = await make(asked, making, context);
    if (answer !== undefined && context.state.epoch === epoch) context.cache.keep(key, making.project, answer);
    return answer;
  });
}

async function make(asked: ContentRequest, making: Making, context: AnswerContext): Promise<Answer | undefined> {
  const { catalog } = context.store;
  const { route, release } = asked;
  const result = await route.operation({ ...asked, catalog, tables: context.tables, making });
  if (result === undefined) return undefined;
  const made = await renderBody(result, making);
  const body = made.isLarge ? context.cache.large.share(making.project, made) : made;
  // Neither what differs between two releases nor which of some ids exist tells whether rows are missing.
  if (asked.since !== undefined || asked.parameters.filter.ids !== undefined) await requireReleases(asked, catalog);
  const link = "link" in result ? result.link : undefined;
  return new Answer(context.sharedHeaders.of(release), body, link === undefined ? {} : { link });
}

/** The whole body of a success. Throws as the operation and `making` do. */
async function renderBody(result: OperationResult, making: Making): Promise<AnswerBody> {
  if (!("body" in result)) return renderPieces(result.data, making);
  const { bytes } = result.body;
  const body = AnswerBody.ofStored(result.body);
  if (body.isLarge) await making.hold(bytes.byteLength);
  return body;
}

async function renderPieces(pieces: Pieces, making: Making): Promise<AnswerBody> {
  const hasher = new Bun.CryptoHasher("sha256");
  const parts: Bytes[] = [encoder.encode(ENVELOPE_START)];
  let bytes = 0;
  for await (const piece of pieces) {
    const part = typeof piece === "string" ? encoder.encode(piece) : piece;
    parts.push(part);
    bytes += part.byteLength;
    // The parts, and the body that is made of them.
    if (bytes >= MIN_LARGE_BYTES) await making.hold(2 * bytes);
    for (let from = 0; from < part.byteLength; from += MAX_BYTES_AT_ONCE) {
      hasher.update(part.subarray(from, from + MAX_BYTES_AT_ONCE));
      await making.pause();
    }
  }
  parts.push(encoder.encode(ENVELOPE_END));
  return AnswerBody.ofParts(hasher.digest("hex").slice(0, 32), parts);
}

/** The ETag of a body in any coding, made by any version of its coder: `"DIGEST-gzip-2"`. */
const TAG = /^"([0-9a-f]{32})(?:-(gzip)(?:-\d{1,3})?)?"$/;

/** 200, or 304 when the client has this content. Undefined where the body must be prepared first. */
export function respond(
  request: Request,
  caller: Caller,
  answer: Answer,
  { cors, cache }: AnswerContext,
): Response | undefined {
  const acceptance = parseAcceptEncoding(request.headers.get("accept-encoding"));
  const encoding = answer.body.encodingFor(acceptance);
  const { etag, headers } = answer.variant(encoding);
  const ifNoneMatch = request.headers.get("if-none-match");
  const held = ifNoneMatch === null ? undefined : findHeld(ifNoneMatch, etag, answer.body.digest, acceptance);
  if (held !== undefined) {
    const notModified = answer.notModifiedHeaders(held, encoding);
    return new Response(null, { status: 304, headers: adapt(request, notModified, cors) });
  }
  const body = answer.body.find(encoding);
  if (body === undefined) return undefined;
  if (answer.body.isLarge) cache.large.addReader(caller.held.key.project, answer.body, request);
  return new Response(body, { headers: adapt(request, headers, cors) });
}

export async function respondPrepared(
  request: Request,
  caller: Caller,
  answer: Answer,
  making: Making,
  context: AnswerContext,
): Promise<Response> {
  const acceptance = parseAcceptEncoding(request.headers.get("accept-encoding"));
  await answer.body.prepare(answer.body.encodingFor(acceptance), making);
  const response = respond(request, caller, answer, context);
  if (response === undefined) throw new Error("a body was prepared and is not there");
  return response;
}

/** The answer to whatever was thrown. What its message hides from clients is logged once. */
export function toHttpError(
  error: unknown,
  request: Request,
  { logger, isUnavailable, createRequestId }: AnswerContext,
): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof StoreAway) return unavailable();
  if (error instanceof ContentMissing || isUnavailable(error)) {
    logger.error({ err: error }, "the store is unavailable");
    return unavailable();
  }
  const requestId = createRequestId();
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
  return new Response(JSON.stringify(body), { status: error.status, headers: adapt(request, headers, cors) });
}

/** Adds the header fields that depend on the request. Most requests need none and share `ready`. */
function adapt(request: Request, ready: Headers, cors: CorsPolicy): Headers {
  const isHead = request.method === "HEAD";
  if (!isHead && !cors.variesByOrigin) return ready;
  const headers = new Headers(ready);
  // Bun leaves `Date` out of answers to HEAD, which should have the header fields of GET (RFC 9110 §9.3.2).
  if (isHead) headers.set("date", new Date().toUTCString());
  for (const [name, value] of Object.entries(cors.headersFor(request))) headers.set(name, value);
  return headers;
}

/** The tag under which the client has this content, in any coding that it accepts. */
function findHeld(ifNoneMatch: string, etag: string, digest: string, { accepts }: Acceptance): string | undefined {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return etag;
  const tags = listHeldTags(ifNoneMatch);
  if (tags.includes(etag)) return etag;
  return tags.find((tag) => {
    const [, tagDigest, encoding = "identity"] = TAG.exec(tag) ?? [];
    return tagDigest === digest && accepts[encoding as Encoding];
  });
}
