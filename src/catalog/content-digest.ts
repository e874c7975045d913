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

  finish(): string {
    return this.#hasher.digest("hex").slice(0, 32);
  }
}
