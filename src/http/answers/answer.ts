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

interface OwnHeaders {
  release: Release | undefined;
  link?: string | undefined;
  contentLocation?: string | undefined;
}

/** Creates the header fields that all answers share. Copying them is three times as fast as building them. */
export function createSharedHeaders(cors: CorsPolicy): Headers {
  return new Headers({
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
    // RFC 9111 keeps shared caches from storing answers to requests with `Authorization`, but not to requests with
    // `x-api-key`: hence `private`.
    "cache-control": "private, no-cache",
    vary: cors.variesByOrigin ? "x-api-key, Accept-Encoding, Origin" : "x-api-key, Accept-Encoding",
    ...cors.sharedHeaders,
  });
}

export class Answer {
  readonly body: AnswerBody;
  readonly own: OwnHeaders;
  readonly #shared: Headers;
  readonly #headers: Partial<Record<Encoding, Headers>> = {};
  /** The fields of the last 304. */
  #notModified: { etag: string; headers: Headers } | undefined;

  constructor(shared: Headers, body: AnswerBody, own: OwnHeaders) {
    this.#shared = shared;
    this.body = body;
    this.own = own;
  }

  movedTo(contentLocation: string): Answer {
    return new Answer(this.#shared, this.body, { ...this.own, contentLocation });
  }

  /** Returns the header fields of a 200. Callers must not change them. */
  headersFor(encoding: Encoding): Headers {
    return (this.#headers[encoding] ??= this.#createHeaders(encoding));
  }

  /**
   * Returns the header fields of a 304. Callers must not change them. `etag` can be any tag of this content, even one
   * from another coder version.
   */
  notModifiedHeaders(etag: string): Headers {
    if (this.#notModified?.etag === etag) return this.#notModified.headers;
    const headers = new Headers(this.headersFor("identity"));
    headers.set("etag", etag);
    this.#notModified = { etag, headers };
    return headers;
  }

  #createHeaders(encoding: Encoding): Headers {
    const { release, link, contentLocation } = this.own;
    const headers = new Headers(this.#shared);
    if (release !== undefined) headers.set("catalog-release", String(release.number));
    headers.set("etag", this.body.tag(encoding));
    if (link !== undefined) headers.set("link", link);
    if (contentLocation !== undefined) headers.set("content-location", contentLocation);
    if (encoding !== "identity") headers.set("content-encoding", encoding);
    return headers;
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

  private constructor(digest: string, contentBytes: number, isPackedWhole: boolean) {
    this.digest = digest;
    this.contentBytes = contentBytes;
    this.isLarge = contentBytes >= MIN_LARGE_BYTES;
    this.#isPackedWhole = isPackedWhole;
  }

  static ofBody({ digest, bytes }: Body): AnswerBody {
    const isGzip = isPacked(bytes);
    const body = new AnswerBody(digest, isGzip ? measureUnpacked(bytes) : bytes.byteLength, true);
    if (isGzip) body.#gzip = body.isLarge ? new Blob([bytes]) : bytes;
    else body.#identity = bytes;
    return body;
  }

  static ofParts(digest: string, parts: Bytes[]): AnswerBody {
    const bytes = parts.reduce((sum, part) => sum + part.byteLength, 0);
    const body = new AnswerBody(digest, bytes, false);
    body.#identity = body.isLarge ? new Blob(parts) : Buffer.concat(parts);
    return body;
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
   * Returns the strong ETag for a coding (RFC 9110 §8.8.3.3), which depends on content and coding only. A changed coder
   * gets a new number, so that equal tags mean equal bytes on every server.
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
