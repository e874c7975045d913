import { BodyDamaged, type Bytes } from "../catalog/body.ts";
import { PIECE_BYTES } from "./asset-store.ts";

export const SEAL_BYTES = 4;

/** How long a piece is, without its seal, of content of so many bytes. */
export function measurePiece(position: number, bytes: number): number {
  return Math.min(PIECE_BYTES, bytes - position * PIECE_BYTES);
}

/** Prepares a piece for storage: the piece, then its little-endian CRC-32. Version 1.0.0 reads it and ignores the end. */
export function sealPiece(piece: Bytes): Bytes {
  const stored = new Uint8Array(piece.byteLength + SEAL_BYTES);
  stored.set(piece);
  new DataView(stored.buffer).setUint32(piece.byteLength, Bun.hash.crc32(piece), true);
  return stored;
}

/** Returns a piece of `length` bytes; what 1.0.0 stored has no seal. Throws BodyDamaged. */
export function unsealPiece(stored: Bytes, length: number, what: string): Bytes {
  const piece = stored.subarray(0, length);
  if (stored.byteLength === length) return piece;
  if (stored.byteLength !== length + SEAL_BYTES) throw new BodyDamaged(what);
  const checksum = new DataView(stored.buffer, stored.byteOffset + length).getUint32(0, true);
  if (checksum !== Bun.hash.crc32(piece)) throw new BodyDamaged(what);
  return piece;
}
