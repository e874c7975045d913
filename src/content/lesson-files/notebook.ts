// Renders a notebook as a lesson: Markdown, code and outputs, cell by cell. Runs no code.
import { ContentDigest } from "../../catalog/content-digest.ts";
import { readImageSize } from "../html/image-size.ts";
import { publishesAnswers } from "../quiz/answers.ts";
import type { MarkdownDialect } from "../markdown/dialects.ts";
import type { TextRemark } from "../markdown/markdown-environment.ts";
import { addCellRules, type CellPart } from "../markdown/rules/cells.ts";
import { renderMarkdown } from "../markdown/markdown.ts";
import { countInto, type TallyEntry } from "../tally.ts";
import type { SourceLimits } from "../limits.ts";
import type { BodyOptions, LessonBody, MadeFile } from "./lesson-body.ts";
import { holdsAnswer, markSolutions, withoutAnswers } from "./notebook-answers.ts";
import { findImage, readImage, showOutput } from "./notebook-outputs.ts";
import { type Output, readNotebook, type Cell, type Notebook } from "./notebook-cells.ts";

/** The virtual folder, beside the notebook, for the notebook's files. */
const FILES = "notebook-files";

const DIALECT: MarkdownDialect = {
  hasTexMath: true,
  hasSpacedMath: true,
  hasTexEnvironments: true,
  hasIndentedCode: true,
  hasHeadingAnchors: false,
};

/** Renders a notebook. Throws UnreadableText if the notebook is malformed or too large. */
export function renderNotebook(json: string, options: BodyOptions): LessonBody {
  const notebook = readNotebook(json, options.limits);
  const assembled = new Assembly(notebook, publishesAnswers(options.answers, "question"));
  const text = assembled.lines.join("\n");
  const { parts, attachments, fileLines } = assembled;
  const base = options.dialect.readsCells === true ? { ...options.dialect, ...DIALECT } : DIALECT;
  const rendered = renderMarkdown(text, {
    ...options,
    dialect: { ...base, rules: [...(base.rules ?? []), addCellRules] },
    cells: { parts, attachments },
  });
  const lineOf = (line: number): number => fileLines[line - 1] ?? 1;
  return {
    ...rendered,
    title: notebook.title ?? rendered.title,
    videoUrl: undefined,
    lineOf,
    files: assembled.files,
    questions: assembled.questions,
    remarks: [...rendered.remarks, ...assembled.listDropped()],
  };
}

/** The last notebook that `readFile` parsed: its files are read one after the other. */
let lastRead: { json: string; cells: Cell[] } = { json: "", cells: [] };

/**
 * Returns the bytes of a file inside a notebook; undefined if the file is gone. Throws UnreadableText as
 * `renderNotebook` does.
 */
function readFile(json: string, limits: SourceLimits, cell: number, find: (cell: Cell) => Buffer | undefined) {
  if (lastRead.json !== json) lastRead = { json, cells: readNotebook(json, limits).cells };
  const found = lastRead.cells[cell];
  return found === undefined ? undefined : find(found);
}

/** Assembles a notebook's text, parts and files, and the line number of each line. */
class Assembly {
  readonly lines: string[] = [];
  readonly fileLines: number[] = [];
  readonly parts: CellPart[] = [];
  readonly attachments = new Map<string, string>();
  readonly files = new Map<string, MadeFile>();
  questions = 0;
  readonly #notebook: Notebook;
  readonly #publishesAnswers: boolean;
  readonly #dropped = new Map<string, TallyEntry & { line: number }>();

  constructor(notebook: Notebook, showsAnswers: boolean) {
    this.#notebook = notebook;
    this.#publishesAnswers = showsAnswers;
    markSolutions(notebook.cells);
    for (const [index, cell] of notebook.cells.entries()) this.#addCell(cell, index);
  }

  /** Returns remarks on content that is left out. */
  listDropped(): TextRemark[] {
    return [...this.#dropped.values()].map(({ line, ...entry }) => {
      const name = entry.count === 1 ? entry.what : (entry.plural ?? `${entry.what}s`);
      const message = `${entry.count} ${name} ${entry.count === 1 ? "is" : "are"} left out`;
      return { line, kind: "dropped-component", message, tally: [entry] };
    });
  }

  #addCell(cell: Cell, index: number): void {
    const { tags } = cell;
    if (tags.has("remove-cell")) return;
    const isAnswer = holdsAnswer(cell);
    if (isAnswer && cell.kind !== "raw") this.questions++;
    const isWithheld = isAnswer && !this.#publishesAnswers;
    const { lines, fileLines } = isWithheld ? withoutAnswers(cell) : cell;
    if (tags.has("remove-input") && cell.kind !== "code") return;
    const from = this.lines.length;
    // A cell can have more lines than a call can have arguments.
    for (const line of lines) this.lines.push(line);
    for (const line of fileLines) this.fileLines.push(line);
    this.lines.push("");
    this.fileLines.push(fileLines.at(-1) ?? 1);
    const end = from + lines.length;
    if (cell.kind === "code") return this.#addCode(cell, index, { from, end, isWithheld });
    if (cell.kind === "raw") return this.#addRaw(cell, from, end);
    if (!isWithheld) this.#takeAttachments(cell, index, from);
    if (lines.some((line) => line.trim() !== "")) this.parts.push({ kind: "markdown", from, end });
  }

  #addRaw({ rawType = "" }: Cell, from: number, end: number): void {
    if (/^(text\/)?markdown$/.test(rawType)) this.parts.push({ kind: "markdown", from, end });
    else if (end > from && /^(text\/)?html$/.test(rawType)) {
      this.parts.push({ kind: "html", html: `${this.lines.slice(from, end).join("\n")}\n`, at: from });
    } else if (end > from) this.#drop("raw notebook cell", "raw notebook cells", from);
  }

  #addCode(cell: Cell, index: number, place: { from: number; end: number; isWithheld: boolean }): void {
    const { tags, outputs } = cell;
    const { from, isWithheld } = place;
    const isFolded = tags.has("hide-cell");
    if (isFolded) this.#fold("Code", from);
    if (!tags.has("remove-input")) {
      const foldsInput = !isFolded && (tags.has("hide-input") || cell.foldsInput);
      this.#addSource(place, foldsInput);
    }
    const isShown = (output: Output): boolean =>
      !tags.has("remove-output") && !(output.kind === "stream" && tags.has(`remove-${output.name}`));
    const html = outputs
      .map((output, number) => (!isWithheld && isShown(output) ? this.#showOutput(output, index, number, from) : ""))
      .join("");
    const foldsOutput = !isFolded && (tags.has("hide-output") || cell.foldsOutput);
    if (html !== "" && foldsOutput) this.#fold("Output", from);
    if (html !== "") this.parts.push({ kind: "html", html, at: from });
    if (html !== "" && foldsOutput) this.#endFold(from);
    if (isFolded) this.#endFold(from);
  }

  #addSource({ from, end }: { from: number; end: number }, isFolded: boolean): void {
    let last = end;
    while (last > from && this.lines[last - 1]?.trim() === "") last--;
    if (last === from) return;
    const [, magic] = /^%%(\w+)/.exec(this.lines[from] ?? "") ?? [];
    const language = MAGICS[magic ?? ""] ?? this.#notebook.language;
    if (isFolded) this.#fold("Code", from);
    this.parts.push({ kind: "code", from, end: last, language });
    if (isFolded) this.#endFold(from);
  }

  #showOutput(output: Cell["outputs"][number], cell: number, number: number, at: number): string {
    const shown = showOutput(output);
    if (shown.kind === "html") return shown.html;
    if (shown.kind === "dropped" || output.kind !== "data") {
      this.#drop(shown.kind === "dropped" ? shown.what : "", undefined, at);
      return "";
    }
    const { image } = shown;
    const read = (found: Cell): Buffer | undefined => {
      const again = found.outputs[number];
      return again?.kind === "data" ? readImage(again.data, image) : undefined;
    };
    const url = this.#takeFile(cell, `output-${cell + 1}-${number + 1}.${image.ending}`, read);
    if (url === undefined) return "";
    const given = output.sizes[image.type] ?? {};
    const size = given.width === undefined && given.height === undefined ? this.files.get(url)?.size : given;
    const attributes = (["width", "height"] as const).map((name) =>
      size?.[name] === undefined ? "" : ` ${name}="${size[name]}"`,
    );
    return `<img src="${url}" alt=""${attributes.join("")} loading="lazy">\n`;
  }

  #takeAttachments({ attachments }: Cell, index: number, from: number): void {
    for (const [name, data] of Object.entries(attachments)) {
      const image = findImage(data);
      if (image === undefined) continue;
      const read = (found: Cell): Buffer | undefined => readImage(found.attachments[name] ?? {}, image);
      const stem = name
        .replace(/\.[a-z]+$/i, "")
        .replace(/[^\p{L}\p{N}_-]+/gu, "-")
        .slice(0, 60);
      const url = this.#takeFile(index, `${stem || "image"}-${index + 1}.${image.ending}`, read);
      if (url !== undefined) this.attachments.set(`${from} ${name}`, url);
    }
  }

  #takeFile(cell: number, fileName: string, find: (cell: Cell) => Buffer | undefined): string | undefined {
    const bytes = find(this.#notebook.cells[cell]!);
    if (bytes === undefined) return undefined;
    const digest = new ContentDigest();
    digest.add(bytes);
    const url = `${FILES}/${encodeURIComponent(fileName)}`;
    const read: MadeFile["read"] = (json, limits) => readFile(json, limits, cell, find);
    const size = readImageSize(bytes);
    this.files.set(url, { fileName, digest: digest.finish(), bytes: bytes.byteLength, read, size });
    return url;
  }

  #fold(summary: string, at: number): void {
    this.parts.push({ kind: "html", html: `<details>\n<summary>${summary}</summary>\n`, at });
  }

  #endFold(at: number): void {
    this.parts.push({ kind: "html", html: "</details>\n", at });
  }

  #drop(what: string, plural: string | undefined, line: number): void {
    const entry = { what, plural: plural ?? what.replace(/^\S+/, "$&s"), isKept: false, line: line + 1 };
    countInto(this.#dropped, entry);
  }
}

/** The languages of cell magics such as `%%bash`. */
const MAGICS: Record<string, string> = {
  bash: "bash",
  sh: "bash",
  script: "bash",
  html: "html",
  HTML: "html",
  javascript: "javascript",
  js: "javascript",
  latex: "latex",
  markdown: "markdown",
  perl: "perl",
  ruby: "ruby",
  R: "r",
  sql: "sql",
  svg: "xml",
  SVG: "xml",
  cython: "cython",
};
