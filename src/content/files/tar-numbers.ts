// Parses tar numbers strictly, since programs that read a size differently see different files.

/** Fields of an extended header; the member's own header has the others. */
export interface PaxFields {
  path?: string;
  linkpath?: string;
  size?: number;
}

/** Throws an error that names the current member. */
export type Fail = (what: string) => never;

/** Adds the records of an extended header to `fields` (POSIX.1-2017, pax Extended Header). */
export function readPax(block: Uint8Array, fields: PaxFields, fail: Fail): PaxFields {
  const read: PaxFields = { ...fields };
  // GNU tar accepts NULs after the last record, too.
  const bytes = block.findLastIndex((byte) => byte !== 0) + 1;
  for (let start = 0; start < bytes;) {
    const space = block.indexOf(32, start);
    const length = parseSize(decode(block.subarray(start, Math.max(start, space))), 10);
    const end = start + (length ?? 0);
    const record = decode(block.subarray(space + 1, end));
    const equals = record.indexOf("=");
    if (space === -1 || end <= space || end > bytes || !record.endsWith("\n") || equals === -1) {
      return fail("has a malformed extended header");
    }
    const name = record.slice(0, equals);
    const value = record.slice(equals + 1, -1);
    if (name.startsWith("GNU.sparse.")) fail("has a sparse file, which is not supported; pack it without --sparse");
    if (name === "size") read.size = parseSize(value, 10) ?? fail(NO_SIZE);
    else if (name === "path" || name === "linkpath") read[name] = value;
    start = end;
  }
  return read;
}

/** Returns the size in a header: octal digits, or base 256 for GNU's large sizes. */
export function readSize(header: Uint8Array, fail: Fail): number {
  const field = header.subarray(124, 136);
  const [first = 0] = field;
  if (first < 0x80) return parseSize(decode(field).replace(/^ +|[ \0]+$/g, "") || "0", 8) ?? fail(NO_SIZE);
  // The highest bit marks base 256. The next bit marks a negative number, which counts as too large.
  const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, first & 0x7f);
  return Number.isSafeInteger(value) ? value : fail(NO_SIZE);
}

const NO_SIZE = "has an invalid size";

/** Parses a size. Returns undefined unless it is a safe integer. */
function parseSize(text: string, radix: 8 | 10): number | undefined {
  const size = (radix === 8 ? /^[0-7]+$/ : /^\d+$/).test(text) ? Number.parseInt(text, radix) : NaN;
  return Number.isSafeInteger(size) ? size : undefined;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
