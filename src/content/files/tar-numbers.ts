// The numbers of a tar, read strictly: where two programs read a size otherwise, they read two archives.

/** What an extended header says of members; what is absent stands in the member's own header. */
export interface PaxFields {
  path?: string;
  linkpath?: string;
  size?: number;
}

/** Throws an error that names the member before. */
export type Fail = (what: string) => never;

/** Adds the records of an extended header to `fields`: POSIX.1-2017, pax Extended Header. */
export function readPax(block: Uint8Array, fields: PaxFields, fail: Fail): PaxFields {
  const read: PaxFields = { ...fields };
  for (let start = 0; start < block.length;) {
    const space = block.indexOf(32, start);
    const length = parseSize(decode(block.subarray(start, Math.max(start, space))), 10);
    const end = start + (length ?? 0);
    const record = decode(block.subarray(space + 1, end));
    const equals = record.indexOf("=");
    if (end <= space || end > block.length || !record.endsWith("\n") || equals === -1) {
      return fail("has an extended header that is malformed");
    }
    const name = record.slice(0, equals);
    const value = record.slice(equals + 1, -1);
    if (name.startsWith("GNU.sparse.")) fail("has a sparse file, which is not read; pack it without --sparse");
    if (name === "size") read.size = parseSize(value, 10) ?? fail(NO_SIZE);
    else if (name === "path" || name === "linkpath") read[name] = value;
    start = end;
  }
  return read;
}

/** The size in a header: octal digits, or a number of base 256, as GNU writes large ones. */
export function readSize(header: Uint8Array, fail: Fail): number {
  const field = header.subarray(124, 136);
  const [first = 0] = field;
  if (first < 0x80) return parseSize(decode(field).replace(/^ +|[ \0]+$/g, "") || "0", 8) ?? fail(NO_SIZE);
  // The highest bit is a mark. A negative one has the next bit, and is too large here.
  const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, first & 0x7f);
  return Number.isSafeInteger(value) ? value : fail(NO_SIZE);
}

const NO_SIZE = "has a size that is no number of bytes";

/** Undefined for what is no whole number that can be counted with. */
function parseSize(text: string, radix: 8 | 10): number | undefined {
  const size = (radix === 8 ? /^[0-7]+$/ : /^\d+$/).test(text) ? Number.parseInt(text, radix) : NaN;
  return Number.isSafeInteger(size) ? size : undefined;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
