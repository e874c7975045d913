// The one place that turns answers and errors into responses.
import type { Answer } from "./answer.ts";
import type { ErrorBody } from "../../catalog/documents.ts";
import type { CorsPolicy } from "../request/cors.ts";
import { chooseEncoding, type Encoding } from "../request/encoding.ts";
import type { HttpError } from "../request/errors.ts";

/**
 * Makes the response for an answer: 200, or 304 when the client has the same bytes. The coding is `prepared`, which
 * `answer.body.prepare` has returned, or else the one that the client prefers. Undefined when the body does not exist in
 * that coding: call `prepare` first.
 */
export function respond(request: Request, answer: Answer, cors: CorsPolicy, prepared?: Encoding): Response | undefined {
  const encoding = prepared ?? answer.body.encodingFor(chooseEncoding(request.headers.get("accept-encoding")));
  const { etag, headers, notModifiedHeaders } = answer.variant(encoding);
  const ifNoneMatch = request.headers.get("if-none-match");
  if (ifNoneMatch !== null && matchesEtag(ifNoneMatch, etag)) {
    return new Response(null, { status: 304, headers: adapt(request, notModifiedHeaders, cors) });
  }
  const body = answer.body.find(encoding);
  return body === undefined ? undefined : new Response(body, { headers: adapt(request, headers, cors) });
}

/** Makes the response for an error, in the envelope. */
export function respondError(request: Request, error: HttpError, cors: CorsPolicy): Response {
  const headers = new Headers({
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    ...cors.sharedHeaders,
    ...error.headers,
  });
  if (cors.variesByOrigin) headers.set("vary", "Origin");
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

/** Weak comparison (RFC 9110 §13.1.2): lists and `*`, a `W/` before either tag makes no difference. */
function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return true;
  // Tags may hold commas, so the list cannot be split at them.
  const tags: string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return tags.includes(etag);
}
