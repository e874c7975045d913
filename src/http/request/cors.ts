// Handles browsers' cross-origin requests (the Fetch standard's CORS protocol).
import { ALLOWED_METHODS } from "./errors.ts";

const EXPOSED_HEADERS = "etag, link, retry-after, ratelimit, ratelimit-policy, catalog-release, x-request-id";

export interface CorsPolicy {
  variesByOrigin: boolean;
  sharedHeaders: Record<string, string>;
  headersFor(request: Request): Record<string, string>;
}

/** Returns the CORS header fields for a request, with `Vary` if they depend on its `Origin`. */
export function createCorsHeaders(request: Request, cors: CorsPolicy): Record<string, string> {
  const headers = { ...cors.sharedHeaders, ...cors.headersFor(request) };
  return cors.variesByOrigin ? { ...headers, vary: "Origin" } : headers;
}

/** Allows any origin, or those in a list such as `["https://www.example.org"]`. */
export function createCorsPolicy(origins: "*" | string[]): CorsPolicy {
  const exposed = { "access-control-expose-headers": EXPOSED_HEADERS };
  if (origins === "*") {
    const sharedHeaders = { "access-control-allow-origin": "*", ...exposed };
    return { variesByOrigin: false, sharedHeaders, headersFor: () => ({}) };
  }
  const allowed = new Set(origins);
  return {
    variesByOrigin: true,
    sharedHeaders: {},
    headersFor(request) {
      const origin = request.headers.get("origin");
      if (origin === null || !allowed.has(origin)) return {};
      return { "access-control-allow-origin": origin, ...exposed };
    },
  };
}

export const CONTENT_REQUEST_HEADERS = "x-api-key, if-none-match";

/** Answers OPTIONS without a key, because browsers send none in a preflight. */
export function respondOptions(request: Request, cors: CorsPolicy, requestHeaders?: string): Response {
  const headers: Record<string, string> = { allow: ALLOWED_METHODS, "x-content-type-options": "nosniff" };
  if (requestHeaders === undefined) return new Response(null, { status: 204, headers });
  Object.assign(headers, createCorsHeaders(request, cors));
  if (headers["access-control-allow-origin"] !== undefined) {
    headers["access-control-allow-methods"] = ALLOWED_METHODS;
    headers["access-control-allow-headers"] = requestHeaders;
    headers["access-control-max-age"] = "86400";
  }
  return new Response(null, { status: 204, headers });
}
