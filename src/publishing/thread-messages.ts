// What goes to and from threads: one long text, one piece of memory. To copy a value takes a microsecond for each of its parts,
// as much as a tenth of the work on it; a text is copied at once, and memory is handed over.
import type { EncodedData } from "../catalog/stored-document.ts";

export interface JoinedTexts {
  text: string;
  /** In characters. */
  lengths: Uint32Array;
}

export interface JoinedEncoded {
  /** Of 32 hex digits each. */
  digests: string;
  bodies: ArrayBuffer;
  /** In bytes; 0 where there is no body. */
  lengths: Uint32Array;
}

const DIGEST_LENGTH = 32;

/** To be taken apart by `splitTexts`. */
export function joinTexts(texts: string[]): JoinedTexts {
  return { text: texts.join(""), lengths: Uint32Array.from(texts, (text) => text.length) };
}

/** The texts that `joinTexts` was given. */
export function splitTexts({ text, lengths }: JoinedTexts): string[] {
  let end = 0;
  return Array.from(lengths, (length) => text.slice(end, (end += length)));
}

/** To be taken apart by `splitEncoded`. */
export function joinEncoded(encoded: EncodedData[]): JoinedEncoded {
  const lengths = Uint32Array.from(encoded, ({ body }) => body?.byteLength ?? 0);
  const bodies = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let end = 0;
  for (const { body } of encoded) {
    if (body === undefined) continue;
    bodies.set(body, end);
    end += body.byteLength;
  }
  return { digests: encoded.map(({ digest }) => digest).join(""), bodies: bodies.buffer, lengths };
}

/** What `joinEncoded` was given. The bodies are views of one piece of memory. */
export function splitEncoded({ digests, bodies, lengths }: JoinedEncoded): EncodedData[] {
  let end = 0;
  return Array.from(lengths, (length, index) => {
    const digest = digests.slice(index * DIGEST_LENGTH, (index + 1) * DIGEST_LENGTH);
    if (length === 0) return { digest, body: undefined };
    end += length;
    return { digest, body: new Uint8Array(bodies, end - length, length) };
  });
}
