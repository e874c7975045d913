// The body of an answer, in the one form in which it is stored, cached and sent: the envelope around its `data`, in gzip from
// 1 KiB on, plain below.

/** Smaller bodies fit in a packet or two anyway. */
export const MIN_COMPRESSED_BYTES = 1024;
/** The envelope of a success, around its `data`. */
export const ENVELOPE_START = '{"data":';
export const ENVELOPE_END = ',"success":true,"message":"","code":200}';
/** The levels above take half as much time again and save one byte in a hundred. */
const LEVEL = 6;
/** The first byte of gzip (RFC 1952 §2.3.1); JSON never begins with it. */
const GZIP_MARK = 0x1f;

export type Bytes = Uint8Array<ArrayBuffer>;

/** A body, with a digest that changes exactly when its `data` does. */
export interface Body {
  digest: string;
  bytes: Bytes;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** A body to be stored. It is compressed when its bytes are first asked for: most lessons of an edited course are stored already. */
export class NewBody implements Body {
  /** The JSON text of the `data`. */
  readonly data: string;
  readonly digest: string;
  #bytes: Bytes | undefined;

  constructor(data: string) {
    this.data = data;
    this.digest = digestText(data);
  }

  get bytes(): Bytes {
    if (this.#bytes !== undefined) return this.#bytes;
    const content = encoder.encode(ENVELOPE_START + this.data + ENVELOPE_END);
    this.#bytes = content.byteLength < MIN_COMPRESSED_BYTES ? content : pack(content);
    return this.#bytes;
  }
}

/** True for a body in gzip, false for a plain one. */
export function isPacked(bytes: Bytes): boolean {
  return bytes[0] === GZIP_MARK;
}

/** The JSON text of the `data` of a body. Throws when the bytes are damaged. */
export function decodeData(bytes: Bytes): string {
  return cutData(decoder.decode(isPacked(bytes) ? unpack(bytes) : bytes));
}

/** Cuts the `data` out of the text of a body. */
export function cutData(text: string): string {
  return text.slice(ENVELOPE_START.length, -ENVELOPE_END.length);
}

/** The `data` of a list, from its elements as JSON texts joined by commas. */
export function renderList(total: number, results: string): string {
  return `${startList(total)}${results}]}`;
}

/** The beginning of the `data` of a list, before its elements. */
export function startList(total: number): string {
  return `{"total":${total},"results":[`;
}

/** Compresses a body with gzip, to the same bytes on every machine; those of zlib name the system. Takes 10 µs per KiB. */
export function pack(content: Bytes): Bytes {
  return Bun.gzipSync(content, { level: LEVEL, library: "libdeflate" });
}

/** Decompresses what `pack` has made. Throws when it is damaged. */
export function unpack(packed: Bytes): Bytes {
  return Bun.gunzipSync(packed, { library: "libdeflate" });
}

/** The number of bytes that `unpack` returns, which is in the last four bytes of gzip (RFC 1952 §2.3.1). */
export function measureUnpacked(packed: Bytes): number {
  let bytes = 0;
  // Not a DataView: for a small array Bun has no buffer until one is asked for.
  for (let end = 1; end <= 4; end++) bytes = bytes * 256 + (packed[packed.byteLength - end] ?? 0);
  return bytes;
}

/** The first 32 hex digits of SHA-256. */
export function digestText(text: string | Bytes): string {
  return Bun.SHA256.hash(text, "hex").slice(0, 32);
}
