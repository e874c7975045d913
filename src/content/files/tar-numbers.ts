// Parses numbers in tar headers strictly, since a program that reads a size differently would unpack different files.

/** The fields of an extended header, which override those in the member's own header. */
export interface PaxFields {
  path?: string;
  linkpath?: string;
  size?: number;
}

/** Throws an error that names the current member. */
export type Fail = (what: string) => never;

/** Returns `fields` with the records of an extended header added (POSIX.1-2017, pax Extended Header). */
export function readPax(block: Uint8Array, fields: PaxFields, fail: Fail): PaxFields {
  const read: PaxFields = { ...fields };
  // NULs after the last record are accepted, as by GNU tar.
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
    if (name.startsWith("GNU.sparse.")) fail("must be packed without --sparse, since it contains a sparse file");
    if (name === "size") read.size = parseSize(value, 10) ?? fail(NO_SIZE);
    else if (name === "path" || name === "linkpath") read[name] = value;
    start = end;
  }
  return read;
}

/** Returns the size in a header. Sizes are written in octal digits, but GNU tar writes large sizes in base 256. */
export function readSize(header: Uint8Array, fail: Fail): number {
  const field = header.subarray(124, 136);
  const [first = 0] = field;
  if (first < 0x80) return parseSize(decode(field).replace(/^ +|[ \0]+$/g, "") || "0", 8) ?? fail(NO_SIZE);
  // The highest bit marks base 256. The next bit marks a negative number, and makes the sum too large.
  const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, first & 0x7f);
  return Number.isSafeInteger(value) ? value : fail(NO_SIZE);
}

const NO_SIZE = "has an invalid size";

/** Parses a size. Returns undefined unless the size is a safe integer. */
function parseSize(text: string, radix: 8 | 10): number | undefined {
  const size = (radix === 8 ? /^[0-7]+$/ : /^\d+$/).test(text) ? Number.parseInt(text, radix) : NaN;
  return Number.isSafeInteger(size) ? size : undefined;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
