// The header fields of answers, as the description of the interface tells of them. A test holds them against a server.

interface HeaderDescription {
  description: string;
  schema: Record<string, unknown>;
  example?: string | number;
}

const text = { type: "string" };

/** By name. */
export const ANSWER_HEADERS = {
  ETag: {
    description: "Strong tag of content and coding. Send it back in `If-None-Match`.",
    schema: text,
    example: '"5d30bccb6eba59543e670304b495ffae"',
  },
  "Catalog-Release": {
    description: "The number of the release that the answer came from; missing while nothing is published.",
    schema: { type: "integer", minimum: 1 },
    example: 12,
  },
  "Cache-Control": {
    description: "`private, no-cache` for content: keep it, ask again before using it. `no-store` for errors.",
    schema: text,
    example: "private, no-cache",
  },
  Vary: { description: "The header fields of a request that an answer depends on.", schema: text },
  "Content-Encoding": {
    description: "`gzip`, where `Accept-Encoding` allows it.",
    schema: { type: "string", enum: ["gzip"] },
  },
  Link: {
    description: "The `next` and `prev` page, where there is one (RFC 8288), relative to the URL of the request.",
    schema: text,
    example: '<?limit=20&offset=20&release=12>; rel="next"',
  },
  "Content-Location": {
    description:
      "The same URL with the current slug, relative to that of the request, where the path has a slug that the course had before.",
    schema: text,
    example: "../all-about-tea/lessons",
  },
  "X-Content-Type-Options": { description: "`nosniff`", schema: text },
  "Access-Control-Allow-Origin": { description: "Which origins may read the answer in a browser.", schema: text },
  "Access-Control-Expose-Headers": { description: "The header fields that their scripts may read.", schema: text },
  "WWW-Authenticate": {
    description: "How to send a key.",
    schema: text,
    example: 'ApiKey realm="course catalog", header="x-api-key"',
  },
  Allow: { description: "The methods that work.", schema: text, example: "GET, HEAD, OPTIONS" },
  "Retry-After": {
    description: "In how many seconds to try again.",
    schema: { type: "integer", minimum: 0 },
    example: 1,
  },
  "Accept-Ranges": { description: "`bytes`: parts can be asked for with `Range`.", schema: text },
  "Content-Range": { description: "Which bytes of how many the answer holds.", schema: text },
  "Content-Disposition": { description: "`attachment` for what a browser saves and does not show.", schema: text },
  "Content-Security-Policy": { description: "Nothing runs that the file holds.", schema: text },
  "Access-Control-Allow-Methods": { description: "The methods that pages of other origins may use.", schema: text },
  "Access-Control-Allow-Headers": { description: "The header fields that they may send.", schema: text },
  "Access-Control-Max-Age": { description: "For how many seconds this holds.", schema: { type: "integer" } },
} as const satisfies Record<string, HeaderDescription>;

export type HeaderName = keyof typeof ANSWER_HEADERS;

/** Of every answer. */
export const COMMON_HEADERS: HeaderName[] = [
  "X-Content-Type-Options",
  "Vary",
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
];

/** Of a success, also of a 304, beside those of every answer. */
export const CONTENT_HEADERS: HeaderName[] = ["ETag", "Catalog-Release", "Cache-Control"];

/** References to them, as an answer has them. */
export function referToHeaders(names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
