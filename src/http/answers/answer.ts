import type { Release } from "../../catalog/store.ts";
import type { CorsPolicy } from "../request/cors.ts";
import type { EncodedBody } from "./encoded-body.ts";
import type { Encoding } from "../request/encoding.ts";
import type { Route } from "../request/route.ts";

/** What all answers of one release share, made once: to copy header fields costs a third of making them. */
export class SharedFrames {
  readonly #common: ReleaseFrames;
  readonly #byRelease = new WeakMap<Release, ReleaseFrames>();

  constructor(cors: CorsPolicy) {
    this.#common = new ReleaseFrames(
      new Headers({
        "content-type": "application/json; charset=utf-8",
        "x-content-type-options": "nosniff",
        // RFC 9111 protects answers to `Authorization` from shared caches, not those to `x-api-key`: hence private.
        "cache-control": "private, no-cache",
        vary: cors.variesByOrigin ? "x-api-key, Accept-Encoding, Origin" : "x-api-key, Accept-Encoding",
        ...cors.sharedHeaders,
      }),
    );
  }

  /** The frame of an answer from a release, or from no release when it is undefined. */
  of(route: Route, release: Release | undefined, link: string | undefined): AnswerFrame {
    const frames = release === undefined ? this.#common : (this.#byRelease.get(release) ?? this.#create(release));
    return link === undefined ? frames.of(route) : { route, shared: frames.shared, own: { link } };
  }

  #create(release: Release): ReleaseFrames {
    const headers = new Headers(this.#common.shared);
    headers.set("catalog-release", String(release.number));
    const frames = new ReleaseFrames(headers);
    this.#byRelease.set(release, frames);
    return frames;
  }
}

/** The frames of answers without header fields of their own: one for each route, however many answers a cache holds. */
class ReleaseFrames {
  /** Must not be changed. */
  readonly shared: Headers;
  readonly #byRoute = new Map<Route, AnswerFrame>();

  constructor(shared: Headers) {
    this.shared = shared;
  }

  of(route: Route): AnswerFrame {
    let frame = this.#byRoute.get(route);
    if (frame === undefined) {
      frame = { route, shared: this.shared, own: {} };
      this.#byRoute.set(route, frame);
    }
    return frame;
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

/** What an answer has besides its body. Answers share it. */
export interface AnswerFrame {
  /** The route of the request, for the metrics. */
  readonly route: Route;
  /** The header fields of its release. */
  readonly shared: Headers;
  readonly own: OwnHeaders;
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
