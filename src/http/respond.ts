// The one place that turns results and errors into responses.
import type { Release } from "../catalog/store.ts";
import type { CorsPolicy } from "./cors.ts";
import type { HttpError } from "./errors.ts";
import type { OperationResult } from "./operations.ts";

const CONTENT_TYPE = "application/json; charset=utf-8";

/** Answers with a result: 200, or 304 when the client holds the same bytes. */
export function respond(
  request: Request,
  result: OperationResult & { contentLocation?: string | undefined },
  release: Release | undefined,
  cors: CorsPolicy,
): Response {
  const etag = `"${result.digest}"`;
  const headers = createHeaders(request, cors);
  // RFC 9111 protects answers to `Authorization` from shared caches, not those to `x-api-key`: hence private.
  headers["cache-control"] = "private, no-cache";
  headers.etag = etag;
  headers.vary = cors.variesByOrigin ? "x-api-key, Accept-Encoding, Origin" : "x-api-key, Accept-Encoding";
  if (release !== undefined) headers["catalog-release"] = String(release.number);
  if (result.link !== undefined) headers.link = result.link;
  if (result.contentLocation !== undefined) headers["content-location"] = result.contentLocation;
  const ifNoneMatch = request.headers.get("if-none-match");
  if (ifNoneMatch !== null && matchesEtag(ifNoneMatch, etag)) return new Response(null, { status: 304, headers });
  const body = `{"data":${result.data},"success":true,"message":"","code":200}`;
  return new Response(body, { headers });
}

/** Answers with an error, in the envelope. */
export function respondError(request: Request, error: HttpError, cors: CorsPolicy): Response {
  const headers = { ...createHeaders(request, cors), ...error.headers };
  headers["cache-control"] = "no-store";
  if (cors.variesByOrigin) headers.vary = "Origin";
  if (error.release !== undefined) headers["catalog-release"] = String(error.release.number);
  const body = JSON.stringify({ data: {}, success: false, message: error.message, code: error.status });
  return new Response(body, { status: error.status, headers });
}

function createHeaders(request: Request, cors: CorsPolicy): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": CONTENT_TYPE,
    "x-content-type-options": "nosniff",
    ...cors.headersFor(request),
  };
  // Bun leaves it out of answers to HEAD, which should have the header fields of GET (RFC 9110 §9.3.2).
  if (request.method === "HEAD") headers.date = new Date().toUTCString();
  return headers;
}

/** Weak comparison (RFC 9110 §13.1.2): lists and `*`, a `W/` before either tag makes no difference. */
function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === "*") return true;
  // Tags may hold commas, so the list cannot be split at them.
  const tags: string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return tags.includes(etag);
}
