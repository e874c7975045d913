// One lesson: its file and its outline become the fields of the authoring form.
import { basename, dirname } from "node:path/posix";
import { splitFrontMatter } from "./front-matter.ts";
import { renderBody, type LessonBody } from "./lesson-body.ts";
import { isIntroduction, toTitle } from "../files/lesson-names.ts";
import { findLessonSizeProblem, UnreadableText } from "../limits.ts";
import type { LinkTargets } from "../files/link-targets.ts";
import { isRelativeUrl, resolveLinks, resolveUrl, toFolderUrl, type RelativeLink } from "../html/links.ts";
import type { OutlineLesson } from "../outlines/outline.ts";
import type { PlacedPart } from "../placed/placed-course.ts";
import { findText, type PlacedFields, type PlacedValue } from "../placed/placed-value.ts";
import type { Location, Report } from "../source.ts";
import { isScriptUrl, listScripts, SCRIPT_URL_MESSAGE } from "../html/scripts.ts";
import type { SourceTree } from "../files/source-tree.ts";

/** What reading a lesson needs to know about its course. */
export interface LessonContext {
  tree: SourceTree;
  courseFolder: string;
  assetBase: URL | undefined;
  targets: LinkTargets;
  /** True where `[[anchor]]` ends headings in every file of the course. */
  hasHeadingAnchors: boolean;
  /** Reports what would run scripts. */
  reportsScripts: boolean;
  report: Report;
}

interface Content {
  html: string;
  fields: PlacedFields;
  /** `title` of the front matter: a name for lack of another; undefined where there is none. */
  givenTitle: PlacedValue | undefined;
  /** Undefined where the text gives none. */
  title: string | undefined;
  videoUrl: string | undefined;
  place: Location;
}

/** Reads a lesson. Undefined when its file cannot be read, or the lesson is too large; that is reported. */
export async function readLesson(lesson: OutlineLesson, context: LessonContext): Promise<PlacedPart | undefined> {
  const { file } = lesson;
  const content = file === undefined ? undefined : await readContent(file, lesson, context);
  if (file !== undefined && content === undefined) return undefined;

  const place = content?.place ?? lesson.place;
  const fields: PlacedFields = new Map();
  const setFromFile = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== "") fields.set(name, { value, place });
  };
  if (file !== undefined) setFromFile("name", content?.title ?? nameAfterFile(basename(file)));
  if (content?.givenTitle !== undefined) fields.set("name", content.givenTitle);
  setFromFile("url", content?.videoUrl);
  for (const given of [lesson.fields, content?.fields ?? new Map()]) {
    for (const [name, field] of given) if (field.value !== undefined) fields.set(name, field);
  }
  // The links of a file are resolved already, at their own lines.
  if (file === undefined) await resolveFields(fields, ["quizHtml", "additionalText"], context.courseFolder, context);
  else await resolveFields(fields, ["quizHtml"], dirname(file), context);
  setFromFile("additionalText", content?.html);
  const delivered = ["additionalText", "url", "quizHtml"].map((name) => findText(fields, name) ?? "");
  const sizeProblem = findLessonSizeProblem(delivered, context.tree.limits);
  if (sizeProblem !== undefined) {
    context.report({ severity: "error", ...place, message: sizeProblem });
    return undefined;
  }
  warnWhenEmpty(fields, place, context.report);
  return { fields, place, sourcePath: file };
}

function nameAfterFile(name: string): string {
  return isIntroduction(name) ? "Introduction" : toTitle(name);
}

async function readContent(path: string, lesson: OutlineLesson, context: LessonContext): Promise<Content | undefined> {
  const { tree, targets, report } = context;
  const file = tree.toTypedPath(path);
  const text = await tree.readText(path, report);
  const parts = text === undefined ? undefined : splitFrontMatter(text, file, tree.limits, report);
  if (parts === undefined) return undefined;
  const { fields, body, bodyLine } = parts;
  for (const each of [fields, lesson.fields]) forgetText(each, report);

  const keepsVideo = [fields, lesson.fields].some((each) => findText(each, "url") !== undefined);
  const rendered = renderLessonBody(path, body, keepsVideo, context);
  if (rendered === undefined) return undefined;
  const { remarks, ...content } = rendered;
  for (const { line, ...remark } of remarks) {
    const message = "link" in remark ? await targets.findProblem(remark.link, dirname(path)) : remark.message;
    if (message !== undefined) report({ severity: "warning", file, line: line + bodyLine - 1, message });
  }
  return { ...content, fields, givenTitle: takeTitle(fields, report), place: { file, line: 1 } };
}

/** Undefined when the text cannot be rendered; that is reported. */
function renderLessonBody(
  path: string,
  body: string,
  keepsVideo: boolean,
  { tree, assetBase, hasHeadingAnchors, reportsScripts, report }: LessonContext,
): LessonBody | undefined {
  const linkBase = assetBase === undefined ? undefined : toFolderUrl(dirname(path), assetBase);
  const { limits } = tree;
  try {
    return renderBody(path, body, { limits, hasHeadingAnchors, linkBase, keepsVideo, listsScripts: reportsScripts });
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    report({ severity: "error", file: tree.toTypedPath(path), message: error.message });
    return undefined;
  }
}

// Other builders call the name so. It is taken out of the fields, of which it is none.
function takeTitle(fields: PlacedFields, report: Report): PlacedValue | undefined {
  const title = fields.get("title");
  fields.delete("title");
  if (title?.value === undefined) return undefined;
  if (typeof title.value === "string") return title.value.trim() === "" ? undefined : title;
  report({ severity: "warning", ...title.place, message: "title is ignored: it is no text" });
  return undefined;
}

// The body is the text; two of them would leave an author guessing.
function forgetText(fields: PlacedFields, report: Report): void {
  const field = fields.get("additionalText");
  if (field === undefined) return;
  const message = "additionalText is ignored: the text of the file is the lesson's";
  report({ severity: "warning", ...field.place, message });
  fields.delete("additionalText");
}

async function resolveFields(
  fields: PlacedFields,
  htmlFields: string[],
  folder: string,
  { assetBase, targets, reportsScripts, report }: LessonContext,
): Promise<void> {
  const base = assetBase === undefined ? undefined : toFolderUrl(folder, assetBase);
  for (const name of ["url", ...htmlFields]) {
    const field = fields.get(name);
    if (typeof field?.value !== "string") continue;
    const { value, place } = field;
    const links: RelativeLink[] = [];
    const resolved =
      name === "url"
        ? resolveUrl(value, base, (isResolved) => links.push({ tag: "video", attribute: "src", value, isResolved }))
        : resolveLinks(value, base, (link) => links.push(link));
    fields.set(name, { value: resolved, place });
    const warn = (problem: string): void => report({ severity: "warning", ...place, message: `${name}: ${problem}` });
    for (const link of links) {
      const problem = await targets.findProblem(link, folder);
      if (problem !== undefined) warn(problem);
    }
    if (reportsScripts) for (const problem of listFieldScripts(name, value)) warn(problem);
  }
}

function listFieldScripts(name: string, value: string): string[] {
  if (name !== "url") return listScripts(value).map(({ message }) => message);
  return isScriptUrl(value) ? [SCRIPT_URL_MESSAGE] : [];
}

function warnWhenEmpty(fields: PlacedFields, place: Location, report: Report): void {
  const isEmpty = ["additionalText", "url", "quizHtml"].every((name) => (findText(fields, name) ?? "").trim() === "");
  if (!isEmpty) return;
  report({ severity: "warning", ...place, message: "the lesson is empty: it has no text, no url and no quizHtml" });
}

/** Resolves the course's thumbnail; one that stays relative is left to validation. */
export async function resolveThumbnail(
  fields: PlacedFields,
  { assetBase, courseFolder, targets, report }: LessonContext,
): Promise<void> {
  const field = fields.get("thumbnail");
  if (assetBase === undefined || typeof field?.value !== "string" || !isRelativeUrl(field.value)) return;
  const value = resolveUrl(field.value, toFolderUrl(courseFolder, assetBase), () => undefined);
  fields.set("thumbnail", { ...field, value });
  const link = { tag: "img", attribute: "src", value: field.value, isResolved: true };
  const problem = await targets.findProblem(link, courseFolder);
  if (problem !== undefined) report({ severity: "warning", ...field.place, message: `thumbnail: ${problem}` });
}
