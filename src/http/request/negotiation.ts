// Negotiates the content coding, gzip or identity (RFC 9110 §12.5.3), and evaluates conditional requests (§13.1.2).

export type Encoding = "gzip" | "identity";

export interface Acceptance {
  readonly preferred: Encoding;
  readonly accepts: Readonly<Record<Encoding, boolean>>;
}

/** By RFC 9110, a client that omits the header accepts every coding; in practice, it might be unable to decode any. */
const IDENTITY_ONLY: Acceptance = { preferred: "identity", accepts: { gzip: false, identity: true } };
/** Limits the number of remembered values. Browsers send few different ones, but other clients can send any number. */
const MAX_REMEMBERED = 200;
/** Parsing a value of many kilobytes would take a millisecond, and clients without a key can pipeline such requests. */
const MAX_CHARACTERS = 1000;
const remembered = new Map<string, Acceptance>();

/** Parses Accept-Encoding. Treats a client that refuses everything as accepting identity. */
export function parseAcceptEncoding(acceptEncoding: string | null): Acceptance {
  if (acceptEncoding === null || acceptEncoding.length > MAX_CHARACTERS) return IDENTITY_ONLY;
  const known = remembered.get(acceptEncoding);
  if (known !== undefined) return known;
  const acceptance = negotiate(acceptEncoding);
  if (remembered.size < MAX_REMEMBERED) remembered.set(acceptEncoding, acceptance);
  return acceptance;
}

function negotiate(acceptEncoding: string): Acceptance {
  const weights = parseWeights(acceptEncoding);
  const gzip = weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0;
  if (gzip === 0) return IDENTITY_ONLY;
  // Identity is acceptable unless refused; gzip is preferred unless identity has a higher weight.
  const identity = weights.get("identity");
  const isRefused = (identity ?? weights.get("*")) === 0;
  return { preferred: gzip < (identity ?? 0) ? "identity" : "gzip", accepts: { gzip: true, identity: !isRefused } };
}

function parseWeights(acceptEncoding: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    // Treat a malformed weight as a refusal: identity is always correct.
    if (coding !== "") weights.set(coding, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0);
  }
  return weights;
}

/**
 * Returns true if the client has one of these tags, given with their quotes. Ignores `W/` (weak comparison). Does not
 * split the list, which can name thousands of tags.
 */
export function holdsAny(request: Request, tags: readonly string[]): boolean {
  const ifNoneMatch = request.headers.get("if-none-match");
  if (ifNoneMatch === null) return false;
  return ifNoneMatch.trim() === "*" || tags.some((tag) => ifNoneMatch.includes(tag));
}

/** Responds without a body. Adds `Date`, which Bun omits in answers to HEAD (RFC 9110 §9.3.2). */
export function respondWithoutBody(request: Request, status: number, headers: Headers): Response {
  if (request.method === "HEAD") headers.set("date", new Date().toUTCString());
  return new Response(null, { status, headers });
}
