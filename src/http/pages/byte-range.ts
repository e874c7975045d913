// Ranges of bytes (RFC 9110 §14).

/** Bytes from `from` to `end - 1`. */
export interface ByteRange {
  from: number;
  end: number;
}

/**
 * The range that a Range header asks of content of `bytes` bytes. Undefined where the whole is the answer: for several ranges,
 * for another unit, and for what is malformed; "beyond" when the content has no byte of it.
 */
export function parseRange(header: string, bytes: number): ByteRange | "beyond" | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header) ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  if (first === "") {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? "beyond" : { from: bytes - length, end: bytes };
  }
  const from = Number(first);
  if (last !== "" && Number(last) < from) return undefined;
  if (from >= bytes) return "beyond";
  return { from, end: last === "" ? bytes : Math.min(Number(last) + 1, bytes) };
}
