// Reads notebook cells: https://nbformat.readthedocs.io/en/latest/format_description.html
import { z } from "zod";
import type { ImageSize } from "../html/image-size.ts";
import { UnreadableText, type SourceLimits } from "../limits.ts";
import { parseJson } from "../resolve/json-text.ts";
import { findSourceLines } from "./notebook-lines.ts";

/** Longer names of languages are cut, since every cell of code repeats the name. */
const MAX_LANGUAGE = 100;

export interface Notebook {
  /** The title in the notebook's metadata, if any. */
  title: string | undefined;
  /** The language of the code, in lower case; "" if unknown. */
  language: string;
  cells: Cell[];
}

export interface Cell {
  kind: "markdown" | "code" | "raw";
  /** Lines without line breaks. */
  lines: string[];
  /** The line number in the file for each of `lines`. */
  fileLines: number[];
  /** Tags in lower case, with `_` replaced by `-`. */
  tags: ReadonlySet<string>;
  /** True if Jupyter hides the code at first. */
  foldsInput: boolean;
  foldsOutput: boolean;
  /** The media type of a raw cell, if any. */
  rawType: string | undefined;
  /** True for a cell that nbgrader marks as a solution. */
  isSolution: boolean;
  attachments: Record<string, MimeBundle>;
  outputs: Output[];
}

/** Texts, and files in base64, by media type. */
export type MimeBundle = Record<string, string>;

export type Output =
  | { kind: "stream"; name: string; text: string }
  | { kind: "error"; text: string }
  | { kind: "data"; data: MimeBundle; sizes: Record<string, { [Side in keyof ImageSize]?: number | undefined }> };

const text = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat().join(""));
// Entries of a traceback do not end with a line break.
const trace = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat().join("\n"));
const bundle = z.record(z.string(), z.unknown()).transform((data) => {
  const texts = Object.entries(data).flatMap(([type, value]) => {
    const read = text.safeParse(value);
    // JSON output is never shown, so only its media type is kept.
    return [[type, read.success ? read.data : ""] as const];
  });
  return Object.fromEntries(texts);
});
const pixels = z.int().min(1).max(65_535).optional().catch(undefined);
const sizes = z.record(z.string(), z.object({ width: pixels, height: pixels }).catch({})).catch({});
const output = z.union([
  z.object({ output_type: z.literal("stream"), name: z.string().catch("stdout"), text }),
  z.object({ output_type: z.enum(["error", "pyerr"]), traceback: trace.catch(""), ename: z.string().catch("") }),
  z.object({ output_type: z.enum(["display_data", "execute_result"]), data: bundle, metadata: sizes }),
]);
const flags = z.object({ source_hidden: z.boolean().catch(false), outputs_hidden: z.boolean().catch(false) });
const metadata = z.object({
  tags: z.array(z.string()).catch([]),
  hide_input: z.boolean().catch(false),
  collapsed: z.boolean().catch(false),
  jupyter: flags.partial().catch({}),
  raw_mimetype: z.string().optional().catch(undefined),
  format: z.string().optional().catch(undefined),
  nbgrader: z
    .object({ solution: z.boolean().catch(false) })
    .optional()
    .catch(undefined),
});
const cell = z.object({
  cell_type: z.enum(["markdown", "code", "raw"]),
  source: z.union([z.string(), z.array(z.string())]),
  metadata: metadata.default({ tags: [], hide_input: false, collapsed: false, jupyter: {} }),
  attachments: z.record(z.string(), bundle).catch({}),
  outputs: z.array(output).catch([]),
});
const notebook = z.object({
  metadata: z
    .object({
      title: z.string().optional().catch(undefined),
      language_info: z.object({ name: z.string().catch("") }).catch({ name: "" }),
      kernelspec: z.object({ language: z.string().catch("") }).catch({ language: "" }),
    })
    .catch({ title: undefined, language_info: { name: "" }, kernelspec: { language: "" } }),
  cells: z.array(cell),
});

/** Reads a notebook of format 4 or 3. Throws UnreadableText for anything else. */
export function readNotebook(json: string, limits: SourceLimits): Notebook {
  const value = parse(json, limits);
  const version = z.object({ nbformat: z.number() }).safeParse(value).data?.nbformat;
  if (version === undefined) throw new UnreadableText("is not a notebook: the field nbformat is missing", "syntax");
  if (version !== 3 && version !== 4) {
    const how = version < 3 ? "; convert it with jupyter nbconvert --to notebook" : "";
    throw new UnreadableText(`is a notebook of format ${version}: only formats 3 and 4 are supported${how}`, "syntax");
  }
  const read = notebook.safeParse(version === 3 ? convertFormat3(value) : value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new UnreadableText(`is a malformed notebook: ${issue?.path.join(".")}: ${issue?.message}`, "syntax");
  }
  const { cells, metadata: about } = read.data;
  const lines = findSourceLines(json);
  return {
    title: about.title?.trim() || undefined,
    language: (about.language_info.name || about.kernelspec.language).slice(0, MAX_LANGUAGE).toLowerCase(),
    cells: cells.map((each, index) => toCell(each, lines[index] ?? [])),
  };
}

function parse(json: string, limits: SourceLimits): unknown {
  try {
    return parseJson(json, limits);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UnreadableText(`is not a notebook: ${error.message.replace(/^JSON Parse error: /, "")}`, "syntax");
  }
}

function toCell({ metadata: about, ...read }: z.output<typeof cell>, stringLines: readonly number[]): Cell {
  const tags = new Set(about.tags.map((tag) => tag.toLowerCase().replaceAll("_", "-")));
  return {
    kind: read.cell_type,
    ...splitLines([read.source].flat(), stringLines),
    tags,
    foldsInput: about.hide_input || about.jupyter.source_hidden === true,
    foldsOutput: about.collapsed || about.jupyter.outputs_hidden === true,
    rawType: about.raw_mimetype ?? about.format,
    isSolution: about.nbgrader?.solution === true,
    attachments: read.attachments,
    outputs: joinStreams(read.outputs.map(toOutput)),
  };
}

// Most programs write one string for each line. If a string contains several lines, all get the line number of the
// string.
function splitLines(strings: string[], stringLines: readonly number[]): Pick<Cell, "lines" | "fileLines"> {
  const lines: string[] = [];
  const fileLines: number[] = [];
  let isOpen = false;
  for (const [index, string] of strings.entries()) {
    for (const [part, line] of string.split(/\r\n?|\n/).entries()) {
      if (isOpen && part === 0) lines.push(`${lines.pop() ?? ""}${line}`);
      else {
        lines.push(line);
        fileLines.push(stringLines[index] ?? stringLines[0] ?? 1);
      }
    }
    isOpen = true;
    if (/[\r\n]$/.test(string)) {
      // The text after the line break is in the next string.
      lines.pop();
      fileLines.pop();
      isOpen = false;
    }
  }
  return { lines, fileLines };
}

function toOutput(read: z.output<typeof output>): Output {
  if ("data" in read) return { kind: "data", data: read.data, sizes: read.metadata };
  if ("name" in read) return { kind: "stream", name: read.name, text: read.text };
  return { kind: "error", text: read.traceback || read.ename };
}

function joinStreams(outputs: Output[]): Output[] {
  const joined: Output[] = [];
  for (const each of outputs) {
    const last = joined.at(-1);
    if (each.kind === "stream" && last?.kind === "stream" && last.name === each.name) last.text += each.text;
    else joined.push(each);
  }
  return joined;
}

type Json = Record<string, unknown>;

const FORMAT_3_TYPES: Record<string, string> = {
  text: "text/plain",
  html: "text/html",
  svg: "image/svg+xml",
  png: "image/png",
  jpeg: "image/jpeg",
  latex: "text/latex",
  javascript: "application/javascript",
  json: "application/json",
};

// Converts as nbformat does: https://github.com/jupyter/nbformat/blob/main/nbformat/v4/convert.py
function convertFormat3(value: unknown): Json {
  const { worksheets, metadata: about = {} } = value as Json;
  const cells = (Array.isArray(worksheets) ? (worksheets as Json[]) : []).flatMap((sheet) => sheet["cells"] ?? []);
  let language: unknown;
  const converted = (cells as Json[]).map((each) => {
    const { cell_type: kind, level, collapsed } = each;
    if (kind === "code") {
      language ??= each["language"];
      const outputs = Array.isArray(each["outputs"]) ? (each["outputs"] as Json[]).map(convertOutput3) : [];
      const about3 = { ...(each["metadata"] as Json | undefined), collapsed };
      return { ...each, source: each["input"] ?? [], outputs, metadata: about3 };
    }
    if (kind !== "heading") return kind === "html" ? { ...each, cell_type: "markdown" } : each;
    const [first = "", ...rest] = [each["source"] ?? ""].flat() as string[];
    const marks = "#".repeat(Math.min(6, Math.max(1, Math.trunc(Number(level)) || 1)));
    return { ...each, cell_type: "markdown", source: [`${marks} ${first}`, ...rest] };
  });
  return { metadata: { ...(about as Json), kernelspec: { language } }, cells: converted };
}

function convertOutput3({ output_type: kind, ...given }: Json): Json {
  if (kind === "stream") return { output_type: kind, name: given["stream"], text: given["text"] ?? "" };
  if (kind === "pyerr") return { output_type: kind, ...given };
  const data = Object.entries(given).flatMap(([name, value]) => {
    const type = FORMAT_3_TYPES[name];
    return type === undefined ? [] : [[type, value]];
  });
  return { output_type: kind === "pyout" ? "execute_result" : kind, data: Object.fromEntries(data) as Json };
}
