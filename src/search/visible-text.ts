// The visible text of HTML, with a line for each block, and without scripts and hidden elements.
import { Parser } from "htmlparser2";
import { normalizeText } from "./words.ts";
import { constants, gunzipSync } from "node:zlib";
import { decodeData, isPacked, measureUnpacked, type Bytes } from "../catalog/body.ts";
import type { LessonDocument } from "../catalog/documents.ts";

/** A heading, from `start` to `end` in the text. `id` is "" if the heading has none. */
export interface Heading {
  id: string;
  start: number;
  end: number;
}

export interface VisibleText {
  /** The text in NFC, with a line for each block. */
  text: string;
  headings: Heading[];
}

const SILENT = new Set(["script", "style", "template"]);
/** Elements that separate words. */
const BLOCKS = new Set(
  (
    "address article aside blockquote body br button caption center col colgroup dd details dialog dir div dl dt fieldset " +
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend li listing main menu nav ol " +
    "optgroup option p plaintext pre search section select summary table tbody td textarea tfoot th thead title tr ul xmp"
  ).split(" "),
);
const IS_HEADING = /^h[1-6]$/;

/** Reads the visible text in the first `maxLength` characters of the HTML. */
export function readVisibleText(html: string, maxLength = Infinity): VisibleText {
  const lines: string[] = [];
  const headings: Heading[] = [];
  let length = 0;
  let line = "";
  let heading: Heading | undefined;
  let silentName = "";
  let depth = 0;
  const endLine = (): void => {
    const finished = normalizeText(line.replace(/\s+/g, " ").trim());
    line = "";
    if (finished === "") return;
    lines.push(finished);
    length += finished.length + 1;
  };
  const endHeading = (): void => {
    if (heading !== undefined) heading.end = Math.max(heading.start, length - 1);
    heading = undefined;
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      if (depth > 0) {
        if (name === silentName) depth++;
      } else if (SILENT.has(name) || "hidden" in attributes) {
        silentName = name;
        depth = 1;
      }
      if (depth > 0) return;
      if (BLOCKS.has(name)) endLine();
      if (!IS_HEADING.test(name)) return;
      endHeading();
      heading = { id: attributes["id"] ?? "", start: length, end: length };
      headings.push(heading);
    },
    onclosetag(name) {
      if (depth > 0) {
        if (name === silentName) depth--;
        return;
      }
      if (BLOCKS.has(name)) endLine();
      if (IS_HEADING.test(name)) endHeading();
    },
    ontext(text) {
      if (depth === 0) line += text;
    },
  });
  parser.end(html.slice(0, maxLength));
  endLine();
  endHeading();
  return { text: lines.join("\n"), headings };
}

/** How many bytes are read of a lesson that exceeds its limit. */
const BEGINNING_BYTES = 32 * 1024;
/** JSON escapes quotation marks in values, so this matches only the member itself. */
const TEXT = /"additionalText":"((?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-f]{4}))*)/i;

export function readLessonText(body: Bytes): string {
  return (JSON.parse(decodeData(body)) as LessonDocument).additionalText;
}

/** Returns a lesson's HTML (only its beginning if the body exceeds `maxBytes`) and the number of bytes read. */
export function readLimitedText(body: Bytes, maxBytes: number): { html: string; bytes: number } {
  const bytes = isPacked(body) ? measureUnpacked(body) : body.byteLength;
  if (bytes <= maxBytes) return { html: readLessonText(body), bytes };
  const begun = isPacked(body)
    ? gunzipSync(body.subarray(0, BEGINNING_BYTES), { finishFlush: constants.Z_SYNC_FLUSH })
    : body;
  const [, text = ""] = TEXT.exec(new TextDecoder().decode(begun.subarray(0, BEGINNING_BYTES))) ?? [];
  return { html: JSON.parse(`"${text}"`) as string, bytes: BEGINNING_BYTES };
}
