// Decodes text files, whatever their encoding.
import type { ReportFinding } from "../source.ts";

/** Bytes that Windows-1252 leaves undefined, although decoders turn them into control characters. */
const UNDEFINED_BYTES = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

/**
 * Decodes a text file as UTF-16 if it begins with a UTF-16 byte order mark, else as UTF-8, else as Windows-1252 with a
 * warning. Returns undefined for any other file, and reports an error.
 */
export function decodeText(bytes: Uint8Array, file: string, report: ReportFinding): string | undefined {
  const tell = (kind: "unreadable" | "encoding", message: string, offset: number): undefined => {
    report({ kind, file, line: countLines(bytes.subarray(0, offset)), message });
  };
  const utf16 = findUtf16(bytes);
  // UTF-16 without a byte order mark is often valid UTF-8, but contains NULs.
  const isMarkless = bytes[0] === 0 || bytes[1] === 0;
  const text = isMarkless ? undefined : decode(bytes, utf16 ?? "utf-8");
  if (text !== undefined) return text;
  if (utf16 !== undefined) return tell("unreadable", `is not valid ${utf16.toUpperCase()}; save the file as UTF-8`, 0);
  const wrong = bytes.findIndex((byte) => byte === 0 || UNDEFINED_BYTES.has(byte));
  if (wrong !== -1) {
    return tell("unreadable", "is neither UTF-8 nor Windows-1252; save the file as UTF-8", wrong);
  }
  tell("encoding", "is not UTF-8, and is read as Windows-1252; save the file as UTF-8", findBroken(bytes));
  return decode(bytes, "windows-1252");
}

function findUtf16([first, second]: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

function decode(bytes: Uint8Array, encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

// Finds the first line that is not UTF-8. Decodes each line by itself, since no encoded character contains the byte of
// a line break.
function findBroken(bytes: Uint8Array): number {
  for (let start = 0; ;) {
    const end = bytes.indexOf(10, start);
    if (end === -1 || decode(bytes.subarray(start, end), "utf-8") === undefined) return start;
    start = end + 1;
  }
}

function countLines(bytes: Uint8Array): number {
  return bytes.reduce((lines, byte) => lines + Number(byte === 10), 1);
}
