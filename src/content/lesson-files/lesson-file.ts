// Combines a lesson's file and its outline entry into fields, each with its place.
import { basename, dirname } from "node:path/posix";
import { publishesAnswers, type Answers, type QuestionKind } from "../quiz/answers.ts";
import { toPartPath } from "../../catalog/source-path.ts";
import type { FileDates } from "../files/git-dates.ts";
import type { SourceTree } from "../files/source-tree.ts";
import { toPlainText } from "../html/plain-text.ts";
import { cutText } from "../quote.ts";
import type { FileInLesson, LessonText, PlacedLesson } from "../resolve/placed-course.ts";
import { findText, type PlacedFields, type PlacedValue } from "../resolve/placed-value.ts";
import { reportUnreadable, type Location, type ReportFinding } from "../source.ts";
import type { MarkdownDialect } from "../markdown/dialects.ts";
import { consumeDuration, splitFrontMatter, type FileText } from "./front-matter.ts";
import { inspectBody, type BodyOptions, type LessonBody, type MadeFile } from "./lesson-body.ts";
import { findLessonFormat } from "./lesson-formats.ts";
import { isNotebookText, withholdAnswers } from "./jupytext-answers.ts";
import { isIntroduction, toTitle } from "./lesson-names.ts";
import type { PreparedText, PrepareText, WrittenText } from "../markdown/prepared-text.ts";

/** The maximum length of a name made from text. */
const MAX_NAME = 60;

/** A lesson in an outline. */
export interface NamedLesson {
  /** The file, relative to the source root; undefined if there is none. */
  file: string | undefined;
  /** For a translation, the file of the original lesson, which provides the name if nothing else does. */
  original?: string | undefined;
  /** Set if the file contains several lessons. */
  part?: FilePart | undefined;
  fields: PlacedFields;
  place: Location;
  /** Composes more fields when the lesson is read. If that fails, reports the error and resolves with undefined. */
  compose?: ((report: ReportFinding) => Promise<PlacedFields | undefined>) | undefined;
  /** The source path of a lesson without its own text file. */
  sourcePath?: string | undefined;
}

/** Part of a file that is a lesson. */
export interface FilePart {
  /** A name that is unique in the file; see `toPartPath`. */
  name: string;
  text: string;
  /** The line of the file on which the text begins. */
  firstLine: number;
}

/** Converts front matter fields to lesson fields, in place. */
export type AdaptFields = (fields: PlacedFields, path: string, report: ReportFinding) => void;

/** The course's settings for reading a lesson. */
export interface LessonContext {
  tree: SourceTree;
  courseFolder: string;
  /** The dialect of the course's Markdown files. */
  dialect: MarkdownDialect;
  /** The framework whose content is kept; undefined keeps all content. */
  framework: string | undefined;
  /** The course's language (BCP 47), if known. */
  language: string | undefined;
  /** Preprocesses Markdown files. */
  prepare: PrepareText | undefined;
  adaptFields: AdaptFields | undefined;
  /** Resolves with true for a held-back page, and reports it. */
  isHeld: ((path: string, fields: PlacedFields, report: ReportFinding) => Promise<boolean>) | undefined;
  /** The dates of files, by path relative to the source root. */
  dates: ReadonlyMap<string, FileDates>;
  /** Which questions publish their answers. If undefined, self-checks do, and no note counts the questions. */
  answers: Answers | undefined;
  report: ReportFinding;
}

interface Content {
  html: string;
  text: Omit<LessonText, "made">;
  fields: PlacedFields;
  /** The front matter's `title`, which names a lesson that has no `name`. */
  givenTitle: PlacedValue | undefined;
  /** The text's title, if any. */
  title: string | undefined;
  videoUrl: string | undefined;
  quizHtml: string;
  quizPlace: Location;
  place: Location;
}

/** Reads a lesson. Returns undefined for a held-back page, and after an error, which it reports. */
export async function readLesson(lesson: NamedLesson, context: LessonContext): Promise<PlacedLesson | undefined> {
  const { file } = lesson;
  const content = file === undefined ? undefined : await readContent(file, lesson, context);
  if (file !== undefined && content === undefined) return undefined;
  const composed = lesson.compose === undefined ? new Map() : await lesson.compose(context.report);
  if (composed === undefined) return undefined;

  const place = content?.place ?? lesson.place;
  const fields: PlacedFields = new Map();
  const setFromFile = (name: string, value: string | undefined, valuePlace = place): void => {
    if (value !== undefined && value !== "") fields.set(name, { value, place: valuePlace });
  };
  const { part } = lesson;
  const nameless =
    part === undefined ? nameAfterFile(basename(lesson.original ?? file ?? "")) : nameAfterText(content?.html ?? "");
  if (file !== undefined) setFromFile("name", content?.title ?? nameless);
  if (content?.givenTitle !== undefined) fields.set("name", content.givenTitle);
  setFromFile("url", content?.videoUrl);
  setFromFile("quizHtml", content?.quizHtml, content?.quizPlace);
  for (const given of [composed, lesson.fields, content?.fields ?? new Map()]) {
    for (const [name, field] of given) {
      if (field.value === undefined) continue;
      if (name === "name" && isBlank(field) && fields.has(name)) reportNameless(fields, field.place, context.report);
      else fields.set(name, field);
    }
  }
  setFromFile("additionalText", content?.html);
  const dates = file === undefined ? undefined : context.dates.get(file);
  for (const name of ["createdAt", "updatedAt"] as const) if (!fields.has(name)) setFromFile(name, dates?.[name]);
  const folder = file === undefined ? context.courseFolder : dirname(file);
  return {
    fields,
    place,
    sourcePath: findSourcePath(lesson),
    folder,
    text: content && { ...content.text, made: listMade(fields, content) },
  };
}

function listMade(fields: PlacedFields, { videoUrl, quizHtml }: Content): Set<string> {
  const made = { url: videoUrl, quizHtml };
  return new Set(Object.entries(made).flatMap(([name, value]) => (fields.get(name)?.value === value ? [name] : [])));
}

/** Returns a lesson's source path, if it has one. */
export function findSourcePath({
  file,
  part,
  sourcePath,
}: Pick<NamedLesson, "file" | "part" | "sourcePath">): string | undefined {
  if (sourcePath !== undefined) return sourcePath;
  return file === undefined || part === undefined ? file : toPartPath(file, part.name);
}

function isBlank({ value }: PlacedValue): boolean {
  return typeof value === "string" && value.trim() === "";
}

function reportNameless(fields: PlacedFields, place: Location, report: ReportFinding): void {
  const message = `the lesson has no name and is called "${cutText(findText(fields, "name") ?? "", 80)}"`;
  report({ kind: "no-name", ...place, message });
}

function nameAfterText(html: string): string {
  return cutText(toPlainText(html), MAX_NAME) || "Untitled";
}

function nameAfterFile(name: string): string {
  return isIntroduction(name) ? "Introduction" : toTitle(name);
}

async function readContent(path: string, lesson: NamedLesson, context: LessonContext): Promise<Content | undefined> {
  const { tree, report } = context;
  const file = tree.toTypedPath(path);
  const parts = lesson.part === undefined ? await readParts(path, context) : toParts(lesson.part);
  if (parts === undefined) return undefined;
  const { fields, body, bodyLine } = parts;
  if (lesson.part === undefined && (await context.isHeld?.(path, fields, report)) === true) return undefined;
  context.adaptFields?.(fields, path, report);
  consumeDuration(fields, report);
  for (const each of [fields, lesson.fields]) dropText(each, report);

  const isGiven = (name: string): boolean => [fields, lesson.fields].some((each) => findText(each, name) !== undefined);
  // The same order of priority as in `readLesson`.
  const name = findText(fields, "name") ?? findText(lesson.fields, "name") ?? findText(fields, "title");
  const givenTitle = consumeTitle(fields, report);
  const given = { keepsVideo: isGiven("url"), keepsQuestions: isGiven("quizHtml"), name };
  const start = lesson.part === undefined ? { file } : { file, line: bodyLine };
  const source = { path, text: body, firstLine: bodyLine, isNotebook: isNotebookText(path, fields) };
  const read = await readBody(source, given, context).catch((error: unknown) => reportUnreadable(error, start, report));
  if (read === undefined) return undefined;
  const { prepared, rendered } = read;
  const { remarks, quizLine = 1, selfChecks, questions = 0, pieces, lineOf, files, labels, ...content } = rendered;
  const inspected = inspectBody({ html: content.html, pieces });
  const text = {
    placeOf: (line: number): Location => prepared.placeOf(lineOf?.(line) ?? line),
    files: files && toSourceFiles(path, files, tree),
    written: body,
    labels,
    ...inspected,
    remarks: [...remarks, ...inspected.remarks],
  };
  const place = { file, line: lesson.part === undefined ? 1 : lesson.place.line };
  const quizPlace = prepared.placeOf(quizLine);
  noteAnswers("self-check", selfChecks, quizPlace, context);
  noteAnswers("question", questions, place, context);
  const found = prepared.reading?.finish();
  if (found?.remark !== undefined) report({ ...prepared.placeOf(1), ...found.remark });
  const quizHtml = (found?.quizHtml ?? "") + content.quizHtml;
  const videoUrl = found?.videoUrl ?? content.videoUrl;
  return { ...content, quizHtml, videoUrl, quizPlace, text, fields, givenTitle, place };
}

function noteAnswers(kind: QuestionKind, count: number, place: Location, { answers, report }: LessonContext): void {
  if (count === 0 || answers === undefined) return;
  const counted = { kind, count, isTold: publishesAnswers(answers, kind) };
  report({ kind: "counted", ...place, message: `has ${kind}s`, answers: counted });
}

/** Returns the files inside a lesson file. Reading one of these files rereads the lesson file. */
function toSourceFiles(
  path: string,
  files: ReadonlyMap<string, MadeFile>,
  tree: SourceTree,
): ReadonlyMap<string, FileInLesson> {
  const toFile = ({ read, ...file }: MadeFile): FileInLesson => ({
    ...file,
    async *read() {
      const text = await tree.readTextAgain(path);
      const bytes = text === undefined ? undefined : read(text, tree.limits);
      if (bytes === undefined)
        throw new Error(`${tree.toTypedPath(path)} changed during the import; run the import again`);
      yield bytes;
    },
  });
  return new Map(Array.from(files, ([url, file]) => [url, toFile(file)]));
}

/**
 * Renders the body. Returns undefined if `prepare` reports an error. Throws UnreadableText if the body cannot be
 * rendered.
 */
async function readBody(
  source: WrittenText & { isNotebook: boolean },
  given: Pick<BodyOptions, "keepsVideo" | "keepsQuestions" | "name">,
  { tree, dialect, framework, language, answers = "self-check", prepare, report }: LessonContext,
): Promise<{ prepared: PreparedText; rendered: LessonBody } | undefined> {
  const { path, text: written, firstLine } = source;
  const format = findLessonFormat(path);
  if (format === undefined) throw new Error(`${path} is not a lesson file`);
  const file = tree.toTypedPath(path);
  const asWritten: PreparedText = { text: written, placeOf: (line: number) => ({ file, line: line + firstLine - 1 }) };
  const isPrepared = prepare !== undefined && format.isMarkdown;
  // A dialect that reads cells, such as MyST, finds their answers with its own rules.
  const isNotebook = source.isNotebook && format.isMarkdown && !isPrepared && dialect.readsCells !== true;
  const withheld = isNotebook && !publishesAnswers(answers, "question") ? withholdAnswers(source, file) : undefined;
  const prepared: PreparedText | undefined = isPrepared
    ? await prepare(source, report)
    : (withheld?.prepared ?? asWritten);
  if (prepared === undefined) return undefined;
  const options = { limits: tree.limits, dialect, framework, language, answers, reading: prepared.reading, ...given };
  const rendered = (await format.load())(prepared.text, options);
  return { prepared, rendered: withheld === undefined ? rendered : { ...rendered, questions: withheld.count } };
}

async function readParts(path: string, { tree, report }: LessonContext): Promise<FileText | undefined> {
  const text = await tree.readText(path, report);
  return text === undefined ? undefined : splitFrontMatter(text, tree.toTypedPath(path), tree, report);
}

// The front matter of a file does not apply to its parts.
function toParts({ text, firstLine }: FilePart): FileText {
  return { fields: new Map(), body: text, bodyLine: firstLine };
}

// Removes and returns `title`, the field in which other builders expect the name.
function consumeTitle(fields: PlacedFields, report: ReportFinding): PlacedValue | undefined {
  const title = fields.get("title");
  fields.delete("title");
  if (title?.value === undefined) return undefined;
  if (typeof title.value === "string") return title.value.trim() === "" ? undefined : title;
  report({ kind: "ignored-value", ...title.place, message: "title is ignored: it must be text" });
  return undefined;
}

// The body is the lesson's text; a second text would be ambiguous.
function dropText(fields: PlacedFields, report: ReportFinding): void {
  const field = fields.get("additionalText");
  if (field === undefined) return;
  const message = "additionalText is ignored: the file already contains the lesson's text";
  report({ kind: "ignored-value", ...field.place, message });
  fields.delete("additionalText");
}
