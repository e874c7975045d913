// Renders notebook outputs, each in one form: an image, else a table, else text.
import { escapeHtml } from "../html/escape.ts";
import { fenceHtml } from "./notebook-html.ts";
import type { MimeBundle, Output } from "./notebook-cells.ts";

/** The maximum length of text to show, in UTF-16 code units. */
const MAX_TEXT = 100_000;
const MAX_HTML = 500_000;

/** The media type of an image and its file extension. */
export interface OutputImage {
  type: string;
  ending: string;
}

/** Image types, in order of preference. */
const IMAGES: readonly OutputImage[] = [
  { type: "image/png", ending: "png" },
  { type: "image/jpeg", ending: "jpg" },
  { type: "image/gif", ending: "gif" },
  { type: "image/webp", ending: "webp" },
  { type: "image/svg+xml", ending: "svg" },
];

/** The names that messages use for outputs that need a script, by media type. */
const PROGRAMS: Record<string, string> = {
  "application/javascript": "output of JavaScript",
  "text/javascript": "output of JavaScript",
  "application/vnd.jupyter.widget-view+json": "widget of a notebook",
};

/** Python's default representation of an object. */
const OBJECT = /^<[\w.]{1,200} object(?: at 0x[\da-f]+)?>$/i;

/** The form in which an output is shown. */
export type ShownOutput =
  | { kind: "image"; image: OutputImage }
  | { kind: "html"; html: string }
  /** An output that is not shown. */
  | { kind: "dropped"; what: string };

export function showOutput(output: Output): ShownOutput {
  if (output.kind !== "data") return toText(output.text, output.kind === "error" ? "output error" : "output");
  const { data } = output;
  const program = Object.keys(PROGRAMS).find((type) => type in data);
  if (program !== undefined) return { kind: "dropped", what: PROGRAMS[program] ?? "" };
  const image = findImage(data);
  if (image !== undefined) return { kind: "image", image };
  const html = data["text/html"];
  const fenced = html === undefined || html.length > MAX_HTML ? undefined : fenceHtml(html);
  if (fenced !== undefined) return { kind: "html", html: `<div class="output">${fenced}</div>\n` };
  const texts = [data["text/plain"], data["text/markdown"], data["text/latex"]];
  const text = texts.find((each) => each !== undefined && !OBJECT.test(each));
  if (text === undefined) return { kind: "dropped", what: "output of an unsupported kind" };
  return toText(text, "output");
}

/** Returns the first type in `IMAGES` for which there is a valid image, if any. */
export function findImage(data: MimeBundle): OutputImage | undefined {
  return IMAGES.find((image) => readImage(data, image) !== undefined);
}

const MAGIC: Record<string, RegExp> = {
  "image/png": /^\x89PNG\r\n/,
  "image/jpeg": /^\xff\xd8\xff/,
  "image/gif": /^GIF8/,
  "image/webp": /^RIFF[^]{4}WEBP/,
};

/** Returns an image's bytes; undefined if they are missing or do not match the type. */
export function readImage(data: MimeBundle, { type }: OutputImage): Buffer | undefined {
  const given = data[type];
  if (given === undefined) return undefined;
  if (type === "image/svg+xml") return /<svg[\s>]/i.test(given) ? Buffer.from(given) : undefined;
  const bytes = Buffer.from(given, "base64");
  return MAGIC[type]?.test(bytes.subarray(0, 16).toString("latin1")) === true ? bytes : undefined;
}

function toText(text: string, className: string): ShownOutput {
  // Removes terminal control sequences (ECMA-48), such as colors, and text that a carriage return overwrites.
  const plain = text
    .replace(/\x1b\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-Z\\-_]/g, "")
    .split("\n")
    .map(dropOverwritten)
    .join("\n")
    .replace(/[\0-\x08\x0b-\x1f\x7f]/g, "")
    .trimEnd();
  if (plain === "") return { kind: "html", html: "" };
  const cut = plain.length > MAX_TEXT ? `${plain.slice(0, MAX_TEXT).toWellFormed()}\n…` : plain;
  return { kind: "html", html: `<pre class="${className}">${escapeHtml(cut)}</pre>\n` };
}

/** Returns what a terminal shows of a line: the text after the last carriage return that is not at the line's end. */
function dropOverwritten(line: string): string {
  let end = line.length;
  while (line[end - 1] === "\r") end--;
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}
