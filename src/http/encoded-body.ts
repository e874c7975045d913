import { promisify } from "node:util";
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib";
import type { Encoding } from "./encoding.ts";

/** Smaller bodies fit in a packet or two anyway. */
const MIN_COMPRESSED_BYTES = 1024;
/** Above this the good levels take too long for what they save. */
const MAX_THOROUGH_BYTES = 128 * 1024;
/** Bun copies a Buffer for each slow reader, a Blob not; but a Blob costs a small answer a fifth more. */
const MIN_BLOB_BYTES = 256 * 1024;

/** How much work a compression is worth: an answer that is kept is compressed once and sent often. */
export type Effort = "kept" | "once";

export type Body = Uint8Array<ArrayBuffer> | Blob;

/** The bytes of an answer, in each coding that was asked for: compressed once, off the event loop, and kept. */
export class EncodedBody {
  /** A digest of the content; answers of equal content share a body. */
  readonly digest: string;
  readonly #contentBytes: number;
  readonly #effort: Effort;
  readonly #encoded: Partial<Record<Encoding, Body>>;
  readonly #pending: Partial<Record<Encoding, Promise<void>>> = {};
  /** What it holds, all codings together. */
  bytes: number;

  constructor(digest: string, content: Uint8Array<ArrayBuffer>, effort: Effort) {
    this.digest = digest;
    this.#effort = effort;
    this.#contentBytes = content.byteLength;
    this.#encoded = { identity: toBody(content) };
    this.bytes = content.byteLength;
  }

  /** The coding in which a client that prefers `encoding` gets this body. */
  encodingFor(encoding: Encoding): Encoding {
    return this.#contentBytes < MIN_COMPRESSED_BYTES ? "identity" : encoding;
  }

  /** The body in a coding; undefined until `prepare` has made it. */
  find(encoding: Encoding): Body | undefined {
    return this.#encoded[encoding];
  }

  /** Makes a coding if it is not there. One compression per coding, however many ask. */
  async prepare(preferred: Encoding): Promise<void> {
    const encoding = this.encodingFor(preferred);
    if (this.#encoded[encoding] !== undefined) return;
    const pending = (this.#pending[encoding] ??= this.#compress(encoding));
    try {
      await pending;
    } finally {
      delete this.#pending[encoding];
    }
  }

  async #compress(encoding: Encoding): Promise<void> {
    const level = this.#effort === "once" ? 0 : this.#contentBytes > MAX_THOROUGH_BYTES ? 1 : 2;
    const { identity } = this.#encoded;
    const content = identity instanceof Blob ? new Uint8Array(await identity.arrayBuffer()) : identity;
    const encoded = await compress(content ?? new Uint8Array(), encoding, level);
    this.#encoded[encoding] = toBody(encoded);
    this.bytes += encoded.byteLength;
  }
}

function toBody(content: Uint8Array<ArrayBuffer>): Body {
  return content.byteLength < MIN_BLOB_BYTES ? content : new Blob([content]);
}

const brotli = promisify(brotliCompress);
const zstd = promisify(zstdCompress);
const deflate = promisify(gzip);

/** Of each coding: quick, middling, thorough. */
const BROTLI_QUALITIES = [4, 5, 9] as const;
const ZSTD_LEVELS = [3, 6, 12] as const;
const GZIP_LEVELS = [4, 6, 9] as const;

async function compress(content: Uint8Array, encoding: Encoding, level: 0 | 1 | 2): Promise<Uint8Array<ArrayBuffer>> {
  switch (encoding) {
    case "br":
      return brotli(content, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITIES[level],
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength,
        },
      });
    case "zstd":
      return zstd(content, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVELS[level] } });
    case "gzip":
      return deflate(content, { level: GZIP_LEVELS[level] });
    case "identity":
      return new Uint8Array(content);
  }
}
