// One lesson: its file and its outline become the fields of the authoring form.
import { basename, dirname } from "node:path/posix";
import { tellsAnswers, type Answers, type QuestionKind } from "../quiz/answers.ts";
import { toPartPath } from "../../catalog/source-path.ts";
import type { FileDates } from "../files/git-dates.ts";
import type { SourceTree } from "../files/source-tree.ts";
import { toPlainText } from "../html/plain-text.ts";
import { cutText } from "../quote.ts";
import type { FileInLesson, LessonText, PlacedLesson } from "../resolve/placed-course.ts";
import { findText, type PlacedFields, type PlacedValue } from "../resolve/placed-value.ts";
import { tellUnreadable, type Location, type Tell } from "../source.ts";
import type { MarkdownDialect } from "../markdown/dialects.ts";
import { takeDuration } from "./front-matter-duration.ts";
import { splitFrontMatter, type FileText } from "./front-matter.ts";
import { inspectBody, type BodyOptions, type LessonBody, type MadeFile } from "./lesson-body.ts";
import { findLessonFormat } from "./lesson-formats.ts";
import { isIntroduction, toTitle } from "./lesson-names.ts";
import type { PreparedText, PrepareText } from "../markdown/prepared-text.ts";

/** A name that is made of a text is cut. */
const MAX_NAME = 60;

/** A lesson as its outline names it. */
export interface NamedLesson {
  /** Relative to the source's root; undefined for a lesson without a file. */
  file: string | undefined;
  /** Where the lesson is one of several in its file; undefined where it is the whole file. */
  part?: FilePart | undefined;
  fields: PlacedFields;
  place: Location;
  /** Makes more fields when the lesson is read; undefined when that is impossible, which it reports. */
  compose?: ((report: Tell) => Promise<PlacedFields | undefined>) | undefined;
  /** Where a lesson is read that has no file for its text alone. */
  sourcePath?: string | undefined;
}

/** A part of a file that is a lesson by itself. */
export interface FilePart {
  /** Unlike that of every other part of the file; see `toPartPath`. */
  name: string;
  text: string;
  /** The line of the file on which the text begins. */
  firstLine: number;
}

/** Changes the fields of a lesson's front matter to those that lessons have. */
export type AdaptFields = (fields: PlacedFields, path: string, report: Tell) => void;

/** What reading a lesson needs to know about its course. */
export interface LessonContext {
  tree: SourceTree;
  courseFolder: string;
  /** What the Markdown files of the course are written in. */
  dialect: MarkdownDialect;
  /** The framework for whose readers lessons are; undefined for those of all. */
  framework: string | undefined;
  /** Of the course (BCP 47); undefined where nothing tells it. */
  language: string | undefined;
  /** What is done to the text of Markdown files before; undefined for nothing. */
  prepare: PrepareText | undefined;
  /** What is done to the fields of their front matter; undefined for nothing. */
  adaptFields: AdaptFields | undefined;
  /** True for a page that its front matter holds back, which it tells; undefined where there are none. */
  isHeld: ((path: string, fields: PlacedFields, report: Tell) => Promise<boolean>) | undefined;
  /** When files were made and changed, by their paths relative to the source's root. */
  dates: ReadonlyMap<string, FileDates>;
  /** Which questions tell their answers, of which those of each lesson are noted; `self-check` and no note where undefined. */
  answers: Answers | undefined;
  report: Tell;
}

interface Content {
  html: string;
  text: Omit<LessonText, "made">;
  fields: PlacedFields;
  /** `title` of the front matter: a name for lack of another; undefined where there is none. */
  givenTitle: PlacedValue | undefined;
  /** Undefined where the text gives none. */
  title: string | undefined;
  videoUrl: string | undefined;
  quizHtml: string;
  quizPlace: Location;
  place: Location;
}

/** Reads a lesson. Undefined when its file cannot be read, which is reported, or its page is held back. */
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
  const nameless = part === undefined ? nameAfterFile(basename(file ?? "")) : nameAfterText(content?.html ?? "");
  if (file !== undefined) setFromFile("name", content?.title ?? nameless);
  if (content?.givenTitle !== undefined) fields.set("name", content.givenTitle);
  setFromFile("url", content?.videoUrl);
  setFromFile("quizHtml", content?.quizHtml, content?.quizPlace);
  for (const given of [composed, lesson.fields, content?.fields ?? new Map()]) {
    for (const [name, field] of given) {
      if (field.value === undefined) continue;
      if (name === "name" && isBlank(field) && fields.has(name)) tellNameless(fields, field.place, context.report);
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

/** Where a lesson is read; undefined for one without a file. */
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

function tellNameless(fields: PlacedFields, place: Location, report: Tell): void {
  const message = `the lesson has no name; it is called "${cutText(findText(fields, "name") ?? "", 80)}"`;
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
  takeDuration(fields, report);
  for (const each of [fields, lesson.fields]) forgetText(each, report);

  const isGiven = (name: string): boolean => [fields, lesson.fields].some((each) => findText(each, name) !== undefined);
  // In the order in which readLesson takes them.
  const name = findText(fields, "name") ?? findText(lesson.fields, "name") ?? findText(fields, "title");
  const givenTitle = takeTitle(fields, report);
  const given = { keepsVideo: isGiven("url"), keepsQuestions: isGiven("quizHtml"), name };
  const start = lesson.part === undefined ? { file } : { file, line: bodyLine };
  const read = await readBody(path, body, bodyLine, given, context).catch((error: unknown) =>
    tellUnreadable(error, start, report),
  );
  if (read === undefined) return undefined;
  const { prepared, rendered } = read;
  const { remarks, quizLine = 1, selfChecks, questions = 0, pieces, lineOf, files, ...content } = rendered;
  const inspected = inspectBody({ html: content.html, pieces });
  const text = {
    placeOf: (line: number): Location => prepared.placeOf(lineOf?.(line) ?? line),
    files: files && toSourceFiles(path, files, tree),
    written: body,
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
  const counted = { kind, count, isTold: tellsAnswers(answers, kind) };
  report({ kind: "counted", ...place, message: `has ${kind}s`, answers: counted });
}

/** The files within a lesson file: it is read once more when one is stored. */
function toSourceFiles(
  path: string,
  files: ReadonlyMap<string, MadeFile>,
  tree: SourceTree,
): ReadonlyMap<string, FileInLesson> {
  const toFile = ({ read, ...file }: MadeFile): FileInLesson => ({
    ...file,
    async *read() {
      const text = await tree.readText(path, () => undefined);
      const bytes = text === undefined ? undefined : read(text, tree.limits);
      if (bytes === undefined) throw new Error(`${tree.toTypedPath(path)} has changed since it was read`);
      yield bytes;
    },
  });
  return new Map(Array.from(files, ([url, file]) => [url, toFile(file)]));
}

/** Undefined when the text cannot be prepared; that is reported. Throws UnreadableText. */
async function readBody(
  path: string,
  written: string,
  firstLine: number,
  given: Pick<BodyOptions, "keepsVideo" | "keepsQuestions" | "name">,
  { tree, dialect, framework, language, answers = "self-check", prepare, report }: LessonContext,
): Promise<{ prepared: PreparedText; rendered: LessonBody } | undefined> {
  const format = findLessonFormat(path);
  if (format === undefined) throw new Error(`${path} is no lesson file`);
  const file = tree.toTypedPath(path);
  const asWritten: PreparedText = { text: written, placeOf: (line: number) => ({ file, line: line + firstLine - 1 }) };
  const isPrepared = prepare !== undefined && format.isMarkdown;
  const prepared = isPrepared ? await prepare({ path, text: written, firstLine }, report) : asWritten;
  if (prepared === undefined) return undefined;
  const options = { limits: tree.limits, dialect, framework, language, answers, reading: prepared.reading, ...given };
  return { prepared, rendered: (await format.load())(prepared.text, options) };
}

async function readParts(path: string, { tree, report }: LessonContext): Promise<FileText | undefined> {
  const text = await tree.readText(path, report);
  return text === undefined ? undefined : splitFrontMatter(text, tree.toTypedPath(path), tree.limits, report);
}

// The front matter of a file is none of a part's.
function toParts({ text, firstLine }: FilePart): FileText {
  return { fields: new Map(), body: text, bodyLine: firstLine };
}

// Other builders call the name so. It is taken out of the fields, of which it is none.
function takeTitle(fields: PlacedFields, report: Tell): PlacedValue | undefined {
  const title = fields.get("title");
  fields.delete("title");
  if (title?.value === undefined) return undefined;
  if (typeof title.value === "string") return title.value.trim() === "" ? undefined : title;
  report({ kind: "ignored-value", ...title.place, message: "title is ignored: it is no text" });
  return undefined;
}

// The body is the text; two of them would leave an author guessing.
function forgetText(fields: PlacedFields, report: Tell): void {
  const field = fields.get("additionalText");
  if (field === undefined) return;
  const message = "additionalText is ignored: the text of the file is the lesson's";
  report({ kind: "ignored-value", ...field.place, message });
  fields.delete("additionalText");
}
