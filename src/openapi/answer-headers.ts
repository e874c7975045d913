// Describes the header fields of answers. A test compares these fields with those that a server sends.

const text = (description: string, example?: string) => ({ description, schema: { type: "string" }, example });
const integer = (description: string, schema: object = {}, example?: number) => ({
  description,
  schema: { type: "integer", ...schema },
  example,
});

export const ANSWER_HEADERS = {
  ETag: text(
    "A strong entity tag for this content in this encoding. Send it back in `If-None-Match`.",
    '"5d30bccb6eba59543e670304b495ffae"',
  ),
  "Catalog-Release": integer(
    "The number of the release that was read; absent while nothing is published.",
    { minimum: 1 },
    12,
  ),
  "Cache-Control": text(
    "`private, no-cache` for content: cache it and revalidate before use. `no-store` for errors.",
    "private, no-cache",
  ),
  Vary: text("The request header fields that the answer depends on."),
  "Content-Encoding": {
    description: "`gzip` if `Accept-Encoding` allows it.",
    schema: { type: "string", enum: ["gzip"] },
  },
  Link: text(
    "The `next` and `prev` pages, if any (RFC 8288), relative to the request URL.",
    '<?limit=20&offset=20&release=12>; rel="next"',
  ),
  "Content-Location": text(
    "The URL with the current slug, relative to the request URL, if the request used a former slug.",
    "../all-about-tea/lessons",
  ),
  "X-Content-Type-Options": text("`nosniff`"),
  "Access-Control-Allow-Origin": text("The origins whose pages can read the response."),
  "Access-Control-Expose-Headers": text("The header fields that scripts can read."),
  "WWW-Authenticate": text(
    "The authentication scheme: an API key in `x-api-key`.",
    'ApiKey realm="course catalog", header="x-api-key"',
  ),
  Allow: text("The supported methods.", "GET, HEAD, OPTIONS"),
  "Retry-After": integer("Seconds to wait before the next attempt.", { minimum: 0 }, 1),
  RateLimit: text("The remaining quota (draft-ietf-httpapi-ratelimit-headers).", '"key";r=599;t=1'),
  "RateLimit-Policy": text("The quota and its period in seconds.", '"key";q=600;w=60'),
  "X-Request-Id": text("The client's request id. For an error without one, the server generates it."),
  "Accept-Ranges": text("`bytes`: the server supports `Range`."),
  "Content-Range": text("The answer's byte range and the file's size."),
  "Content-Disposition": text("`attachment` for files that browsers should save."),
  "Content-Security-Policy": text("Prevents scripts in the file from running."),
  "Access-Control-Allow-Methods": text("The methods that other origins can use."),
  "Access-Control-Allow-Headers": text("The header fields that other origins can send."),
  "Access-Control-Max-Age": integer("Seconds for which browsers can cache the preflight."),
};

export type HeaderName = keyof typeof ANSWER_HEADERS;

/** The fields of every answer. */
export const COMMON_HEADERS: HeaderName[] = [
  "X-Content-Type-Options",
  "Vary",
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
  "X-Request-Id",
  "RateLimit",
  "RateLimit-Policy",
];

/** The fields that 200 and 304 answers add. */
export const CONTENT_HEADERS: HeaderName[] = ["ETag", "Catalog-Release", "Cache-Control"];

export function referToHeaders(names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
