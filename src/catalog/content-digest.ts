/** Digests content as it goes by, so that it need not be in memory as a whole. */
export class ContentDigest {
  readonly #hasher = new Bun.CryptoHasher("sha256");
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: Uint8Array): void {
    this.#bytes += bytes.byteLength;
    this.#hasher.update(bytes);
  }

  /** The first 32 hex digits of SHA-256. Ends the digest. */
  finish(): string {
    return this.#hasher.digest("hex").slice(0, 32);
  }
}
