import {
  MIN_COMPRESSED_BYTES,
  isPacked,
  measureUnpacked,
  pack,
  unpack,
  type Body,
  type Bytes,
} from "../../catalog/body.ts";
import type { Release } from "../../catalog/store.ts";
import type { AnswerWork } from "../operations/answer-work.ts";
import { MIN_LARGE_BYTES, packInPieces, unpackInPieces } from "../operations/large-bodies.ts";
import type { CorsPolicy } from "../request/cors.ts";
import type { Acceptance, Encoding } from "../request/negotiation.ts";

export interface OwnHeaders {
  link?: string | undefined;
  contentLocation?: string | undefined;
}

/** Header fields that all answers of a release share. Copying them is three times as fast as building them. */
export class SharedHeaders {
  readonly #common: Headers;
  readonly #byRelease = new WeakMap<Release, Headers>();

  constructor(cors: CorsPolicy) {
    this.#common = new Headers({
      "content-type": "application/json; charset=utf-8",
      "x-content-type-options": "nosniff",
      // RFC 9111 keeps shared caches from storing answers to requests with `Authorization`, but not to requests with
      // `x-api-key`: hence `private`.
      "cache-control": "private, no-cache",
      vary: cors.variesByOrigin ? "x-api-key, Accept-Encoding, Origin" : "x-api-key, Accept-Encoding",
      ...cors.sharedHeaders,
    });
  }

  /** Returns the header fields for a release, or for a channel without one. Callers must not change them. */
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

interface Variant {
  readonly etag: string;
  readonly headers: Headers;
}

export class Answer {
  readonly body: AnswerBody;
  readonly own: OwnHeaders;
  readonly #shared: Headers;
  readonly #variants: Partial<Record<Encoding, Variant>> = {};

  constructor(shared: Headers, body: AnswerBody, own: OwnHeaders) {
    this.#shared = shared;
    this.body = body;
    this.own = own;
  }

  movedTo(contentLocation: string): Answer {
    return new Answer(this.#shared, this.body, { ...this.own, contentLocation });
  }

  variant(encoding: Encoding): Variant {
    return (this.#variants[encoding] ??= this.#createVariant(encoding));
  }

  /** Returns the header fields of a 304. `etag` can be any tag of this content, even one from another coder version. */
  notModifiedHeaders(etag: string, encoding: Encoding): Headers {
    const headers = new Headers(this.variant(encoding).headers);
    headers.delete("content-encoding");
    headers.set("etag", etag);
    return headers;
  }

  #createVariant(encoding: Encoding): Variant {
    // The tag depends only on content and coding, never on the key. RFC 9110 §8.8.3.3 requires a different tag for each
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

/** An answer's body in each coding, encoded on demand. Large bodies are Blobs, which slow readers share. */
export class AnswerBody {
  readonly digest: string;
  readonly contentBytes: number;
  readonly isLarge: boolean;
  readonly #isPackedWhole: boolean;
  #identity: Bytes | Blob | undefined;
  #gzip: Bytes | Blob | undefined;
  readonly #pending = new Map<Encoding, Promise<Blob>>();

  private constructor(
    digest: string,
    contentBytes: number,
    bodies: { identity?: Bytes | Blob; gzip?: Bytes | Blob; isPackedWhole: boolean },
  ) {
    this.digest = digest;
    this.contentBytes = contentBytes;
    this.isLarge = contentBytes >= MIN_LARGE_BYTES;
    this.#identity = bodies.identity;
    this.#gzip = bodies.gzip;
    this.#isPackedWhole = bodies.isPackedWhole;
  }

  static ofBody({ digest, bytes }: Body): AnswerBody {
    if (!isPacked(bytes)) return new AnswerBody(digest, bytes.byteLength, { identity: bytes, isPackedWhole: true });
    const contentBytes = measureUnpacked(bytes);
    const gzip = contentBytes >= MIN_LARGE_BYTES ? new Blob([bytes]) : bytes;
    return new AnswerBody(digest, contentBytes, { gzip, isPackedWhole: true });
  }

  static ofParts(digest: string, parts: Bytes[]): AnswerBody {
    const bytes = parts.reduce((sum, part) => sum + part.byteLength, 0);
    const identity = bytes >= MIN_LARGE_BYTES ? new Blob(parts) : Buffer.concat(parts);
    return new AnswerBody(digest, bytes, { identity, isPackedWhole: false });
  }

  get bytes(): number {
    return sizeOf(this.#identity) + sizeOf(this.#gzip);
  }

  /** Returns the bytes to cache for a small body: gzip, unless the body is always sent uncompressed. */
  get compact(): Bytes | undefined {
    const kept = this.obtain(this.contentBytes < MIN_COMPRESSED_BYTES ? "identity" : "gzip");
    return kept instanceof Uint8Array ? kept : undefined;
  }

  /**
   * Returns the strong ETag for a coding. A changed coder gets a new number, so that equal tags mean equal bytes on
   * every server.
   */
  tag(encoding: Encoding): string {
    if (encoding === "identity") return `"${this.digest}"`;
    // Large bodies made here are compressed by zlib, the first coder, whose tags have no number.
    return this.isLarge && !this.#isPackedWhole ? `"${this.digest}-gzip"` : `"${this.digest}-gzip-2"`;
  }

  encodingFor({ preferred }: Acceptance): Encoding {
    return this.contentBytes < MIN_COMPRESSED_BYTES ? "identity" : preferred;
  }

  /**
   * Returns the body in a coding, or undefined if `prepare` must encode a large body first. Encodes a small body at
   * once, in microseconds.
   */
  obtain(encoding: Encoding): Bytes | Blob | undefined {
    const known = encoding === "gzip" ? this.#gzip : this.#identity;
    if (known !== undefined || this.isLarge) return known;
    if (encoding === "gzip" && this.#identity instanceof Uint8Array) return (this.#gzip = pack(this.#identity));
    if (encoding === "identity" && this.#gzip instanceof Uint8Array) return (this.#identity = unpack(this.#gzip));
    return undefined;
  }

  /** Encodes a large body, once for all waiting requests. Throws as `work` does, and if the body is damaged. */
  async prepare(encoding: Encoding, work: AnswerWork): Promise<void> {
    if (this.obtain(encoding) !== undefined) return;
    await work.share(this.#pending, encoding, () => this.#make(encoding, work));
  }

  async #make(encoding: Encoding, work: AnswerWork): Promise<Blob> {
    await work.hold(this.contentBytes);
    const [gzip, identity] = [this.#gzip, this.#identity];
    if (encoding === "identity" && gzip instanceof Blob) {
      return (this.#identity = await unpackInPieces(gzip, this.contentBytes, work));
    }
    if (identity instanceof Blob) return (this.#gzip = await packInPieces(identity, work));
    throw new Error("a large body has no bytes");
  }
}

function sizeOf(body: Bytes | Blob | undefined): number {
  return body instanceof Blob ? body.size : (body?.byteLength ?? 0);
}
