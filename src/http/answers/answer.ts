import type { Release } from "../../catalog/store.ts";
import type { CorsPolicy } from "../request/cors.ts";
import type { Encoding } from "../request/negotiation.ts";
import type { AnswerBody } from "./answer-body.ts";

/** Header fields that only some answers have. */
export interface OwnHeaders {
  link?: string | undefined;
  contentLocation?: string | undefined;
}

/** The header fields that all answers of a release share: to copy them costs a third of making them. */
export class SharedHeaders {
  readonly #common: Headers;
  readonly #byRelease = new WeakMap<Release, Headers>();

  constructor(cors: CorsPolicy) {
    this.#common = new Headers({
      "content-type": "application/json; charset=utf-8",
      "x-content-type-options": "nosniff",
      // RFC 9111 protects answers to `Authorization` from shared caches, not those to `x-api-key`: hence private.
      "cache-control": "private, no-cache",
      vary: cors.variesByOrigin ? "x-api-key, Accept-Encoding, Origin" : "x-api-key, Accept-Encoding",
      ...cors.sharedHeaders,
    });
  }

  /** Those of a release, or of no release when it is undefined. Must not be changed. */
  of(release: Release | undefined): Headers {
    if (release === undefined) return this.#common;
    let headers = this.#byRelease.get(release);
    if (headers === undefined) {
      headers = new Headers(this.#common);
      headers.set("catalog-release", String(release.number));
      this.#byRelease.set(release, headers);
    }
    return headers;
  }
}

/** The header fields of an answer in one coding. */
interface Variant {
  readonly etag: string;
  readonly headers: Headers;
}

/** A successful answer, complete except for the decision between 200 and 304. */
export class Answer {
  readonly body: AnswerBody;
  readonly own: OwnHeaders;
  readonly #shared: Headers;
  readonly #variants: Partial<Record<Encoding, Variant>> = {};

  /** `shared` are the header fields of its release. */
  constructor(shared: Headers, body: AnswerBody, own: OwnHeaders) {
    this.#shared = shared;
    this.body = body;
    this.own = own;
  }

  /** The same answer for a request by a former slug; `contentLocation` is the URL with the current slug. */
  movedTo(contentLocation: string): Answer {
    return new Answer(this.#shared, this.body, { ...this.own, contentLocation });
  }

  /** The answer in a coding. */
  variant(encoding: Encoding): Variant {
    return (this.#variants[encoding] ??= this.#createVariant(encoding));
  }

  /** The header fields of a 304 for a tag of this content, such as one of another version of a coder. */
  notModifiedHeaders(etag: string, encoding: Encoding): Headers {
    const headers = new Headers(this.variant(encoding).headers);
    headers.delete("content-encoding");
    headers.set("etag", etag);
    return headers;
  }

  #createVariant(encoding: Encoding): Variant {
    // The tag depends on content and coding only, never on the key. RFC 9110 §8.8.3.3 requires a different tag for each
    // coding.
    const etag = this.body.tag(encoding);
    const headers = new Headers(this.#shared);
    headers.set("etag", etag);
    const { link, contentLocation } = this.own;
    if (link !== undefined) headers.set("link", link);
    if (contentLocation !== undefined) headers.set("content-location", contentLocation);
    if (encoding !== "identity") headers.set("content-encoding", encoding);
    return { etag, headers };
  }
}
