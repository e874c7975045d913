import type { Release } from "../../catalog/store.ts";
import type { CorsPolicy } from "../request/cors.ts";
import type { EncodedBody } from "./encoded-body.ts";
import type { Encoding } from "../request/encoding.ts";
import type { Route } from "../request/route.ts";

/** The header fields that all answers of one release share, made once: copying them costs a third of making them. */
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

  /** The header fields of a release, or of no release when it is undefined. Callers must not change them. */
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

/** Header fields that only some answers have. */
export interface OwnHeaders {
  link?: string | undefined;
  contentLocation?: string | undefined;
}

/** An answer in one coding, ready to send any number of times. */
class Variant {
  readonly etag: string;
  readonly headers: Headers;
  #notModifiedHeaders: Headers | undefined;

  constructor(etag: string, headers: Headers) {
    this.etag = etag;
    this.headers = headers;
  }

  /** The header fields of a 304: the same, without those that describe a body. Made when the first one is sent. */
  get notModifiedHeaders(): Headers {
    if (this.#notModifiedHeaders !== undefined) return this.#notModifiedHeaders;
    const headers = new Headers(this.headers);
    headers.delete("content-encoding");
    this.#notModifiedHeaders = headers;
    return headers;
  }
}

/** What an answer has besides its body. */
export interface AnswerFrame {
  /** The route of the request, for the metrics. */
  route: Route;
  /** The header fields of its release. */
  shared: Headers;
  own: OwnHeaders;
}

/** A successful answer, complete except for the decision between 200 and 304. */
export class Answer {
  readonly frame: AnswerFrame;
  readonly body: EncodedBody;
  readonly #variants: Partial<Record<Encoding, Variant>> = {};

  constructor(frame: AnswerFrame, body: EncodedBody) {
    this.frame = frame;
    this.body = body;
  }

  /** The same answer for a request by a former slug; `contentLocation` is the URL with the current slug. */
  movedTo(contentLocation: string): Answer {
    return new Answer({ ...this.frame, own: { ...this.frame.own, contentLocation } }, this.body);
  }

  /** The answer in a coding. */
  variant(encoding: Encoding): Variant {
    return (this.#variants[encoding] ??= this.#createVariant(encoding));
  }

  /** The header fields of a 304 for a tag of this content, such as one of another version of a coder. */
  notModifiedHeaders(etag: string): Headers {
    const headers = new Headers(this.variant("identity").notModifiedHeaders);
    headers.set("etag", etag);
    return headers;
  }

  #createVariant(encoding: Encoding): Variant {
    // The tag depends on content and coding only, never on the key. RFC 9110 §8.8.3.3 requires a different tag for each
    // coding.
    const etag = this.body.tag(encoding);
    const headers = new Headers(this.frame.shared);
    headers.set("etag", etag);
    const { link, contentLocation } = this.frame.own;
    if (link !== undefined) headers.set("link", link);
    if (contentLocation !== undefined) headers.set("content-location", contentLocation);
    if (encoding !== "identity") headers.set("content-encoding", encoding);
    return new Variant(etag, headers);
  }
}
