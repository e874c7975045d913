import { constants, gunzipSync } from "node:zlib";
import { decodeData, isPacked, measureUnpacked, type Bytes } from "../catalog/body.ts";
import type { LessonDocument } from "../catalog/documents.ts";

/** How much of a lesson is unpacked if it is too large for the page's budget. */
const BEGINNING_BYTES = 32 * 1024;
/** JSON escapes quotation marks in texts, so this matches only the member. */
const TEXT = /"additionalText":"((?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-f]{4}))*)/i;

export function readLessonText(body: Bytes): string {
  return (JSON.parse(decodeData(body)) as LessonDocument).additionalText;
}

/** Returns the HTML of a lesson, only its beginning if the body exceeds `maxBytes`; and the number of bytes read. */
export function readLimitedText(body: Bytes, maxBytes: number): { html: string; bytes: number } {
  const bytes = isPacked(body) ? measureUnpacked(body) : body.byteLength;
  if (bytes <= maxBytes) return { html: readLessonText(body), bytes };
  const begun = isPacked(body)
    ? gunzipSync(body.subarray(0, BEGINNING_BYTES), { finishFlush: constants.Z_SYNC_FLUSH })
    : body;
  const [, text = ""] = TEXT.exec(new TextDecoder().decode(begun.subarray(0, BEGINNING_BYTES))) ?? [];
  return { html: JSON.parse(`"${text}"`) as string, bytes: BEGINNING_BYTES };
}
