// Compressed bodies, kept by a process that imports the same courses again and again: most lessons of a changed course stay.
import { encodeNewBody, isPacked, type Body, type Bytes } from "../catalog/body.ts";

const MAX_BYTES = 64 * 1024 * 1024;

/** Bodies of up to 64 MiB, those that were used last. */
export class KeptBodies {
  #bytes = 0;
  /** By digest; those that were used since `#older` was made. */
  #newer = new Map<string, Bytes>();
  #older = new Map<string, Bytes>();

  /** Does what `encodeBody` does, and compresses only what it has not compressed before. */
  encode(data: string): Body {
    const body = encodeNewBody(data, (digest) => this.#newer.get(digest) ?? this.#older.get(digest));
    const { digest, bytes } = body;
    if (!isPacked(bytes) || this.#newer.has(digest)) return body;
    if (this.#bytes + bytes.byteLength > MAX_BYTES / 2) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#bytes = 0;
    }
    this.#newer.set(digest, bytes);
    this.#bytes += bytes.byteLength;
    return body;
  }
}
