// Content negotiation (RFC 9110 §12.5.3).

/** The content codings of answers. The first is preferred where the client gives several the same weight. */
const CODINGS = ["br", "zstd", "gzip"] as const;

export type Coding = (typeof CODINGS)[number];
export type Encoding = Coding | "identity";

/** Browsers send a few different values. A client that invents others must not fill the memory. */
const MAX_REMEMBERED = 200;
const remembered = new Map<string, Encoding>();

/** The coding for an Accept-Encoding header. Never "none": a client that refuses everything gets identity. */
export function chooseEncoding(acceptEncoding: string | null): Encoding {
  if (acceptEncoding === null) return "identity";
  const known = remembered.get(acceptEncoding);
  if (known !== undefined) return known;
  const encoding = negotiate(acceptEncoding);
  if (remembered.size < MAX_REMEMBERED) remembered.set(acceptEncoding, encoding);
  return encoding;
}

function negotiate(acceptEncoding: string): Encoding {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    // A malformed weight counts as a refusal, since identity is always correct.
    if (coding !== "") weights.set(coding, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0);
  }
  const weightOf = (coding: string): number =>
    weights.get(coding) ?? (coding === "gzip" ? weights.get("x-gzip") : undefined) ?? weights.get("*") ?? 0;
  let best: Encoding = "identity";
  // Identity is acceptable even when it is not listed, but anything that is listed is preferred to it.
  let bestWeight = weights.get("identity") ?? 0;
  for (const coding of CODINGS) {
    const weight = weightOf(coding);
    if (weight > 0 && (weight > bestWeight || (best === "identity" && weight === bestWeight))) {
      best = coding;
      bestWeight = weight;
    }
  }
  return best;
}
