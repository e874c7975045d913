import type { CorsPolicy } from "./cors.ts";
import type { EncodedBody } from "./encoded-body.ts";
import type { Encoding } from "./encoding.ts";
import type { Route } from "./routes.ts";

export interface AnswerHeaders {
  /** The number of the release; undefined while there is none. */
  release: number | undefined;
  link?: string | undefined;
  contentLocation?: string | undefined;
}

/** An answer in one coding, ready to send any number of times. */
interface Variant {
  etag: string;
  headers: Headers;
  /** Of a 304: the same, without what describes a body. */
  notModifiedHeaders: Headers;
}

/** A successful answer of which everything is made but the decision between 200 and 304. */
export class Answer {
  /** What was asked for, for the metrics. */
  readonly route: Route;
  readonly body: EncodedBody;
  readonly #headers: AnswerHeaders;
  readonly #cors: CorsPolicy;
  readonly #variants = new Map<Encoding, Variant>();

  constructor(route: Route, body: EncodedBody, headers: AnswerHeaders, cors: CorsPolicy) {
    this.route = route;
    this.body = body;
    this.#headers = headers;
    this.#cors = cors;
  }

  /** False for one that depends on more than the release: which slugs a course had before. */
  get isReusable(): boolean {
    return this.#headers.contentLocation === undefined;
  }

  /** The answer in a coding. */
  variant(encoding: Encoding): Variant {
    let variant = this.#variants.get(encoding);
    if (variant === undefined) {
      variant = this.#createVariant(encoding);
      this.#variants.set(encoding, variant);
    }
    return variant;
  }

  #createVariant(encoding: Encoding): Variant {
    // It depends on the content and its coding only, never on the key: RFC 9110 §8.8.3.3 wants codings told apart.
    const etag = encoding === "identity" ? `"${this.body.digest}"` : `"${this.body.digest}-${encoding}"`;
    const { release, link, contentLocation } = this.#headers;
    const notModifiedHeaders = new Headers({
      "content-type": "application/json; charset=utf-8",
      "x-content-type-options": "nosniff",
      // RFC 9111 protects answers to `Authorization` from shared caches, not those to `x-api-key`: hence private.
      "cache-control": "private, no-cache",
      etag,
      vary: this.#cors.variesByOrigin ? "x-api-key, Accept-Encoding, Origin" : "x-api-key, Accept-Encoding",
      ...this.#cors.sharedHeaders,
    });
    if (release !== undefined) notModifiedHeaders.set("catalog-release", String(release));
    if (link !== undefined) notModifiedHeaders.set("link", link);
    if (contentLocation !== undefined) notModifiedHeaders.set("content-location", contentLocation);
    if (encoding === "identity") return { etag, headers: notModifiedHeaders, notModifiedHeaders };
    const headers = new Headers(notModifiedHeaders);
    headers.set("content-encoding", encoding);
    return { etag, headers, notModifiedHeaders };
  }
}
