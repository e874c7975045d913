import { compress, compressInPieces } from "./compress.ts";
import { CompressionQueue } from "./compression-queue.ts";
import type { Coding, Encoding } from "../request/encoding.ts";
import { throwUnlessGone } from "../request/errors.ts";
import type { LargeWork } from "../operations/large-work.ts";

/** Smaller bodies fit in a packet or two anyway. */
const MIN_COMPRESSED_BYTES = 1024;
/** Above this size the thorough level takes too long for what it saves. */
const MAX_THOROUGH_BYTES = 128 * 1024;
/**
 * Bodies of this size or more are large: they are counted while they are made, kept and read, and sent as a Blob. Bun
 * copies a Buffer for each slow reader, but not a Blob. A Blob makes a small answer a fifth more expensive, and nearly all
 * of a smaller body fits into the system's send buffer.
 */
export const MIN_LARGE_BYTES = 64 * 1024;

/** What a body is compressed for: one that is `kept` is sent often, so a better level pays; one for `once` is sent once. */
export type Effort = "kept" | "once";

const queue = new CompressionQueue();

export type Body = Uint8Array<ArrayBuffer> | Blob;

/**
 * The bytes of an answer in each coding that was asked for. They are compressed off the event loop, once per coding, and
 * kept as long as this object.
 */
export class EncodedBody {
  /** A digest of the content; answers of equal content share a body. */
  readonly digest: string;
  readonly isLarge: boolean;
  readonly #contentBytes: number;
  readonly #effort: Effort;
  readonly #encoded: Partial<Record<Encoding, Body>>;
  readonly #pending: Partial<Record<Encoding, Promise<Encoding>>> = {};
  /** The size of all codings together. */
  bytes: number;

  constructor(
    digest: string,
    content: Body,
    effort: Effort,
    others: Partial<Record<Encoding, Uint8Array<ArrayBuffer>>> = {},
  ) {
    this.digest = digest;
    this.#effort = effort;
    this.isLarge = content instanceof Blob;
    this.#contentBytes = content instanceof Blob ? content.size : content.byteLength;
    this.#encoded = { ...others, identity: content };
    this.bytes = this.#contentBytes;
    for (const encoded of Object.values(others)) this.bytes += encoded.byteLength;
  }

  /** The body in every coding in which it exists. */
  get codings(): Readonly<Partial<Record<Encoding, Body>>> {
    return this.#encoded;
  }

  /** The coding in which a client gets this body when it prefers `encoding`. */
  encodingFor(encoding: Encoding): Encoding {
    return this.#contentBytes < MIN_COMPRESSED_BYTES ? "identity" : encoding;
  }

  /** The body in a coding; undefined until `prepare` has made it. */
  find(encoding: Encoding): Body | undefined {
    return this.#encoded[encoding];
  }

  /**
   * Compresses the body for a coding unless that was done, and returns the coding to answer in: identity when too many
   * compressions wait already. Concurrent callers share one compression, which is work of the first one. Throws 503 and 499
   * as `work` does.
   */
  async prepare(preferred: Encoding, work: LargeWork): Promise<Encoding> {
    const encoding = this.encodingFor(preferred);
    if (encoding === "identity") return encoding;
    while (this.#encoded[encoding] === undefined) {
      const others = this.#pending[encoding];
      if (others === undefined) {
        const pending = this.#compress(encoding, work).finally(() => delete this.#pending[encoding]);
        this.#pending[encoding] = pending;
        return pending;
      }
      const made = await others.catch(throwUnlessGone);
      work.stopIfGone();
      if (made === "identity") return made;
    }
    return encoding;
  }

  /** Returns the coding in which the body then exists. */
  async #compress(encoding: Coding, work: LargeWork): Promise<Encoding> {
    const level = this.#effort === "once" ? 0 : this.#contentBytes > MAX_THOROUGH_BYTES ? 1 : 2;
    const { identity } = this.#encoded;
    if (identity instanceof Blob) {
      // Room for the result. Of the input only a few pieces are copied at a time.
      await work.begin(this.#contentBytes);
      const encoded = await compressInPieces(identity, encoding, level, work);
      this.#add(encoding, encoded, encoded.size);
    } else if (identity !== undefined) {
      const encoded = await queue.run(async () => {
        work.stopIfGone();
        return compress(identity, encoding, level);
      });
      if (encoded === undefined) return "identity";
      this.#add(encoding, encoded, encoded.byteLength);
    }
    return encoding;
  }

  #add(encoding: Coding, encoded: Body, bytes: number): void {
    this.#encoded[encoding] = encoded;
    this.bytes += bytes;
  }
}
