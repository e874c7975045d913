// Bodies of answers as they are stored, cached and sent: `data` in its envelope, gzipped if it takes 1 KiB or more.

import { ExpectedError } from "./expected-error.ts";

/** Smaller bodies are not compressed: they fit in one or two packets. */
export const MIN_COMPRESSED_BYTES = 1024;
export const ENVELOPE_START = '{"data":';
export const ENVELOPE_END = ',"success":true,"message":"","code":200}';
/** Higher levels take 50 % longer and make bodies only 1 % smaller. */
const LEVEL = 6;
/** The first byte of gzipped data (RFC 1952 §2.3.1); JSON never begins with it. */
const GZIP_MARK = 0x1f;
export const SEAL_BYTES = 4;
const SEAL_DIGITS = 2 * SEAL_BYTES;

export type Bytes = Uint8Array<ArrayBuffer>;

/** A body in its envelope. `digest` changes exactly when `data` changes. */
export interface Body {
  digest: string;
  bytes: Bytes;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * A new body. It is compressed only when `bytes` is read, because most lessons of an edited course are already stored.
 */
export class NewBody implements Body {
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

export function isPacked(bytes: Bytes): boolean {
  return bytes[0] === GZIP_MARK;
}

/** Thrown if a stored body or text does not match its checksum, or cannot be unpacked. */
export class BodyDamaged extends ExpectedError {
  constructor(what: string, cause?: unknown) {
    super(
      `${what} is damaged in the database. Restore a backup, or import the content into a new database. Meanwhile, ` +
        "servers answer all other requests.",
      { cause },
    );
  }
}

/** Prepares a body for storage: a little-endian CRC-32 in four bytes, then the content. */
export function seal(bytes: Bytes): Bytes {
  const stored = new Uint8Array(SEAL_BYTES + bytes.byteLength);
  new DataView(stored.buffer).setUint32(0, Bun.hash.crc32(bytes), true);
  stored.set(bytes, SEAL_BYTES);
  return stored;
}

/** Returns a sealed body's content. `what` names the body in errors. Throws BodyDamaged if the checksum is wrong. */
export function unseal(stored: Bytes, what = "A body"): Bytes {
  const bytes = stored.subarray(SEAL_BYTES);
  if (bytes.byteLength === 0 || readUint32(stored, 0) !== Bun.hash.crc32(bytes)) throw new BodyDamaged(what);
  return bytes;
}

/** Prepares uncompressed text for storage: a CRC-32 in eight hex digits, then the text. */
export function sealText(text: string): string {
  return Bun.hash.crc32(text).toString(16).padStart(SEAL_DIGITS, "0") + text;
}

/** Returns the content of sealed text. Throws BodyDamaged if the checksum is wrong. */
export function unsealText(stored: string): string {
  const text = stored.slice(SEAL_DIGITS);
  if (Number.parseInt(stored.slice(0, SEAL_DIGITS), 16) !== Bun.hash.crc32(text)) throw new BodyDamaged("A text");
  return text;
}

export function decodeData(bytes: Bytes): string {
  const content = decoder.decode(isPacked(bytes) ? unpack(bytes) : bytes);
  return content.slice(ENVELOPE_START.length, -ENVELOPE_END.length);
}

export function renderList(total: number, results: string): string {
  return `${startList(total)}${results}]}`;
}

export function startList(total: number): string {
  return `{"total":${total},"results":[`;
}

/** Gzips a body to the same bytes on every system, unlike zlib, which records the system. Takes 10 µs per KiB. */
export function pack(content: Bytes): Bytes {
  return Bun.gzipSync(content, { level: LEVEL, library: "libdeflate" });
}

export function unpack(packed: Bytes): Bytes {
  try {
    return Bun.gunzipSync(packed, { library: "libdeflate" });
  } catch (error) {
    throw new BodyDamaged("A body", error);
  }
}

/** Returns the size of the unpacked body, which gzip stores in its last four bytes (RFC 1952 §2.3.1). */
export function measureUnpacked(packed: Bytes): number {
  return readUint32(packed, packed.byteLength - 4);
}

/** Does not use DataView, for which Bun would have to allocate a buffer if the array is small. */
function readUint32(bytes: Bytes, at: number): number {
  let value = 0;
  for (let place = at + 3; place >= at; place--) value = value * 256 + (bytes[place] ?? 0);
  return value;
}

export function digestText(text: string | Bytes): string {
  return Bun.SHA256.hash(text, "hex").slice(0, 32);
}
