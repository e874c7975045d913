// The header fields of answers, as the description of the interface tells of them. A test holds them against a server.

const text = (description: string, example?: string) => ({ description, schema: { type: "string" }, example });
const integer = (description: string, schema: object = {}, example?: number) => ({
  description,
  schema: { type: "integer", ...schema },
  example,
});

export const ANSWER_HEADERS = {
  ETag: text(
    "Strong tag of content and coding. Send it back in `If-None-Match`.",
    '"5d30bccb6eba59543e670304b495ffae"',
  ),
  "Catalog-Release": integer(
    "The number of the release that the answer came from; missing while nothing is published.",
    { minimum: 1 },
    12,
  ),
  "Cache-Control": text(
    "`private, no-cache` for content: keep it, ask again before using it. `no-store` for errors.",
    "private, no-cache",
  ),
  Vary: text("The header fields of a request that an answer depends on."),
  "Content-Encoding": {
    description: "`gzip`, where `Accept-Encoding` allows it.",
    schema: { type: "string", enum: ["gzip"] },
  },
  Link: text(
    "The `next` and `prev` page, where there is one (RFC 8288), relative to the URL of the request.",
    '<?limit=20&offset=20&release=12>; rel="next"',
  ),
  "Content-Location": text(
    "The same URL with the current slug, relative to that of the request, where the path has a slug that the course had before.",
    "../all-about-tea/lessons",
  ),
  "X-Content-Type-Options": text("`nosniff`"),
  "Access-Control-Allow-Origin": text("Which origins may read the answer in a browser."),
  "Access-Control-Expose-Headers": text("The header fields that their scripts may read."),
  "WWW-Authenticate": text("How to send a key.", 'ApiKey realm="course catalog", header="x-api-key"'),
  Allow: text("The methods that work.", "GET, HEAD, OPTIONS"),
  "Retry-After": integer("In how many seconds to try again.", { minimum: 0 }, 1),
  RateLimit: text("What is left of a limit (draft-ietf-httpapi-ratelimit-headers).", '"key";r=599;t=1'),
  "RateLimit-Policy": text("How many requests are allowed in how many seconds.", '"key";q=600;w=60'),
  "X-Request-Id": text("The id that the request brought, or one that an error has got."),
  "Accept-Ranges": text("`bytes`: parts can be asked for with `Range`."),
  "Content-Range": text("Which bytes of how many the answer holds."),
  "Content-Disposition": text("`attachment` for what a browser saves and does not show."),
  "Content-Security-Policy": text("Nothing runs that the file holds."),
  "Access-Control-Allow-Methods": text("The methods that pages of other origins may use."),
  "Access-Control-Allow-Headers": text("The header fields that they may send."),
  "Access-Control-Max-Age": integer("For how many seconds this holds."),
};

export type HeaderName = keyof typeof ANSWER_HEADERS;

/** Of every answer. */
export const COMMON_HEADERS: HeaderName[] = [
  "X-Content-Type-Options",
  "Vary",
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
  "X-Request-Id",
  "RateLimit",
  "RateLimit-Policy",
];

/** Of a success, also of a 304, beside those of every answer. */
export const CONTENT_HEADERS: HeaderName[] = ["ETag", "Catalog-Release", "Cache-Control"];

export function referToHeaders(names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
