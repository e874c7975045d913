import { MIN_COMPRESSED_BYTES, measureUnpacked, pack, unpack, type Bytes } from "../../catalog/stored-document.ts";
import { MIN_LARGE_BYTES, unpackInPieces } from "../operations/unpack.ts";
import type { LargeWork } from "../operations/large-work.ts";
import { ENCODINGS, type Acceptance, type Coding, type Encoding } from "../request/encoding.ts";
import { throwUnlessGone } from "../request/errors.ts";
import { CompressionQueue } from "./compression-queue.ts";
import { compress, compressInPieces } from "./compress.ts";

/** A better coding is made after this many answers to clients that prefer it as much as the one they got. */
const USES_PER_CODING = 16;

const queue = new CompressionQueue();

export type Body = Bytes | Blob;
export type Codings = Readonly<Partial<Record<Encoding, Body>>>;

/**
 * The bytes of an answer in each coding that was asked for. It begins with the plain body, or with the gzip that the store
 * has. Other codings are made from these, once per coding, and kept as long as this object.
 */
export class EncodedBody {
  /** A digest of the content; answers of equal content share a body. */
  readonly digest: string;
  readonly isLarge: boolean;
  /** The size of all codings together. */
  bytes = 0;
  readonly #contentBytes: number;
  readonly #isPackedWhole: boolean;
  readonly #encoded: Partial<Record<Encoding, Body>> = {};
  readonly #pending: Partial<Record<Encoding, Promise<boolean>>> = {};
  #wishes = 0;

  /** `contentBytes` is the size of the plain body. It must be given where there is only gzip as a Blob. */
  constructor(digest: string, codings: Codings, contentBytes = measureContent(codings)) {
    this.digest = digest;
    this.#contentBytes = contentBytes;
    this.isLarge = contentBytes >= MIN_LARGE_BYTES;
    this.#isPackedWhole = !this.isLarge || codings.gzip !== undefined;
    for (const encoding of ENCODINGS) {
      const body = codings[encoding];
      if (body !== undefined) this.#add(encoding, body);
    }
  }

  /** The body in every coding in which it exists. */
  get codings(): Codings {
    return this.#encoded;
  }

  /**
   * The strong ETag of the body in a coding. Equal tags mean equal bytes, on every server: a coder whose bytes differ from
   * those of an earlier one has a number in its tags.
   */
  tag(encoding: Encoding): string {
    if (encoding === "identity") return `"${this.digest}"`;
    // Large bodies that do not come from the store are still compressed in pieces by zlib, the first coder.
    const version = encoding === "gzip" && this.#isPackedWhole ? "-2" : "";
    return `"${this.digest}-${encoding}${version}"`;
  }

  /** The coding in which a client gets this body: among those that it prefers equally, the one that takes the least work. */
  encodingFor({ best }: Acceptance): Encoding {
    if (this.#contentBytes < MIN_COMPRESSED_BYTES) return "identity";
    if (best.length === 1) return best[0];
    const ready = best.find((encoding) => this.#encoded[encoding] !== undefined);
    return ready ?? (best.includes("gzip") ? "gzip" : best[0]);
  }

  /** The body in a coding. A small one is made now if that takes microseconds. Undefined until `prepare` has made it. */
  find(encoding: Encoding): Body | undefined {
    return this.#encoded[encoding] ?? (this.isLarge ? undefined : this.#makeAtOnce(encoding));
  }

  /**
   * Counts an answer in a coding to a client. Returns a better coding when it should be made in the background, because
   * many clients prefer it as much; else undefined.
   */
  noteUse(encoding: Encoding, { best }: Acceptance): Coding | undefined {
    const [wanted] = best;
    if (wanted === encoding || wanted === "identity" || this.#contentBytes < MIN_COMPRESSED_BYTES) return undefined;
    return ++this.#wishes % USES_PER_CODING === 0 ? wanted : undefined;
  }

  /**
   * Makes the body in a coding unless it exists. Returns false when too many compressions wait already. Concurrent callers
   * share one compression, which is work of the first one. Throws 503 and 499 as `work` does.
   */
  async prepare(encoding: Encoding, work: LargeWork): Promise<boolean> {
    while (this.find(encoding) === undefined) {
      const others = this.#pending[encoding];
      if (others === undefined) {
        const pending = this.#make(encoding, work).finally(() => delete this.#pending[encoding]);
        this.#pending[encoding] = pending;
        return pending;
      }
      const isMade = await others.catch(throwUnlessGone);
      work.stopIfGone();
      if (isMade === false) return false;
    }
    return true;
  }

  #makeAtOnce(encoding: Encoding): Bytes | undefined {
    const { identity, gzip } = this.#encoded;
    let made: Bytes | undefined;
    if (encoding === "identity" && gzip instanceof Uint8Array) made = unpack(gzip);
    if (encoding === "gzip" && identity instanceof Uint8Array) made = pack(identity);
    if (made !== undefined) this.#add(encoding, made);
    return made;
  }

  /** Returns false when too many compressions wait. */
  async #make(encoding: Encoding, work: LargeWork): Promise<boolean> {
    if (this.isLarge) {
      await this.#makeLarge(encoding, work);
      return true;
    }
    const content = this.find("identity");
    if (encoding === "identity" || !(content instanceof Uint8Array)) return true;
    const encoded = await queue.run(async () => {
      work.stopIfGone();
      return compress(content, encoding);
    });
    if (encoded !== undefined) this.#add(encoding, encoded);
    return encoded !== undefined;
  }

  async #makeLarge(encoding: Encoding, work: LargeWork): Promise<void> {
    const { identity, gzip } = this.#encoded;
    // Room for what is kept. Of the input only a few pieces are copied at a time.
    await work.begin(identity === undefined && encoding !== "identity" ? 2 * this.#contentBytes : this.#contentBytes);
    let content = identity;
    if (content === undefined && gzip instanceof Blob) {
      content = await unpackInPieces(gzip, this.#contentBytes, work);
      this.#add("identity", content);
    }
    if (encoding === "identity" || !(content instanceof Blob)) return;
    this.#add(encoding, await compressInPieces(content, encoding, work));
  }

  #add(encoding: Encoding, encoded: Body): void {
    if (this.#encoded[encoding] === undefined) this.bytes += sizeOf(encoded);
    this.#encoded[encoding] ??= encoded;
  }
}

function measureContent({ identity, gzip }: Codings): number {
  if (identity !== undefined) return sizeOf(identity);
  if (gzip instanceof Uint8Array) return measureUnpacked(gzip);
  throw new Error("a body has neither its content nor gzip that tells its size");
}

function sizeOf(body: Body): number {
  return body instanceof Blob ? body.size : body.byteLength;
}
