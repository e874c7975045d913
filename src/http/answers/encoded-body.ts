import { compress, compressInPieces } from "./compress.ts";
import { CompressionQueue } from "./compression-queue.ts";
import type { Coding, Encoding } from "../request/encoding.ts";
import { throwUnlessGone } from "../request/errors.ts";
import type { LargeWork } from "../operations/large-work.ts";

/** Smaller bodies fit in a packet or two anyway. */
const MIN_COMPRESSED_BYTES = 1024;
/** Above this the good levels take too long for what they save. */
const MAX_THOROUGH_BYTES = 128 * 1024;
/**
 * From here on a body is large: counted while it is made, kept and read, and sent from a Blob. Bun copies a Buffer for each
 * slow reader, a Blob not; but a Blob costs a small answer a fifth more, and of less than this the system takes nearly all.
 */
export const MIN_LARGE_BYTES = 64 * 1024;

/** How much work a compression is worth: an answer that is kept is compressed once and sent often. */
export type Effort = "kept" | "once";

const queue = new CompressionQueue();

export type Body = Uint8Array<ArrayBuffer> | Blob;

/** The bytes of an answer, in each coding that was asked for: compressed once, off the event loop, and kept. */
export class EncodedBody {
  /** A digest of the content; answers of equal content share a body. */
  readonly digest: string;
  readonly isLarge: boolean;
  readonly #contentBytes: number;
  readonly #effort: Effort;
  readonly #encoded: Partial<Record<Encoding, Body>>;
  readonly #pending: Partial<Record<Encoding, Promise<Encoding>>> = {};
  /** What it holds, all codings together. */
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

  /** In all codings that are there. */
  get codings(): Readonly<Partial<Record<Encoding, Body>>> {
    return this.#encoded;
  }

  /** The coding in which a client that prefers `encoding` gets this body. */
  encodingFor(encoding: Encoding): Encoding {
    return this.#contentBytes < MIN_COMPRESSED_BYTES ? "identity" : encoding;
  }

  /** The body in a coding; undefined until `prepare` has made it. */
  find(encoding: Encoding): Body | undefined {
    return this.#encoded[encoding];
  }

  /**
   * Makes a coding if it is not there, and gives the one to answer in: identity when too many compressions wait already.
   * One compression per coding, however many ask; it is the work of the first of them. Throws 503 and 499 as `work` does.
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

  /** Gives the coding that there is then. */
  async #compress(encoding: Coding, work: LargeWork): Promise<Encoding> {
    const level = this.#effort === "once" ? 0 : this.#contentBytes > MAX_THOROUGH_BYTES ? 1 : 2;
    const { identity } = this.#encoded;
    if (identity instanceof Blob) {
      // For the result; what goes through on the way is a few pieces.
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
