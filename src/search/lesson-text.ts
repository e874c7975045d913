import { constants, gunzipSync } from "node:zlib";
import { decodeData, isPacked, measureUnpacked, type Bytes } from "../catalog/body.ts";
import type { LessonDocument } from "../catalog/documents.ts";

/** What is unpacked of a lesson that is too large for a page. */
const BEGINNING_BYTES = 32 * 1024;
/** No quotation mark stands unescaped in a text, so this is no part of one. */
const TEXT = /"additionalText":"((?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-f]{4}))*)/i;

/** The HTML of a lesson. */
export function readLessonText(body: Bytes): string {
  return (JSON.parse(decodeData(body)) as LessonDocument).additionalText;
}

/** The HTML of a lesson if its body has at most so many bytes, else its beginning; and how many bytes were read. */
export function readLimitedText(body: Bytes, maxBytes: number): { html: string; bytes: number } {
  const bytes = isPacked(body) ? measureUnpacked(body) : body.byteLength;
  if (bytes <= maxBytes) return { html: readLessonText(body), bytes };
  const begun = isPacked(body)
    ? gunzipSync(body.subarray(0, BEGINNING_BYTES), { finishFlush: constants.Z_SYNC_FLUSH })
    : body;
  const [, text = ""] = TEXT.exec(new TextDecoder().decode(begun.subarray(0, BEGINNING_BYTES))) ?? [];
  return { html: JSON.parse(`"${text}"`) as string, bytes: BEGINNING_BYTES };
}
