// Compressed documents, kept by a process that imports the same courses again and again: most lessons of a changed course stay.
import { encodeNewData, type EncodedData } from "../catalog/stored-document.ts";

const MAX_BYTES = 64 * 1024 * 1024;

/** Bodies of up to 64 MiB, those that were used last. */
export class KeptBodies {
  #bytes = 0;
  /** By digest; those that were used since `#older` was made. */
  #newer = new Map<string, Uint8Array<ArrayBuffer>>();
  #older = new Map<string, Uint8Array<ArrayBuffer>>();

  /** Does what `encodeData` does, and compresses only what it has not compressed before. */
  encode(data: string): EncodedData {
    const encoded = encodeNewData(data, (digest) => this.#newer.get(digest) ?? this.#older.get(digest));
    const { digest, body } = encoded;
    if (body === undefined || this.#newer.has(digest)) return encoded;
    if (this.#bytes + body.byteLength > MAX_BYTES / 2) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#bytes = 0;
    }
    this.#newer.set(digest, body);
    this.#bytes += body.byteLength;
    return encoded;
  }
}
