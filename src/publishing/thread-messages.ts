// What goes to and from threads: one long text, one piece of memory. To copy a value takes a microsecond for each of its parts,
// as much as a tenth of the work on it; a text is copied at once, and memory is handed over.
import type { Body } from "../catalog/body.ts";

export interface JoinedTexts {
  text: string;
  /** In characters. */
  lengths: Uint32Array;
}

export interface JoinedBodies {
  /** Of 32 hex digits each. */
  digests: string;
  bytes: ArrayBuffer;
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

/** To be taken apart by `splitBodies`. */
export function joinBodies(bodies: Body[]): JoinedBodies {
  const lengths = Uint32Array.from(bodies, ({ bytes }) => bytes.byteLength);
  const joined = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let end = 0;
  for (const { bytes } of bodies) {
    joined.set(bytes, end);
    end += bytes.byteLength;
  }
  return { digests: bodies.map(({ digest }) => digest).join(""), bytes: joined.buffer, lengths };
}

/** What `joinBodies` was given. The bytes are views of one piece of memory. */
export function splitBodies({ digests, bytes, lengths }: JoinedBodies): Body[] {
  let end = 0;
  return Array.from(lengths, (length, index) => {
    const digest = digests.slice(index * DIGEST_LENGTH, (index + 1) * DIGEST_LENGTH);
    end += length;
    return { digest, bytes: new Uint8Array(bytes, end - length, length) };
  });
}
