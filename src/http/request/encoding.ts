// Content negotiation (RFC 9110 §12.5.3).

/** The content codings of answers, in the order in which the server prefers them. */
const CODINGS = ["br", "zstd", "gzip"] as const;

export type Coding = (typeof CODINGS)[number];
export type Encoding = Coding | "identity";
/** All of them. */
export const ENCODINGS: readonly Encoding[] = ["gzip", "identity", "br", "zstd"];

/** What a client says about codings. */
export interface Acceptance {
  /** Those with the greatest weight, in the order in which the server prefers them. Identity is in here only alone. */
  readonly best: readonly [Encoding, ...Encoding[]];
  /** All that it accepts. Identity is one of them unless the client refuses it. */
  readonly acceptable: readonly Encoding[];
}

/** Browsers send a few different values. A client that invents others must not fill the memory. */
const MAX_REMEMBERED = 200;
const remembered = new Map<string, Acceptance>();
/** By RFC 9110 a client without the header accepts every coding; in practice it may be one that cannot decode any. */
const IDENTITY_ONLY: Acceptance = { best: ["identity"], acceptable: ["identity"] };

/** Reads an Accept-Encoding header. A client that refuses everything is taken to accept identity. */
export function parseAcceptEncoding(acceptEncoding: string | null): Acceptance {
  if (acceptEncoding === null) return IDENTITY_ONLY;
  const known = remembered.get(acceptEncoding);
  if (known !== undefined) return known;
  const acceptance = negotiate(acceptEncoding);
  if (remembered.size < MAX_REMEMBERED) remembered.set(acceptEncoding, acceptance);
  return acceptance;
}

function negotiate(acceptEncoding: string): Acceptance {
  const weights = parseWeights(acceptEncoding);
  const weightOf = (coding: string): number =>
    weights.get(coding) ?? (coding === "gzip" ? weights.get("x-gzip") : undefined) ?? weights.get("*") ?? 0;
  const taken = CODINGS.filter((coding) => weightOf(coding) > 0);
  const most = Math.max(0, ...taken.map(weightOf));
  // Identity is acceptable even when it is not listed, but anything that is listed is preferred to it.
  const [best, ...others] =
    most < (weights.get("identity") ?? 0) ? [] : taken.filter((each) => weightOf(each) === most);
  const isRefused = (weights.get("identity") ?? weights.get("*")) === 0 && best !== undefined;
  return {
    best: best === undefined ? ["identity"] : [best, ...others],
    acceptable: isRefused ? taken : [...taken, "identity"],
  };
}

function parseWeights(acceptEncoding: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    // A malformed weight counts as a refusal, since identity is always correct.
    if (coding !== "") weights.set(coding, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0);
  }
  return weights;
}
